// SPDX-License-Identifier: Apache-2.0
//
// entrolith/decompress.hpp - a whole stream, or some of its values, to tensors.
//
// Spec      FORMAT.md sections 1, 1.1 and 4.
// Read me   Memory for values belongs to the caller, who makes it after scan() or justify(): they
//           have refused every stream whose chunks could not account for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "entrolith/bytes.hpp"
#include "entrolith/chunk.hpp"
#include "entrolith/chunk_order.hpp"
#include "entrolith/header.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

/// A stream's header and where its chunks are.
struct Index {
    Index(Header read, std::size_t bytes)
        : header{std::move(read)},
          order{header.segments, header.parameters.chunk()},
          stream_bytes{bytes} {}

    Header header;
    ChunkOrder order;
    std::vector<std::size_t> starts;  // of each chunk, and the end of the last
    std::size_t stream_bytes;
};

/// Walks the chain of chunks without decoding it. Throws the StreamError that comes first in the
/// stream, even if that takes decoding the chunks before it; what only decoding shows, such as a
/// check that does not match, is left to decompress(). Once it returns, the values that are in
/// chunks take at most 32 bytes for each byte of the chunks that are not all zero.
[[nodiscard]] Index scan(Bytes data, const TableSet& tables);

/// Finds the chunks without walking if the stream has a footer, which is checked, else by walking
/// past what they hold. Throws StreamError.
[[nodiscard]] Index look_up(Bytes data, const TableSet& tables);

/// Whether a chunk accounts for its values: each takes a bit of a coded chunk at least. Throws
/// StreamError.
void check_room(const ChunkHead& head, const Parameters& parameters);

/// Values first .. end - 1 of a tensor are wanted at `values`, aligned.
struct Destination {
    void* values = nullptr;
    std::uint64_t first = 0;
    std::uint64_t end = 0;
};

/// Decodes the whole stream that scan() has seen. The destination of a tensor has the number
/// Tensor::rank. Throws the StreamError that comes first. `threads` 0 is one for each core.
void decompress(Bytes data, const Index& index, const TableSet& tables,
                std::span<const Destination> destinations, unsigned threads);

/// The chunks that hold values first .. end - 1 of a tensor.
[[nodiscard]] std::vector<std::uint64_t> chunks_of(const Index& index, std::size_t segment,
                                                   std::size_t tensor, std::uint64_t first,
                                                   std::uint64_t end);

/// Makes sure, as scan() does, that these chunks account for their values. Throws StreamError.
void justify(Bytes data, const Index& index, std::span<const std::uint64_t> chunks);

/// Decodes these chunks and no others; what the destinations want of them is written. Throws
/// StreamError, also if a chunk has not the size that the footer says.
void decompress(Bytes data, const Index& index, const TableSet& tables,
                std::span<const std::uint64_t> chunks, std::span<const Destination> destinations,
                unsigned threads);

}  // namespace entrolith
