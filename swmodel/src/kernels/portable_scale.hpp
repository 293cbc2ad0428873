// SPDX-License-Identifier: Apache-2.0
//
// The rows of scaled chunks in plain C++. Groups without zeros go in steps over arrays, most of
// which the compiler makes vectors of; others value by value.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "entrolith/dtype.hpp"
#include "entrolith/lanes.hpp"
#include "entrolith/scale.hpp"
#include "portable_codes.hpp"
#include "scale_groups.hpp"

namespace entrolith {
namespace {

template <class Item>
using OfGroup = std::array<Item, kGroupColumns>;

/// The lowest bit of each byte.
inline std::uint64_t gather_bits(const OfGroup<std::uint8_t>& bytes) noexcept {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 8; ++i) {
        const std::uint64_t eight = load<std::uint64_t>(bytes.data() + 8 * i);
        bits |= (eight * 0x0102'0408'1020'4080) >> 56 << (8 * i);
    }
    return bits;
}

/// A group's columns in a row with some offset; those beyond `count` mean nothing.
struct PlainStates {
    ColumnState* at;
    OfGroup<std::int16_t> above;      // P + 4
    OfGroup<std::int8_t> remainders;  // what t is for a d of 0
    OfGroup<std::uint8_t> odd;        // q mod 2
    std::uint64_t tables;

    PlainStates(ColumnState* columns, int offset) noexcept : at{columns} {
        const auto plus = static_cast<std::int16_t>(4 * offset + 4);
        for (std::size_t c = 0; c < kGroupColumns; ++c) {
            const auto state = static_cast<std::int16_t>(at[c].scale + 8);
            above[c] = static_cast<std::int16_t>((state >> 4) + plus);
        }
        for (std::size_t c = 0; c < kGroupColumns; ++c) {
            const auto low = static_cast<std::uint8_t>(above[c] & 15);
            odd[c] = static_cast<std::uint8_t>(low >> 3);
            remainders[c] = static_cast<std::int8_t>(4 - (((low & 7) + 1) >> 1));
        }
        tables = gather_bits(odd);
    }

    [[nodiscard]] int predicted(std::size_t c) const noexcept { return above[c] >> 3; }

