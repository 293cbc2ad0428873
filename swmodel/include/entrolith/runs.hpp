// SPDX-License-Identifier: Apache-2.0
//
// entrolith/runs.hpp - where zeros are, as distances between runs of them and the runs' lengths.
//
// Spec      FORMAT.md section 4.2, and rule 5 of section 8.
// Read me   A token is a distance or a run, in turn; its class is a symbol of the lanes, and what
//           the class leaves open are extra bits. In memory zeros are a bitmap as in zeros.hpp.
//           Classes travel through the coders of differences (codes.hpp) as `symbols`: a class
//           with a codeword is its own symbol; any other is kClassEmax - class, which no table has
//           a codeword for, so that the escaped byte is kClassEmax less that: the class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "entrolith/bytes.hpp"
#include "entrolith/codes.hpp"
#include "entrolith/kernels.hpp"
#include "entrolith/tables.hpp"
#include "entrolith/zeros.hpp"

namespace entrolith {

inline constexpr std::size_t kExtraSlack = 8;
/// All extra bits that a chunk may declare or its classes may want.
inline constexpr std::size_t kExtraScratch = 65536 + kExtraSlack;  // 2 * kMaxPairs times 16 bits
inline constexpr std::uint8_t kClassEmax = 255;

/// Of distances and of runs.
using TokenTables = std::array<Lengths, 2>;

/// Those of Zeros::kKnownRuns.
inline constexpr std::array<TokenTables, 2> kKnownTables{{
    {{{8, 2, 6, 3, 2, 2, 4, 6, 7, 8, 8, 8, 8, 0, 0, 8},
      {1, 3, 2, 5, 7, 7, 7, 7, 7, 7, 7, 6, 6, 0, 0, 7}}},
    {{{1, 2, 3, 5, 7, 7, 7, 7, 7, 7, 7, 6, 6, 0, 0, 7},
      {2, 3, 2, 2, 4, 5, 8, 8, 8, 8, 8, 8, 8, 0, 0, 8}}},
}};

/// What there is of the part before `extra`.
[[nodiscard]] constexpr std::size_t runs_head_bytes(Zeros zeros) noexcept {
    return zeros == Zeros::kKnownRuns ? 7 : zeros == Zeros::kCross ? 24 : 22;
}

/// The part before the lanes.
struct Runs {
    std::size_t start;  // of the part, after `columns`
    std::size_t extra_at;
    std::size_t columns;  // 0 without a cross
    std::size_t nonzeros;
    std::size_t pairs;
    Bytes extra;
    TokenTables tables;
    [[nodiscard]] std::size_t tokens() const noexcept { return 2 * pairs; }
    /// Tokens are coded in the lanes before all blocks.
    [[nodiscard]] Stretch stretch() const noexcept { return {0, tokens(), kClassEmax, 8}; }
};

/// Reads the part of a chunk of `count` values, of `full` if it were full, in a mode that has it.
/// Throws StreamError.
[[nodiscard]] Runs read_runs(Cursor& cursor, std::size_t count, std::size_t full, Zeros zeros);

/// Turns the symbols of all tokens into their classes; false if one is above kMaxClass.
[[nodiscard]] bool read_classes(const Runs& runs, std::uint8_t* symbols) noexcept;

/// Which of the two tables codes a token: those of CodeKernel's mixed operations.
inline constexpr auto kTokenTables = [] {
    std::array<std::uint64_t, kMaxPairs / 32> odd{};
    odd.fill(0xAAAAAAAAAAAAAAAA);
    return odd;
}();

/// Fills the bitmap of `count` values, and words beyond, from the classes of all tokens. `scratch`
/// has kExtraScratch bytes, `entries` room for a cross. Throws StreamError.
void join_runs(const RunKernel& kernel, const Runs& runs, const std::uint8_t* classes,
               std::size_t count, std::uint8_t* scratch, std::uint32_t* entries,
               std::uint32_t* words);

/// What the encoder finds in a bitmap.
struct Tokens {
    Zeros mode;
    std::uint8_t known;   // which of kKnownTables
    std::size_t columns;  // 0 without a cross
    std::size_t pairs;
    std::size_t extra_bits;
    TokenTables tables;
    std::uint64_t cost;  // rule 5: bits of head, extra bits, codewords and escaped classes
    [[nodiscard]] std::size_t count() const noexcept { return 2 * pairs; }
    [[nodiscard]] Stretch stretch() const noexcept { return {0, count(), kClassEmax, 8}; }
};

/// Finds the runs in a bitmap of `count` entries, at least one of which is zero, and a word more,
/// for a mode that has runs, and a cross of `columns` or none. `numbers` takes each token's number
/// less 1, up to `count` + 1 of them, and `classes` up to 2 * kMaxPairs. Nothing if there are more
/// than `most` pairs or the format cannot say it.
[[nodiscard]] std::optional<Tokens> find_runs(const RunKernel& kernel, const std::uint32_t* words,
                                              std::size_t count, Zeros mode, std::size_t columns,
                                              std::size_t most, std::uint32_t* numbers,
                                              std::uint8_t* classes) noexcept;

/// Writes what read_runs() reads, turns classes into symbols, and returns the end of the part;
/// touches up to kExtraSlack bytes beyond.
[[nodiscard]] std::uint8_t* write_runs(const RunKernel& kernel, const Tokens& tokens,
                                       std::size_t nonzeros, const std::uint32_t* numbers,
                                       std::uint8_t* classes, std::uint8_t* out) noexcept;

}  // namespace entrolith
