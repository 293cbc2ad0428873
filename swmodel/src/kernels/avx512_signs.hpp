// SPDX-License-Identifier: Apache-2.0
//
// The rows of signed chunks, 64 columns at a time: what avx512_scale.hpp does, and the columns'
// leans, a byte each. Once the row's g is known, the table of a lane is one of its |L|.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "avx512_bytes.hpp"
#include "avx512_codes.hpp"
#include "avx512_scale.hpp"
#include "entrolith/signs.hpp"
#include "portable_signs.hpp"
#include "scale_groups.hpp"

namespace entrolith {
namespace {

/// Which of four tables each lane has: the lower and the upper bits of their numbers.
struct FourByLane {
    __mmask64 lower;
    __mmask64 upper;

    explicit FourByLane(__m512i tables) noexcept
        : lower{_mm512_test_epi8_mask(tables, _mm512_set1_epi8(1))},
          upper{_mm512_test_epi8_mask(tables, _mm512_set1_epi8(2))} {}

    /// The lanes of table t.
    [[nodiscard]] __mmask64 lanes(unsigned t) const noexcept {
        return (t % 2 != 0 ? lower : ~lower) & (t / 2 != 0 ? upper : ~upper);
    }
};

/// By strength, the table of every |L|.
inline constexpr auto kLeanTables = [] {
    std::array<std::array<std::uint8_t, 128>, kStrongest + 1> all{};
    for (unsigned strength = 0; strength <= kStrongest; ++strength) {
        for (std::size_t size = 0; size < 128; ++size) {
            const ColumnLean column{static_cast<std::int8_t>(size)};
            all[strength][size] = static_cast<std::uint8_t>(column.table(strength));
        }
    }
    return all;
}();

/// The sense and strength of a row.
struct RowSense {
    __mmask64 flip;     // f, everywhere
    __m512i tables[2];  // by |L|

    explicit RowSense(unsigned sense) noexcept
        : flip{(sense & 1) != 0 ? kAllLanes : 0},
          tables{_mm512_loadu_si512(kLeanTables[sense >> 1].data()),
                 _mm512_loadu_si512(kLeanTables[sense >> 1].data() + 64)} {}
};

/// A group's leans in a row with some sense.
struct GroupLeans {
    ColumnLean* at;
    __m512i leans;
    __m512i tables;
    __mmask64 below;  // which are less than 0
    __mmask64 flip;

    GroupLeans(ColumnLean* columns, const RowSense& sense) noexcept
        : at{columns},
          leans{_mm512_loadu_si512(columns)},
          tables{
              _mm512_permutex2var_epi8(sense.tables[0], _mm512_abs_epi8(leans), sense.tables[1])},
          below{_mm512_movepi8_mask(leans)},
          flip{sense.flip} {}

    /// a from signs, or signs from a.
    [[nodiscard]] __mmask64 turn(__mmask64 signs) const noexcept {
        return _kxor_mask64(_kxor_mask64(signs, below), flip);
    }

