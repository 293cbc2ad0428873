// SPDX-License-Identifier: Apache-2.0
//
// entrolith/dynamic.hpp - which blocks of a chunk get tables of their own.
//
// Spec      FORMAT.md section 8, rule 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "entrolith/blocks.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

/// What a block costs with the table that rule 2 gives it.
struct BlockCost {
    Histogram histogram;
    std::uint32_t bits;
};

/// What section 4.3 takes for so many tables, in bytes.
[[nodiscard]] constexpr std::size_t tables_bytes(std::size_t tables) noexcept {
    return tables != 0 ? 1 + 8 * tables : 0;
}

/// Fills `made` and changes the blocks that take one of these tables, or raw, in this mode; an
/// escape is followed by `escape` bits. Returns the bits of all blocks.
std::uint64_t choose_dynamic(Mode mode, unsigned escape, std::span<const BlockCost> costs,
                             std::span<Block> blocks, std::vector<Lengths>& made);

}  // namespace entrolith
