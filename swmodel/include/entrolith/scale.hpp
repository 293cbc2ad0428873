// SPDX-License-Identifier: Apache-2.0
//
// entrolith/scale.hpp - what a scaled chunk says of itself, and the arithmetic of its columns.
//
// Spec      FORMAT.md section 4.4, and rule 8 of section 8.
// Read me   A d travels as the difference kCentre - d modulo 256, so that symbols are differences,
//           an escape's byte is kCentre less the difference, and tables are those of all coders.
//           Half octaves travel as kHighestHalf - h, with which HalfOctaves<F> is one more type.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "entrolith/blocks.hpp"
#include "entrolith/bytes.hpp"
#include "entrolith/codes.hpp"
#include "entrolith/listed_tables.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

inline constexpr int kCentre = 16;
inline constexpr unsigned kHalfBits = 9;
inline constexpr std::uint16_t kHighestHalf = (1u << kHalfBits) - 1;
inline constexpr int kLowestOffset = -2048;
inline constexpr int kHighestOffset = 2047;
inline constexpr int kNoMove = 7;         // the symbol of an offset that is that of the row before
inline constexpr int kNoOffset = -32768;  // of a row of zeros, until it has that of another row
inline constexpr int kMostState = 16000;

/// W of section 4.4: by t modulo 128.
inline constexpr std::array<std::int8_t, 128> kStateSteps{
    0,   4,   9,   14,  19,  25,  31,  39,  46,  55,  64,  74,  84,  96,  109, 123,  //
    125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125,  //
    125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125,  //
    125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125, 125,  //
    -46, -46, -46, -46, -46, -46, -46, -46, -46, -46, -46, -46, -46, -46, -46, -46,  //
    -45, -45, -45, -45, -45, -45, -45, -45, -45, -45, -44, -44, -44, -44, -44, -44,  //
    -43, -43, -43, -42, -42, -42, -41, -41, -40, -40, -39, -39, -38, -37, -36, -36,  //
    -35, -34, -32, -31, -30, -28, -27, -25, -23, -21, -19, -16, -14, -11, -7,  -4};

/// A of section 4.4.
[[nodiscard]] constexpr int state_gain(std::size_t row) noexcept {
    return std::max(8, static_cast<int>(512 / (2 * row + 5)));
}

/// The state of a column, and what it predicts.
struct ColumnState {
    std::int16_t scale = 0;

    /// P, in a row with this offset.
    [[nodiscard]] constexpr int prediction(int offset) const noexcept {
        return ((scale + 8) >> 4) + 4 * offset;
    }
    constexpr void learn(int prediction, int half, int gain) noexcept {
        const int t = std::clamp((8 * half + 4 - prediction) >> 1, -64, 63);
        const int step = (kStateSteps[static_cast<unsigned>(t) % 128] * gain) >> 5;
        scale = static_cast<std::int16_t>(std::clamp(scale + step, -kMostState, kMostState));
    }
};

/// q of section 4.4; the table is q mod 2.
[[nodiscard]] constexpr int predicted_half(int prediction) noexcept {
    return (prediction + 4) >> 3;
}

/// Rule 8: the offset of a row whose `count` values, not zero, add up to `sum` of
/// 8 h + 4 - ((S + 8) >> 4).
[[nodiscard]] constexpr int row_offset(std::int32_t sum, std::size_t count) noexcept {
    constexpr std::uint32_t kShift = 1u << 12;  // so that a division rounds down
    const auto n = static_cast<std::uint32_t>(count);
    const std::uint32_t above = static_cast<std::uint32_t>(sum) + 4 * kShift * n;
    return static_cast<int>((above + 2 * n) / (4 * n)) - static_cast<int>(kShift);
}

/// The values of a chunk in rows of `width`, the last of which may be shorter.
struct Rows {
    std::size_t values;
    std::size_t width;
    const std::uint32_t* zeros;  // the bitmap, or null if no value is zero

