// SPDX-License-Identifier: Apache-2.0
//
// What a block says of itself, from registers of 64 exponents.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "avx512_bytes.hpp"
#include "avx512_raw_parts.hpp"
#include "entrolith/kernels.hpp"

namespace entrolith {
namespace {

/// 64 values, or fewer with zeros after them.
template <class F>
struct Values64 {
    static constexpr unsigned kRegisters = sizeof(typename F::Value);
    __m512i registers[kRegisters];

    Values64(const typename F::Value* values, std::size_t count) noexcept {
        using P = Patterns<F>;
        for (unsigned r = 0; r < kRegisters; ++r) {
            const std::size_t at = r * P::kCount;
            if (at + P::kCount <= count) [[likely]] {
                registers[r] = _mm512_loadu_si512(values + at);
            } else {
                registers[r] =
                    at < count ? P::load_first(values + at, count - at) : _mm512_setzero_si512();
            }
        }
    }

    [[nodiscard]] __m512i exponents() const noexcept {
        using P = Patterns<F>;
        constexpr unsigned kSize = sizeof(typename F::Value);
        static constexpr ByteIndex kTops =
            byte_index([](unsigned i) { return (i * kSize + kSize - 1) % 128; });
        __m512i found = _mm512_permutex2var_epi8(P::template slli<1>(registers[0]), bytes_of(kTops),
                                                 P::template slli<1>(registers[1]));
        if constexpr (kSize == 4) {
            const __m512i upper =
                _mm512_permutex2var_epi8(P::template slli<1>(registers[2]), bytes_of(kTops),
                                         P::template slli<1>(registers[3]));
            found = _mm512_mask_blend_epi8(0xFFFFFFFF'00000000, found, upper);
        }
        return found;
    }

    [[nodiscard]] __m512i all_bits() const noexcept {
        __m512i all = _mm512_or_si512(registers[0], registers[1]);
        if constexpr (kRegisters == 4) {
            all = _mm512_ternarylogic_epi64(all, registers[2], registers[3], 0xFE);
        }
        return all;
    }
};

/// Counts of the 16 symbols in up to 15 groups of 64: nibbles of 8 registers, two symbols in each,
/// until they are added up.
class SymbolCounter {
public:
    static constexpr unsigned kMostGroups = 15;

    /// Lanes outside `active` are not counted.
    void add(__m512i differences, __mmask64 active) noexcept {
        const __m512i symbols = _mm512_min_epu8(differences, _mm512_set1_epi8(kEscape));
        const __m512i counted =
            _mm512_mask_mov_epi8(_mm512_set1_epi8(static_cast<char>(0x80)), active, symbols);
#pragma GCC unroll 8
        for (unsigned k = 0; k < 8; ++k) {
            nibbles_[k] = _mm512_add_epi8(nibbles_[k], _mm512_shuffle_epi8(ones_of(k), counted));
        }
    }

    void add_up(Histogram& histogram) const noexcept {
        const __m512i t0 = halves(quarter(0), quarter(1));
        const __m512i t1 = halves(quarter(2), quarter(3));
        const __m512i u = _mm512_add_epi16(_mm512_shuffle_i64x2(t0, t1, 0x88),
                                           _mm512_shuffle_i64x2(t0, t1, 0xDD));
        const __m512i v = _mm512_add_epi16(u, _mm512_shuffle_i64x2(u, u, 0xB1));
        const __m256i words = _mm512_castsi512_si256(_mm512_shuffle_i64x2(v, v, 0x08));
        std::uint32_t* counts = histogram.data();
        _mm512_storeu_si512(
            counts, _mm512_add_epi32(_mm512_loadu_si512(counts), _mm512_cvtepu16_epi32(words)));
    }

private:
    /// 1 for symbol 2 k, 16 for symbol 2 k + 1.
    static __m512i ones_of(unsigned k) noexcept {
        const auto pair = static_cast<long long>(std::uint64_t{0x1001} << (16 * (k % 4)));
        return _mm512_broadcast_i32x4(k < 4 ? _mm_set_epi64x(0, pair) : _mm_set_epi64x(pair, 0));
    }

