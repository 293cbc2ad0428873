// SPDX-License-Identifier: Apache-2.0
//
// The rows of signed chunks in plain C++: what portable_scale.hpp does, and the columns' leans.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "entrolith/dtype.hpp"
#include "entrolith/signs.hpp"
#include "portable_scale.hpp"
#include "scale_groups.hpp"

namespace entrolith {
namespace {

/// The sign of each of `count` values.
template <class Value>
OfGroup<std::uint8_t> signs_of(const Value* values, std::size_t count) noexcept {
    OfGroup<std::uint8_t> signs{};
    for (std::size_t c = 0; c < count; ++c) {
        signs[c] = static_cast<std::uint8_t>(values[c] >> (8 * sizeof(Value) - 1));
    }
    return signs;
}

/// A group's leans in a row with some sense; those beyond the group mean nothing.
struct PlainLeans {
    ColumnLean* at;
    std::uint8_t flip;            // f
    OfGroup<std::uint8_t> below;  // whether L < 0
    OfGroup<std::uint8_t> which;  // table

    PlainLeans(ColumnLean* columns, std::uint8_t sense) noexcept
        : at{columns}, flip{static_cast<std::uint8_t>(sense & 1)} {
        const auto strength = static_cast<std::int16_t>(sense >> 1);
        for (std::size_t c = 0; c < kGroupColumns; ++c) {
            const std::int16_t lean = at[c].lean;
            const auto size = static_cast<std::int16_t>(lean < 0 ? -lean : lean);
            const auto strong = static_cast<std::int16_t>(size * strength);
            below[c] = lean < 0;
            which[c] =
                static_cast<std::uint8_t>((strong >= kLeanBounds[0]) + (strong >= kLeanBounds[1]) +
                                          (strong >= kLeanBounds[2]));
        }
    }

    void learn_one(std::size_t c, std::uint8_t sign) const noexcept { at[c].learn(sign ^ flip); }
    /// The same of the first `count` columns.
    void learn(const OfGroup<std::uint8_t>& signs, std::size_t count) const noexcept {
        for (std::size_t c = 0; c < count; ++c) {
            const std::int16_t lean = at[c].lean;
            const auto step =
                static_cast<std::int16_t>(kLeanStep - 2 * kLeanStep * (signs[c] ^ flip));
            at[c].lean = static_cast<std::int8_t>(lean - (lean >> 3) + step);
        }
    }
};

/// One of four tables for each column of a group.
template <class Table>
struct FourByColumn {
    static constexpr unsigned kEscape = SignedDecodeTable::kEscape;
    static constexpr int kCentre = kSignCentre;
    const Table* tables;
    const std::uint8_t* which;
    [[nodiscard]] const Table& operator[](std::size_t c) const noexcept { return tables[which[c]]; }
};

/// The survey's look at signs.
class PlainSigns {
public:
    PlainSigns(const Rows& rows, const SignBuffers& buffers) noexcept : buffers_{buffers} {
        std::fill_n(buffers.leans, rows.columns(), ColumnLean{});
    }

    /// Adds up what the sense of a row depends on.
    template <class Value>
    void weigh(const RowGroup& group, const Value* values, std::uint64_t active) noexcept {
        const ColumnLean* leans = buffers_.leans + group.column;
        const OfGroup<std::uint8_t> signs = signs_of(values, group.count);
        OfGroup<std::int16_t> seen{};
        if (active == group.all()) {
            for (std::size_t c = 0; c < group.count; ++c) seen[c] = leans[c].lean;
        } else {
            for (std::uint64_t left = active; left != 0; left &= left - 1) {
                const auto c = static_cast<std::size_t>(std::countr_zero(left));
                seen[c] = leans[c].lean;
            }
        }
        std::int32_t sum = 0;
        std::int32_t squares = 0;
        for (std::size_t c = 0; c < kGroupColumns; ++c) {
            sum += static_cast<std::int16_t>(seen[c] - 2 * seen[c] * signs[c]);
            squares += seen[c] * seen[c];
        }
        sum_ += sum;
        squares_ += squares;
    }

    void end_row(std::size_t row) noexcept {
        sense_ = row_sense(sum_, static_cast<std::uint32_t>(squares_));
        buffers_.senses[row] = sense_;
        sum_ = 0;
        squares_ = 0;
    }

    /// Fills differences and tables of a group, and learns its signs.
    template <class Value>
    void code(const RowGroup& group, const Value* values, std::uint64_t active,
              const OfGroup<std::int8_t>& d) noexcept {
        const PlainLeans leans{buffers_.leans + group.column, sense_};
        const OfGroup<std::uint8_t> signs = signs_of(values, group.count);
        OfGroup<std::uint8_t> differences;
        for (std::size_t c = 0; c < kGroupColumns; ++c) {
            const auto a = static_cast<std::uint8_t>(signs[c] ^ leans.flip ^ leans.below[c]);
            differences[c] = static_cast<std::uint8_t>(kSignCentre - 2 * d[c] - a);
        }
        std::copy_n(leans.which.begin(), group.count, buffers_.tables + group.value);
        std::copy_n(differences.begin(), group.count, buffers_.differences + group.value);
        OfGroup<std::uint8_t> keys;
        for (std::size_t c = 0; c < kGroupColumns; ++c) {
            const auto symbol = std::min<std::uint8_t>(differences[c], kMostCounted);
            keys[c] = static_cast<std::uint8_t>(symbol | leans.which[c] << 6);
        }
        if (active == group.all()) {
            int far = 0;
            for (std::size_t c = 0; c < group.count; ++c) far |= d[c] + kReach;
            far_ |= far;
            leans.learn(signs, group.count);
            for (std::size_t c = 0; c < group.count; ++c) ++counts_[c % kCopies][keys[c]];
            return;
        }
        for (std::uint64_t left = active; left != 0; left &= left - 1) {
            const auto c = static_cast<std::size_t>(std::countr_zero(left));
            far_ |= d[c] + kReach;
            leans.learn_one(c, signs[c]);
            ++counts_[0][keys[c]];
        }
    }

