// SPDX-License-Identifier: Apache-2.0
//
// header: any bytes as a header and directory, matrices included (FORMAT.md sections 1 to 2.1).
//
// Input     version, parameters and flags, then the directory. The checks are made right.

#include "entrolith/header.hpp"

#include <algorithm>
#include <vector>

#include "entrolith/crc32.hpp"
#include "fuzzed_data.hpp"
#include "promise.hpp"
#include "streams.hpp"

namespace entrolith::fuzz {
namespace {

std::vector<std::uint8_t> read_bytes(FuzzedData& input) {
    std::vector<std::uint8_t> header{0x8F, 0x45, 0x4C, 0x5A};
    const Bytes fields = input.take(8);
    header.insert(header.end(), fields.begin(), fields.end());
    header.resize(12);
    header.insert(header.end(), tables().identity().begin(), tables().identity().end());
    const Bytes directory = input.rest();
    header.resize(24);
    store(header.data() + 20, static_cast<std::uint32_t>(directory.size()));
    header.insert(header.end(), directory.begin(), directory.end());
    const std::uint32_t check = crc32(header.data(), header.size());
    header.resize(header.size() + 4);
    store(header.data() + header.size() - 4, check);
    return guarded(header);
}

void read_any(Bytes bytes) {
    const auto outcome = outcome_of([&] { return read_header(bytes, &tables()); });
    if (const Fault* fault = std::get_if<Fault>(&outcome)) {
        promise(fault->offset <= bytes.size(), "an offset lies in the stream");
        return;
    }
    const Header& header = std::get<Header>(outcome);
    promise(header.bytes == bytes.size(), "the header ends where the stream does");
    const auto again = write_header(header.parameters, header.mapping, header.segments, tables());
    // A writer has no choice but the footer of streams without checks.
    promise(header.footer != has_footer(header.parameters) || std::ranges::equal(again, bytes),
            "a header has one form");
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    entrolith::fuzz::FuzzedData input{{data, size}};
    entrolith::fuzz::read_any(entrolith::fuzz::read_bytes(input));
    return 0;
}