    /// Sums over 8 bytes of the counts of symbols 4 j .. 4 j + 3, as words.
    [[nodiscard]] __m512i quarter(unsigned j) const noexcept {
        const __m512i nibble = _mm512_set1_epi8(15);
        const __m512i zero = _mm512_setzero_si512();
        const auto even = [&](unsigned k) {
            return _mm512_sad_epu8(_mm512_and_si512(nibbles_[k], nibble), zero);
        };
        const auto odd = [&](unsigned k) {
            return _mm512_sad_epu8(_mm512_and_si512(_mm512_srli_epi16(nibbles_[k], 4), nibble),
                                   zero);
        };
        const __m512i lower = _mm512_or_si512(even(2 * j), _mm512_slli_epi64(odd(2 * j), 16));
        const __m512i upper =
            _mm512_or_si512(even(2 * j + 1), _mm512_slli_epi64(odd(2 * j + 1), 16));
        return _mm512_or_si512(lower, _mm512_slli_epi64(upper, 32));
    }

    /// Sums of the quadwords of each half, those of `a` and of `b` in turn.
    static __m512i halves(__m512i a, __m512i b) noexcept {
        return _mm512_add_epi16(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    }

    __m512i nibbles_[8] = {};
};

inline std::uint8_t greatest_byte(__m512i v) noexcept {
    const __m256i half =
        _mm256_max_epu8(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
    const __m128i quarter =
        _mm_max_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    // There is an instruction for the least word: so bytes are turned around and doubled up.
    const __m128i turned = _mm_xor_si128(quarter, _mm_set1_epi8(-1));
    const __m128i pairs = _mm_min_epu8(turned, _mm_srli_epi16(turned, 8));
    const int least = _mm_cvtsi128_si32(_mm_minpos_epu16(pairs));
    return static_cast<std::uint8_t>(~least);
}

/// As ValueKernel::survey says.
template <class F>
BlockSurvey survey_groups(const typename F::Value* values, std::size_t count,
                          std::uint8_t* differences) noexcept {
    __m512i greatest = _mm512_setzero_si512();
    __m512i bits = _mm512_setzero_si512();
    for (std::size_t first = 0; first < count; first += 64) {
        const Values64<F> group{values + first, count - first};
        const __m512i exponents = group.exponents();
        _mm512_storeu_si512(differences + first, exponents);
        greatest = _mm512_max_epu8(greatest, exponents);
        bits = _mm512_or_si512(bits, group.all_bits());
    }
    BlockSurvey found{};
    found.emax = greatest_byte(greatest);
    const __m512i emax = _mm512_set1_epi8(static_cast<char>(found.emax));
    for (std::size_t first = 0; first < count;) {
        SymbolCounter counter;
        for (unsigned g = 0; g < SymbolCounter::kMostGroups && first < count; ++g, first += 64) {
            const __m512i group = _mm512_sub_epi8(emax, _mm512_loadu_si512(differences + first));
            _mm512_storeu_si512(differences + first, group);
            counter.add(group, first_bits(count - first < 64 ? count - first : 64));
        }
        counter.add_up(found.histogram);
    }
    using Value = typename F::Value;
    const std::uint64_t folded = static_cast<std::uint64_t>(_mm512_reduce_or_epi64(bits));
    std::uint64_t mantissas = folded | folded >> 32;
    if constexpr (sizeof(Value) == 2) mantissas |= mantissas >> 16;
    mantissas |= std::uint64_t{1} << F::kMantissaBits;
    found.trailing = static_cast<std::uint8_t>(std::countr_zero(mantissas));
    return found;
}

/// As Kernel::choose says.
Choice choose_at_once(const CostTable& costs, const Histogram& histogram,
                      std::uint32_t raw_bits) noexcept {
    constexpr unsigned kAtOnce = 16;
    constexpr unsigned kIndexBits = 7;  // of 128 tables
    __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i best = _mm512_set1_epi32(-1);  // cost, then index
    for (std::size_t first = 0; first < costs.tables; first += kAtOnce) {
        __m512i bits = _mm512_setzero_si512();
        for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
            const __m512i row = _mm512_loadu_si512(costs.bits[symbol].data() + first);
            const __m512i occurs = _mm512_set1_epi32(static_cast<int>(histogram[symbol]));
            bits = _mm512_add_epi32(bits, _mm512_mullo_epi32(row, occurs));
        }
        const std::size_t left = costs.tables - first;
        best = _mm512_mask_min_epu32(
            best, static_cast<__mmask16>(first_bits(left < kAtOnce ? left : kAtOnce)), best,
            _mm512_or_si512(_mm512_slli_epi32(bits, kIndexBits), numbers));
        numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(kAtOnce));
    }
    const std::uint32_t least = _mm512_reduce_min_epu32(best);
    if (least >> kIndexBits > raw_bits) return {kRawTable, raw_bits};
    return {static_cast<std::uint8_t>(least & ((1u << kIndexBits) - 1)), least >> kIndexBits};
}

}  // namespace
}  // namespace entrolith
