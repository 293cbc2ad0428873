// SPDX-License-Identifier: Apache-2.0
//
// What a block says of itself, from registers of 32 exponents.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "entrolith/kernels.hpp"

namespace entrolith {
namespace {

inline __m256i load_values(const void* at) noexcept {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

/// The exponents of 32 values; `bits` gathers all bits that are set in one.
inline __m256i exponents_of(const std::uint32_t* values, __m256i& bits) noexcept {
    const auto next = [&](std::size_t r) {
        const __m256i v = load_values(values + 8 * r);
        bits = _mm256_or_si256(bits, v);
        return _mm256_srli_epi32(_mm256_slli_epi32(v, 1), 24);
    };
    const __m256i lower = _mm256_packus_epi32(next(0), next(1));
    const __m256i upper = _mm256_packus_epi32(next(2), next(3));
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(lower, upper),
                                       _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
inline __m256i exponents_of(const std::uint16_t* values, __m256i& bits) noexcept {
    const auto next = [&](std::size_t r) {
        const __m256i v = load_values(values + 16 * r);
        bits = _mm256_or_si256(bits, v);
        return _mm256_srli_epi16(_mm256_slli_epi16(v, 1), 8);
    };
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(next(0), next(1)), 0xD8);
}

/// Counts of the 16 symbols in up to 15 registers: nibbles of 8 registers, two symbols in each,
/// until they are added up.
class SymbolCounter {
public:
    static constexpr unsigned kMostRegisters = 15;

    /// Bytes with the top bit set are not counted.
    void add(__m256i symbols) noexcept {
#pragma GCC unroll 8
        for (unsigned k = 0; k < 8; ++k) {
            nibbles_[k] = _mm256_add_epi8(nibbles_[k], _mm256_shuffle_epi8(ones_of(k), symbols));
        }
    }

    void add_up(Histogram& histogram) const noexcept {
        const __m256i nibble = _mm256_set1_epi8(15);
        for (unsigned k = 0; k < 8; ++k) {
            histogram[2 * k] += sum(_mm256_and_si256(nibbles_[k], nibble));
            histogram[2 * k + 1] +=
                sum(_mm256_and_si256(_mm256_srli_epi16(nibbles_[k], 4), nibble));
        }
    }

private:
    /// 1 for symbol 2 k, 16 for symbol 2 k + 1.
    static __m256i ones_of(unsigned k) noexcept {
        const auto pair = static_cast<long long>(std::uint64_t{0x1001} << (16 * (k % 4)));
        return _mm256_broadcastsi128_si256(k < 4 ? _mm_set_epi64x(0, pair)
                                                 : _mm_set_epi64x(pair, 0));
    }

    static std::uint32_t sum(__m256i bytes) noexcept {
        const __m256i sums = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
        const __m128i half =
            _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
        return static_cast<std::uint32_t>(
            _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_unpackhi_epi64(half, half))));
    }

    __m256i nibbles_[8] = {};
};

/// As ValueKernel::survey says, for exponents that take the 8 bits below the sign.
template <class F>
BlockSurvey survey_registers(const typename F::Value* values, std::size_t count,
                             std::uint8_t* differences) noexcept {
    using Value = typename F::Value;
    constexpr std::size_t kAtOnce = 32;
    __m256i greatest = _mm256_setzero_si256();
    __m256i bits = _mm256_setzero_si256();
    const auto see = [&](const Value* from, std::size_t first) {
        const __m256i exponents = exponents_of(from, bits);
        greatest = _mm256_max_epu8(greatest, exponents);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(differences + first), exponents);
    };
    std::size_t whole = 0;
    for (; whole + kAtOnce <= count; whole += kAtOnce) see(values + whole, whole);
    if (whole < count) {
        Value rest[kAtOnce] = {};
        std::memcpy(rest, values + whole, (count - whole) * sizeof(Value));
        see(rest, whole);
    }

    BlockSurvey found{};
    std::uint8_t candidates[kAtOnce];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(candidates), greatest);
    found.emax = *std::max_element(candidates, candidates + kAtOnce);
    const __m256i emax = _mm256_set1_epi8(static_cast<char>(found.emax));
    const __m256i numbers =
        _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                         21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    for (std::size_t first = 0; first < count;) {
        SymbolCounter counter;
        for (unsigned r = 0; r < SymbolCounter::kMostRegisters && first < count;
             ++r, first += kAtOnce) {
            const __m256i group = _mm256_sub_epi8(emax, load_values(differences + first));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(differences + first), group);
            const __m256i symbols = _mm256_min_epu8(group, _mm256_set1_epi8(kEscape));
            const auto left = static_cast<char>(std::min(count - first, kAtOnce));
            counter.add(_mm256_or_si256(
                symbols,
                _mm256_cmpgt_epi8(numbers, _mm256_set1_epi8(static_cast<char>(left - 1)))));
        }
        counter.add_up(found.histogram);
    }

    Value patterns[sizeof bits / sizeof(Value)];
    std::memcpy(patterns, &bits, sizeof bits);
    std::uint32_t mantissas = 1u << F::kMantissaBits;
    for (const Value pattern : patterns) mantissas |= pattern;
    found.trailing = static_cast<std::uint8_t>(std::countr_zero(mantissas));
    return found;
}

}  // namespace
}  // namespace entrolith
