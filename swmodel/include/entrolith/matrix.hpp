// SPDX-License-Identifier: Apache-2.0
//
// entrolith/matrix.hpp - a tensor seen as a matrix, of which only live rows and columns are coded.
//
// Spec      FORMAT.md section 2.1.
// Read me   A Grid numbers live rows and columns only. Nothing here grows with the tensor, only
// with
//           the parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "entrolith/bytes.hpp"
#include "entrolith/grid.hpp"
#include "entrolith/live_set.hpp"

namespace entrolith {

/// Rows and columns of a view; the value of row i and column j lies at
/// (i / taps * columns + j) * taps + i % taps of the tensor.
struct Extent {
    std::uint64_t rows;
    std::uint64_t columns;
    std::uint64_t taps;
};

/// None if there is no such view of the shape, whose product is at most 2^48.
[[nodiscard]] std::optional<Extent> extent(std::span<const std::uint64_t> shape,
                                           std::uint64_t view) noexcept;

class Matrix {
public:
    Matrix(std::uint8_t view, const Extent& extent, std::uint64_t strip, LiveSet rows,
           LiveSet columns);

    /// Reads the parameters, which `cursor` holds exactly. `full` values are a full chunk. Throws
    /// StreamError.
    [[nodiscard]] static Matrix read(Cursor cursor, std::span<const std::uint64_t> shape,
                                     std::size_t full);
    void write(std::vector<std::uint8_t>& out) const;

    [[nodiscard]] Grid grid(std::size_t full) const noexcept {
        return {rows_.count(), columns_.count(), strip_, full};
    }
    [[nodiscard]] const Extent& whole() const noexcept { return extent_; }
    [[nodiscard]] std::uint64_t live() const noexcept { return rows_.count() * columns_.count(); }
    [[nodiscard]] bool all_live() const noexcept { return rows_.all() && columns_.all(); }

    /// Positions first .. end - 1 of the tensor.
    struct Range {
        std::uint64_t first;
        std::uint64_t end;
    };
    /// Calls function(first, end) for stretches of the grid's chunks that hold values of a range.
    template <class Function>
    void for_each_stretch(const Grid& grid, const Range& range, Function&& function) const {
        const std::uint64_t line = extent_.columns * extent_.taps;  // rows side by side
        if (range.first >= range.end || line == 0) return;
        const std::uint64_t first = range.first / line;
        const std::uint64_t last = (range.end - 1) / line;
        Range columns{0, columns_.count()};
        if (first == last && extent_.taps == 1) {
            columns = {columns_.rank(range.first % line),
                       columns_.rank((range.end - 1) % line + 1)};
        }
        grid.for_each_stretch(rows_.rank(first * extent_.taps),
                              rows_.rank((last + 1) * extent_.taps), columns.first, columns.end,
                              function);
    }

    /// Where a tile's values begin in the tensor, if they lie there side by side and in order.
    [[nodiscard]] std::optional<std::uint64_t> in_one_piece(const Grid::Tile& tile) const noexcept;

    /// Copies the values of a tile out of the tensor.
    template <class Value>
    void gather(const Value* tensor, const Grid::Tile& tile, Value* values) const;

    /// Puts them back where their positions are in `wanted`; `tensor` points at wanted.first.
    template <class Value>
    void scatter(const Value* values, const Grid::Tile& tile, const Range& wanted,
                 Value* tensor) const;

private:
    template <class Function>
    void for_each_run(const Grid::Tile& tile, Function&& function) const;

    std::uint8_t view_;
    Extent extent_;
    std::uint64_t strip_;
    LiveSet rows_;
    LiveSet columns_;
};

/// The matrix of a tensor with every dead row and column left out, in strips as equal as may be and
/// none wider than `widest`. The tensor has values, and its shape the view.
template <class Value>
[[nodiscard]] Matrix find_dead(const Value* tensor, std::span<const std::uint64_t> shape,
                               std::uint8_t view, std::uint64_t widest);

}  // namespace entrolith
