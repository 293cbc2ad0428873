// SPDX-License-Identifier: Apache-2.0

#include "entrolith/composition.hpp"

#include "entrolith/chunk.hpp"
#include "entrolith/chunk_order.hpp"
#include "entrolith/footer.hpp"

namespace entrolith {

Composition take_apart(Bytes data, const Header& header) {
    const Parameters& parameters = header.parameters;
    const ChunkOrder order{header.segments, parameters.chunk()};
    Workspace work{order.largest(), parameters};
    Composition found{};
    found.header = header.bytes;
    std::size_t at = header.bytes;
    std::size_t chunks = 0;
    for (; chunks < order.size(); ++chunks) {
        const ChunkOrder::Place place = order[chunks];
        const Dtype dtype = header.segments[place.segment].dtype;
        const ChunkHead head = read_chunk_head(data, at, place.count(), dtype, parameters);
        found.chunk_heads += head.body - head.start;
        switch (head.form) {
            case Form::kAllZero:
                ++found.zero_chunks;
                break;
            case Form::kStored:
                ++found.stored_chunks;
                found.stored += head.end - head.body;
                break;
            case Form::kCoded:
            case Form::kScaled:
            case Form::kSigned: {
                const ChunkLayout layout =
                    read_chunk_layout(data, head, dtype, parameters, std::nullopt, work);
                if (layout.scale) {
                    ++found.scaled_chunks;
                } else if (layout.signs) {
                    ++found.signed_chunks;
                } else {
                    ++found.coded_chunks;
                    for (const Block& block : work.blocks) ++found.blocks_by_table[block.table];
                }
                if (layout.runs) found.zero_runs += layout.runs->pairs;
                found.dynamic_tables += work.tables.size();
                (layout.runs ? found.runs : found.zeros) += layout.lanes - layout.zeros;
                found.lanes += layout.tables - layout.lanes;
                found.tables += layout.blocks - layout.tables;
                (layout.in_rows() ? found.scales : found.blocks) += layout.codes - layout.blocks;
                found.codes += layout.raw - layout.codes;
                found.raw += layout.end - layout.raw;
                break;
            }
        }
        at = head.end;
    }
    Cursor cursor{data, at, data.size(), Cause::kTruncated};
    if (header.footer) skip_footer(cursor, chunks);
    found.footer = cursor.at() - at;
    if (cursor.left() != 0) {
        throw StreamError{Cause::kCorrupt, "trailing", cursor.at(),
                          std::to_string(cursor.left()) + " bytes after the end"};
    }
    return found;
}

}  // namespace entrolith
