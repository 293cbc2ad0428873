// SPDX-License-Identifier: Apache-2.0
//
// entrolith/listed_tables.hpp - tables inside a chunk that list some of their symbols only.
//
// Spec      FORMAT.md sections 4.4 and 4.5: `table`, of 32 or 64 symbols.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "entrolith/bytes.hpp"

namespace entrolith {

/// Throws StreamError.
template <std::size_t kCount>
[[nodiscard]] std::array<std::uint8_t, kCount> read_listed_table(Cursor& cursor);

/// What a table takes, in bytes.
template <std::size_t kCount>
[[nodiscard]] std::size_t listed_table_bytes(
    const std::array<std::uint8_t, kCount>& lengths) noexcept;

/// The same at most.
template <std::size_t kCount>
inline constexpr std::size_t kMostListedTableBytes = 2 + kCount / 2;

/// Writes a table and returns its end.
template <std::size_t kCount>
[[nodiscard]] std::uint8_t* write_listed_table(const std::array<std::uint8_t, kCount>& lengths,
                                               std::uint8_t* out) noexcept;

}  // namespace entrolith
