// SPDX-License-Identifier: Apache-2.0
//
// entrolith/token_classes.hpp - distances and runs as classes and extra bits.
//
// Spec      FORMAT.md section 4.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "entrolith/bytes.hpp"

namespace entrolith {

inline constexpr unsigned kMaxClass = 17;
inline constexpr std::size_t kMaxPairs = 16384;

/// A number less 1 is `base` + its extra bits.
struct ClassOf {
    std::uint32_t base;
    std::uint32_t extra_bits;
};

inline constexpr auto kClassTable = [] {
    std::array<ClassOf, kMaxClass + 1> classes{};
    for (unsigned c = 1; c <= kMaxClass; ++c) classes[c] = {1u << (c - 1), c - 1};
    return classes;
}();

/// `c` is at most kMaxClass.
[[nodiscard]] constexpr ClassOf class_of(std::size_t c) noexcept { return kClassTable[c]; }

/// By class, of distances and of runs. There is room for classes that are too high to be written.
inline constexpr std::size_t kClassRoom = 64;
using ClassCounts = std::array<std::array<std::uint32_t, kClassRoom>, 2>;
using ClassSymbols = std::array<std::array<std::uint8_t, kClassRoom>, 2>;

/// What became of runs that were written to a bitmap.
struct Expanded {
    std::size_t end;    // after the last run
    std::size_t zeros;  // in all runs
};

/// Calls f(first, edges) for each 64 entries of a bitmap of `count`: a bit of `edges` is 1 where an
/// entry differs from the one before, which for the first and after the last is not zero.
template <class Function>
void for_edges(const std::uint32_t* words, std::size_t count, Function&& f) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(words);
    std::uint64_t before = 0;
    for (std::size_t first = 0; first <= count; first += 64) {
        const std::size_t left = count - first;
        std::uint64_t word = left != 0 ? load<std::uint64_t>(bytes + first / 8) : 0;
        if (left < 64) word &= (std::uint64_t{1} << left) - 1;
        f(first, word ^ (word << 1 | before));
        before = word >> 63;
    }
}

}  // namespace entrolith
