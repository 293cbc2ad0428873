// SPDX-License-Identifier: Apache-2.0
//
// Raw parts of fp32 that are whole bytes, by shuffles; others are left to the plain code.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "entrolith/dtype.hpp"
#include "portable_raw_parts.hpp"

namespace entrolith {
namespace {

inline constexpr std::size_t kPartsAtOnce = 8;

/// The shuffle that moves the upper `bytes` bytes of four parts together, or back if `back`.
constexpr std::array<std::uint8_t, 16> part_shuffle(unsigned bytes, bool back) noexcept {
    std::array<std::uint8_t, 16> shuffle{};
    shuffle.fill(128);
    for (unsigned i = 0; i < 4 * bytes; ++i) {
        const unsigned in_value = i / bytes * 4 + (3 - bytes) + i % bytes;
        (back ? shuffle[in_value] : shuffle[i]) = static_cast<std::uint8_t>(back ? i : in_value);
    }
    return shuffle;
}

inline constexpr std::array<std::uint8_t, 16> kPackParts[3] = {
    part_shuffle(1, false), part_shuffle(2, false), part_shuffle(3, false)};
inline constexpr std::array<std::uint8_t, 16> kUnpackParts[3] = {
    part_shuffle(1, true), part_shuffle(2, true), part_shuffle(3, true)};

inline __m128i load_16(const std::uint8_t* at) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

inline __m256i shuffle_of(const std::array<std::uint8_t, 16>& shuffle) noexcept {
    return _mm256_broadcastsi128_si256(load_16(shuffle.data()));
}

/// Bits of `a` where `mask` has ones, else of `b`.
inline __m256i select(__m256i mask, __m256i a, __m256i b) noexcept {
    return _mm256_or_si256(_mm256_and_si256(mask, a), _mm256_andnot_si256(mask, b));
}

/// As ValueKernel::pack_raw says.
void pack_fp32(const std::uint32_t* values, std::size_t count, unsigned trailing,
               std::uint8_t* out) noexcept {
    const unsigned width = Fp32::kPartBits - trailing;
    if (width % 8 != 0) return pack_raw<Fp32>(values, count, trailing, out);
    const unsigned bytes = width / 8;
    const __m256i shuffle = shuffle_of(kPackParts[bytes - 1]);
    const __m256i mantissa = _mm256_set1_epi32(static_cast<int>(Fp32::kMantissa));
    std::size_t i = 0;
    for (; i + kPartsAtOnce <= count; i += kPartsAtOnce) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
        const __m256i parts =
            _mm256_shuffle_epi8(select(mantissa, v, _mm256_srli_epi32(v, 8)), shuffle);
        std::uint8_t* at = out + i * bytes;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(at), _mm256_castsi256_si128(parts));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(at + std::size_t{4} * bytes),
                         _mm256_extracti128_si256(parts, 1));
    }
    pack_raw<Fp32>(values + i, count - i, trailing, out + i * bytes);
}

/// As ValueKernel::unpack_raw says.
void unpack_fp32(const std::uint8_t* in, std::size_t count, unsigned trailing, std::uint16_t emax,
                 const std::uint8_t* differences, std::uint32_t* values) noexcept {
    const unsigned width = Fp32::kPartBits - trailing;
    if (width % 8 != 0) return unpack_raw<Fp32>(in, count, trailing, emax, differences, values);
    const unsigned bytes = width / 8;
    const __m256i shuffle = shuffle_of(kUnpackParts[bytes - 1]);
    const __m256i sign = _mm256_set1_epi32(static_cast<int>(1u << 31));
    const __m256i mantissa = _mm256_set1_epi32(static_cast<int>(Fp32::kMantissa));
    const __m256i all_emax = _mm256_set1_epi32(emax);
    std::size_t i = 0;
    for (; i + kPartsAtOnce <= count; i += kPartsAtOnce) {
        const std::uint8_t* at = in + i * bytes;
        const __m256i parts = _mm256_shuffle_epi8(
            _mm256_set_m128i(load_16(at + std::size_t{4} * bytes), load_16(at)), shuffle);
        const __m256i below = _mm256_cvtepu8_epi32(
            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(differences + i)));
        const __m256i exponents =
            _mm256_srli_epi32(_mm256_slli_epi32(_mm256_sub_epi32(all_emax, below), 24), 1);
        const __m256i signs = _mm256_and_si256(_mm256_slli_epi32(parts, 8), sign);
        const __m256i v =
            _mm256_or_si256(_mm256_or_si256(signs, exponents), _mm256_and_si256(parts, mantissa));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(values + i), v);
    }
    unpack_raw<Fp32>(in + i * bytes, count - i, trailing, emax, differences + i, values + i);
}

}  // namespace
}  // namespace entrolith
