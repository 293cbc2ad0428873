// SPDX-License-Identifier: Apache-2.0
//
// Decisions and bytes out of what the fuzzer made: the same input is always the same test.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "entrolith/bytes.hpp"

namespace entrolith::fuzz {

/// Takes from the front; when nothing is left, all is 0.
class FuzzedData {
public:
    explicit FuzzedData(Bytes data) noexcept : left_{data} {}

    [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

    /// Up to `size` bytes.
    Bytes take(std::size_t size) noexcept {
        const Bytes taken = left_.first(std::min(size, left_.size()));
        left_ = left_.subspan(taken.size());
        return taken;
    }
    Bytes rest() noexcept { return take(left_.size()); }

    template <class Integer>
    Integer integer() noexcept {
        std::uint8_t bytes[sizeof(Integer)]{};
        std::ranges::copy(take(sizeof bytes), bytes);
        return load<Integer>(bytes);
    }
    bool flag() noexcept { return (integer<std::uint8_t>() & 1) != 0; }

    /// 0 .. bound - 1, where `bound` is at most 65536. Takes a byte if one can tell.
    std::size_t below(std::size_t bound) noexcept {
        return bound <= 256 ? integer<std::uint8_t>() % bound : integer<std::uint16_t>() % bound;
    }
    /// 0 .. 65535, small ones as often as large ones.
    std::size_t skewed() noexcept {
        const std::size_t shift = below(16);
        return std::size_t{integer<std::uint16_t>()} >> shift;
    }
    template <class Integer>
    Integer between(std::size_t low, std::size_t high) noexcept {
        return static_cast<Integer>(low + below(high - low + 1));
    }

private:
    Bytes left_;
};

/// A copy with nothing readable behind it.
[[nodiscard]] inline std::vector<std::uint8_t> guarded(Bytes data) {
    return {data.begin(), data.end()};
}

}  // namespace entrolith::fuzz