    /// Stores what the leans of the active columns come to be.
    template <bool kWhole>
    void learn(__mmask64 signs, __mmask64 active) const noexcept {
        // An eighth of L + 128 is that of L, and 16: the step makes up for it.
        const __m512i above = _mm512_xor_si512(leans, _mm512_set1_epi8(-128));
        const __m512i eighth = _mm512_and_si512(_mm512_srli_epi16(above, 3), _mm512_set1_epi8(31));
        const __m512i step =
            _mm512_mask_blend_epi8(_kxor_mask64(signs, flip), _mm512_set1_epi8(16 + kLeanStep),
                                   _mm512_set1_epi8(16 - kLeanStep));
        const __m512i moved = _mm512_add_epi8(_mm512_sub_epi8(leans, eighth), step);
        if constexpr (kWhole) {
            _mm512_storeu_si512(at, moved);
        } else {
            _mm512_mask_storeu_epi8(at, active, moved);
        }
    }
};

/// Counts of the 64 symbols of four tables, as differences, in the way of WideCounter, but for
/// those that are far from what is predicted: so there are registers for all.
class FourCounter {
public:
    /// Lanes outside `active` are not counted. Returns those that are left to count.
    [[gnu::always_inline]] std::uint64_t add(__m512i differences, const FourByLane& tables,
                                             __mmask64 active) noexcept {
        const __m512i symbols = _mm512_min_epu8(differences, _mm512_set1_epi8(63));
        const auto bit = [&](unsigned b) {
            return _mm512_test_epi8_mask(symbols, _mm512_set1_epi8(static_cast<char>(1u << b)));
        };
        const std::uint64_t b3 = bit(3);
        const std::uint64_t b4 = bit(4);
        const std::uint64_t b5 = bit(5);
        // Masks go through memory: that is where a broadcast costs nothing.
        std::uint64_t masks[] = {bit(0),
                                 bit(1),
                                 bit(2),
                                 tables.lanes(0) & active,
                                 tables.lanes(1) & active,
                                 tables.lanes(2) & active,
                                 tables.lanes(3) & active,
                                 ~b5 & b4 & b3,
                                 b5 & ~b4 & ~b3,
                                 b5 & ~b4 & b3,
                                 b5 & b4 & ~b3,
                                 b5 & b4 & b3};
        asm volatile("" : "+m"(masks));
        const auto everywhere = [&](std::size_t m) {
            return _mm512_set1_epi64(static_cast<long long>(masks[m]));
        };
        const __m512i lower =
            _mm512_and_si512(_mm512_xor_si512(everywhere(0), inverse(0)),
                             _mm512_and_si512(_mm512_xor_si512(everywhere(1), inverse(1)),
                                              _mm512_xor_si512(everywhere(2), inverse(2))));
        for_each([&]<std::size_t kTable, std::size_t kUpper>() noexcept {
            const __m512i here = _mm512_and_si512(lower, everywhere(3 + kTable));
            const __m512i both = _mm512_and_si512(here, everywhere(3 + kSignedTables + kUpper));
            counts_[kTable][kUpper] =
                _mm512_add_epi64(counts_[kTable][kUpper], _mm512_popcnt_epi64(both));
        });
        return ~(b5 | (b4 & b3)) & active;
    }

    /// Into counts by difference.
    void add_up(std::array<SignedHistogram, kSignedTables>& counts) const noexcept {
        for_each([&]<std::size_t kTable, std::size_t kUpper>() noexcept {
            _mm256_storeu_si256(
                reinterpret_cast<__m256i*>(counts[kTable].data() + 8 * (8 - kUppers + kUpper)),
                _mm512_cvtepi64_epi32(counts_[kTable][kUpper]));
        });
    }

private:
    static constexpr std::size_t kUppers = 5;  // of the 8 values of the upper three bits

    /// Calls `function` for all registers, with constants, so that they are registers.
    template <class Function>
    static void for_each(Function function) noexcept {
        [&]<std::size_t... kAt>(std::index_sequence<kAt...>) noexcept {
            (function.template operator()<kAt / kUppers, kAt % kUppers>(), ...);
        }(std::make_index_sequence<kSignedTables * kUppers>{});
    }
    /// All ones in the lanes whose number has a 0 at bit b.
    static __m512i inverse(unsigned b) noexcept {
        const auto lane = [b](long long s) { return s >> b & 1 ? 0LL : -1LL; };
        return _mm512_setr_epi64(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6),
                                 lane(7));
    }

    __m512i counts_[kSignedTables][kUppers] = {};
};

/// Counts what GroupSigns has stored.
template <bool kDense>
void count_signed_symbols(const Rows& rows, const SignBuffers& signs,
                          std::array<SignedHistogram, kSignedTables>& histograms) noexcept {
    FourCounter counter;
    std::array<SignedHistogram, kSignedTables> counts{};  // by difference
    for (std::size_t value = 0; value < rows.values; value += kGroupLanes) {
        const RowGroup group{value, 0, std::min(kGroupLanes, rows.values - value)};
        const std::uint8_t* differences = signs.differences + value;
        const std::uint8_t* tables = signs.tables + value;
        std::uint64_t left =
            counter.add(_mm512_loadu_si512(differences), FourByLane{_mm512_loadu_si512(tables)},
                        group.active<kDense>(rows));
        for (; left != 0; left &= left - 1) {
            const auto c = static_cast<std::size_t>(std::countr_zero(left));
            ++counts[tables[c]][differences[c]];
        }
    }
    counter.add_up(counts);
    for (std::size_t t = 0; t < kSignedTables; ++t) {
        // Of differences, 62 is the escape, and 63 stands for all that are none.
        for (std::size_t symbol = 0; symbol < kSignedEscape - 1; ++symbol) {
            histograms[t][symbol] = counts[t][symbol ^ 1];
        }
        histograms[t][kSignedEscape] = counts[t][kSignedEscape] + counts[t][kSignedEscape - 1];
    }
}

inline void reset_leans(const Rows& rows, const SignBuffers& signs) noexcept {
    for (std::size_t c = 0; c < rows.columns(); c += kGroupLanes) {
        _mm512_storeu_si512(signs.leans + c, _mm512_setzero_si512());
    }
}

/// The survey's look at signs.
class GroupSigns {
public:
    static constexpr bool kLooks = true;

