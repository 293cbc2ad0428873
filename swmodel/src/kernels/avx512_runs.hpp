// SPDX-License-Identifier: Apache-2.0
//
// Runs of zeros, 16 numbers or 64 classes at a time.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "avx512_bytes.hpp"
#include "entrolith/kernels.hpp"
#include "portable_runs.hpp"

namespace entrolith {
namespace {

inline constexpr std::size_t kNumbers = 16;  // in a register

/// Up to 16 of the numbers that are left; 0 beyond.
inline __m512i load_numbers(const std::uint32_t* numbers, std::size_t left) noexcept {
    const auto mask = static_cast<__mmask16>(first_bits(left < kNumbers ? left : kNumbers));
    return _mm512_maskz_loadu_epi32(mask, numbers);
}

/// As RunKernel::find says: first the places of the edges, then what lies between them.
inline std::size_t find_numbers_at_once(const std::uint32_t* words, std::size_t count,
                                        std::uint32_t* numbers) noexcept {
    std::uint32_t* next = numbers;
    const __m512i places = bytes_of(byte_index([](unsigned i) { return i; }));
    for_edges(words, count, [&](std::size_t first, std::uint64_t edges) {
        __m512i found = _mm512_maskz_compress_epi8(edges, places);
        const __m512i base = _mm512_set1_epi32(static_cast<int>(first));
        const std::size_t length = count_bits(edges);
        for (std::size_t i = 0;;) {
            const __m512i some = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(found));
            _mm512_storeu_si512(next + i, _mm512_add_epi32(some, base));
            i += kNumbers;
            if (i >= length) [[likely]]
                break;
            found = _mm512_alignr_epi32(found, found, 4);
        }
        next += length;
    });
    const auto tokens = static_cast<std::size_t>(next - numbers);
    __m512i before = _mm512_set1_epi32(-1);
    for (std::size_t i = 0; i < tokens; i += kNumbers) {
        const __m512i here = _mm512_loadu_si512(numbers + i);
        const __m512i previous = _mm512_alignr_epi32(here, before, 15);
        // here - previous - 1
        _mm512_storeu_si512(
            numbers + i, _mm512_add_epi32(here, _mm512_xor_si512(previous, _mm512_set1_epi32(-1))));
        before = here;
    }
    return tokens;
}

/// As RunKernel::classify says.
inline ClassCounts classify_at_once(const std::uint32_t* numbers, std::size_t tokens,
                                    std::uint8_t* classes) noexcept {
    constexpr std::uint64_t kRuns = 0xAAAA'AAAA'AAAA'AAAA;
    constexpr std::size_t kAtOnce = 64;
    ClassCounts counts{};
    for (std::size_t i = 0; i < tokens; i += kAtOnce) {
        __m128i part[4];
        for (std::size_t k = 0; k < 4; ++k) {
            const std::size_t at = i + k * kNumbers;
            const std::size_t left = at < tokens ? tokens - at : 0;
            const __m512i zeros = _mm512_lzcnt_epi32(load_numbers(numbers + at, left));
            part[k] = _mm512_cvtepi32_epi8(_mm512_sub_epi32(_mm512_set1_epi32(32), zeros));
        }
        __m512i all = _mm512_castsi128_si512(part[0]);
        all = _mm512_inserti32x4(all, part[1], 1);
        all = _mm512_inserti32x4(all, part[2], 2);
        all = _mm512_inserti32x4(all, part[3], 3);
        _mm512_storeu_si512(classes + i, all);
        __mmask64 left = first_bits(tokens - i < kAtOnce ? tokens - i : kAtOnce);
        for (unsigned c = 0; left != 0; ++c) {
            const __mmask64 equal =
                _mm512_mask_cmpeq_epi8_mask(left, all, _mm512_set1_epi8(static_cast<char>(c)));
            counts[0][c] += static_cast<std::uint32_t>(count_bits(equal & ~kRuns));
            counts[1][c] += static_cast<std::uint32_t>(count_bits(equal & kRuns));
            left &= ~equal;
        }
    }
    return counts;
}

/// As RunKernel::rename says.
inline void rename_at_once(std::uint8_t* classes, std::size_t tokens,
                           const ClassSymbols& symbols) noexcept {
    constexpr std::uint64_t kRuns = 0xAAAA'AAAA'AAAA'AAAA;
    const __m512i of_distances = _mm512_loadu_si512(symbols[0].data());
    const __m512i of_runs = _mm512_loadu_si512(symbols[1].data());
    for (std::size_t i = 0; i < tokens; i += 64) {
        const __m512i here = _mm512_loadu_si512(classes + i);
        const __m512i renamed = _mm512_permutexvar_epi8(here, of_distances);
        _mm512_storeu_si512(classes + i,
                            _mm512_mask_permutexvar_epi8(renamed, kRuns, here, of_runs));
    }
}

/// As RunKernel::write_extra says: four tokens at a time, if their bits fit.
inline void write_extra_at_once(const std::uint32_t* numbers, std::size_t tokens,
                                std::uint8_t* out) noexcept {
    constexpr std::size_t kPairs = kNumbers / 2;
    ExtraWriter writer{out};
    const __m512i low = _mm512_set1_epi64(0xFFFF'FFFF);
    for (std::size_t i = 0; i < tokens; i += kNumbers) {
        const __m512i here = load_numbers(numbers + i, tokens - i);
        const __m512i zeros = _mm512_lzcnt_epi32(here);
        const __m512i beyond = _mm512_add_epi32(zeros, _mm512_set1_epi32(1));
        const __m512i bits =
            _mm512_and_si512(here, _mm512_srlv_epi32(_mm512_set1_epi32(-1), beyond));
        const __m512i widths = _mm512_max_epi32(_mm512_sub_epi32(_mm512_set1_epi32(31), zeros),
                                                _mm512_setzero_si512());
        const __m512i first_width = _mm512_and_si512(widths, low);
        const __m512i pair =
            _mm512_or_si512(_mm512_and_si512(bits, low),
                            _mm512_sllv_epi64(_mm512_srli_epi64(bits, 32), first_width));
        const __m512i pair_width = _mm512_add_epi64(first_width, _mm512_srli_epi64(widths, 32));
        const __m512i even = _mm512_unpacklo_epi64(pair, pair);
        const __m512i even_width = _mm512_unpacklo_epi64(pair_width, pair_width);
        const __m512i four =
            _mm512_or_si512(even, _mm512_sllv_epi64(_mm512_unpackhi_epi64(pair, pair), even_width));
        const __m512i four_width =
            _mm512_add_epi64(even_width, _mm512_unpackhi_epi64(pair_width, pair_width));
        alignas(64) std::uint64_t piece[kPairs];
        alignas(64) std::uint64_t width[kPairs];
        const bool fits = _mm512_cmpgt_epu64_mask(four_width, _mm512_set1_epi64(57)) == 0;
        _mm512_store_si512(piece, fits ? four : pair);
        _mm512_store_si512(width, fits ? four_width : pair_width);
        for (std::size_t k = 0; k < kPairs; k += fits ? 2 : 1) {
            writer.put(piece[k], static_cast<unsigned>(width[k]));
        }
    }
}

/// Places where runs of zeros begin and end: bytes of a ring, until all below them are known, which
/// is when the bits between become those of the bitmap.
class EdgeRing {
public:
    static constexpr std::size_t kSize = 8192;

    explicit EdgeRing(std::uint32_t* words) noexcept
        : bytes_{reinterpret_cast<std::uint8_t*>(words)} {}

    /// `at` is above those before, by less than kSize / 2 or after make_room().
    void add(std::size_t at) noexcept { edges_[at % kSize] = 1; }
    /// The same of 16, of which the last may be there several times.
    void add(__m512i at) noexcept {
        alignas(64) std::uint32_t places[kNumbers];
        _mm512_store_si512(places, _mm512_and_si512(at, _mm512_set1_epi32(kSize - 1)));
        for (const std::uint32_t place : places) edges_[place] = 1;
    }

    /// Completes what is so far below `at`, above all edges, that it is in the way.
    void make_room(std::size_t at) noexcept {
        if (at - done_ >= kSize / 2) complete(at / kWordEntries * kWordEntries);
    }
    /// The zeros among `end` entries, all of whose edges there are.
    std::size_t finish(std::size_t end) noexcept {
        complete(end / kWordEntries * kWordEntries + kWordEntries);
        return zeros_;
    }

private:
    static constexpr std::size_t kWordEntries = 64;

    /// To multiply by it without carries is to sum up bits from the lowest on.
    void complete(std::size_t end) noexcept {
        const __m128i ones = _mm_set1_epi8(-1);
        std::uint8_t* const bytes = bytes_;
        std::uint64_t inside = inside_;
        std::size_t zeros = zeros_;
        for (std::size_t at = done_; at < end; at += kWordEntries) {
            std::uint8_t* edges = edges_.data() + at % kSize;
            const __m512i here = _mm512_load_si512(edges);
            const auto found = static_cast<long long>(_mm512_test_epi8_mask(here, here));
            _mm512_store_si512(edges, _mm512_setzero_si512());
            const __m128i sums = _mm_clmulepi64_si128(_mm_cvtsi64_si128(found), ones, 0);
            const std::uint64_t word = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sums)) ^ inside;
            store(bytes + at / 8, word);
            inside = std::uint64_t{0} - (word >> 63);
            zeros += count_bits(word);
        }
        done_ = end > done_ ? end : done_;
        inside_ = inside;
        zeros_ = zeros;
    }

