// SPDX-License-Identifier: Apache-2.0
//
// entrolith/lanes.hpp - one lane of the code section: the arithmetic, and nothing else.
//
// Scope     State transitions of a single lane. No I/O, tables or interleaving: bytes enter and
//           leave as values.
// Spec      FORMAT.md section 6; the constants here are normative there.
// Read me   A state is a leading one and, below it, the bits that wait to be read, next bit lowest.
//           The encoder runs from the last value to the first, so a lane is a stack: what put()
//           pushed last, drop() removes first, and the decoder ends where the encoder began.
// Exactness Output is part of the format: one moved bit is a new format version.
#pragma once

#include <cstdint>

namespace entrolith {

class Lane {
public:
    static constexpr std::uint32_t kLow = 1u << 8;    // fewer than 8 bits wait: take a byte
    static constexpr std::uint32_t kHigh = 1u << 16;  // more than 15 bits wait: put a byte
    static constexpr unsigned kMaxLength = 8;         // so that one byte always suffices

    constexpr explicit Lane(std::uint32_t state) noexcept : state_{state} {}
    [[nodiscard]] constexpr std::uint32_t state() const noexcept { return state_; }

    /// The next 8 bits, the first of them lowest: an index of the decoder's table.
    [[nodiscard]] constexpr std::uint8_t peek() const noexcept {
        return static_cast<std::uint8_t>(state_);
    }
    constexpr void drop(unsigned length) noexcept { state_ >>= length; }
    /// All ones if fewer than 8 bits wait, else 0.
    [[nodiscard]] constexpr std::uint32_t wants_byte() const noexcept {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(state_ - kLow) >> 31);
    }
    /// Takes a byte if `wanted` is all ones, nothing if it is 0: data decides, so no branch does.
    constexpr void take(std::uint8_t byte, std::uint32_t wanted) noexcept {
        state_ = state_ << (8 & wanted) | (byte & wanted);
    }

    /// The least state from which a codeword of this length does not fit any more.
    [[nodiscard]] static constexpr std::uint32_t limit(unsigned length) noexcept {
        return kHigh >> length;
    }
    /// All ones if the state is at the limit or above, else 0.
    [[nodiscard]] constexpr std::uint32_t has_byte(std::uint32_t limit) const noexcept {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(limit - 1 - state_) >> 31);
    }
    /// Drops the low byte, which peek() has shown, if `full` is all ones.
    constexpr void give(std::uint32_t full) noexcept { state_ >>= 8 & full; }
    constexpr void put(unsigned length, std::uint32_t bits) noexcept {
        state_ = state_ << length | bits;
    }

private:
    std::uint32_t state_;
};

}  // namespace entrolith
