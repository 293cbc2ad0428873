// SPDX-License-Identifier: Apache-2.0

#include "entrolith/composition.hpp"

#include <algorithm>

#include "entrolith/chunk.hpp"

namespace entrolith {

Composition take_apart(Bytes data, const Header& header) {
    const Parameters& parameters = header.parameters;
    const std::size_t chunk = parameters.chunk();
    Workspace work{static_cast<std::size_t>(std::min<std::uint64_t>(chunk, header.values)),
                   parameters};
    Composition found{};
    found.header = header.bytes;
    std::size_t at = header.bytes;
    std::uint64_t left = header.values;
    while (left != 0) {
        const auto expected = static_cast<std::size_t>(std::min<std::uint64_t>(chunk, left));
        const ChunkHead head = read_chunk_head(data, at, expected, header.dtype, parameters);
        found.chunk_heads += head.body - head.start;
        switch (head.form) {
            case Form::kAllZero:
                ++found.zero_chunks;
                break;
            case Form::kStored:
                ++found.stored_chunks;
                found.stored += head.end - head.body;
                break;
            case Form::kCoded: {
                const ChunkLayout layout =
                    read_chunk_layout(data, head, header.dtype, parameters, std::nullopt, work);
                ++found.coded_chunks;
                for (const Block& block : work.blocks) ++found.blocks_by_table[block.table];
                found.zeros += layout.lanes - layout.zeros;
                found.lanes += layout.blocks - layout.lanes;
                found.blocks += layout.codes - layout.blocks;
                found.codes += layout.raw - layout.codes;
                found.raw += layout.end - layout.raw;
                break;
            }
        }
        left -= head.count;
        at = head.end;
    }
    if (at != data.size()) {
        throw StreamError{Cause::kCorrupt, "trailing", at,
                          std::to_string(data.size() - at) + " bytes after the last chunk"};
    }
    return found;
}

}  // namespace entrolith
