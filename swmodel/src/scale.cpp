// SPDX-License-Identifier: Apache-2.0

#include "entrolith/scale.hpp"

#include <string>

#include "entrolith/make_table.hpp"

namespace entrolith {
namespace {

/// The symbol of an offset after another, kEscape if it has none.
unsigned move_symbol(int before, int offset) noexcept {
    const int symbol = offset - before + kNoMove;
    return symbol >= 0 && symbol < int{kEscape} ? static_cast<unsigned>(symbol) : kEscape;
}

}  // namespace

void read_scale_head(Cursor& cursor, unsigned most_trailing, std::size_t full, ScaleHead& head) {
    head.width = cursor.integer<std::uint16_t>("width");
    if (head.width == 0 || head.width > full) {
        corrupt("width", cursor.at() - 2, std::to_string(head.width) + " columns");
    }
    head.trailing = cursor.integer<std::uint8_t>("trailing");
    if (head.trailing > most_trailing) {
        corrupt("trailing", cursor.at() - 1,
                std::to_string(head.trailing) + " bits of " + std::to_string(most_trailing));
    }
    head.first_offset = static_cast<std::int16_t>(cursor.integer<std::uint16_t>("first_offset"));
    if (head.first_offset < kLowestOffset || head.first_offset > kHighestOffset) {
        corrupt("first_offset", cursor.at() - 2, std::to_string(head.first_offset) + " cannot be");
    }
}

std::uint8_t* write_scale_head(const ScaleHead& head, std::uint8_t* out) noexcept {
    store(out, head.width);
    out[2] = head.trailing;
    store(out + 3, static_cast<std::uint16_t>(head.first_offset));
    return out + 5;
}

Scale read_scale(Cursor& cursor, unsigned mantissa_bits, std::size_t full) {
    Scale scale{};
    read_scale_head(cursor, mantissa_bits - 1, full, scale);
    scale.offset_table = read_table(cursor, "offset_table");
    for (WideLengths& table : scale.tables) table = read_listed_table<kWideSymbols>(cursor);
    return scale;
}

std::size_t scale_bytes(const Scale& scale) noexcept {
    return kScaleHeadBytes + listed_table_bytes(scale.tables[0]) +
           listed_table_bytes(scale.tables[1]);
}

std::uint8_t* write_scale(const Scale& scale, std::uint8_t* out) noexcept {
    out = write_scale_head(scale, out);
    store(out, pack_table(scale.offset_table));
    out += 8;
    for (const WideLengths& table : scale.tables) out = write_listed_table(table, out);
    return out;
}

void cut_raw_parts(std::size_t nonzeros, std::uint8_t trailing, std::uint16_t emax,
                   std::size_t block, std::vector<Block>& blocks) {
    blocks.clear();
    for (std::size_t first = 0; first < nonzeros; first += block) {
        const auto length = static_cast<std::uint32_t>(std::min(block, nonzeros - first));
        blocks.push_back({length, emax, 0, trailing});
    }
}

bool decode_offsets(CodeReader& reader, const ScaleHead& scale,
                    std::span<std::int16_t> offsets) noexcept {
    offsets[0] = scale.first_offset;
    const DecodeTable table = make_decode_table(scale.offset_table);
    int offset = scale.first_offset;
    for (std::size_t row = 1; row < offsets.size(); ++row) {
        unsigned symbol;
        if (!take_symbol(reader, table, row - 1, symbol)) return false;
        if (symbol == kEscape) {
            if (reader.end - reader.at < 2) return false;
            offset = static_cast<std::int16_t>(load<std::uint16_t>(reader.at));
            reader.at += 2;
        } else {
            offset += static_cast<int>(symbol) - kNoMove;
        }
        if (offset < kLowestOffset || offset > kHighestOffset) return false;
        offsets[row] = static_cast<std::int16_t>(offset);
    }
    return true;
}

Histogram settle_offsets(std::span<std::int16_t> offsets) noexcept {
    std::int16_t before =
        *std::ranges::find_if(offsets, [](std::int16_t offset) { return offset != kNoOffset; });
    Histogram moves{};
    for (std::size_t row = 0; row < offsets.size(); ++row) {
        if (offsets[row] == kNoOffset) offsets[row] = before;
        if (row != 0) ++moves[move_symbol(before, offsets[row])];
        before = offsets[row];
    }
    return moves;
}

ScalePlan plan_scale(std::size_t width, const ScaleSurvey& survey, std::int16_t first_offset,
                     const Histogram& moves) noexcept {
    ScalePlan plan{
        {{static_cast<std::uint16_t>(width), survey.trailing, first_offset, make_table(moves)},
         {make_table(survey.histograms[0]), make_table(survey.histograms[1])}},
        0};
    plan.bits = 8 * scale_bytes(plan.scale) + table_cost(plan.scale.offset_table, moves, 16);
    for (unsigned t = 0; t < 2; ++t) {
        plan.bits += table_cost(plan.scale.tables[t], survey.histograms[t], 8);
    }
    return plan;
}

void offset_differences(const Lengths& table, std::span<const std::int16_t> offsets,
                        std::uint16_t* differences) noexcept {
    for (std::size_t row = 1; row < offsets.size(); ++row) {
        const unsigned symbol = move_symbol(offsets[row - 1], offsets[row]);
        const bool coded = symbol != kEscape && table[symbol] != 0;
        differences[row - 1] = static_cast<std::uint16_t>(coded ? static_cast<int>(symbol)
                                                                : kOffsetEmax - offsets[row]);
    }
}

}  // namespace entrolith
