// SPDX-License-Identifier: Apache-2.0
//
// entrolith/blocks.hpp - what a block of non-zero values says of itself. FORMAT.md section 5.
#pragma once

#include <cstdint>

namespace entrolith {

struct Block {
    std::uint32_t count;
    std::uint16_t emax;
    std::uint8_t table;
    std::uint8_t trailing;
};

}  // namespace entrolith
