// SPDX-License-Identifier: Apache-2.0

#include "entrolith/crc32.hpp"

#include <array>

#include "entrolith/kernels.hpp"
#include "kernels/crc32_polynomial.hpp"

namespace entrolith {

std::uint32_t crc32(const std::uint8_t* data, std::size_t size) {
    return kernel().crc32(data, size);
}

std::uint32_t crc32_join(std::uint32_t first, std::uint32_t second,
                         std::size_t second_size) noexcept {
    // powers[k][b] is x^(8 b 256^k): a chunk's size takes three of them.
    static constexpr auto powers = [] {
        std::array<std::array<std::uint32_t, 256>, 3> made{};
        for (std::size_t k = 0; k < made.size(); ++k) {
            const std::uint32_t step = power(std::size_t{1} << 8 * k);
            made[k][0] = kOne;
            for (std::size_t b = 1; b < 256; ++b) made[k][b] = multiply(made[k][b - 1], step);
        }
        return made;
    }();
    for (const auto& digit : powers) {
        first = multiply(first, digit[second_size % 256]);
        second_size /= 256;
    }
    if (second_size != 0) first = multiply(first, power(second_size << 24));
    return first ^ second;
}

}  // namespace entrolith