    GroupSigns(const Rows& rows, const SignBuffers& buffers) noexcept : buffers_{buffers} {
        reset_leans(rows, buffers);
    }

    /// Adds up what the sense of a row depends on.
    void weigh(const RowGroup& group, __mmask64 signs, __mmask64 active) noexcept {
        const __m512i leans = _mm512_maskz_loadu_epi8(active, buffers_.leans + group.column);
        const __m512i size = _mm512_abs_epi8(leans);
        const __m512i turned = _mm512_mask_sub_epi8(leans, signs, _mm512_setzero_si512(), leans);
        const __m512i ones = _mm512_set1_epi16(1);
        const auto add = [&](__m512i& sum, __m512i pairs) {
            sum = _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, ones));
        };
        add(sum_, _mm512_maddubs_epi16(_mm512_set1_epi8(1), turned));
        add(squares_, _mm512_maddubs_epi16(size, size));
    }

    void end_row(std::size_t row) noexcept {
        buffers_.senses[row] =
            row_sense(_mm512_reduce_add_epi32(sum_),
                      static_cast<std::uint32_t>(_mm512_reduce_add_epi32(squares_)));
        sense_ = RowSense{buffers_.senses[row]};
        sum_ = _mm512_setzero_si512();
        squares_ = _mm512_setzero_si512();
    }

    /// Stores differences and tables of a group, and learns its signs.
    template <bool kWhole>
    void code(const RowGroup& group, __mmask64 signs, __mmask64 active, __m512i d) noexcept {
        const GroupLeans leans{buffers_.leans + group.column, sense_};
        const __m512i centre = _mm512_set1_epi8(kSignCentre);
        const __m512i even = _mm512_sub_epi8(centre, _mm512_add_epi8(d, d));
        const __m512i differences =
            _mm512_mask_sub_epi8(even, leans.turn(signs), even, _mm512_set1_epi8(1));
        _mm512_storeu_si512(buffers_.differences + group.value, differences);
        _mm512_storeu_si512(buffers_.tables + group.value, leans.tables);
        far_ = _mm512_or_si512(far_, _mm512_maskz_add_epi8(active, d, _mm512_set1_epi8(64)));
        leans.learn<kWhole>(signs, active);
    }

    /// Every d so far is in reach.
    [[nodiscard]] bool possible() const noexcept { return _mm512_movepi8_mask(far_) == 0; }

private:
    const SignBuffers buffers_;
    __m512i sum_ = _mm512_setzero_si512();
    __m512i squares_ = _mm512_setzero_si512();
    RowSense sense_{0};
    __m512i far_ = _mm512_setzero_si512();
};

/// As SignedRowKernel says.
template <class F>
SignedSurvey survey_signed_rows_at_once(const typename F::Value* values, const Rows& rows,
                                        const RowBuffers& buffers,
                                        const SignBuffers& signs) noexcept {
    GroupSigns seen{rows, signs};
    SignedSurvey found{};
    if (rows.zeros == nullptr) {
        found.scale = survey_groups_of_rows<F, true>(values, rows, buffers, seen);
        count_signed_symbols<true>(rows, signs, found.histograms);
    } else {
        found.scale = survey_groups_of_rows<F, false>(values, rows, buffers, seen);
        count_signed_symbols<false>(rows, signs, found.histograms);
    }
    found.possible = found.scale.possible && seen.possible();
    return found;
}

/// One of four tables for each lane.
struct FourEncodeTables {
    EncodeRows rows[kSignedTables];

