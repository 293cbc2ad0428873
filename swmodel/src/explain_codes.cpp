// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "entrolith/chunk.hpp"

namespace entrolith {
namespace {

/// Steps 2 and 3 of section 6.
unsigned take_symbol(Cursor& codes, std::uint16_t& state, const DecodeTable& table) {
    Lane lane{state};
    const unsigned entry = table.entries[lane.peek()];
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

void take_offsets(Cursor& codes, LaneStates& states, std::size_t lanes, const Scale& scale,
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
        if (q + d < 0 || q + d > kHighestHalf) {
            corrupt("codes", codes.at(), "half octave " + std::to_string(q + d) + " cannot be");
        }
        state.learn(prediction, q + d, state_gain(row));
    }
}

}  // namespace

void explain_codes(Bytes data, const ChunkHead& head, const ChunkLayout& layout,
                   const LaneStates& initial, std::size_t lanes, unsigned exponent_bits,
                   const TableSet& tables, const Workspace& work) {
    LaneStates states = initial;
    Cursor codes{data, layout.codes, layout.raw, Cause::kCorrupt};
    if (layout.runs) take_tokens(codes, states, lanes, *layout.runs);
    if (layout.scale) {
        const Rows rows{head.count, layout.scale->width,
                        head.zeros != Zeros::kNone ? work.zeros.data() : nullptr};
        const RowBuffers buffers = work.rows();
        take_offsets(codes, states, lanes, *layout.scale, {buffers.offsets, rows.count()});
        take_rows(codes, states, lanes, *layout.scale, rows, buffers);
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
