// SPDX-License-Identifier: Apache-2.0
//
// access: a range of a tensor out of any bytes: what decoding the whole stream gives, or a refusal.
//
// Input     tensor, first and last value of the range, then a stream (streams.hpp).

#include <algorithm>
#include <cstring>
#include <vector>

#include "fuzzed_data.hpp"
#include "promise.hpp"
#include "streams.hpp"

namespace entrolith::fuzz {
namespace {

/// A tensor among the segments, and which of its values are wanted.
struct Wanted {
    std::size_t segment;
    std::size_t tensor;
    std::uint64_t first;
    std::uint64_t end;
};

std::size_t count_tensors(const std::vector<Segment>& segments) {
    std::size_t count = 0;
    for (const Segment& segment : segments) count += segment.tensors.size();
    return count;
}

struct Choice {
    std::uint8_t tensor;
    std::uint16_t first;
    std::uint16_t count;

    /// In segments that have a tensor.
    [[nodiscard]] Wanted in(const std::vector<Segment>& segments) const {
        std::size_t number = tensor % count_tensors(segments);
        std::size_t s = 0;
        for (; number >= segments[s].tensors.size(); ++s) number -= segments[s].tensors.size();
        const std::uint64_t values = segments[s].tensors[number].values;
        const std::uint64_t from = std::min<std::uint64_t>(first, values);
        return {s, number, from, std::min(from + count, values)};
    }
};

std::vector<std::uint8_t> read_range(Bytes data, const Index& index, const Wanted& wanted) {
    const Segment& segment = index.header.segments[wanted.segment];
    const Tensor& tensor = segment.tensors[wanted.tensor];
    const auto chunks = chunks_of(index, wanted.segment, wanted.tensor, wanted.first, wanted.end);
    justify(data, index, chunks);
    const auto size = static_cast<std::size_t>(wanted.end - wanted.first) * bytes_of(segment.dtype);
    std::vector<std::uint64_t> room((size + 7) / 8);
    std::vector<Destination> destinations(count_tensors(index.header.segments));
    destinations[static_cast<std::size_t>(tensor.rank)] = {room.data(), wanted.first, wanted.end};
    decompress(data, index, tables(), chunks, destinations, 1);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(room.data());
    return {bytes, bytes + size};
}

void read_any(FuzzedData& input) {
    const Choice choice{input.integer<std::uint8_t>(), input.integer<std::uint16_t>(),
                        input.integer<std::uint16_t>()};
    const auto stream = read_stream(input);
    const auto index = outcome_of([&] { return look_up(stream, tables()); });
    const auto whole = outcome_of([&] { return decode(stream); });
    if (!accepted(index)) {
        promise(!accepted(whole), "what is decoded whole can be looked up");
        return;
    }
    const Index& found = std::get<Index>(index);
    const auto& segments = found.header.segments;
    if (count_tensors(segments) == 0) return;
    const Wanted wanted = choice.in(segments);
    const auto part = outcome_of([&] { return read_range(stream, found, wanted); });
    if (!accepted(whole) || values_of(segments) > kMostValues) return;
    promise(accepted(part), "what is decoded whole is decoded in part");

    const Segment& segment = segments[wanted.segment];
    const auto rank = static_cast<std::size_t>(segment.tensors[wanted.tensor].rank);
    const auto& tensor = std::get<Tensors>(whole)[rank];
    const auto& bytes = std::get<std::vector<std::uint8_t>>(part);
    promise(bytes.empty() ||
                std::memcmp(reinterpret_cast<const std::uint8_t*>(tensor.data()) +
                                static_cast<std::size_t>(wanted.first) * bytes_of(segment.dtype),
                            bytes.data(), bytes.size()) == 0,
            "a range is that of the whole");
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    entrolith::fuzz::FuzzedData input{{data, size}};
    entrolith::fuzz::read_any(input);
    return 0;
}