    [[nodiscard]] __m512i lengths(__m512i index, const FourByLane& which) const noexcept {
        return each(index, which, [](const EncodeRows& table) { return table.lengths; });
    }
    [[nodiscard]] __m512i codewords(__m512i index, const FourByLane& which) const noexcept {
        return each(index, which, [](const EncodeRows& table) { return table.codewords; });
    }

private:
    template <class Row>
    [[nodiscard]] __m512i each(__m512i index, const FourByLane& which, Row row) const noexcept {
        const __m512i even = _mm512_mask_permutexvar_epi8(
            _mm512_permutexvar_epi8(index, row(rows[0])), which.upper, index, row(rows[2]));
        const __m512i odd = _mm512_mask_permutexvar_epi8(
            _mm512_permutexvar_epi8(index, row(rows[1])), which.upper, index, row(rows[3]));
        return _mm512_mask_blend_epi8(which.lower, even, odd);
    }
};

/// As SignedRowKernel says.
inline void encode_signed_rows_64(CodeWriter& writer, const EncodeTable* tables, const Rows& rows,
                                  const SignBuffers& signs) noexcept {
    if (writer.lanes != kGroupLanes) return encode_signed_rows(writer, tables, rows, signs);
    const FourEncodeTables four{{EncodeRows{tables[0]}, EncodeRows{tables[1]},
                                 EncodeRows{tables[2]}, EncodeRows{tables[3]}}};
    const auto which = [&](const RowGroup& group) noexcept {
        return FourByLane{_mm512_loadu_si512(signs.tables + group.value)};
    };
    return rows.zeros == nullptr ? encode_groups_of_rows<true>(writer, rows, signs.differences,
                                                               kSignCentre, four, which)
                                 : encode_groups_of_rows<false>(writer, rows, signs.differences,
                                                                kSignCentre, four, which);
}

/// Symbols of a group.
struct SignedSymbols {
    __m512i lengths;  // less 1, in bits 0-2; bit 7 says escape
    __m512i all_differences;

    [[nodiscard]] __m512i differences() const noexcept { return all_differences; }
    [[nodiscard]] __mmask64 escapes(__m512i /*differences*/) const noexcept {
        return _mm512_movepi8_mask(lengths);
    }
};

/// A table as bytes by the next 8 bits, of which four registers hold 256.
struct SignedDecodeRows {
    __m512i lengths[4];  // as SignedSymbols has them
    __m512i differences[4];

    explicit SignedDecodeRows(const SignedDecodeTable& table) noexcept {
        for (std::size_t i = 0; i < 4; ++i) {
            const __m512i lower = _mm512_loadu_si512(table.entries.data() + 64 * i);
            const __m512i upper = _mm512_loadu_si512(table.entries.data() + 64 * i + 32);
            const __m512i length = _mm512_permutex2var_epi8(lower, bytes_of(kEvenOfTwo), upper);
            differences[i] = _mm512_permutex2var_epi8(lower, bytes_of(kOddOfTwo), upper);
            const __mmask64 escapes = _mm512_cmpeq_epi8_mask(
                differences[i], _mm512_set1_epi8(static_cast<char>(SignedDecodeTable::kEscape)));
            const __m512i less = _mm512_sub_epi8(length, _mm512_set1_epi8(1));
            lengths[i] = _mm512_mask_add_epi8(less, escapes, less, _mm512_set1_epi8(-128));
        }
    }
};

/// One of four tables for each lane.
struct FourDecodeTables {
    SignedDecodeRows rows[kSignedTables];

    [[nodiscard]] SignedSymbols of(__m512i low, const FourByLane& which) const noexcept {
        const __mmask64 beyond = _mm512_movepi8_mask(low);
        const auto in = [&](const __m512i(&row)[4]) {
            return _mm512_mask_blend_epi8(beyond, _mm512_permutex2var_epi8(row[0], low, row[1]),
                                          _mm512_permutex2var_epi8(row[2], low, row[3]));
        };
        const auto each = [&](auto member) {
            return _mm512_mask_blend_epi8(
                which.upper,
                _mm512_mask_blend_epi8(which.lower, in(rows[0].*member), in(rows[1].*member)),
                _mm512_mask_blend_epi8(which.lower, in(rows[2].*member), in(rows[3].*member)));
        };
        return {each(&SignedDecodeRows::lengths), each(&SignedDecodeRows::differences)};
    }
};

