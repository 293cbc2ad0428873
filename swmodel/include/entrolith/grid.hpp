// SPDX-License-Identifier: Apache-2.0
//
// entrolith/grid.hpp - how the values of a segment are cut into chunks.
//
// Spec      FORMAT.md sections 2 and 2.1.
// Read me   Values form rows and columns. Strips of columns follow each other; each is cut into
//           chunks of whole rows. A segment without a matrix is one column: a row is a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace entrolith {

struct Grid {
    std::uint64_t rows;
    std::uint64_t columns;
    std::uint64_t strip;  // columns of a full strip
    std::uint64_t full;   // values of a full chunk, at least `strip`

    /// The rows and columns of a chunk.
    struct Tile {
        std::uint64_t row;
        std::uint64_t column;
        std::size_t rows;
        std::size_t columns;

        [[nodiscard]] std::size_t count() const noexcept { return rows * columns; }
    };

    /// Number of chunks.
    [[nodiscard]] std::uint64_t chunks() const noexcept {
        return full_strips() * in_full_strip() + in_strip(columns % strip);
    }

    [[nodiscard]] Tile operator[](std::uint64_t chunk) const noexcept {
        const std::uint64_t before = full_strips() * in_full_strip();
        const bool last = chunk >= before;
        const std::uint64_t width = last ? columns % strip : strip;
        const std::uint64_t number = last ? full_strips() : chunk / in_full_strip();
        const std::uint64_t height = full / width;
        const std::uint64_t row = (last ? chunk - before : chunk % in_full_strip()) * height;
        return {row, number * strip, static_cast<std::size_t>(std::min(height, rows - row)),
                static_cast<std::size_t>(width)};
    }

    /// Calls function(first, end) for the chunks of each strip that hold any of these rows in any
    /// of these columns.
    template <class Function>
    void for_each_stretch(std::uint64_t first_row, std::uint64_t end_row,
                          std::uint64_t first_column, std::uint64_t end_column,
                          Function&& function) const {
        if (first_row >= end_row || first_column >= end_column) return;
        for (std::uint64_t s = first_column / strip; s * strip < end_column; ++s) {
            const std::uint64_t height = full / std::min(strip, columns - s * strip);
            const std::uint64_t before = s * in_full_strip();
            function(before + first_row / height, before + (end_row - 1) / height + 1);
        }
    }

    /// Values of the largest chunk.
    [[nodiscard]] std::size_t largest() const noexcept {
        std::uint64_t most = 0;
        for (const std::uint64_t width : {columns < strip ? 0 : strip, columns % strip}) {
            if (width != 0) most = std::max(most, width * std::min(rows, full / width));
        }
        return static_cast<std::size_t>(most);
    }

private:
    [[nodiscard]] std::uint64_t full_strips() const noexcept { return columns / strip; }
    [[nodiscard]] std::uint64_t in_full_strip() const noexcept { return in_strip(strip); }
    [[nodiscard]] std::uint64_t in_strip(std::uint64_t width) const noexcept {
        if (width == 0) return 0;
        const std::uint64_t height = full / width;
        return rows / height + (rows % height != 0);
    }
};

}  // namespace entrolith
