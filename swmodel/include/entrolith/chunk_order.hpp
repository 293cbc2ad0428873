// SPDX-License-Identifier: Apache-2.0
//
// entrolith/chunk_order.hpp - which values of which segment each chunk of a stream holds.
//
// Spec      FORMAT.md section 2: the chunks of all segments follow each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "entrolith/grid.hpp"

namespace entrolith {

class ChunkOrder {
public:
    /// `full` values are a full chunk. Segments are anything with grid(full).
    template <class Segments>
    ChunkOrder(const Segments& segments, std::size_t full) : first_{0} {
        for (const auto& segment : segments) {
            grids_.push_back(segment.grid(full));
            first_.push_back(first_.back() + grids_.back().chunks());
        }
    }

    /// Number of chunks.
    [[nodiscard]] std::uint64_t size() const noexcept { return first_.back(); }

    struct Place {
        std::size_t segment;
        Grid::Tile tile;

        [[nodiscard]] std::size_t count() const noexcept { return tile.count(); }
    };

    [[nodiscard]] Place operator[](std::uint64_t chunk) const {
        const auto after = std::ranges::upper_bound(first_, chunk);
        const auto segment = static_cast<std::size_t>(after - first_.begin()) - 1;
        return {segment, grids_[segment][chunk - first_[segment]]};
    }

    /// A segment's part of the order: its grid, and the number of its first chunk.
    [[nodiscard]] const Grid& grid(std::size_t segment) const { return grids_[segment]; }
    [[nodiscard]] std::uint64_t first(std::size_t segment) const { return first_[segment]; }

    /// Values of the largest chunk.
    [[nodiscard]] std::size_t largest() const noexcept {
        std::size_t most = 0;
        for (const Grid& grid : grids_) most = std::max(most, grid.largest());
        return most;
    }

private:
    std::vector<Grid> grids_;
    std::vector<std::uint64_t> first_;  // chunk of each segment, and the number of all
};

}  // namespace entrolith
