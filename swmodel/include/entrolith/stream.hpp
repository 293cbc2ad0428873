// SPDX-License-Identifier: Apache-2.0
//
// entrolith/stream.hpp - a whole stream: a header, then chunk after chunk.
//
// Spec      FORMAT.md sections 1 and 4.
// Read me   Memory belongs to the caller. A decoder calls read_header(), scan(), makes room for
//           header.values values, then decompress(): scan() has refused every stream whose chunks
//           could not justify that room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "entrolith/bytes.hpp"
#include "entrolith/dtype.hpp"
#include "entrolith/header.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

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

}  // namespace entrolith
