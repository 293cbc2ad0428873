// SPDX-License-Identifier: Apache-2.0
//
// entrolith/zeros.hpp - the bitmap of zeros: read, write, and the joining of zeros and non-zeros.
//
// Spec      FORMAT.md section 4.1. In memory the bitmap is ceil(n / 32) words, absent ones 0.
// Read me   Data decides every bit here, so the loops over values have no branches.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "entrolith/bytes.hpp"

namespace entrolith {

inline constexpr std::size_t kWordBits = 32;

[[nodiscard]] constexpr std::size_t words_for(std::size_t bits) noexcept {
    return (bits + kWordBits - 1) / kWordBits;
}

/// Reads the bitmap of `count` values into words[words_for(count)] and returns the number of
/// zeros, which is neither 0 nor `count`. Throws StreamError.
inline std::size_t read_zeros(Cursor& cursor, std::size_t count, std::uint32_t* words) {
    const std::size_t start = cursor.at();
    const std::size_t length = words_for(count);
    const auto refuse = [](std::size_t offset, const char* why) {
        throw StreamError{Cause::kCorrupt, "zeros", offset, why};
    };
    const std::uint8_t* summary = cursor.take(4 * words_for(length), "zeros");
    if (length % kWordBits != 0 &&
        load<std::uint32_t>(summary + 4 * (length / kWordBits)) >> (length % kWordBits) != 0) {
        refuse(start, "the summary names words beyond the chunk");
    }
    std::size_t zeros = 0;
    for (std::size_t w = 0; w < length; ++w) {
        words[w] = 0;
        if (summary[w / 8] >> (w % 8) & 1) {
            words[w] = cursor.integer<std::uint32_t>("zeros");
            if (words[w] == 0) refuse(cursor.at() - 4, "an empty word is stored");
            zeros += static_cast<std::size_t>(std::popcount(words[w]));
        }
    }
    if (count % kWordBits != 0 && words[length - 1] >> (count % kWordBits) != 0) {
        refuse(cursor.at() - 4, "a bit beyond the chunk is set");
    }
    if (zeros == 0) refuse(start, "a bitmap without a zero");
    if (zeros == count) refuse(start, "every value is zero");
    return zeros;
}

/// Writes a bitmap and returns its end; touches at most 4 bytes beyond.
inline std::uint8_t* write_zeros(const std::uint32_t* words, std::size_t count,
                                 std::uint8_t* out) noexcept {
    const std::size_t length = words_for(count);
    std::uint8_t* summary = out;
    std::memset(summary, 0, 4 * words_for(length));
    out += 4 * words_for(length);
    for (std::size_t w = 0; w < length; ++w) {
        const unsigned stored = words[w] != 0;
        summary[w / 8] = static_cast<std::uint8_t>(summary[w / 8] | stored << (w % 8));
        store(out, words[w]);
        out += 4 * stored;
    }
    return out;
}

/// Fills the bitmap of `count` values, gathers the others in `nonzeros` (one more is touched), and
/// returns their number.
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

/// Undoes part_zeros(); one value beyond the non-zeros is touched.
template <class Value>
void join_zeros(const std::uint32_t* words, std::size_t count, const Value* nonzeros,
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
            values[first + i] = static_cast<Value>(*nonzeros & (0u - kept));
            nonzeros += kept;
            word >>= 1;
        }
    }
}

}  // namespace entrolith
