// SPDX-License-Identifier: Apache-2.0
//
// entrolith/crc32.hpp - the CRC-32 of zlib and Ethernet. FORMAT.md section 7.
#pragma once

#include <cstddef>
#include <cstdint>

namespace entrolith {

/// Throws KernelError at first use.
[[nodiscard]] std::uint32_t crc32(const std::uint8_t* data, std::size_t size);

/// The CRC of two messages joined, from that of each and the size of the second.
[[nodiscard]] std::uint32_t crc32_join(std::uint32_t first, std::uint32_t second,
                                       std::size_t second_size) noexcept;

}  // namespace entrolith
