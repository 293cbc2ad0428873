// SPDX-License-Identifier: Apache-2.0
//
// entrolith/crc32.hpp - the CRC-32 of zlib and Ethernet. FORMAT.md section 7.
#pragma once

#include <cstddef>
#include <cstdint>

namespace entrolith {

/// Of `size` bytes, which follow others whose CRC-32 is `before`. Throws KernelError at first use.
[[nodiscard]] std::uint32_t crc32(const std::uint8_t* data, std::size_t size,
                                  std::uint32_t before = 0);

}  // namespace entrolith
