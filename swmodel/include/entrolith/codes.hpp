// SPDX-License-Identifier: Apache-2.0
//
// entrolith/codes.hpp - the code section: where its two ends stand, whoever moves them.
//
// Spec      FORMAT.md section 6.
// Read me   Exponents travel as differences (emax - exponent) modulo 256, or 2^16 where an exponent
//           takes two bytes. The loops over values are operations of a kernel (kernels.hpp).
//           A decoder only says that something is wrong; explain_codes() then says what.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "entrolith/blocks.hpp"
#include "entrolith/bytes.hpp"
#include "entrolith/lanes.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

inline constexpr std::size_t kMaxLanes = 64;

/// States of the lanes of a chunk; those beyond its number of lanes are 0.
struct alignas(64) LaneStates : std::array<std::uint16_t, kMaxLanes> {};

/// Consecutive symbols of the code section. The bytes that follow an escape are emax - difference,
/// of `exponent_bits` bits.
struct Stretch {
    std::size_t first;  // number of the first symbol in the chunk, which says its lane
    std::size_t count;
    std::uint16_t emax;
    std::uint8_t exponent_bits;
};

/// The encoder's end of the code section: it moves down from the last symbol to the first.
struct CodeWriter {
    LaneStates states;
    std::size_t lanes;
    std::uint8_t* at;
};

/// The decoder's end of the code section.
struct CodeReader {
    LaneStates states;
    std::size_t lanes;
    const std::uint8_t* at;
    const std::uint8_t* end;

    /// All bytes are taken and all lanes are back where the encoder began.
    [[nodiscard]] bool finished() const noexcept {
        return at == end &&
               std::ranges::all_of(states, [](unsigned state) { return state < 2 * Lane::kLow; });
    }
};

/// A stretch of one of several chunks with kTurnLanes lanes that are decoded in turn.
struct Turn {
    CodeReader* reader;
    const DecodeTable* table;
    Stretch stretch;  // whose first symbol is one of lane 0
    std::uint8_t* differences;
};
inline constexpr std::size_t kTurnLanes = 8;
inline constexpr std::size_t kMostTurns = 8;

/// Takes the next symbol of a lane; false if the bytes run out.
[[nodiscard]] inline bool take_symbol(CodeReader& reader, const DecodeTable& table,
                                      std::size_t lane_number, unsigned& symbol) noexcept {
    std::uint16_t& state = reader.states[lane_number % reader.lanes];
    Lane lane{state};
    const unsigned entry = table[lane.peek()];
    lane.drop(entry & 31);
    if (lane.wants_byte() != 0) {
        if (reader.at == reader.end) return false;
        lane.take(*reader.at++, ~0u);
    }
    state = static_cast<std::uint16_t>(lane.state());
    symbol = entry >> 8;
    return true;
}

/// Exponents of a raw block are bytes, and no lane is touched.
template <class Exponent>
void encode_raw_block(CodeWriter& writer, const Stretch& stretch,
                      const Exponent* differences) noexcept {
    writer.at -= stretch.count * sizeof(Exponent);
    for (std::size_t i = 0; i < stretch.count; ++i) {
        store(writer.at + i * sizeof(Exponent),
              static_cast<Exponent>(stretch.emax - differences[i]));
    }
}

/// Undoes encode_raw_block(); false if the bytes run out or an exponent cannot be.
template <class Exponent>
[[nodiscard]] bool decode_raw_block(CodeReader& reader, const Stretch& stretch,
                                    Exponent* differences) noexcept {
    const std::size_t size = stretch.count * sizeof(Exponent);
    if (static_cast<std::size_t>(reader.end - reader.at) < size) return false;
    unsigned all = 0;
    for (std::size_t i = 0; i < stretch.count; ++i) {
        const auto exponent = load<Exponent>(reader.at + i * sizeof(Exponent));
        all |= exponent;
        differences[i] = static_cast<Exponent>(stretch.emax - exponent);
    }
    reader.at += size;
    return all >> stretch.exponent_bits == 0;
}

}  // namespace entrolith