    std::uint8_t* bytes_;
    std::size_t done_ = 0;
    std::uint64_t inside_ = 0;  // all ones if the last complete entry is in a run
    std::size_t zeros_ = 0;
    alignas(64) std::array<std::uint8_t, kSize> edges_{};
};

/// Each byte and all before it, added up.
inline __m128i sums_of_bytes(__m128i v) noexcept {
    v = _mm_add_epi8(v, _mm_slli_si128(v, 1));
    v = _mm_add_epi8(v, _mm_slli_si128(v, 2));
    v = _mm_add_epi8(v, _mm_slli_si128(v, 4));
    return _mm_add_epi8(v, _mm_slli_si128(v, 8));
}

/// The same of numbers.
inline __m512i sums_of_numbers(__m512i v) noexcept {
    const __m512i zero = _mm512_setzero_si512();
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 14));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 12));
    return _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 8));
}

/// As RunKernel::expand says: 16 tokens at a time, if their classes are low.
inline Expanded expand_at_once(const std::uint8_t* classes, std::size_t tokens,
                               const std::uint8_t* extra, std::size_t most,
                               std::uint32_t* words) noexcept {
    constexpr std::uint8_t kHighestLow = 8;  // numbers of up to kSize / 2 / 16
    constexpr unsigned kMostBits = 57;
    EdgeRing ring{words};
    std::size_t bit = 0;
    __m512i before = _mm512_set1_epi32(-1);
    std::size_t end = 0;
    for (std::size_t i = 0; i < tokens; i += kNumbers) {
        const std::size_t count = tokens - i < kNumbers ? tokens - i : kNumbers;
        const auto some = static_cast<__mmask16>(first_bits(count));
        const __m128i here = _mm_maskz_loadu_epi8(some, classes + i);
        const __m128i widths = _mm_subs_epu8(here, _mm_set1_epi8(1));
        const __m128i ends = sums_of_bytes(widths);
        const auto bits = static_cast<unsigned>(_mm_extract_epi8(ends, 15));
        const auto high = _mm_cmpgt_epu8_mask(here, _mm_set1_epi8(kHighestLow));
        if (high == 0 && bits <= kMostBits) [[likely]] {
            const std::uint64_t next = load<std::uint64_t>(extra + bit / 8) >> bit % 8;
            const __m128i bases = _mm_shuffle_epi8(
                _mm_setr_epi8(0, 1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0), here);
            const __m128i kept = _mm_subs_epu8(bases, _mm_set1_epi8(1));
            const __m128i low = _mm_multishift_epi64_epi8(
                _mm_sub_epi8(ends, widths), _mm_set1_epi64x(static_cast<long long>(next)));
            const __m128i numbers = _mm_ternarylogic_epi64(bases, kept, low, 0xF8);
            const __m512i steps =
                _mm512_maskz_add_epi32(some, _mm512_cvtepu8_epi32(numbers), _mm512_set1_epi32(1));
            const __m512i found = _mm512_add_epi32(before, sums_of_numbers(steps));
            before = _mm512_permutexvar_epi32(_mm512_set1_epi32(kNumbers - 1), found);
            end = static_cast<std::uint32_t>(_mm512_cvtsi512_si32(before));
            if (end > most) break;
            ring.add(found);
            bit += bits;
        } else {
            for (std::size_t token = i; token < i + count && end <= most; ++token) {
                const ClassOf c = class_of(classes[token]);
                const std::uint64_t next = load<std::uint64_t>(extra + bit / 8) >> bit % 8;
                end += c.base + static_cast<std::size_t>(_bzhi_u64(next, c.extra_bits)) +
                       (token != 0 ? 1 : 0);
                if (end > most) break;
                ring.make_room(end);
                ring.add(end);
                bit += c.extra_bits;
            }
            if (end > most) break;
            before = _mm512_set1_epi32(static_cast<int>(end));
        }
        ring.make_room(end);
    }
    return {end, end > most ? 0 : ring.finish(end)};
}

inline std::uint64_t gather_at_once(std::uint64_t bits, std::uint64_t mask) noexcept {
    return _pext_u64(bits, mask);
}

inline std::uint64_t scatter_at_once(std::uint64_t bits, std::uint64_t mask) noexcept {
    return _pdep_u64(bits, mask);
}

}  // namespace
}  // namespace entrolith