    void add_up(SignedSurvey& found) const noexcept {
        found.possible = found.scale.possible && (far_ & ~(2 * kReach - 1)) == 0;
        for (const auto& copy : counts_) {
            for (std::size_t key = 0; key < copy.size(); ++key) {
                const std::size_t difference = key % kSignedSymbols;
                const std::size_t symbol =
                    difference < kMostCounted ? difference ^ 1 : kSignedEscape;
                found.histograms[key / kSignedSymbols][symbol] += copy[key];
            }
        }
    }

private:
    static constexpr int kReach = 64;
    static constexpr std::uint8_t kMostCounted = 62;  // and above: no symbols
    static constexpr std::size_t kCopies = 4;

    const SignBuffers buffers_;
    std::int32_t sum_ = 0;
    std::int32_t squares_ = 0;
    std::uint8_t sense_ = 0;
    int far_ = 0;
    std::array<std::array<std::uint32_t, kSignedTables * kSignedSymbols>, kCopies> counts_{};
};

/// As SignedRowKernel says.
template <class F>
SignedSurvey survey_signed_rows(const typename F::Value* values, const Rows& rows,
                                const RowBuffers& buffers, const SignBuffers& signs) noexcept {
    PlainSigns seen{rows, signs};
    SignedSurvey found{};
    found.scale = rows.zeros == nullptr ? survey_plain_rows<F, true>(values, rows, buffers, seen)
                                        : survey_plain_rows<F, false>(values, rows, buffers, seen);
    seen.add_up(found);
    return found;
}

/// As SignedRowKernel says.
inline void encode_signed_rows(CodeWriter& writer, const EncodeTable* tables, const Rows& rows,
                               const SignBuffers& signs) noexcept {
    encode_plain_rows(writer, rows, signs.differences, kSignCentre,
                      [&](const RowGroup& group) noexcept {
                          return FourByColumn<EncodeTable>{tables, signs.tables + group.value};
                      });
}

/// As SignedRowKernel says.
inline bool decode_signed_rows(CodeReader& reader, const SignedDecodeTable* tables,
                               const Rows& rows, const RowBuffers& buffers,
                               const SignBuffers& signs, std::uint16_t* signed_halves) noexcept {
    std::fill_n(buffers.states, rows.columns(), ColumnState{});
    std::fill_n(signs.leans, rows.columns(), ColumnLean{});
    GroupSymbols symbols{reader};
    bool good = true;
    int all_halves = 0;
    for (std::size_t row = 0; good && row < rows.count(); ++row) {
        const int offset = buffers.offsets[row];
        const int gain = state_gain(row);
        for_each_group(rows, row, [&](const RowGroup& group) noexcept {
            const PlainStates states{buffers.states + group.column, offset};
            const PlainLeans leans{signs.leans + group.column, signs.senses[row]};
            const FourByColumn<SignedDecodeTable> by_column{tables, leans.which.data()};
            OfGroup<std::uint8_t> differences;
            OfGroup<std::int8_t> d{};
            OfGroup<std::uint8_t> sign;
            const auto split = [&](std::size_t c) {  // into d and sign
                const auto both = static_cast<std::int8_t>(kSignCentre - differences[c]);
                d[c] = static_cast<std::int8_t>(both >> 1);
                sign[c] = static_cast<std::uint8_t>((both & 1) ^ leans.flip ^ leans.below[c]);
            };
            const auto join = [&](std::size_t c, std::uint16_t& out) {
                const int half = states.predicted(c) + d[c];
                all_halves |= half;
                out =
                    static_cast<std::uint16_t>(kHighestSignedHalf - (half | sign[c] << kHalfBits));
            };
            const std::uint64_t active =
                rows.zeros == nullptr ? group.all() : group.active<false>(rows);
            if (active == lowest_bits(kGroupColumns) &&
                symbols.all(by_column, differences.data())) {
                for (std::size_t c = 0; c < kGroupColumns; ++c) split(c);
                for (std::size_t c = 0; c < kGroupColumns; ++c) join(c, signed_halves[c]);
                leans.learn(sign, kGroupColumns);
                signed_halves += kGroupColumns;
                states.learn(d, gain, kGroupColumns);
                return;
            }
            for (std::uint64_t left = active; good && left != 0; left &= left - 1) {
                const auto c = static_cast<std::size_t>(std::countr_zero(left));
                good = symbols.one(by_column, c, differences[c]);
                split(c);
                join(c, *signed_halves++);
                leans.learn_one(c, sign[c]);
                states.at[c].learn(states.above[c] - 4, states.predicted(c) + d[c], gain);
            }
        });
    }
    return good && (all_halves & ~int{kHighestHalf}) == 0;
}

}  // namespace
}  // namespace entrolith
