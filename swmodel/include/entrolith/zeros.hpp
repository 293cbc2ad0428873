// SPDX-License-Identifier: Apache-2.0
//
// entrolith/zeros.hpp - the bitmap of zeros: read and written.
//
// Spec      FORMAT.md section 4.1. In memory the bitmap is ceil(n / 32) words, absent ones 0.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "entrolith/bytes.hpp"

namespace entrolith {

/// How a coded chunk says where its zeros are. FORMAT.md sections 4.1 and 4.2.
enum class Zeros : std::uint8_t { kNone, kBitmap, kRuns, kCross, kKnownRuns };

inline constexpr std::size_t kWordBits = 32;

[[nodiscard]] constexpr std::size_t words_for(std::size_t bits) noexcept {
    return (bits + kWordBits - 1) / kWordBits;
}

/// What a bitmap of `count` values takes at most, in bytes.
[[nodiscard]] constexpr std::size_t most_zeros_bytes(std::size_t count) noexcept {
    return 4 * (words_for(count) + words_for(words_for(count)));
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

/// What write_zeros() writes, in bytes.
[[nodiscard]] inline std::size_t zeros_bytes(const std::uint32_t* words,
                                             std::size_t count) noexcept {
    const std::size_t length = words_for(count);
    std::size_t stored = words_for(length);
    for (std::size_t w = 0; w < length; ++w) stored += words[w] != 0;
    return 4 * stored;
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

}  // namespace entrolith
