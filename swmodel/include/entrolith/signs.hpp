// SPDX-License-Identifier: Apache-2.0
//
// entrolith/signs.hpp - what a signed chunk says of itself beside what a scaled one does, and the
// arithmetic of its columns' leans.
//
// Spec      FORMAT.md section 4.5, and rule 9 of section 8.
// Read me   A sign and d travel as the difference kSignCentre - (2 d + a) modulo 256: a symbol with
//           its lowest bit inverted (tables.hpp), which an escape's byte is kSignCentre less.
//           Sign and half octave travel as kHighestSignedHalf - (2^9 s + h), with which
//           SignedHalves<F> is one more type.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "entrolith/bytes.hpp"
#include "entrolith/codes.hpp"
#include "entrolith/scale.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

inline constexpr int kSignCentre = 2 * kCentre + 1;
inline constexpr std::uint16_t kHighestSignedHalf = (1u << (kHalfBits + 1)) - 1;
inline constexpr std::size_t kSignedTables = 4;
/// |L| g from which on the table is 1, 2, 3.
inline constexpr std::array<int, kSignedTables - 1> kLeanBounds{64, 192, 384};
inline constexpr int kLeanStep = 15;
inline constexpr unsigned kStrongest = 6;
inline constexpr unsigned kHighestSense = 2 * kStrongest + 1;

/// The lean of a column: it stays within -113..120.
struct ColumnLean {
    std::int8_t lean = 0;

    [[nodiscard]] constexpr unsigned table(unsigned strength) const noexcept {
        const int strong = (lean < 0 ? -lean : lean) * static_cast<int>(strength);
        unsigned table = 0;
        for (const int bound : kLeanBounds) table += strong >= bound;
        return table;
    }
    [[nodiscard]] constexpr unsigned below() const noexcept { return lean < 0 ? 1 : 0; }
    /// `against` is s xor f.
    constexpr void learn(unsigned against) noexcept {
        lean =
            static_cast<std::int8_t>(lean - (lean >> 3) + (against != 0 ? -kLeanStep : kLeanStep));
    }
};

/// Rule 9: the symbol 2 g + f of a row whose values, not zero, add up to `sum` of L or -L and to
/// `squares` of L^2.
[[nodiscard]] constexpr std::uint8_t row_sense(std::int32_t sum, std::uint32_t squares) noexcept {
    if (squares == 0) return 0;
    const auto size = static_cast<std::uint64_t>(sum < 0 ? -std::int64_t{sum} : std::int64_t{sum});
    const std::uint64_t strength = (960 * size + squares) / (2 * std::uint64_t{squares});
    return static_cast<std::uint8_t>(2 * std::min<std::uint64_t>(strength, kStrongest) +
                                     (sum < 0 ? 1u : 0u));
}

/// What the rows of a chunk are coded with beside RowBuffers, as that has it.
struct SignBuffers {
    ColumnLean* leans;          // of every column
    std::uint8_t* senses;       // of every row: 2 g + f
    std::uint8_t* differences;  // of every value; those of zeros mean nothing
    std::uint8_t* tables;       // the same
};

/// The part `scale`.
struct SignedScale : ScaleHead {
    std::uint8_t taps;
    Lengths sense_table;
    std::array<SignedLengths, kSignedTables> tables;
};

/// As read_scale(). Throws StreamError.
[[nodiscard]] SignedScale read_signed_scale(Cursor& cursor, unsigned mantissa_bits,
                                            std::size_t full);
/// What it takes at most, in bytes.
inline constexpr std::size_t kMostSignedScaleBytes =
    kScaleHeadBytes + 1 + 8 + kSignedTables * kMostListedTableBytes<kSignedSymbols>;
[[nodiscard]] std::size_t signed_scale_bytes(const SignedScale& scale) noexcept;
/// Writes the part and returns its end.
[[nodiscard]] std::uint8_t* write_signed_scale(const SignedScale& scale,
                                               std::uint8_t* out) noexcept;

/// Decodes the senses of all rows; false if one is corrupt.
[[nodiscard]] bool decode_senses(CodeReader& reader, const SignedScale& scale,
                                 std::span<std::uint8_t> senses) noexcept;

/// What the encoder's kernel finds in the rows of a chunk: all that a scaled one takes, too.
struct SignedSurvey {
    ScaleSurvey scale;
    bool possible;                                          // every 2 d + a is a byte
    std::array<SignedHistogram, kSignedTables> histograms;  // of symbols, by table
};

/// Rule 9: the part `scale`, and what the chunk costs.
struct SignedPlan {
    SignedScale scale;
    std::uint64_t bits;  // of scale and codes; raw bytes come on top
};

/// Makes the tables; `moves` is what settle_offsets() counts.
[[nodiscard]] SignedPlan plan_signed(std::size_t width, unsigned taps, unsigned mantissa_bits,
                                     const SignedSurvey& survey, std::int16_t first_offset,
                                     const Histogram& moves,
                                     std::span<const std::uint8_t> senses) noexcept;

/// How the coders of 8-bit exponents see senses: an escaped one follows as kSenseEmax less the
/// difference, and no symbol is.
inline constexpr std::uint8_t kSenseEmax = 255;

/// The differences of all senses.
void sense_differences(const Lengths& table, std::span<const std::uint8_t> senses,
                       std::uint8_t* differences) noexcept;

}  // namespace entrolith
