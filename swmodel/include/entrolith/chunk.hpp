// SPDX-License-Identifier: Apache-2.0
//
// entrolith/chunk.hpp - a chunk's parts, and its encoder and decoder.
//
// Spec      FORMAT.md sections 4 to 6. The codec of a chunk knows nothing of streams: chunks are
//           independent, so threads may each have a workspace and share the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "entrolith/bytes.hpp"
#include "entrolith/dtype.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/runs.hpp"
#include "entrolith/scale.hpp"
#include "entrolith/signs.hpp"
#include "entrolith/tables.hpp"
#include "entrolith/workspace.hpp"
#include "entrolith/zeros.hpp"

namespace entrolith {

// The bits of `mode`.
inline constexpr unsigned kCodedForm = 1;
inline constexpr unsigned kScaledForm = 2;
inline constexpr unsigned kSignedForm = 3;
inline constexpr unsigned kAllZeros = 1u << 2;
inline constexpr unsigned kTrailingBit = 1u << 5;
inline constexpr unsigned kDynamicBit = 1u << 6;
inline constexpr unsigned kShortBit = 1u << 7;

/// How `mode` says where zeros are, none or not all of them.
[[nodiscard]] constexpr unsigned zeros_bits(Zeros zeros) noexcept {
    return zeros == Zeros::kNone ? 0 : (static_cast<unsigned>(zeros) + 1) << 2;
}

enum class Form { kStored, kCoded, kScaled, kSigned, kAllZero };

/// What a chunk says of itself before its parts.
struct ChunkHead {
    std::size_t start;  // of the chunk
    std::size_t body;   // after mode, size and count
    std::size_t end;    // of the chunk
    std::size_t count;  // values
    Form form;
    Zeros zeros;
    bool trailing;
    bool dynamic;
};

/// Where the parts of a coded, scaled or signed chunk lie, each to the next. A scaled or signed
/// chunk has the part `scale` between lanes and codes: no tables, and no blocks but of raw parts.
struct ChunkLayout {
    std::size_t zeros;
    std::size_t lanes;
    std::size_t tables;
    std::size_t blocks;
    std::size_t codes;
    std::size_t raw;
    std::size_t end;
    std::size_t nonzeros;
    std::size_t raw_bytes;  // those in the lanes included
    std::optional<Runs> runs;
    std::optional<Scale> scale;
    std::optional<SignedScale> signs;

    /// All values are one block (section 4.4).
    [[nodiscard]] bool in_rows() const noexcept { return scale || signs; }
};

/// Reads a chunk's head and checks its size against what is certain. `expected` is the number of
/// values that the directory implies. Throws StreamError.
[[nodiscard]] ChunkHead read_chunk_head(Bytes data, std::size_t at, std::size_t expected,
                                        Dtype dtype, const Parameters& parameters);

/// The least size of a coded, scaled or signed chunk with this head. Without runs every value takes
/// a bit, of the bitmap or of the raw parts.
[[nodiscard]] std::size_t least_coded_size(const ChunkHead& head, const Parameters& parameters);

/// Reads zeros, lanes, and tables and block headers or `scale` of such a chunk, bitmap, tables and
/// blocks into `work`. Without a table set at hand (`tables` empty) any index below 128
/// passes. Throws StreamError.
[[nodiscard]] ChunkLayout read_chunk_layout(Bytes data, const ChunkHead& head, Dtype dtype,
                                            const Parameters& parameters,
                                            std::optional<std::size_t> tables, Workspace& work);

/// Decodes a chunk's head.count values. Throws StreamError.
template <class F>
void decode_chunk(Bytes data, const ChunkHead& head, const Parameters& parameters,
                  const TableSet& tables, Workspace& work, typename F::Value* values);

/// A chunk and what it takes to decode it.
template <class F>
struct ChunkJob {
    ChunkHead head;
    Workspace* work;
    typename F::Value* values;
};

/// Whether chunks of these parameters are small enough, and their lanes few enough, to be decoded
/// up to kMostTurns at once by decode_in_turn(): one alone would wait for its own lanes.
[[nodiscard]] constexpr bool takes_turns(const Parameters& parameters) noexcept {
    return parameters.lanes() == kTurnLanes && parameters.chunk() <= 1u << 13;
}

/// Decodes chunks as decode_chunk() does, where all of them are coded and none has a fault; else it
/// returns false and leaves any values. F is Fp32 or Bf16.
template <class F>
[[nodiscard]] bool decode_in_turn(Bytes data, std::span<const ChunkJob<F>> jobs,
                                  const Parameters& parameters, const TableSet& tables);

/// Decodes the codes of a chunk value by value, in the order of section 6, from the lanes' initial
/// states, to throw the StreamError of the first fault. In a scaled or signed chunk work.zeros has
/// its zeros, unless the fault is before its values.
[[noreturn]] void explain_codes(Bytes data, const ChunkHead& head, const ChunkLayout& layout,
                                const LaneStates& initial, std::size_t lanes,
                                unsigned exponent_bits, const TableSet& tables,
                                const Workspace& work);

/// Room that encode_chunk() needs for `count` values.
[[nodiscard]] std::size_t encode_chunk_bound(std::size_t count, Dtype dtype,
                                             const Profile& profile);

/// Encodes `count` values, 1 .. 2^log2_chunk, and returns the end of the chunk. `strip` has the
/// columns of its strip, or is 0 without a matrix.
template <class F>
[[nodiscard]] std::uint8_t* encode_chunk(const typename F::Value* values, std::size_t count,
                                         std::size_t strip, const Profile& profile,
                                         const TableSet& tables, Workspace& work,
                                         std::uint8_t* out);

}  // namespace entrolith
