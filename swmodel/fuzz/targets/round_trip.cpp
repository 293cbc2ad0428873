// SPDX-License-Identifier: Apache-2.0
//
// round_trip: a chunk of values of every kind and dtype, in every profile: the same bytes from
// every kernel, within the room, and back; and what a check must see if a bit of the chunk changes.

#include <algorithm>
#include <vector>

#include "chunks.hpp"
#include "fuzzed_data.hpp"
#include "promise.hpp"
#include "values.hpp"

namespace entrolith::fuzz {
namespace {

using Chunk = std::vector<std::uint8_t>;

/// A stored chunk: no other is larger where the profile has them. FORMAT.md section 8.
std::size_t stored_bytes(std::size_t plain, bool full, const Parameters& parameters) {
    return (full ? 4 : 8) + plain + parameters.check_bytes();
}

template <class F>
void round_trip(FuzzedData& input, const Profile& profile) {
    using Values = std::vector<typename F::Value>;
    const Parameters& parameters = profile.parameters;
    const std::size_t count = std::min(1 + input.skewed(), parameters.chunk());
    const std::size_t strip = input.flag() ? 1 + input.skewed() % count : 0;
    const std::size_t damage = input.integer<std::uint32_t>();
    const Values values = read_values<F>(input, count);

    const Chunk chunk = under_every_kernel([&] {
        Workspace work{count, parameters};
        Chunk room(encode_chunk_bound(count, F::kDtype, profile));
        const std::uint8_t* end =
            encode_chunk<F>(values.data(), count, strip, profile, tables(), work, room.data());
        return Chunk(static_cast<const std::uint8_t*>(room.data()), end);
    });
    promise(
        !profile.stored || chunk.size() <= stored_bytes(count * sizeof(typename F::Value),
                                                        count == parameters.chunk(), parameters),
        "a chunk does not grow beyond the bound");
    promise(chunk.size() + kSlack <= encode_chunk_bound(count, F::kDtype, profile),
            "a chunk has the room that it needs");

    const auto back = decode_by_all<F>(chunk, count, parameters);
    promise(accepted(back) && std::get<Values>(back) == values, "values come back");

    if (parameters.check == 0) return;
    Chunk damaged = chunk;
    damaged[damage / 8 % chunk.size()] ^= static_cast<std::uint8_t>(1u << damage % 8);
    const auto other = decode_by_all<F>(damaged, count, parameters);
    promise(!accepted(other) || std::get<Values>(other) == values,
            "no other values pass the check");
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace entrolith;
    fuzz::FuzzedData input{{data, size}};
    const Profile profile = fuzz::read_profile(input);
    with_dtype(fuzz::read_dtype(input, profile.parameters.version),
               [&](auto f) { fuzz::round_trip<decltype(f)>(input, profile); });
    return 0;
}
