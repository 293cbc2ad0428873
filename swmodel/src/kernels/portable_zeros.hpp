// SPDX-License-Identifier: Apache-2.0
//
// Zeros counted, parted from the other values, and joined with them. Data decides every bit here,
// so the loops over values have no branches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "entrolith/kernels.hpp"
#include "entrolith/zeros.hpp"
#include "portable_crc32.hpp"

namespace entrolith {
namespace {

/// Counts as wide as the values, so that the compiler's vectors need not widen, and so many at a
/// time that they fit.
template <class Value>
std::size_t count_zeros(const Value* values, std::size_t count) noexcept {
    constexpr std::size_t kAtOnce = std::min<std::uint64_t>(Value(~Value{0}), 1u << 15);
    std::size_t zeros = 0;
    for (std::size_t first = 0; first < count; first += kAtOnce) {
        const std::size_t length = std::min(kAtOnce, count - first);
        Value some = 0;
        for (std::size_t i = 0; i < length; ++i) {
            some = static_cast<Value>(some + (values[first + i] == 0));
        }
        zeros += static_cast<std::size_t>(some);
    }
    return zeros;
}

/// As ValueKernel::tally says.
template <class Value>
Tally tally(const Value* values, std::size_t count, bool check) noexcept {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(values);
    return {count_zeros(values, count), check ? crc32_by_tables(bytes, count * sizeof *values) : 0};
}

/// As ValueKernel::part_zeros says; one value beyond the non-zeros is touched.
template <class Value>
std::size_t part_zeros(const Value* values, std::size_t count, std::uint32_t* words,
                       Value* nonzeros) noexcept {
    std::size_t kept = 0;
    for (std::size_t first = 0; first < count; first += kWordBits) {
        const std::size_t length = count - first < kWordBits ? count - first : kWordBits;
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < length; ++i) {
            const Value value = values[first + i];
            const std::uint32_t zero = value == 0;
            word |= zero << i;
            nonzeros[kept] = value;
            kept += 1 - zero;
        }
        words[first / kWordBits] = word;
    }
    return kept;
}

/// One value beyond the non-zeros is touched.
template <class Value>
void join_words(const std::uint32_t* words, std::size_t count, const Value* nonzeros,
                Value* values) noexcept {
    for (std::size_t first = 0; first < count; first += kWordBits) {
        const std::size_t length = count - first < kWordBits ? count - first : kWordBits;
        std::uint32_t word = words[first / kWordBits];
        if (word == 0) {
            std::memcpy(values + first, nonzeros, length * sizeof(Value));
            nonzeros += length;
            continue;
        }
        for (std::size_t i = 0; i < length; ++i) {
            const std::uint32_t kept = ~word & 1u;
            values[first + i] = static_cast<Value>(*nonzeros & (Value{0} - kept));
            nonzeros += kept;
            word >>= 1;
        }
    }
}

/// As ValueKernel::join_zeros says.
template <class Value>
std::uint32_t join_zeros(const std::uint32_t* words, std::size_t count, const Value* nonzeros,
                         Value* values, bool check) noexcept {
    join_words(words, count, nonzeros, values);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(values);
    return check ? crc32_by_tables(bytes, count * sizeof *values) : 0;
}

}  // namespace
}  // namespace entrolith
