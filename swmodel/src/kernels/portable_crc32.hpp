// SPDX-License-Identifier: Apache-2.0
//
// Eight tables take eight bytes at a time, but each step waits for the one before. So most of a
// long message is folded first: the polynomial divides a sum of five powers x^(8 k), hence a byte
// may be taken out if it is added, as exclusive or, to four later ones. That needs no tables, and
// the compiler's vectors do many bytes at once; the tables are left with the last few.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crc32_polynomial.hpp"
#include "entrolith/bytes.hpp"

namespace entrolith {
namespace {

// How far behind a byte those lie that it is added to; no other five powers are as close together.
constexpr std::array<std::size_t, 4> kBehind{145, 183, 211, 300};
constexpr std::size_t kFar = kBehind.back();

constexpr bool divisible() noexcept {
    std::uint32_t sum = power(kFar);  // the byte itself, then the others seen from the last
    for (const std::size_t behind : kBehind) sum ^= power(kFar - behind);
    return sum == 0;
}
static_assert(divisible(), "folding keeps the remainder");

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// tables[k][b] is what byte b contributes when k bytes follow it.
constexpr Tables make_tables() noexcept {
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

std::uint32_t update(std::uint32_t crc, const std::uint8_t* data, std::size_t size) noexcept {
    for (; size >= 8; size -= 8, data += 8) {
        const std::uint64_t word = load<std::uint64_t>(data) ^ crc;
        crc = 0;
        for (unsigned k = 0; k < 8; ++k) crc ^= kTables[7 - k][word >> (8 * k) & 255];
    }
    for (; size > 0; --size, ++data) crc = crc >> 8 ^ kTables[0][(crc ^ *data) & 255];
    return crc;
}

constexpr std::size_t kFolded = 1024;
static_assert(kBehind.front() >= 64, "so that vectors of any machine fit in between");

/// The remainder, from state 0, of `size` bytes, of which the first kFolded n are folded away.
std::uint32_t fold(const std::uint8_t* data, std::size_t size) noexcept {
    std::array<std::uint8_t, kFar + kFolded> window{};  // what was taken out, the last of it kept
    std::uint8_t* const out = window.data() + kFar;
    for (; size >= kFolded + kFar; data += kFolded, size -= kFolded) {
        for (std::size_t at = 0; at < kFolded; at += 8) {
            auto sum = load<std::uint64_t>(data + at);
            for (const std::size_t behind : kBehind) sum ^= load<std::uint64_t>(out + at - behind);
            store(out + at, sum);
        }
        std::memcpy(window.data(), out + kFolded - kFar, kFar);
    }
    std::array<std::uint8_t, kFar> next;
    std::memcpy(next.data(), data, kFar);
    for (const std::size_t behind : kBehind) {
        for (std::size_t i = 0; i < behind; ++i) next[i] ^= *(out + i - behind);
    }
    return update(update(0, next.data(), kFar), data + kFar, size - kFar);
}

/// As Kernel::crc32 says.
std::uint32_t crc32_by_tables(const std::uint8_t* data, std::size_t size) noexcept {
    constexpr std::uint32_t kInitial = 0xFFFFFFFF;
    if (size < kFolded + kFar) return ~update(kInitial, data, size);
    return ~(fold(data, size) ^ multiply(kInitial, power(size)));
}

}  // namespace
}  // namespace entrolith
