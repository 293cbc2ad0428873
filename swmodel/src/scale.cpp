// SPDX-License-Identifier: Apache-2.0

#include "entrolith/scale.hpp"

#include <string>

#include "entrolith/lanes.hpp"
#include "entrolith/make_table.hpp"

namespace entrolith {
namespace {

/// The listed symbols of a table of 32.
struct Listed {
    std::size_t first;
    std::size_t count;

    explicit Listed(const WideLengths& lengths) noexcept {
        const auto has_codeword = [](std::uint8_t length) { return length != 0; };
        const auto begin = lengths.begin();
        const auto escape = begin + kWideEscape;
        const auto from = std::find_if(begin, escape, has_codeword);
        auto to = escape;
        while (to != from && to[-1] == 0) --to;
        first = static_cast<std::size_t>(from - begin);
        count = static_cast<std::size_t>(to - from);
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return 2 + (count + 2) / 2; }
};

WideLengths read_wide(Cursor& cursor) {
    constexpr const char* kField = "scale_table";
    const std::size_t start = cursor.at();
    const std::size_t first = cursor.integer<std::uint8_t>(kField);
    const std::size_t count = cursor.integer<std::uint8_t>(kField);
    if (first + count > kWideEscape) {
        corrupt(kField, start, std::to_string(count) + " symbols from " + std::to_string(first));
    }
    const std::uint8_t* packed = cursor.take((count + 2) / 2, kField);
    const auto nibble = [packed](std::size_t i) {
        return static_cast<std::uint8_t>(packed[i / 2] >> (i % 2 * 4) & 15);
    };
    if (count % 2 == 0 && nibble(count + 1) != 0) {
        corrupt(kField, cursor.at() - 1, "filling bits are not 0");
    }
    WideLengths lengths{};
    for (std::size_t i = 0; i < count; ++i) lengths[first + i] = nibble(i);
    lengths[kWideEscape] = nibble(count);
    check_table(lengths, kField, start);
    return lengths;
}

std::uint8_t* write_wide(const WideLengths& lengths, std::uint8_t* out) noexcept {
    const Listed listed{lengths};
    *out++ = static_cast<std::uint8_t>(listed.first);
    *out++ = static_cast<std::uint8_t>(listed.count);
    const auto length = [&](std::size_t i) {
        return i < listed.count    ? lengths[listed.first + i]
               : i == listed.count ? lengths[kWideEscape]
                                   : std::uint8_t{0};
    };
    for (std::size_t i = 0; i <= listed.count; i += 2) {
        *out++ = static_cast<std::uint8_t>(length(i) | length(i + 1) << 4);
    }
    return out;
}

/// The symbol of an offset after another, kEscape if it has none.
unsigned move_symbol(int before, int offset) noexcept {
    const int symbol = offset - before + kNoMove;
    return symbol >= 0 && symbol < int{kEscape} ? static_cast<unsigned>(symbol) : kEscape;
}

}  // namespace

Scale read_scale(Cursor& cursor, unsigned mantissa_bits, std::size_t full) {
    Scale scale{};
    scale.width = cursor.integer<std::uint16_t>("width");
    if (scale.width == 0 || scale.width > full) {
        corrupt("width", cursor.at() - 2, std::to_string(scale.width) + " columns");
    }
    scale.trailing = cursor.integer<std::uint8_t>("trailing");
    if (scale.trailing > mantissa_bits - 1) {
        corrupt("trailing", cursor.at() - 1,
                std::to_string(scale.trailing) + " bits of " + std::to_string(mantissa_bits - 1));
    }
    scale.first_offset = static_cast<std::int16_t>(cursor.integer<std::uint16_t>("first_offset"));
    if (scale.first_offset < kLowestOffset || scale.first_offset > kHighestOffset) {
        corrupt("first_offset", cursor.at() - 2, std::to_string(scale.first_offset) + " cannot be");
    }
    scale.offset_table = read_table(cursor, "offset_table");
    for (WideLengths& table : scale.tables) table = read_wide(cursor);
    return scale;
}

std::size_t scale_bytes(const Scale& scale) noexcept {
    return 13 + Listed{scale.tables[0]}.bytes() + Listed{scale.tables[1]}.bytes();
}

std::uint8_t* write_scale(const Scale& scale, std::uint8_t* out) noexcept {
    store(out, scale.width);
    out[2] = scale.trailing;
    store(out + 3, static_cast<std::uint16_t>(scale.first_offset));
    store(out + 5, pack_table(scale.offset_table));
    return write_wide(scale.tables[1], write_wide(scale.tables[0], out + 13));
}

void cut_raw_parts(std::size_t nonzeros, std::uint8_t trailing, std::size_t block,
                   std::vector<Block>& blocks) {
    blocks.clear();
    for (std::size_t first = 0; first < nonzeros; first += block) {
        const auto length = static_cast<std::uint32_t>(std::min(block, nonzeros - first));
        blocks.push_back({length, kHighestHalf, 0, trailing});
    }
}

bool decode_offsets(CodeReader& reader, const Scale& scale,
                    std::span<std::int16_t> offsets) noexcept {
    offsets[0] = scale.first_offset;
    const DecodeTable table = make_decode_table(scale.offset_table);
    int offset = scale.first_offset;
    for (std::size_t row = 1; row < offsets.size(); ++row) {
        std::uint16_t& state = reader.states[(row - 1) % reader.lanes];
        Lane lane{state};
        const unsigned entry = table.entries[lane.peek()];
        lane.drop(entry & 31);
        if (lane.wants_byte() != 0) {
            if (reader.at == reader.end) return false;
            lane.take(*reader.at++, ~0u);
        }
        state = static_cast<std::uint16_t>(lane.state());
        const unsigned symbol = entry >> 8;
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

ScalePlan plan_scale(std::size_t width, const ScaleSurvey& survey,
                     std::span<std::int16_t> offsets) noexcept {
    std::int16_t before =
        *std::ranges::find_if(offsets, [](std::int16_t offset) { return offset != kNoOffset; });
    Histogram moves{};
    for (std::size_t row = 0; row < offsets.size(); ++row) {
        if (offsets[row] == kNoOffset) offsets[row] = before;
        if (row != 0) ++moves[move_symbol(before, offsets[row])];
        before = offsets[row];
    }
    ScalePlan plan{{static_cast<std::uint16_t>(width),
                    survey.trailing,
                    offsets[0],
                    make_table(moves),
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
