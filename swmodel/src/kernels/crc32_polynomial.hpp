// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of polynomials modulo that of the CRC-32. FORMAT.md section 7.
#pragma once

#include <cstddef>
#include <cstdint>

namespace entrolith {
namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320;  // reflected: bit 31 is x^0
constexpr std::uint32_t kOne = 1u << 31;

/// a(x) b(x) mod P(x).
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) noexcept {
    std::uint32_t product = 0;
    for (int bit = 31; bit >= 0; --bit) {
        if (a >> bit & 1) product ^= b;
        b = b >> 1 ^ (b & 1 ? kPolynomial : 0);
    }
    return product;
}

/// x^(8 size) mod P(x): what a CRC is multiplied by when `size` zero bytes follow.
constexpr std::uint32_t power(std::size_t size) noexcept {
    std::uint32_t result = kOne;
    std::uint32_t square = kOne >> 8;
    for (; size != 0; size >>= 1) {
        if (size & 1) result = multiply(result, square);
        square = multiply(square, square);
    }
    return result;
}

}  // namespace
}  // namespace entrolith
