// SPDX-License-Identifier: Apache-2.0
//
// entrolith/cross.hpp - zeros with dead rows and columns named first: a bitmap as entries, and
// back.
//
// Spec      FORMAT.md section 4.2, mode cross.
// Read me   A bitmap of entries has a bit for every column, then one for every row, 1 if it is
// dead,
//           then the bits of the values in live rows and columns. Words beyond what is said are
//           touched: bitmaps have kCrossSlackWords more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "entrolith/kernels.hpp"

namespace entrolith {

inline constexpr std::size_t kCrossSlackWords = 4;

/// Columns, rows and values of a cross.
struct CrossShape {
    std::size_t columns;
    std::size_t count;
    [[nodiscard]] std::size_t rows() const noexcept { return (count + columns - 1) / columns; }
    [[nodiscard]] std::size_t flags() const noexcept { return columns + rows(); }
    [[nodiscard]] std::size_t most_entries() const noexcept { return flags() + count; }
};

/// Fills the entries of a bitmap of zeros and returns their number.
[[nodiscard]] std::size_t cross_entries(const RunKernel& kernel, const std::uint32_t* zeros,
                                        const CrossShape& shape, std::uint32_t* entries);

/// What join_cross() found.
struct CrossJoined {
    std::size_t entries;   // that the flags lead to
    std::size_t nonzeros;  // values
};

/// Fills the bitmap of zeros from shape.most_entries() bits of entries.
[[nodiscard]] CrossJoined join_cross(const RunKernel& kernel, const std::uint32_t* entries,
                                     const CrossShape& shape, std::uint32_t* zeros);

}  // namespace entrolith