template <bool kDense>
bool decode_groups_of_signed_rows(CodeReader& reader, const SignedDecodeTable* tables,
                                  const Rows& rows, const RowBuffers& buffers,
                                  const SignBuffers& signs, std::uint16_t* signed_halves) noexcept {
    const FourDecodeTables four{{SignedDecodeRows{tables[0]}, SignedDecodeRows{tables[1]},
                                 SignedDecodeRows{tables[2]}, SignedDecodeRows{tables[3]}}};
    GroupDecoder decoder{reader, {0, 0, kSignCentre, 8}};
    const __m512i highest = _mm512_set1_epi16(kHighestSignedHalf);
    const __m512i negative = _mm512_set1_epi16(kHighestHalf + 1);
    __m512i beyond = _mm512_setzero_si512();
    reset_states(rows, buffers);
    reset_leans(rows, signs);
    for (std::size_t row = 0; row < rows.count(); ++row) {
        const __m512i offset = GroupStates::offset_of(buffers.offsets[row]);
        const __m512i gain = _mm512_set1_epi16(static_cast<short>(state_gain(row)));
        const RowSense sense{signs.senses[row]};
        for_each_group(rows, row, [&](const RowGroup& group) noexcept {
            const GroupStates states{buffers.states + group.column, offset};
            const GroupLeans leans{signs.leans + group.column, sense};
            const __mmask64 active = group.active<kDense>(rows);
            const FourByLane which{leans.tables};
            const bool whole = active == kAllLanes;
            const __m512i differences = whole ? decoder.group<true>(four, which, active)
                                              : decoder.group<false>(four, which, active);
            // 2 d + a, and 128: of bytes without a sign half are whole.
            const __m512i both = _mm512_sub_epi8(
                _mm512_set1_epi8(static_cast<char>(kSignCentre + 128)), differences);
            const __m512i d =
                _mm512_sub_epi8(_mm512_and_si512(_mm512_srli_epi16(both, 1), _mm512_set1_epi8(127)),
                                _mm512_set1_epi8(64));
            const __mmask64 sign = leans.turn(_mm512_test_epi8_mask(both, _mm512_set1_epi8(1)));
            __m512i halves[2];
            __m512i below[2];  // the highest half octave with a sign
            for (std::size_t k = 0; k < 2; ++k) {
                halves[k] = _mm512_add_epi16(states.predicted(k), GroupStates::words_of(d, k));
                const __m512i rest = _mm512_sub_epi16(highest, halves[k]);
                below[k] = _mm512_mask_sub_epi16(rest, static_cast<__mmask32>(sign >> (k * kWords)),
                                                 rest, negative);
            }
            if (whole) [[likely]] {
                for (std::size_t k = 0; k < 2; ++k) {
                    _mm512_storeu_si512(signed_halves + k * kWords, below[k]);
                    beyond = _mm512_or_si512(beyond, halves[k]);
                }
                signed_halves += kGroupLanes;
                states.template learn<true>(d, gain, active);
                leans.template learn<true>(sign, active);
                return;
            }
            for (std::size_t k = 0; k < 2; ++k) {
                const auto some = static_cast<__mmask32>(active >> (k * kWords));
                _mm512_storeu_si512(signed_halves, _mm512_maskz_compress_epi16(some, below[k]));
                signed_halves += count_bits(some);
                beyond = _mm512_or_si512(beyond, _mm512_maskz_mov_epi16(some, halves[k]));
            }
            states.template learn<false>(d, gain, active);
            leans.template learn<false>(sign, active);
        });
        if (!decoder.good()) return false;
    }
    const __m512i more = _mm512_set1_epi16(static_cast<short>(~kHighestHalf));
    return _mm512_test_epi16_mask(beyond, more) == 0;
}

/// As SignedRowKernel says.
inline bool decode_signed_rows_64(CodeReader& reader, const SignedDecodeTable* tables,
                                  const Rows& rows, const RowBuffers& buffers,
                                  const SignBuffers& signs, std::uint16_t* signed_halves) noexcept {
    if (reader.lanes != kGroupLanes) {
        return decode_signed_rows(reader, tables, rows, buffers, signs, signed_halves);
    }
    return rows.zeros == nullptr ? decode_groups_of_signed_rows<true>(reader, tables, rows, buffers,
                                                                      signs, signed_halves)
                                 : decode_groups_of_signed_rows<false>(
                                       reader, tables, rows, buffers, signs, signed_halves);
}

}  // namespace
}  // namespace entrolith