    [[nodiscard]] std::size_t count() const noexcept { return (values + width - 1) / width; }
    /// Columns that have a value.
    [[nodiscard]] std::size_t columns() const noexcept { return std::min(width, values); }
    [[nodiscard]] std::size_t length(std::size_t row) const noexcept {
        return std::min(width, values - row * width);
    }
    [[nodiscard]] bool is_zero(std::size_t value) const noexcept {
        return zeros != nullptr && (zeros[value / 32] >> (value % 32) & 1) != 0;
    }
};

/// What the rows of a chunk are coded with. States need no value before, the others have kSlack
/// bytes after their end.
struct RowBuffers {
    ColumnState* states;        // of every column
    std::int16_t* offsets;      // of every row
    std::uint8_t* differences;  // of every value; those of zeros mean nothing
    std::uint8_t* tables;       // bit i mod 8 of byte i / 8: the table of value i
    std::uint16_t* halves;      // of every value, between passes of the survey
};

/// What the part `scale` has in scaled and in signed chunks.
struct ScaleHead {
    std::uint16_t width;
    std::uint8_t trailing;
    std::int16_t first_offset;
    Lengths offset_table;
};

/// What that takes, in bytes.
inline constexpr std::size_t kScaleHeadBytes = 2 + 1 + 2 + 8;

/// Reads width, trailing, at most this, and first_offset in a chunk of a stream with `full` values
/// in full chunks. Throws StreamError.
void read_scale_head(Cursor& cursor, unsigned most_trailing, std::size_t full, ScaleHead& head);
/// Writes them and returns their end.
[[nodiscard]] std::uint8_t* write_scale_head(const ScaleHead& head, std::uint8_t* out) noexcept;

/// The part `scale`.
struct Scale : ScaleHead {
    std::array<WideLengths, 2> tables;
};

/// Reads the part in a chunk of a stream with `full` values in full chunks, and values of
/// `mantissa_bits`. Throws StreamError.
[[nodiscard]] Scale read_scale(Cursor& cursor, unsigned mantissa_bits, std::size_t full);
/// What it takes at most, in bytes.
inline constexpr std::size_t kMostScaleBytes =
    kScaleHeadBytes + 2 * kMostListedTableBytes<kWideSymbols>;
[[nodiscard]] std::size_t scale_bytes(const Scale& scale) noexcept;
/// Writes the part and returns its end.
[[nodiscard]] std::uint8_t* write_scale(const Scale& scale, std::uint8_t* out) noexcept;

/// The raw parts of a scaled or signed chunk are one block: here they are cut where a byte ends
/// anyway, after every `block` values, and exponents are what lies above them, up to `emax`.
void cut_raw_parts(std::size_t nonzeros, std::uint8_t trailing, std::uint16_t emax,
                   std::size_t block, std::vector<Block>& blocks);

/// Decodes the offsets of all rows, the first of which is known; false if one is corrupt.
[[nodiscard]] bool decode_offsets(CodeReader& reader, const ScaleHead& scale,
                                  std::span<std::int16_t> offsets) noexcept;

/// What the encoder's kernel finds in the rows of a chunk.
struct ScaleSurvey {
    bool possible;          // every d is a byte
    std::uint8_t trailing;  // low mantissa bits that are 0 in all values, the top one left out
    std::array<WideHistogram, 2> histograms;  // of symbols, by table
};

/// Rule 8: the part `scale`, and what the chunk costs.
struct ScalePlan {
    Scale scale;
    std::uint64_t bits;  // of scale and codes; raw bytes come on top
};

/// Gives rows of zeros their offsets, and counts the symbols of all but the first.
[[nodiscard]] Histogram settle_offsets(std::span<std::int16_t> offsets) noexcept;

/// Makes the tables; `moves` is what settle_offsets() counts.
[[nodiscard]] ScalePlan plan_scale(std::size_t width, const ScaleSurvey& survey,
                                   std::int16_t first_offset, const Histogram& moves) noexcept;

/// How the coders of 16-bit exponents see offsets: an escaped one follows as kOffsetEmax less the
/// difference, and no symbol is.
inline constexpr std::uint16_t kOffsetEmax = 0x8000;

/// The differences of all offsets but the first.
void offset_differences(const Lengths& table, std::span<const std::int16_t> offsets,
                        std::uint16_t* differences) noexcept;

}  // namespace entrolith
