// SPDX-License-Identifier: Apache-2.0
//
// A chunk on its own, decoded.
#pragma once

#include <cstddef>
#include <vector>

#include "entrolith/chunk.hpp"
#include "promise.hpp"
#include "streams.hpp"

namespace entrolith::fuzz {

/// What `data`, all of it a chunk of `count` values, decodes to.
template <class F>
[[nodiscard]] Outcome<std::vector<typename F::Value>> decode(Bytes data, std::size_t count,
                                                             const Parameters& parameters) {
    return outcome_of([&] {
        const ChunkHead head = read_chunk_head(data, 0, count, F::kDtype, parameters);
        Workspace work{count, parameters};
        std::vector<typename F::Value> values(count);
        decode_chunk<F>(data, head, parameters, tables(), work, values.data());
        return values;
    });
}

/// The same from every kernel, and a refusal points into the data.
template <class F>
[[nodiscard]] Outcome<std::vector<typename F::Value>> decode_by_all(Bytes data, std::size_t count,
                                                                    const Parameters& parameters) {
    const auto outcome = under_every_kernel([&] { return decode<F>(data, count, parameters); });
    if (const Fault* fault = std::get_if<Fault>(&outcome)) {
        promise(fault->offset <= data.size(), "an offset lies in the stream");
    }
    return outcome;
}

/// Makes what says how large a chunk is right: mode bit `short`, `size` and `count`. The chunk has
/// room for `count` if that is less than `full`.
inline void frame(std::vector<std::uint8_t>& chunk, std::size_t count, std::size_t full) {
    chunk[0] = static_cast<std::uint8_t>(chunk[0] & ~kShortBit);
    if (count < full) {
        chunk[0] |= static_cast<std::uint8_t>(kShortBit);
        store(chunk.data() + 4, static_cast<std::uint32_t>(count));
    }
    for (unsigned i = 0; i < 3; ++i) {
        chunk[1 + i] = static_cast<std::uint8_t>(chunk.size() >> 8 * i);
    }
}

}  // namespace entrolith::fuzz
