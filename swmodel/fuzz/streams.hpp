// SPDX-License-Identifier: Apache-2.0
//
// Whole streams: made right where a check would stop the fuzzer, and decoded in every way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "entrolith/bytes.hpp"
#include "entrolith/decompress.hpp"
#include "entrolith/parts.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/tables.hpp"
#include "fuzzed_data.hpp"
#include "promise.hpp"

namespace entrolith::fuzz {

/// The shipped table set.
const TableSet& tables();

/// All-zero chunks and dead rows justify any number of values: streams of more are only scanned.
inline constexpr std::uint64_t kMostValues = 1u << 20;

/// The rest of the input as a stream, after a byte that says which checks are made right:
/// header_check and table_set (bit 0), the checks of the footer (bit 1), its index (bit 2).
[[nodiscard]] std::vector<std::uint8_t> read_stream(FuzzedData& input);

/// Bytes of a tensor's values, aligned, filled up with zeros.
using Tensors = std::vector<std::vector<std::uint64_t>>;

/// Room for the tensors of a stream, and the destinations that name it, by rank.
struct Room {
    explicit Room(const std::vector<Segment>& segments);

    Tensors tensors;
    std::vector<Destination> destinations;
};

[[nodiscard]] std::uint64_t values_of(const std::vector<Segment>& segments);

/// Scans and decodes; no tensors if there are more than kMostValues values. Throws StreamError.
[[nodiscard]] Tensors decode(Bytes data, unsigned threads = 1);

[[nodiscard]] std::vector<std::uint8_t> encode(std::span<const Input> inputs, bool mapping,
                                               const Profile& profile, unsigned threads = 1);

}  // namespace entrolith::fuzz
