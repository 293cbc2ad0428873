// SPDX-License-Identifier: Apache-2.0
//
// entrolith/composition.hpp - where the bytes of a stream went.
#pragma once

#include <array>
#include <cstdint>

#include "entrolith/bytes.hpp"
#include "entrolith/header.hpp"

namespace entrolith {

struct Composition {
    std::uint64_t coded_chunks, scaled_chunks, signed_chunks, stored_chunks, zero_chunks;
    std::array<std::uint64_t, 256> blocks_by_table;
    std::uint64_t zero_runs;       // where zeros are said as runs
    std::uint64_t dynamic_tables;  // of all chunks, each of which calls its own 128 and up
    std::uint64_t header, chunk_heads, zeros, runs, lanes, tables, blocks, scales, codes, raw,
        stored, footer;  // bytes
};

/// Reads every chunk's structure, without decoding it and without the table set. Throws
/// StreamError.
[[nodiscard]] Composition take_apart(Bytes data, const Header& header);

}  // namespace entrolith
