// SPDX-License-Identifier: Apache-2.0
//
// entrolith/crc32.hpp - the CRC-32 of zlib and Ethernet. FORMAT.md section 7.
#pragma once

#include <cstddef>
#include <cstdint>

namespace entrolith {

[[nodiscard]] std::uint32_t crc32(const std::uint8_t* data, std::size_t size) noexcept;

}  // namespace entrolith
