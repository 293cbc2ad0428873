// SPDX-License-Identifier: Apache-2.0
//
// entrolith/raw_parts.hpp - the size of the bits that are not coded: sign and mantissa of a block.
//
// Spec      FORMAT.md section 5.1.
#pragma once

#include <cstddef>

namespace entrolith {

[[nodiscard]] constexpr std::size_t raw_bytes(std::size_t count, unsigned width) noexcept {
    return (count * width + 7) / 8;
}

}  // namespace entrolith
