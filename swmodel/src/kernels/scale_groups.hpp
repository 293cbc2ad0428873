// SPDX-License-Identifier: Apache-2.0
//
// Rows of scaled chunks in groups of 64 columns, whatever the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "entrolith/bytes.hpp"
#include "entrolith/scale.hpp"

namespace entrolith {
namespace {

inline constexpr std::size_t kGroupColumns = 64;

/// The lowest `count` of 64 bits, at least one.
inline std::uint64_t lowest_bits(std::size_t count) noexcept {
    return ~std::uint64_t{0} >> (64 - count);
}

/// 64 bits from bit i on.
inline std::uint64_t bits_at(const void* bits, std::size_t i) noexcept {
    const auto* at = static_cast<const std::uint8_t*>(bits) + i / 8;
    return load<std::uint64_t>(at) >> (i % 8) | std::uint64_t{at[8]} << 1 << (63 - i % 8);
}

/// Sets 64 bits from bit i on, and leaves those before.
inline void put_bits(std::uint8_t* bits, std::size_t i, std::uint64_t mask) noexcept {
    std::uint8_t* at = bits + i / 8;
    const std::uint64_t before = *at & ((1u << i % 8) - 1);
    store(at, mask << (i % 8) | before);
    at[8] = static_cast<std::uint8_t>(mask >> 1 >> (63 - i % 8));
}

/// Up to 64 values of a row.
struct RowGroup {
    std::size_t value;   // the number of the first
    std::size_t column;  // of the first
    std::size_t count;

    [[nodiscard]] std::uint64_t all() const noexcept { return lowest_bits(count); }
    /// Which of them are not zero.
    template <bool kDense>
    [[nodiscard]] std::uint64_t active(const Rows& rows) const noexcept {
        if constexpr (kDense) {
            return all();
        } else {
            return ~bits_at(rows.zeros, value) & all();
        }
    }
};

/// Calls `function` for the groups of a row.
template <class Function>
void for_each_group(const Rows& rows, std::size_t row, Function&& function) noexcept {
    const std::size_t first = row * rows.width;
    const std::size_t length = rows.length(row);
    std::size_t c = 0;
    for (; c + kGroupColumns <= length; c += kGroupColumns) {
        function(RowGroup{first + c, c, kGroupColumns});
    }
    if (c < length) function(RowGroup{first + c, c, length - c});
}

/// Calls `function` for the groups of all rows, last first.
template <class Function>
void for_each_group_back(const Rows& rows, Function&& function) noexcept {
    for (std::size_t row = rows.count(); row-- > 0;) {
        for (std::size_t end = rows.length(row); end > 0;) {
            const std::size_t column = (end - 1) / kGroupColumns * kGroupColumns;
            function(RowGroup{row * rows.width + column, column, end - column});
            end = column;
        }
    }
}

}  // namespace
}  // namespace entrolith
