// SPDX-License-Identifier: Apache-2.0
//
// Sign and mantissa of a block, packed and unpacked by byte permutations.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "avx512_bytes.hpp"
#include "entrolith/dtype.hpp"
#include "portable_raw_parts.hpp"

namespace entrolith {
namespace {

/// Operations on registers of fp32 or bf16 patterns, whose exponents take the 8 bits below the
/// sign.
template <class F>
struct Patterns;

template <>
struct Patterns<Fp32> {
    static constexpr std::size_t kCount = 16;

    template <unsigned kBits>
    static __m512i slli(__m512i v) noexcept {
        return _mm512_slli_epi32(v, kBits);
    }
    template <unsigned kBits>
    static __m512i srli(__m512i v) noexcept {
        return _mm512_srli_epi32(v, kBits);
    }
    static __m512i sll(__m512i v, unsigned bits) noexcept {
        return _mm512_sll_epi32(v, _mm_cvtsi32_si128(static_cast<int>(bits)));
    }
    static __m512i set1(std::uint32_t v) noexcept { return _mm512_set1_epi32(static_cast<int>(v)); }
    static __m512i load_first(const std::uint32_t* from, std::size_t count) noexcept {
        return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(first_bits(count)), from);
    }
    static void store_first(std::uint32_t* to, std::size_t count, __m512i v) noexcept {
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(first_bits(count)), v);
    }
};

template <>
struct Patterns<Bf16> {
    static constexpr std::size_t kCount = 32;

    template <unsigned kBits>
    static __m512i slli(__m512i v) noexcept {
        return _mm512_slli_epi16(v, kBits);
    }
    template <unsigned kBits>
    static __m512i srli(__m512i v) noexcept {
        return _mm512_srli_epi16(v, kBits);
    }
    static __m512i sll(__m512i v, unsigned bits) noexcept {
        return _mm512_sll_epi16(v, _mm_cvtsi32_si128(static_cast<int>(bits)));
    }
    static __m512i set1(std::uint16_t v) noexcept {
        return _mm512_set1_epi16(static_cast<short>(v));
    }
    static __m512i load_first(const std::uint16_t* from, std::size_t count) noexcept {
        return _mm512_maskz_loadu_epi16(static_cast<__mmask32>(first_bits(count)), from);
    }
    static void store_first(std::uint16_t* to, std::size_t count, __m512i v) noexcept {
        _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(first_bits(count)), v);
    }
};

/// Where the upper `bytes` bytes of a part lie, for as many values as a register has.
template <class F>
constexpr ByteIndex upper_bytes(unsigned bytes) noexcept {
    return byte_index([=](unsigned i) {
        return (i / bytes * sizeof(typename F::Value) + F::kPartBits / 8 - bytes + i % bytes) % 64;
    });
}

/// Packs parts whose width is a number of whole bytes.
template <class F>
void pack_bytes(const typename F::Value* values, std::size_t count, unsigned bytes,
                std::uint8_t* out) noexcept {
    using P = Patterns<F>;
    static constexpr ByteIndex kIndex[3] = {upper_bytes<F>(1), upper_bytes<F>(2),
                                            upper_bytes<F>(3)};
    const __m512i index = bytes_of(kIndex[bytes - 1]);
    const __m512i mantissa = P::set1(F::kMantissa);
    const auto packed = [&](__m512i v) {
        return _mm512_permutexvar_epi8(index, select(mantissa, v, P::template srli<8>(v)));
    };
    std::size_t i = 0;
    for (; i + P::kCount <= count; i += P::kCount) {
        _mm512_storeu_si512(out, packed(_mm512_loadu_si512(values + i)));
        out += P::kCount * bytes;
    }
    if (i < count) _mm512_storeu_si512(out, packed(P::load_first(values + i, count - i)));
}

/// As ValueKernel::pack_raw says.
template <class F>
void pack_parts(const typename F::Value* values, std::size_t count, unsigned trailing,
                std::uint8_t* out) noexcept {
    const unsigned width = F::kPartBits - trailing;
    if (width % 8 == 0) {
        pack_bytes<F>(values, count, width / 8, out);
    } else {
        pack_raw<F>(values, count, trailing, out);
    }
}

/// Sign, exponent and mantissa from the exponent above the part.
template <class F>
__m512i rotated(__m512i v) noexcept {
    using P = Patterns<F>;
    using Value = typename F::Value;
    constexpr auto kExponent = static_cast<Value>(Value{F::kMaxExponent} << F::kMantissaBits);
    constexpr auto kTop = static_cast<Value>(Value{1} << (8 * sizeof(Value) - 1));
    const __m512i below_sign = select(P::set1(kExponent), P::template srli<1>(v), v);
    return select(P::set1(kTop), P::template slli<8>(v), below_sign);
}

