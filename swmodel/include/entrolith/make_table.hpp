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

/// The best codeword lengths of at most 8 bits for these counts, which add up to less than 2^28.
/// The last symbol is the escape; it stands for all that occurs less than once in 1024. For 16, 32
/// and 64 symbols.
template <std::size_t kCount>
[[nodiscard]] std::array<std::uint8_t, kCount> make_table(
    const std::array<std::uint32_t, kCount>& histogram) noexcept;

}  // namespace entrolith
