// SPDX-License-Identifier: Apache-2.0
//
// entrolith/codes.hpp - the code section: exponents of a chunk, interleaved over its lanes.
//
// Spec      FORMAT.md section 6.
// Read me   Exponents travel as differences (emax - exponent) modulo 256. Lanes do not wait for
//           each other, only for their place in the byte stream, and that place moves by a
//           comparison: so the processor overlaps as many lanes as it has room for.
//           The decoder only says that something is wrong; explain_codes() then says what.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "entrolith/blocks.hpp"
#include "entrolith/bytes.hpp"
#include "entrolith/lanes.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

inline constexpr std::size_t kMaxLanes = 64;
using LaneStates = std::array<std::uint32_t, kMaxLanes>;

template <unsigned kLanes>
class CodeEncoder {
public:
    CodeEncoder(LaneStates& states, std::uint8_t* end) noexcept : states_{states}, at_{end} {}

    /// Where the codes begin so far.
    [[nodiscard]] const std::uint8_t* begin() const noexcept { return at_; }

    /// Encodes a block whose first value is number `first` of the chunk. Blocks come last first.
    void block(const Block& block, const EncodeTable& table, std::size_t first,
               const std::uint8_t* differences) noexcept {
        std::size_t i = block.count;
        const bool aligned = first % kLanes == 0;
        while (i > 0 && !(aligned && i % kLanes == 0)) {
            --i;
            std::uint32_t& state = states_[(first + i) % kLanes];
            at_ = put(at_, state, table[differences[i]], block.emax, differences[i]);
        }
        while (i > 0) {
            i -= kLanes;
            group(table, block.emax, differences + i);
        }
    }

    /// Exponents of a raw block are bytes, and no lane is touched.
    void raw_block(const Block& block, const std::uint8_t* differences) noexcept {
        at_ -= block.count;
        for (std::size_t i = 0; i < block.count; ++i) {
            at_[i] = static_cast<std::uint8_t>(block.emax - differences[i]);
        }
    }

private:
    static std::uint8_t* put(std::uint8_t* at, std::uint32_t& state, EncodeEntry entry,
                             std::uint8_t emax, std::uint8_t difference) noexcept {
        if (entry & kEscapeFlag) [[unlikely]] {
            *--at = static_cast<std::uint8_t>(emax - difference);
        }
        Lane lane{state};
        const std::uint32_t full = lane.has_byte(entry >> 16);
        at[-1] = lane.peek();  // overwritten if the lane keeps it
        at += static_cast<std::int32_t>(full);
        lane.give(full);
        lane.put(entry & 31, entry >> 8 & 255);
        state = lane.state();
        return at;
    }

    void group(const EncodeTable& table, std::uint8_t emax,
               const std::uint8_t* differences) noexcept {
        std::uint8_t* at = at_;
        std::uint32_t* states = states_.data();
#pragma GCC unroll 8
        for (unsigned i = 1; i <= kLanes; ++i) {
            const unsigned k = kLanes - i;
            at = put(at, states[k], table[differences[k]], emax, differences[k]);
        }
        at_ = at;
    }

    LaneStates& states_;
    std::uint8_t* at_;
};

template <unsigned kLanes, unsigned kExponentBits>
class CodeDecoder {
public:
    CodeDecoder(LaneStates& states, const std::uint8_t* begin, const std::uint8_t* end) noexcept
        : states_{states}, at_{begin}, end_{end} {}

    /// All bytes are taken and all lanes are back where the encoder began.
    [[nodiscard]] bool finished() const noexcept {
        std::uint32_t all = 0;
        for (unsigned k = 0; k < kLanes; ++k) all |= states_[k];
        return at_ == end_ && all < 2 * Lane::kLow;
    }

    /// Decodes a block whose first value is number `first` of the chunk; false if it is corrupt.
    [[nodiscard]] bool block(const Block& block, const DecodeTable& table, std::size_t first,
                             std::uint8_t* differences) noexcept {
        std::size_t i = 0;
        if (first % kLanes == 0 && (kChecksGroups || block.emax >= kEscape - 1)) {
            while (block.count - i >= kLanes && left() >= 2 * kLanes) {
                group(table, block.emax, differences + i);
                if (kChecksGroups && !possible(block.emax, kLanes, differences + i)) return false;
                i += kLanes;
            }
        }
        for (; i < block.count; ++i) {
            if (!value(states_[(first + i) % kLanes], table, block.emax, differences[i])) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] bool raw_block(const Block& block, std::uint8_t* differences) noexcept {
        if (left() < block.count) return false;
        for (std::size_t i = 0; i < block.count; ++i) {
            differences[i] = static_cast<std::uint8_t>(block.emax - at_[i]);
        }
        at_ += block.count;
        return possible(block.emax, block.count, differences);
    }

private:
    // With 8 bits every byte is an exponent, so a symbol above emax could go unseen: such blocks,
    // of the smallest numbers, go value by value.
    static constexpr bool kChecksGroups = kExponentBits < 8;

    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

    [[nodiscard]] static bool possible(std::uint8_t emax, std::size_t count,
                                       const std::uint8_t* differences) noexcept {
        unsigned all = 0;
        for (std::size_t i = 0; i < count; ++i) {
            all |= static_cast<std::uint8_t>(emax - differences[i]);
        }
        return all >> kExponentBits == 0;
    }

    /// One value from each lane, at most two bytes each: the caller has seen that they are there.
    void group(const DecodeTable& table, std::uint8_t emax, std::uint8_t* differences) noexcept {
        const std::uint8_t* at = at_;
        std::uint32_t* states = states_.data();
#pragma GCC unroll 8
        for (unsigned k = 0; k < kLanes; ++k) {
            Lane lane{states[k]};
            const unsigned entry = table[lane.peek()];
            lane.drop(entry & 31);
            const std::uint32_t wanted = lane.wants_byte();
            lane.take(*at, wanted);
            at -= static_cast<std::int32_t>(wanted);
            states[k] = lane.state();
            auto difference = static_cast<std::uint8_t>(entry >> 8);
            if (difference == kEscape) [[unlikely]] {
                difference = static_cast<std::uint8_t>(emax - *at++);
            }
            differences[k] = difference;
        }
        at_ = at;
    }

    /// One value with every check.
    [[nodiscard]] bool value(std::uint32_t& state, const DecodeTable& table, std::uint8_t emax,
                             std::uint8_t& difference) noexcept {
        Lane lane{state};
        const unsigned entry = table[lane.peek()];
        lane.drop(entry & 31);
        if (lane.wants_byte() != 0) {
            if (at_ == end_) return false;
            lane.take(*at_++, ~0u);
        }
        state = lane.state();
        difference = static_cast<std::uint8_t>(entry >> 8);
        if (difference == kEscape) {
            if (at_ == end_ || *at_ >> kExponentBits != 0) return false;
            difference = static_cast<std::uint8_t>(emax - *at_++);
            return true;
        }
        return difference <= emax;
    }

    LaneStates& states_;
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

/// Decodes the codes between `begin` and `end` value by value, in the order of section 6, to throw
/// the StreamError of the first fault. `states` are the initial ones.
[[noreturn]] void explain_codes(Bytes data, std::size_t begin, std::size_t end, LaneStates states,
                                std::size_t lanes, std::span<const Block> blocks,
                                unsigned exponent_bits, const TableSet& tables);

}  // namespace entrolith
