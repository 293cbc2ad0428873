// SPDX-License-Identifier: Apache-2.0

#include "entrolith/crc32.hpp"

#include "entrolith/kernels.hpp"

namespace entrolith {

std::uint32_t crc32(const std::uint8_t* data, std::size_t size, std::uint32_t before) {
    return kernel().crc32(before, data, size);
}

}  // namespace entrolith
