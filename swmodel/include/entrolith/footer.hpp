// SPDX-License-Identifier: Apache-2.0
//
// entrolith/footer.hpp - the sizes of all chunks, and a check of their bytes.
//
// Spec      FORMAT.md section 1.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "entrolith/bytes.hpp"

namespace entrolith {

/// What the footer keeps of a chunk.
struct ChunkRecord {
    std::uint32_t size;
    std::uint32_t check;  // CRC-32 of its bytes
};

[[nodiscard]] constexpr std::size_t footer_bytes(std::size_t chunks) noexcept {
    return 3 * chunks + 8;
}

/// Writes footer_bytes() bytes.
void write_footer(std::span<const ChunkRecord> chunks, std::uint8_t* out);

/// Takes a footer of that many chunks from `cursor`: where it starts. Throws StreamError if it is
/// cut.
std::size_t skip_footer(Cursor& cursor, std::size_t chunks);

/// Checks the whole footer at `at`. Throws StreamError.
void check_footer(Bytes data, std::size_t at, std::span<const ChunkRecord> chunks);

/// From the footer at the end of the data, where each chunk starts and the last one ends; the first
/// is at `first`. Throws StreamError if it is not such a footer.
[[nodiscard]] std::vector<std::size_t> read_index(Bytes data, std::size_t first,
                                                  std::uint64_t chunks);

}  // namespace entrolith
