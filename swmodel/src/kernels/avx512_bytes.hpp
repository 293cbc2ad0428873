// SPDX-License-Identifier: Apache-2.0
//
// Registers of 64 bytes: what several operations do with them. Constants are made where they are
// used, and hoisted by the compiler: a global one would run AVX-512 code on every processor.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace entrolith {
namespace {

/// The low byte of every word.
inline __m512i low_bytes() noexcept { return _mm512_set1_epi16(0x00FF); }

/// Bits of `a` where `mask` has ones, else of `b`.
inline __m512i select(__m512i mask, __m512i a, __m512i b) noexcept {
    return _mm512_ternarylogic_epi64(mask, a, b, 0xCA);
}

using ByteIndex = std::array<std::uint8_t, 64>;

/// A permutation: byte i comes from byte index(i), which may be of a second register.
template <class Function>
constexpr ByteIndex byte_index(Function index) noexcept {
    ByteIndex all{};
    for (unsigned i = 0; i < 64; ++i) all[i] = static_cast<std::uint8_t>(index(i));
    return all;
}

inline __m512i bytes_of(const ByteIndex& index) noexcept {
    return _mm512_loadu_si512(index.data());
}

/// How many bits the number in each byte has.
inline __m512i bit_widths(__m512i bytes) noexcept {
    const __m512i nibble = _mm512_set1_epi8(15);
    const __m512i of_lower =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4));
    const __m512i of_upper =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 5, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8));
    const __m512i upper = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibble);
    return _mm512_max_epu8(_mm512_shuffle_epi8(of_lower, _mm512_and_si512(bytes, nibble)),
                           _mm512_shuffle_epi8(of_upper, upper));
}

/// The lowest `count` of 64 bits.
inline __mmask64 first_bits(std::size_t count) noexcept {
    return _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count));
}

inline std::size_t count_bits(std::uint64_t mask) noexcept {
    return static_cast<std::size_t>(__builtin_popcountll(mask));
}

}  // namespace
}  // namespace entrolith
