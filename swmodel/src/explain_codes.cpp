// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "entrolith/codes.hpp"

namespace entrolith {
namespace {

[[noreturn]] void corrupt(std::size_t offset, const std::string& why) {
    throw StreamError{Cause::kCorrupt, "codes", offset, why};
}

}  // namespace

void explain_codes(Bytes data, std::size_t begin, std::size_t end, const LaneStates& initial,
                   std::size_t lanes, std::span<const Block> blocks, unsigned exponent_bits,
                   const TableSet& tables) {
    LaneStates states = initial;
    Cursor codes{data, begin, end, Cause::kCorrupt};
    std::size_t j = 0;
    for (const Block& block : blocks) {
        for (std::size_t i = 0; i < block.count; ++i, ++j) {
            int exponent = 0;
            if (block.table == kRawTable) {
                exponent = codes.integer<std::uint8_t>("codes");
            } else {
                Lane lane{states[j % lanes]};
                const unsigned entry = tables.decode(block.table).entries[lane.peek()];
                lane.drop(entry & 31);
                if (lane.wants_byte() != 0) lane.take(codes.integer<std::uint8_t>("codes"), ~0u);
                states[j % lanes] = static_cast<std::uint16_t>(lane.state());
                const unsigned symbol = entry >> 8;
                exponent = symbol == kEscape ? int{codes.integer<std::uint8_t>("codes")}
                                             : int{block.emax} - static_cast<int>(symbol);
            }
            if (exponent < 0 || exponent >> exponent_bits != 0) {
                corrupt(codes.at(), "exponent " + std::to_string(exponent) + " cannot be");
            }
        }
    }
    if (codes.left() != 0) {
        corrupt(codes.at(), std::to_string(codes.left()) + " bytes are left over");
    }
    for (std::size_t k = 0; k < lanes; ++k) {
        if (states[k] >= 2 * Lane::kLow) {
            corrupt(begin,
                    "lane " + std::to_string(k) + " ends in state " + std::to_string(states[k]));
        }
    }
    corrupt(begin, "the codes changed while they were read");
}

}  // namespace entrolith
