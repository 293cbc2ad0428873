// SPDX-License-Identifier: Apache-2.0
//
// footer: any bytes as a footer (FORMAT.md section 1.1), read from the end and after all chunks.
//
// Input     number of chunks, bytes before the footer, flags, then these bytes and the footer.

#include "entrolith/footer.hpp"

#include <algorithm>
#include <vector>

#include "entrolith/crc32.hpp"
#include "fuzzed_data.hpp"
#include "promise.hpp"

namespace entrolith::fuzz {
namespace {

std::vector<ChunkRecord> records_of(Bytes data, const std::vector<std::size_t>& starts) {
    std::vector<ChunkRecord> records;
    for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
        const std::size_t size = starts[k + 1] - starts[k];
        records.push_back({static_cast<std::uint32_t>(size), crc32(data.data() + starts[k], size)});
    }
    return records;
}

void read_any(FuzzedData& input) {
    const std::size_t chunks = input.below(64);
    const std::size_t header = input.below(256);
    const bool sealed = input.flag();
    std::vector<std::uint8_t> data = guarded(input.rest());
    if (data.size() < header) return;
    if (sealed && data.size() >= header + footer_bytes(chunks)) {
        const std::size_t at = data.size() - footer_bytes(chunks);
        store(data.data() + data.size() - 4, crc32(data.data() + at, footer_bytes(chunks) - 4));
    }
    const auto outcome = outcome_of([&] { return read_index(data, header, chunks); });
    if (const Fault* fault = std::get_if<Fault>(&outcome)) {
        promise(fault->offset <= data.size(), "an offset lies in the stream");
        return;
    }
    const auto& starts = std::get<std::vector<std::size_t>>(outcome);
    promise(starts.size() == chunks + 1 && starts.front() == header &&
                starts.back() + footer_bytes(chunks) == data.size() &&
                std::ranges::is_sorted(starts),
            "the chunks are what lies between header and footer");

    const auto records = records_of(data, starts);
    std::vector<std::uint8_t> written(footer_bytes(chunks));
    write_footer(records, written.data());
    const Bytes footer = Bytes{data}.subspan(starts.back());
    promise(std::ranges::equal(Bytes{written}.first(3 * chunks), footer.first(3 * chunks)),
            "the index has one form");
    const auto checked = outcome_of([&] {
        Cursor cursor{data, starts.back(), data.size(), Cause::kTruncated};
        promise(skip_footer(cursor, chunks) == starts.back() && cursor.left() == 0,
                "the footer ends the stream");
        check_footer(data, starts.back(), records);
        return true;
    });
    promise(accepted(checked) == std::ranges::equal(written, footer),
            "the footer is refused unless it is that of the chunks");
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    entrolith::fuzz::FuzzedData input{{data, size}};
    entrolith::fuzz::read_any(input);
    return 0;
}
