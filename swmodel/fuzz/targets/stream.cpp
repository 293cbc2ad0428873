// SPDX-License-Identifier: Apache-2.0
//
// stream: any bytes as a whole stream: the same outcome from every kernel and any number of
// threads, and what describes a stream sees what the decoder sees.

#include <vector>

#include "entrolith/composition.hpp"
#include "fuzzed_data.hpp"
#include "promise.hpp"
#include "streams.hpp"

namespace entrolith::fuzz {
namespace {

std::uint64_t sum(const Composition& c) {
    return c.header + c.chunk_heads + c.zeros + c.runs + c.lanes + c.tables + c.blocks + c.scales +
           c.codes + c.raw + c.stored + c.footer;
}

void decode_any(FuzzedData& input) {
    const bool threads = input.flag();
    const auto stream = read_stream(input);
    const auto outcome =
        under_every_kernel([&] { return outcome_of([&] { return decode(stream); }); });
    if (const Fault* fault = std::get_if<Fault>(&outcome)) {
        promise(fault->offset <= std::max<std::size_t>(stream.size(), 24),
                "an offset lies in the stream");
    }
    if (threads) {
        promise(outcome == outcome_of([&] { return decode(stream, 2); }),
                "threads do not change the outcome");
    }
    const auto apart =
        outcome_of([&] { return sum(take_apart(stream, read_header(stream, nullptr))); });
    promise(accepted(apart) || !accepted(outcome), "info reads what the decoder reads");
    promise(!accepted(apart) || std::get<std::uint64_t>(apart) == stream.size(),
            "info accounts for every byte");
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    entrolith::fuzz::FuzzedData input{{data, size}};
    entrolith::fuzz::decode_any(input);
    return 0;
}
