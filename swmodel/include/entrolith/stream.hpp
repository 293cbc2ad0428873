// SPDX-License-Identifier: Apache-2.0
//
// entrolith/stream.hpp - a whole stream: header, directory, chunks.
//
// Spec      FORMAT.md sections 1, 2 and 4. So far one segment of one unnamed tensor.
// Read me   Memory belongs to the caller. A decoder calls read_header(), scan(), makes room for
//           header.values values, then decompress(): scan() has refused every stream whose chunks
//           could not justify that room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "entrolith/bytes.hpp"
#include "entrolith/dtype.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

inline constexpr std::uint8_t kFormatVersion = 1;
inline constexpr std::size_t kMaxDimensions = 32;
inline constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 48;

struct Header {
    Parameters parameters;
    Dtype dtype;
    Identity table_set;
    std::vector<std::uint64_t> shape;
    std::uint64_t values;  // product of the shape
    std::size_t bytes;     // of the header, directory and check included
};

/// Reads and verifies the header. With `tables`, the set it names must be theirs.
/// Throws StreamError.
[[nodiscard]] Header read_header(Bytes data, const TableSet* tables);

/// The bytes of a header. Throws std::invalid_argument if the shape is beyond the format.
[[nodiscard]] std::vector<std::uint8_t> write_header(const Profile& profile, Dtype dtype,
                                                     const std::vector<std::uint64_t>& shape,
                                                     const TableSet& tables);

/// Room that compress() needs: never much more than the values take.
[[nodiscard]] std::size_t compress_bound(std::size_t values, std::size_t header_bytes, Dtype dtype,
                                         const Profile& profile);

/// Writes a stream of `count` values to `out`, which has compress_bound() bytes, and returns its
/// size. `values` are aligned bit patterns in C order.
[[nodiscard]] std::size_t compress(const void* values, std::size_t count,
                                   const std::vector<std::uint8_t>& header, Dtype dtype,
                                   const Profile& profile, const TableSet& tables,
                                   std::uint8_t* out);

/// Walks the chain of chunks without decoding it. Throws the StreamError that comes first in the
/// stream, even if that takes decoding the chunks before it. Once it returns, the values take at
/// most 32 bytes for each byte of the chunks that are not all zero.
void scan(Bytes data, const Header& header, const TableSet& tables);

/// Decodes into `values`, room for header.values aligned bit patterns. Throws StreamError.
void decompress(Bytes data, const Header& header, const TableSet& tables, void* values);

/// Where the bytes of a stream went.
struct Composition {
    std::uint64_t coded_chunks, stored_chunks, zero_chunks;
    std::array<std::uint64_t, 256> blocks_by_table;
    std::uint64_t header, chunk_heads, zeros, lanes, blocks, codes, raw, stored;  // bytes
};

/// Reads every chunk's structure, without decoding it and without the table set. Throws
/// StreamError.
[[nodiscard]] Composition take_apart(Bytes data, const Header& header);

}  // namespace entrolith
