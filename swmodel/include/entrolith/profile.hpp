// SPDX-License-Identifier: Apache-2.0
//
// entrolith/profile.hpp - the parameters of a stream, and what an encoder does with its freedom.
//
// Spec      FORMAT.md sections 1 and 8.
// Exactness A profile's output is part of the format's promise: same array, same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace entrolith {

/// The fields of a header that shape every chunk.
struct Parameters {
    std::uint8_t log2_chunk;
    std::uint8_t log2_block;
    std::uint8_t log2_lanes;
    std::uint8_t check;

    [[nodiscard]] constexpr std::size_t chunk() const noexcept {
        return std::size_t{1} << log2_chunk;
    }
    [[nodiscard]] constexpr std::size_t block() const noexcept {
        return std::size_t{1} << log2_block;
    }
    [[nodiscard]] constexpr std::size_t lanes() const noexcept {
        return std::size_t{1} << log2_lanes;
    }
    [[nodiscard]] constexpr std::size_t check_bytes() const noexcept { return check ? 4 : 0; }
    /// T of section 5.1: how many of a chunk's last raw bytes travel in the lanes.
    [[nodiscard]] constexpr std::size_t tail() const noexcept { return lanes() - check_bytes(); }

    bool operator==(const Parameters&) const = default;
};

struct Profile {
    std::string_view name;
    Parameters parameters;
    bool stored;
    bool trailing;
};

inline constexpr std::array<Profile, 2> kProfiles{{
    {"sw-n64-c32768", {15, 9, 6, 1}, true, true},
    {"hw-n8-c4096", {12, 9, 3, 1}, false, false},
}};

}  // namespace entrolith