    /// As GroupStates in avx512_scale.hpp does.
    void learn(const OfGroup<std::int8_t>& d, int gain, std::size_t count) const noexcept {
        OfGroup<std::uint8_t> t;
        for (std::size_t c = 0; c < kGroupColumns; ++c) {
            const auto low = std::min<std::int8_t>(d[c], 14);
            const auto clamped = std::max<std::int8_t>(low, -16);
            t[c] = static_cast<std::uint8_t>((4 * clamped + remainders[c]) & 127);
        }
        OfGroup<std::int16_t> steps;
        for (std::size_t c = 0; c < kGroupColumns; ++c) steps[c] = kStateSteps[t[c]];
        const auto factor = static_cast<std::int16_t>(gain);
        for (std::size_t c = 0; c < count; ++c) {
            const auto step = static_cast<std::int16_t>(steps[c] * factor);
            const auto moved = static_cast<std::int16_t>(at[c].scale + (step >> 5));
            const auto below = std::min<std::int16_t>(moved, kMostState);
            at[c].scale = std::max<std::int16_t>(below, -kMostState);
        }
    }
};

/// Histograms of a group's symbols, several of each, so that equal symbols wait less for each
/// other.
class SymbolCounts {
public:
    void add(const OfGroup<std::uint8_t>& differences, const OfGroup<std::uint8_t>& odd,
             std::size_t count) noexcept {
        OfGroup<std::uint8_t> keys;
        for (std::size_t c = 0; c < kGroupColumns; ++c) {
            const auto symbol = std::min<std::uint8_t>(differences[c], kWideEscape);
            keys[c] = static_cast<std::uint8_t>(symbol | odd[c] << 5);
        }
        for (std::size_t c = 0; c < count; ++c) ++counts_[c % kCopies][keys[c]];
    }
    void add_one(std::uint8_t difference, unsigned odd) noexcept {
        ++counts_[0][std::min<unsigned>(difference, kWideEscape) | odd << 5];
    }
    void add_up(std::array<WideHistogram, 2>& histograms) const noexcept {
        for (const auto& copy : counts_) {
            for (std::size_t key = 0; key < copy.size(); ++key) {
                histograms[key / kWideSymbols][key % kWideSymbols] += copy[key];
            }
        }
    }

private:
    static constexpr std::size_t kCopies = 4;
    std::array<std::array<std::uint32_t, 2 * kWideSymbols>, kCopies> counts_{};
};

/// Where signs are not looked at; portable_signs.hpp has what does.
struct NoSigns {
    template <class Value>
    void weigh(const RowGroup&, const Value*, std::uint64_t) const noexcept {}
    void end_row(std::size_t) const noexcept {}
    template <class Value>
    void code(const RowGroup&, const Value*, std::uint64_t,
              const OfGroup<std::int8_t>&) const noexcept {}
};

/// `signs` sees the values of each group twice, before and after the offset of its row is known.
template <class F, bool kDense, class Signs>
ScaleSurvey survey_plain_rows(const typename F::Value* values, const Rows& rows,
                              const RowBuffers& buffers, Signs& signs) noexcept {
    using Half = HalfOctaves<F>;
    std::fill_n(buffers.states, rows.columns(), ColumnState{});
    auto all_bits = typename F::Value{0};
    int far = 0;
    SymbolCounts counts;
    for (std::size_t row = 0; row < rows.count(); ++row) {
        std::int32_t sum = 0;
        std::size_t count = 0;
        for_each_group(rows, row, [&](const RowGroup& group) noexcept {
            const auto* from = values + group.value;
            std::uint16_t* halves = buffers.halves + group.column;
            const ColumnState* states = buffers.states + group.column;
            for (std::size_t c = 0; c < group.count; ++c) {
                all_bits |= from[c];
                halves[c] = Half::exponent(from[c]);
            }
            const std::uint64_t active = group.active<kDense>(rows);
            signs.weigh(group, from, active);
            count += static_cast<std::size_t>(std::popcount(active));
            if (active == group.all()) {
                for (std::size_t c = 0; c < group.count; ++c) {
                    const auto state = static_cast<std::int16_t>(states[c].scale + 8);
                    sum += static_cast<std::int16_t>(8 * halves[c] + 4 - (state >> 4));
                }
                return;
            }
            for (std::uint64_t left = active; left != 0; left &= left - 1) {
                const auto c = static_cast<std::size_t>(std::countr_zero(left));
                sum += 8 * halves[c] + 4 - states[c].prediction(0);
            }
        });
        signs.end_row(row);
        if (count == 0) {
            buffers.offsets[row] = kNoOffset;
            continue;
        }
        const int offset = row_offset(sum, count);
        buffers.offsets[row] = static_cast<std::int16_t>(offset);
        const int gain = state_gain(row);
        for_each_group(rows, row, [&](const RowGroup& group) noexcept {
            const std::uint16_t* halves = buffers.halves + group.column;
            const PlainStates states{buffers.states + group.column, offset};
            put_bits(buffers.tables, group.value, states.tables);
            OfGroup<std::int8_t> d{};
            OfGroup<std::uint8_t> differences;
            const std::uint64_t active = group.active<kDense>(rows);
            if (active == group.all()) {
                for (std::size_t c = 0; c < group.count; ++c) {
                    const auto wide = static_cast<std::int16_t>(halves[c] - states.predicted(c));
                    far |= wide + 128;
                    d[c] = static_cast<std::int8_t>(wide);
                }
                for (std::size_t c = 0; c < kGroupColumns; ++c) {
                    differences[c] = static_cast<std::uint8_t>(kCentre - d[c]);
                }
                std::copy_n(differences.begin(), group.count, buffers.differences + group.value);
                counts.add(differences, states.odd, group.count);
                signs.code(group, values + group.value, active, d);
                states.learn(d, gain, group.count);
                return;
            }
            for (std::uint64_t left = active; left != 0; left &= left - 1) {
                const auto c = static_cast<std::size_t>(std::countr_zero(left));
                const int wide = halves[c] - states.predicted(c);
                far |= wide + 128;
                d[c] = static_cast<std::int8_t>(wide);
                const auto difference = static_cast<std::uint8_t>(kCentre - wide);
                buffers.differences[group.value + c] = difference;
                counts.add_one(difference, states.odd[c]);
                states.at[c].learn(states.above[c] - 4, halves[c], gain);
            }
            signs.code(group, values + group.value, active, d);
        });
    }
    ScaleSurvey found{};
    found.possible = (far & ~255) == 0;
    constexpr auto kBeyond = typename F::Value{1} << Half::kMantissaBits;
    found.trailing = static_cast<std::uint8_t>(
        std::countr_zero(static_cast<typename F::Value>(all_bits | kBeyond)));
    counts.add_up(found.histograms);
    return found;
}

/// As RowKernel says.
template <class F>
ScaleSurvey survey_rows(const typename F::Value* values, const Rows& rows,
                        const RowBuffers& buffers) noexcept {
    NoSigns signs;
    return rows.zeros == nullptr ? survey_plain_rows<F, true>(values, rows, buffers, signs)
                                 : survey_plain_rows<F, false>(values, rows, buffers, signs);
}

/// Encodes differences of which the table of each column is tables_of(group)[column].
template <class TablesOf>
void encode_plain_rows(CodeWriter& writer, const Rows& rows, const std::uint8_t* all_differences,
                       int centre, TablesOf&& tables_of) noexcept {
    std::uint8_t* at = writer.at;
    const std::size_t lane_mask = writer.lanes - 1;
    const auto emax = static_cast<std::uint16_t>(centre);
    for_each_group_back(rows, [&](const RowGroup& group) noexcept {
        const auto tables = tables_of(group);
        const std::uint8_t* differences = all_differences + group.value;
        const auto put = [&](std::size_t c) {
            at = put_symbol(at, writer.states[c & lane_mask], tables[c][differences[c]], emax,
                            differences[c]);
        };
        const std::uint64_t active =
            rows.zeros == nullptr ? group.all() : group.active<false>(rows);
        if (active == lowest_bits(kGroupColumns)) {
#pragma GCC unroll 8
            for (std::size_t c = kGroupColumns; c > 0; --c) put(c - 1);
            return;
        }
        for (std::uint64_t left = active; left != 0;) {
            const auto c = static_cast<std::size_t>(63 - std::countl_zero(left));
            left ^= std::uint64_t{1} << c;
            put(c);
        }
    });
    writer.at = at;
}

/// One of two tables for each column of a group.
template <class Table>
struct TwoByColumn {
    static constexpr unsigned kEscape = kWideEscape;
    static constexpr int kCentre = entrolith::kCentre;
    const Table* const* tables;
    std::uint64_t which;
    [[nodiscard]] const Table& operator[](std::size_t c) const noexcept {
        return *tables[which >> c & 1];
    }
};

/// As RowKernel says.
inline void encode_rows(CodeWriter& writer, const EncodeTable* const tables[2], const Rows& rows,
                        const RowBuffers& buffers) noexcept {
    encode_plain_rows(
        writer, rows, buffers.differences, kCentre, [&](const RowGroup& group) noexcept {
            return TwoByColumn<EncodeTable>{tables, bits_at(buffers.tables, group.value)};
        });
}

/// Symbols of a group's columns, as differences; `tables` has the table of each column.
class GroupSymbols {
public:
    explicit GroupSymbols(CodeReader& reader) noexcept : reader_{reader}, at_{reader.at} {}
    ~GroupSymbols() { reader_.at = at_; }
    GroupSymbols(const GroupSymbols&) = delete;
    GroupSymbols& operator=(const GroupSymbols&) = delete;

