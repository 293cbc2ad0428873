// SPDX-License-Identifier: Apache-2.0
//
// chunk: any bytes as a chunk (FORMAT.md sections 4 to 7), of every dtype and parameters.
//
// Input     parameters, dtype, number of values, then the chunk. What says how large it is is made
//           right, so that bytes are not lost on it, unless a flag says not to.

#include <algorithm>
#include <vector>

#include "chunks.hpp"
#include "fuzzed_data.hpp"
#include "values.hpp"

namespace entrolith::fuzz {
namespace {

std::vector<std::uint8_t> read_chunk(FuzzedData& input, std::size_t count, std::size_t full) {
    if (input.flag()) return guarded(input.rest());
    std::vector<std::uint8_t> chunk(count < full ? 8 : 4);
    chunk[0] = input.integer<std::uint8_t>();
    const Bytes parts = input.rest();
    chunk.insert(chunk.end(), parts.begin(), parts.end());
    frame(chunk, count, full);
    return guarded(chunk);
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace entrolith;
    fuzz::FuzzedData input{{data, size}};
    const Parameters parameters = fuzz::read_parameters(input);
    const Dtype dtype = fuzz::read_dtype(input, parameters.version);
    const std::size_t count = std::min(1 + input.skewed(), parameters.chunk());
    const auto chunk = fuzz::read_chunk(input, count, parameters.chunk());
    with_dtype(dtype, [&](auto f) {
        static_cast<void>(fuzz::decode_by_all<decltype(f)>(chunk, count, parameters));
    });
    return 0;
}
