// SPDX-License-Identifier: Apache-2.0

#include "entrolith/signs.hpp"

#include <string>

#include "entrolith/make_table.hpp"

namespace entrolith {

SignedScale read_signed_scale(Cursor& cursor, unsigned mantissa_bits, std::size_t full) {
    SignedScale scale{};
    read_scale_head(cursor, mantissa_bits - 2, full, scale);
    scale.taps = cursor.integer<std::uint8_t>("taps");
    if (scale.taps == 0) corrupt("taps", cursor.at() - 1, "0 taps");
    scale.offset_table = read_table(cursor, "offset_table");
    scale.sense_table = read_table(cursor, "sense_table");
    for (SignedLengths& table : scale.tables) table = read_listed_table<kSignedSymbols>(cursor);
    return scale;
}

std::size_t signed_scale_bytes(const SignedScale& scale) noexcept {
    std::size_t bytes = kScaleHeadBytes + 1 + 8;
    for (const SignedLengths& table : scale.tables) bytes += listed_table_bytes(table);
    return bytes;
}

std::uint8_t* write_signed_scale(const SignedScale& scale, std::uint8_t* out) noexcept {
    out = write_scale_head(scale, out);
    *out = scale.taps;
    store(out + 1, pack_table(scale.offset_table));
    store(out + 9, pack_table(scale.sense_table));
    out += 17;
    for (const SignedLengths& table : scale.tables) out = write_listed_table(table, out);
    return out;
}

bool decode_senses(CodeReader& reader, const SignedScale& scale,
                   std::span<std::uint8_t> senses) noexcept {
    const DecodeTable table = make_decode_table(scale.sense_table);
    for (std::size_t row = 0; row < senses.size(); ++row) {
        unsigned symbol;
        if (!take_symbol(reader, table, row, symbol)) return false;
        if (symbol == kEscape) {
            if (reader.at == reader.end) return false;
            symbol = *reader.at++;
        }
        if (symbol > kHighestSense) return false;
        senses[row] = static_cast<std::uint8_t>(symbol);
    }
    return true;
}

SignedPlan plan_signed(std::size_t width, unsigned taps, unsigned mantissa_bits,
                       const SignedSurvey& survey, std::int16_t first_offset,
                       const Histogram& moves, std::span<const std::uint8_t> senses) noexcept {
    Histogram kinds{};
    for (const std::uint8_t sense : senses) ++kinds[sense];
    const auto trailing = std::min<unsigned>(survey.scale.trailing, mantissa_bits - 2);
    SignedPlan plan{{{static_cast<std::uint16_t>(width), static_cast<std::uint8_t>(trailing),
                      first_offset, make_table(moves)},
                     static_cast<std::uint8_t>(taps),
                     make_table(kinds),
                     {}},
                    0};
    for (std::size_t t = 0; t < kSignedTables; ++t) {
        plan.scale.tables[t] = make_table(survey.histograms[t]);
        plan.bits += table_cost(plan.scale.tables[t], survey.histograms[t], 8);
    }
    plan.bits += 8 * signed_scale_bytes(plan.scale) +
                 table_cost(plan.scale.offset_table, moves, 16) +
                 table_cost(plan.scale.sense_table, kinds, 8);
    return plan;
}

void sense_differences(const Lengths& table, std::span<const std::uint8_t> senses,
                       std::uint8_t* differences) noexcept {
    for (std::size_t row = 0; row < senses.size(); ++row) {
        const std::uint8_t sense = senses[row];
        differences[row] =
            static_cast<std::uint8_t>(table[sense] != 0 ? sense : kSenseEmax - sense);
    }
}

}  // namespace entrolith