    /// Those of all columns; false if the bytes might run out.
    template <class Tables>
    [[nodiscard]] bool all(const Tables& tables, std::uint8_t* differences) noexcept {
        constexpr std::ptrdiff_t kMostBytes = 2 * kGroupColumns;
        if (reader_.end - at_ < kMostBytes) return false;
        const std::size_t lane_mask = reader_.lanes - 1;
        const std::uint8_t* at = at_;
#pragma GCC unroll 8
        for (std::size_t c = 0; c < kGroupColumns; ++c) {
            std::uint16_t& state = reader_.states[c & lane_mask];
            Lane lane{state};
            const unsigned entry = tables[c][lane.peek()];
            lane.drop(entry & 31);
            const std::uint32_t wanted = lane.wants_byte();
            lane.take(*at, wanted);
            at -= static_cast<std::int32_t>(wanted);
            state = static_cast<std::uint16_t>(lane.state());
            unsigned difference = entry >> 8;
            if (difference == Tables::kEscape) [[unlikely]]
                difference = unsigned{Tables::kCentre} - *at++;
            differences[c] = static_cast<std::uint8_t>(difference);
        }
        at_ = at;
        return true;
    }

    /// That of one column; false if the bytes run out.
    template <class Tables>
    [[nodiscard]] bool one(const Tables& tables, std::size_t c, std::uint8_t& difference) noexcept {
        std::uint16_t& state = reader_.states[c % reader_.lanes];
        Lane lane{state};
        const unsigned entry = tables[c][lane.peek()];
        lane.drop(entry & 31);
        if (lane.wants_byte() != 0) {
            if (at_ == reader_.end) return false;
            lane.take(*at_++, ~0u);
        }
        state = static_cast<std::uint16_t>(lane.state());
        difference = static_cast<std::uint8_t>(entry >> 8);
        if (difference != Tables::kEscape) return true;
        if (at_ == reader_.end) return false;
        difference = static_cast<std::uint8_t>(unsigned{Tables::kCentre} - *at_++);
        return true;
    }

private:
    CodeReader& reader_;
    const std::uint8_t* at_;
};

/// As RowKernel says.
inline bool decode_rows(CodeReader& reader, const DecodeTable* const tables[2], const Rows& rows,
                        const RowBuffers& buffers, std::uint16_t* half_octaves) noexcept {
    std::fill_n(buffers.states, rows.columns(), ColumnState{});
    GroupSymbols symbols{reader};
    bool good = true;
    unsigned all_halves = 0;
    for (std::size_t row = 0; good && row < rows.count(); ++row) {
        const int offset = buffers.offsets[row];
        const int gain = state_gain(row);
        for_each_group(rows, row, [&](const RowGroup& group) noexcept {
            const PlainStates states{buffers.states + group.column, offset};
            const TwoByColumn<DecodeTable> by_column{tables, states.tables};
            OfGroup<std::uint8_t> differences;
            OfGroup<std::int8_t> d{};
            const std::uint64_t active =
                rows.zeros == nullptr ? group.all() : group.active<false>(rows);
            if (active == lowest_bits(kGroupColumns) &&
                symbols.all(by_column, differences.data())) {
                for (std::size_t c = 0; c < kGroupColumns; ++c) {
                    d[c] = static_cast<std::int8_t>(kCentre - differences[c]);
                }
                for (std::size_t c = 0; c < kGroupColumns; ++c) {
                    const auto below =
                        static_cast<std::uint16_t>(kHighestHalf - states.predicted(c) - d[c]);
                    half_octaves[c] = below;
                    all_halves |= below;
                }
                half_octaves += kGroupColumns;
                states.learn(d, gain, kGroupColumns);
                return;
            }
            for (std::uint64_t left = active; good && left != 0; left &= left - 1) {
                const auto c = static_cast<std::size_t>(std::countr_zero(left));
                good = symbols.one(by_column, c, differences[c]);
                const int half =
                    states.predicted(c) + static_cast<std::int8_t>(kCentre - differences[c]);
                *half_octaves = static_cast<std::uint16_t>(kHighestHalf - half);
                all_halves |= *half_octaves++;
                states.at[c].learn(states.above[c] - 4, half, gain);
            }
        });
    }
    return good && all_halves <= kHighestHalf;
}

}  // namespace
}  // namespace entrolith
