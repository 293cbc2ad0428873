// SPDX-License-Identifier: Apache-2.0
//
// entrolith/make_table.hpp - the making of a table for what it is to code.
//
// Spec      FORMAT.md section 8, rule 7.
// Exactness What is made is part of what a level writes: ties are broken as the rule says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace entrolith {

/// Whether a symbol that occurs `count` times of `total` has a codeword of its own.
[[nodiscard]] constexpr bool gets_codeword(std::uint32_t count, std::uint32_t total) noexcept {
    return count != 0 && 1024 * std::uint64_t{count} >= total;
}

/// The best codeword lengths of at most 8 bits for these counts, which add up to less than 2^28.
/// The last symbol is the escape; it stands for all without a codeword. For 16, 32 and 64 symbols.
template <std::size_t kCount>
[[nodiscard]] std::array<std::uint8_t, kCount> make_table(
    const std::array<std::uint32_t, kCount>& histogram) noexcept;

}  // namespace entrolith