/// Unpacks parts of F::kPartBits bits.
template <class F>
void unpack_bytes(const std::uint8_t* in, std::size_t count, __m512i emax,
                  const std::uint8_t* differences, typename F::Value* values) noexcept {
    using P = Patterns<F>;
    constexpr unsigned kSize = sizeof(typename F::Value);
    constexpr unsigned kRegisters = kSize;  // of values, for 64 of them
    constexpr auto index_of = [](unsigned r) {
        return byte_index([=](unsigned i) {
            const unsigned part = i / kSize * (kSize - 1) + i % kSize;
            const unsigned exponent = 64 + r * static_cast<unsigned>(P::kCount) + i / kSize;
            return i % kSize == kSize - 1 ? exponent : part;
        });
    };
    static constexpr ByteIndex kIndex[4] = {index_of(0), index_of(1), index_of(2), index_of(3)};
    for (std::size_t first = 0; first < count; first += 64) {
        const __m512i exponents = _mm512_sub_epi8(emax, _mm512_loadu_si512(differences + first));
        for (unsigned r = 0; r < kRegisters; ++r) {
            const std::size_t at = first + r * P::kCount;
            if (at >= count) break;
            const __m512i parts = _mm512_loadu_si512(in + at * (kSize - 1));
            const __m512i v =
                rotated<F>(_mm512_permutex2var_epi8(parts, bytes_of(kIndex[r]), exponents));
            if (at + P::kCount <= count) [[likely]] {
                _mm512_storeu_si512(values + at, v);
            } else {
                P::store_first(values + at, count - at, v);
            }
        }
    }
}

/// Where parts of some width lie, seen from each byte of a register of values: the 8 bytes of its
/// quadword begin with the one where the quadword's first part does; its own bits begin at
/// `shifts`.
struct BitLayout {
    ByteIndex bytes;
    ByteIndex shifts;
};

template <class F>
constexpr BitLayout bit_layout(unsigned width) noexcept {
    constexpr unsigned kSize = sizeof(typename F::Value);
    const auto first_bit = [=](unsigned i) { return i / 8 * (8 / kSize) * width; };
    return {byte_index([=](unsigned i) { return first_bit(i) / 8 + i % 8; }),
            byte_index([=](unsigned i) {
                return first_bit(i) % 8 + i % 8 / kSize * width + i % kSize * 8;
            })};
}

template <class F>
constexpr std::array<BitLayout, F::kPartBits> bit_layouts() noexcept {
    std::array<BitLayout, F::kPartBits> all{};
    for (unsigned width = 0; width < F::kPartBits; ++width) all[width] = bit_layout<F>(width);
    return all;
}

template <class F>
inline constexpr std::array<BitLayout, F::kPartBits> kBitLayouts = bit_layouts<F>();

/// Unpacks parts of less than F::kPartBits bits.
template <class F>
void unpack_bits(const std::uint8_t* in, std::size_t count, unsigned trailing, __m512i emax,
                 const std::uint8_t* differences, typename F::Value* values) noexcept {
    using P = Patterns<F>;
    constexpr unsigned kSize = sizeof(typename F::Value);
    const unsigned width = F::kPartBits - trailing;
    const __m512i gather = bytes_of(kBitLayouts<F>[width].bytes);
    const __m512i shift = bytes_of(kBitLayouts<F>[width].shifts);
    const __m512i mask = P::set1(static_cast<typename F::Value>((1u << width) - 1));
    const __mmask64 tops = 0x1111'1111'1111'1111u * (kSize == 4 ? 8u : 10u);
    static constexpr ByteIndex kSpread = byte_index([](unsigned i) { return i / kSize; });
    const __m512i spread = bytes_of(kSpread);
    for (std::size_t at = 0; at < count; at += P::kCount) {
        const __m512i packed =
            _mm512_permutexvar_epi8(gather, _mm512_loadu_si512(in + at / 8 * width));
        const __m512i parts =
            P::sll(_mm512_and_si512(_mm512_multishift_epi64_epi8(shift, packed), mask), trailing);
        const __m512i exponents = _mm512_sub_epi8(emax, _mm512_loadu_si512(differences + at));
        const __m512i v = rotated<F>(_mm512_mask_permutexvar_epi8(parts, tops, spread, exponents));
        if (at + P::kCount <= count) [[likely]] {
            _mm512_storeu_si512(values + at, v);
        } else {
            P::store_first(values + at, count - at, v);
        }
    }
}

/// As ValueKernel::unpack_raw says.
template <class F>
void unpack_parts(const std::uint8_t* in, std::size_t count, unsigned trailing, std::uint16_t emax,
                  const std::uint8_t* differences, typename F::Value* values) noexcept {
    const __m512i all_emax = _mm512_set1_epi8(static_cast<char>(emax));
    if (trailing == 0) {
        unpack_bytes<F>(in, count, all_emax, differences, values);
    } else {
        unpack_bits<F>(in, count, trailing, all_emax, differences, values);
    }
}

}  // namespace
}  // namespace entrolith
