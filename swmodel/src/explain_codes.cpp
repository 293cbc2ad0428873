// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <string>

#include "entrolith/chunk.hpp"

namespace entrolith {
namespace {

/// Steps 2 and 3 of section 6.
template <class Table>
unsigned take_symbol(Cursor& codes, std::uint16_t& state, const Table& table) {
    Lane lane{state};
    const unsigned entry = table[lane.peek()];
    lane.drop(entry & 31);
    if (lane.wants_byte() != 0) lane.take(codes.integer<std::uint8_t>("codes"), ~0u);
    state = static_cast<std::uint16_t>(lane.state());
    return entry >> 8;
}

void take_tokens(Cursor& codes, LaneStates& states, std::size_t lanes, const Runs& runs) {
    const std::array tables{make_decode_table(runs.tables[0]), make_decode_table(runs.tables[1])};
    for (std::size_t token = 0; token < runs.tokens(); ++token) {
        unsigned symbol = take_symbol(codes, states[token % lanes], tables[token % 2]);
        if (symbol == kEscape) symbol = codes.integer<std::uint8_t>("codes");
        if (symbol > kMaxClass) {
            corrupt("codes", codes.at(), "class " + std::to_string(symbol) + " cannot be");
        }
    }
}

void take_blocks(Cursor& codes, LaneStates& states, std::size_t lanes, unsigned exponent_bits,
                 const TableSet& tables, const Workspace& work) {
    std::size_t j = 0;
    for (const Block& block : work.blocks) {
        const bool raw = block.table == kRawTable;
        const DecodeTable table = raw ? DecodeTable{}
                                  : block.table < kDynamicTable
                                      ? tables.decode(block.table)
                                      : make_decode_table(work.tables[block.table - kDynamicTable]);
        for (std::size_t i = 0; i < block.count; ++i, ++j) {
            const unsigned symbol = raw ? kEscape : take_symbol(codes, states[j % lanes], table);
            int exponent = int{block.emax} - static_cast<int>(symbol);
            if (symbol == kEscape) {
                exponent = exponent_bits > 8 ? int{codes.integer<std::uint16_t>("codes")}
                                             : int{codes.integer<std::uint8_t>("codes")};
            }
            if (exponent < 0 || exponent >> exponent_bits != 0) {
                corrupt("codes", codes.at(), "exponent " + std::to_string(exponent) + " cannot be");
            }
        }
    }
}

void take_offsets(Cursor& codes, LaneStates& states, std::size_t lanes, const ScaleHead& scale,
                  std::span<std::int16_t> offsets) {
    const DecodeTable table = make_decode_table(scale.offset_table);
    offsets[0] = scale.first_offset;
    for (std::size_t row = 1; row < offsets.size(); ++row) {
        const unsigned symbol = take_symbol(codes, states[(row - 1) % lanes], table);
        const int offset = symbol == kEscape
                               ? static_cast<std::int16_t>(codes.integer<std::uint16_t>("codes"))
                               : offsets[row - 1] + static_cast<int>(symbol) - kNoMove;
        if (offset < kLowestOffset || offset > kHighestOffset) {
            corrupt("codes", codes.at(), "offset " + std::to_string(offset) + " cannot be");
        }
        offsets[row] = static_cast<std::int16_t>(offset);
    }
}

void take_senses(Cursor& codes, LaneStates& states, std::size_t lanes, const SignedScale& scale,
                 std::span<std::uint8_t> senses) {
    const DecodeTable table = make_decode_table(scale.sense_table);
    for (std::size_t row = 0; row < senses.size(); ++row) {
        unsigned symbol = take_symbol(codes, states[row % lanes], table);
        if (symbol == kEscape) symbol = codes.integer<std::uint8_t>("codes");
        if (symbol > kHighestSense) {
            corrupt("codes", codes.at(), "sense " + std::to_string(symbol) + " cannot be");
        }
        senses[row] = static_cast<std::uint8_t>(symbol);
    }
}

void check_half(const Cursor& codes, int half) {
    if (half >= 0 && half <= kHighestHalf) return;
    corrupt("codes", codes.at(), "half octave " + std::to_string(half) + " cannot be");
}

void take_rows(Cursor& codes, LaneStates& states, std::size_t lanes, const Scale& scale,
               const Rows& rows, const RowBuffers& buffers) {
    const std::array tables{make_decode_table(scale.tables[0]), make_decode_table(scale.tables[1])};
    std::fill_n(buffers.states, rows.columns(), ColumnState{});
    for (std::size_t i = 0; i < rows.values; ++i) {
        if (rows.is_zero(i)) continue;
        const std::size_t row = i / rows.width;
        ColumnState& state = buffers.states[i % rows.width];
        const int prediction = state.prediction(buffers.offsets[row]);
        const int q = predicted_half(prediction);
        const unsigned symbol = take_symbol(codes, states[i % rows.width % lanes],
                                            tables[static_cast<unsigned>(q) % 2]);
        const int d = symbol == kWideEscape
                          ? static_cast<std::int8_t>(codes.integer<std::uint8_t>("codes"))
                          : kCentre - static_cast<int>(symbol);
        check_half(codes, q + d);
        state.learn(prediction, q + d, state_gain(row));
    }
}

void take_signed_rows(Cursor& codes, LaneStates& states, std::size_t lanes,
                      const SignedScale& scale, const Rows& rows, const RowBuffers& buffers,
                      const SignBuffers& signs) {
    std::array<SignedDecodeTable, kSignedTables> tables;
    std::ranges::transform(scale.tables, tables.begin(), make_signed_decode_table);
    std::fill_n(buffers.states, rows.columns(), ColumnState{});
    std::fill_n(signs.leans, rows.columns(), ColumnLean{});
    for (std::size_t i = 0; i < rows.values; ++i) {
        if (rows.is_zero(i)) continue;
        const std::size_t row = i / rows.width;
        const std::size_t column = i % rows.width;
        const unsigned sense = signs.senses[row];
        ColumnState& state = buffers.states[column];
        ColumnLean& lean = signs.leans[column];
        const int prediction = state.prediction(buffers.offsets[row]);
        const unsigned difference =
            take_symbol(codes, states[column % lanes], tables[lean.table(sense >> 1)]);
        const int both = difference == SignedDecodeTable::kEscape
                             ? static_cast<std::int8_t>(codes.integer<std::uint8_t>("codes"))
                             : kSignCentre - static_cast<int>(difference);
        const int half = predicted_half(prediction) + (both >> 1);
        check_half(codes, half);
        state.learn(prediction, half, state_gain(row));
        lean.learn((static_cast<unsigned>(both) & 1) ^ lean.below());
    }
}

}  // namespace

void explain_codes(Bytes data, const ChunkHead& head, const ChunkLayout& layout,
                   const LaneStates& initial, std::size_t lanes, unsigned exponent_bits,
                   const TableSet& tables, const Workspace& work) {
    LaneStates states = initial;
    Cursor codes{data, layout.codes, layout.raw, Cause::kCorrupt};
    if (layout.runs) take_tokens(codes, states, lanes, *layout.runs);
    const std::uint32_t* zeros = head.zeros != Zeros::kNone ? work.zeros.data() : nullptr;
    const RowBuffers buffers = work.rows();
    if (layout.scale) {
        const Rows rows{head.count, layout.scale->width, zeros};
        take_offsets(codes, states, lanes, *layout.scale, {buffers.offsets, rows.count()});
        take_rows(codes, states, lanes, *layout.scale, rows, buffers);
    } else if (layout.signs) {
        const Rows rows{head.count, layout.signs->width, zeros};
        const SignBuffers signs = work.signs();
        take_offsets(codes, states, lanes, *layout.signs, {buffers.offsets, rows.count()});
        take_senses(codes, states, lanes, *layout.signs, {signs.senses, rows.count()});
        take_signed_rows(codes, states, lanes, *layout.signs, rows, buffers, signs);
    } else {
        take_blocks(codes, states, lanes, exponent_bits, tables, work);
    }
    if (codes.left() != 0) {
        corrupt("codes", codes.at(), std::to_string(codes.left()) + " bytes are left over");
    }
    for (std::size_t k = 0; k < lanes; ++k) {
        if (states[k] >= 2 * Lane::kLow) {
            corrupt("codes", layout.codes,
                    "lane " + std::to_string(k) + " ends in state " + std::to_string(states[k]));
        }
    }
    corrupt("codes", layout.codes, "the codes changed while they were read");
}

}  // namespace entrolith
