// SPDX-License-Identifier: Apache-2.0
//
// entrolith/compress.hpp - tensors to a whole stream.
//
// Spec      FORMAT.md sections 1 and 8.
// Read me   Threads take chunks. Each writes its own, and learns in turn where it belongs: the
// bytes
//           are the same for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "entrolith/bytes.hpp"
#include "entrolith/parts.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

/// What a segment takes in a stream of its own: chunks and directory.
[[nodiscard]] std::uint64_t segment_size(const Part& part, const Profile& profile,
                                         const TableSet& tables);

/// Room that compress() needs: the size of the largest stream that there may be, which is never
/// much more than the values take.
[[nodiscard]] std::size_t compress_bound(std::span<const Part> parts, std::size_t header_bytes,
                                         const Profile& profile);

/// Writes a stream that starts with `header` to `out`, of compress_bound() bytes or more, and
/// returns its size. `threads` 0 is one for each core.
[[nodiscard]] std::size_t compress(std::span<const Part> parts, Bytes header,
                                   const Profile& profile, const TableSet& tables, unsigned threads,
                                   std::span<std::uint8_t> out);

}  // namespace entrolith
