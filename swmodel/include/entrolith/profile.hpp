// SPDX-License-Identifier: Apache-2.0
//
// entrolith/profile.hpp - the parameters of a stream, and what an encoder does with its freedom.
//
// Spec      FORMAT.md sections 1 and 8.
// Exactness A profile's output is part of the format's promise: same array, same bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace entrolith {

/// The fields of a header that shape every chunk.
struct Parameters {
    std::uint8_t version;
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

/// Which tables a block may take. FORMAT.md section 8, rule 6.
enum class Mode : std::uint8_t { kStatic, kDynamic, kHybrid };

/// Which tensors are seen as matrices. FORMAT.md section 8, rule 10.
enum class Matrices : std::uint8_t { kNever, kByShape, kBySize };

struct Profile {
    std::string_view name;
    Parameters parameters;
    bool stored;
    std::uint8_t trailing;  // what t of rule 3 is a multiple of; 0: always 0
    bool runs = false;
    std::uint16_t known_pairs = 0;  // in place of `runs`: with known tables, up to so many pairs
    std::uint8_t step = 1;          // rule 2: costs are taken over every so many values of a block
    Mode mode = Mode::kStatic;
    Matrices matrices = Matrices::kNever;
    bool scaled = false;
    bool signs = false;  // where `scaled`: chunks may be signed, too
};

/// Columns that are tried where there is no matrix, ascending. FORMAT.md section 8, rules 5 and 8.
inline constexpr std::array<std::size_t, 11> kTriedWidths{64,   128,  256,  512,  576, 1024,
                                                          1152, 2048, 2304, 4096, 4608};

/// The same of signed chunks. Rule 9.
inline constexpr std::array<std::size_t, 6> kTriedSignedWidths{32, 64, 128, 256, 512, 1024};
/// Columns of the signed chunks that are tried with taps, and their number.
inline constexpr std::array<std::size_t, 3> kTriedTapsWidths{64, 128, 256};
inline constexpr unsigned kTriedTaps = 9;

/// Widths are searched for where there is no matrix that has them. `strip` has the columns of a
/// chunk's matrix, or is 0.
[[nodiscard]] constexpr bool searches_widths(const Profile& profile, std::size_t strip) noexcept {
    return strip == 0 && profile.matrices == Matrices::kBySize;
}

/// The columns that a chunk's values may be seen in, of the ones that are `tried`.
[[nodiscard]] constexpr std::span<const std::size_t> widths_to_try(
    const Profile& profile, const std::size_t& strip, std::span<const std::size_t> tried) noexcept {
    if (strip != 0) return {&strip, 1};
    if (!searches_widths(profile, strip)) return {};
    const auto beyond = std::ranges::upper_bound(tried, profile.parameters.chunk());
    return {tried.begin(), beyond};
}

inline constexpr std::array<Profile, 3> kProfiles{{
    {"sw-n64-c32768", {1, 15, 9, 6, 1}, true, 1},
    {"hw-n8-c4096", {1, 12, 9, 3, 1}, false, 0},
    {"hw2-n8-c4096", {2, 12, 9, 3, 1}, false, 8, false, 1024, 4},
}};

inline constexpr int kMaxLevel = 9;

/// What level 1 .. kMaxLevel writes; without `mode`, in the level's own.
[[nodiscard]] constexpr Profile level(int number, std::optional<Mode> mode, bool check) noexcept {
    const bool fast = number <= 3;
    const bool smallest = number >= 7;
    Profile profile = kProfiles[0];
    profile.name = {};
    profile.parameters.version = 2;
    if (smallest) profile.parameters.log2_chunk = 16;
    profile.parameters.check = check ? 1 : 0;
    profile.runs = !fast;
    if (!fast && !mode) {
        profile.matrices = smallest ? Matrices::kBySize : Matrices::kByShape;
        profile.scaled = true;
        profile.signs = number >= 6;
    }
    profile.mode = mode.value_or(fast ? Mode::kStatic : Mode::kHybrid);
    return profile;
}

}  // namespace entrolith
