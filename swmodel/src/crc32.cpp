// SPDX-License-Identifier: Apache-2.0

#include "entrolith/crc32.hpp"

#include <array>

#include "entrolith/bytes.hpp"

namespace entrolith {
namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320;  // reflected

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// tables[k][b] is what byte b contributes when k bytes follow it.
constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t b = 0; b < 256; ++b) {
        std::uint32_t crc = b;
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0);
        tables[0][b] = crc;
    }
    for (std::size_t k = 1; k < tables.size(); ++k) {
        for (std::size_t b = 0; b < 256; ++b) {
            const std::uint32_t crc = tables[k - 1][b];
            tables[k][b] = crc >> 8 ^ tables[0][crc & 255];
        }
    }
    return tables;
}

constexpr Tables kTables = make_tables();

std::uint32_t step8(std::uint32_t crc, const std::uint8_t* data) noexcept {
    const std::uint64_t word = load<std::uint64_t>(data) ^ crc;
    crc = 0;
    for (unsigned k = 0; k < 8; ++k) crc ^= kTables[7 - k][word >> (8 * k) & 255];
    return crc;
}

std::uint32_t update(std::uint32_t crc, const std::uint8_t* data, std::size_t size) noexcept {
    for (; size >= 8; size -= 8, data += 8) crc = step8(crc, data);
    for (; size > 0; --size, ++data) crc = crc >> 8 ^ kTables[0][(crc ^ *data) & 255];
    return crc;
}

/// a(x) b(x) mod P(x), bit 31 being x^0.
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) noexcept {
    std::uint32_t product = 0;
    for (int bit = 31; bit >= 0; --bit) {
        if (a >> bit & 1) product ^= b;
        b = b >> 1 ^ (b & 1 ? kPolynomial : 0);
    }
    return product;
}

/// x^(8 size) mod P(x): what a CRC is multiplied by when `size` zero bytes follow.
std::uint32_t power(std::size_t size) noexcept {
    std::uint32_t result = 1u << 31;  // x^0
    std::uint32_t square = 1u << 23;  // x^8
    for (; size != 0; size >>= 1) {
        if (size & 1) result = multiply(result, square);
        square = multiply(square, square);
    }
    return result;
}

constexpr std::size_t kStrips = 4;
constexpr std::size_t kWorthStrips = 4096;

}  // namespace

// One CRC waits for its tables at every step, so a long one is four, of strips side by side.
std::uint32_t crc32(const std::uint8_t* data, std::size_t size) noexcept {
    std::uint32_t crc = 0xFFFFFFFF;
    if (size >= kWorthStrips) {
        const std::size_t strip = size / kStrips / 8 * 8;
        std::array<std::uint32_t, kStrips> part{crc};
        for (std::size_t at = 0; at < strip; at += 8) {
            for (std::size_t k = 0; k < kStrips; ++k)
                part[k] = step8(part[k], data + k * strip + at);
        }
        const std::uint32_t over_strip = power(strip);
        crc = part[0];
        for (std::size_t k = 1; k < kStrips; ++k) crc = multiply(crc, over_strip) ^ part[k];
        data += kStrips * strip;
        size -= kStrips * strip;
    }
    return ~update(crc, data, size);
}

}  // namespace entrolith
