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

#include "entrolith/bytes.hpp"
#include "entrolith/dtype.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/tables.hpp"
#include "entrolith/workspace.hpp"

namespace entrolith {

enum class Form { kStored, kCoded, kAllZero };

/// What a chunk says of itself before its parts.
struct ChunkHead {
    std::size_t start;  // of the chunk
    std::size_t body;   // after mode, size and count
    std::size_t end;    // of the chunk
    std::size_t count;  // values
    Form form;
    bool bitmap;
    bool trailing;
};

/// Where the parts of a coded chunk lie: bitmap, lanes, blocks, codes, raw, each to the next.
struct ChunkLayout {
    std::size_t zeros;
    std::size_t lanes;
    std::size_t blocks;
    std::size_t codes;
    std::size_t raw;
    std::size_t end;
    std::size_t nonzeros;
    std::size_t raw_bytes;  // those in the lanes included
};

/// Reads a chunk's head and checks its size against what is certain. `expected` is the number of
/// values that the directory implies. Throws StreamError.
[[nodiscard]] ChunkHead read_chunk_head(Bytes data, std::size_t at, std::size_t expected,
                                        Dtype dtype, const Parameters& parameters);

/// The least size of a coded chunk of `count` values: every value takes a bit, of the bitmap or of
/// the raw parts.
[[nodiscard]] std::size_t least_coded_size(std::size_t count, const Parameters& parameters);

/// Reads bitmap, lanes and block headers of a coded chunk into `work`. Without a table set at hand
/// (`tables` empty) any index below 128 passes. Throws StreamError.
[[nodiscard]] ChunkLayout read_chunk_layout(Bytes data, const ChunkHead& head, Dtype dtype,
                                            const Parameters& parameters,
                                            std::optional<std::size_t> tables, Workspace& work);

/// Decodes a chunk's head.count values. Throws StreamError.
template <class F>
void decode_chunk(Bytes data, const ChunkHead& head, const Parameters& parameters,
                  const TableSet& tables, Workspace& work, typename F::Value* values);

/// Room that encode_chunk() needs for `count` values.
[[nodiscard]] std::size_t encode_chunk_bound(std::size_t count, Dtype dtype,
                                             const Parameters& parameters);

/// Encodes `count` values, 1 .. 2^log2_chunk, and returns the end of the chunk.
template <class F>
[[nodiscard]] std::uint8_t* encode_chunk(const typename F::Value* values, std::size_t count,
                                         const Profile& profile, const TableSet& tables,
                                         Workspace& work, std::uint8_t* out);

}  // namespace entrolith
