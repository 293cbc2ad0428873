// SPDX-License-Identifier: Apache-2.0
//
// entrolith/header.hpp - header and directory: what a stream holds, before its chunks.
//
// Spec      FORMAT.md sections 1 and 2. So far one segment of one unnamed tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "entrolith/bytes.hpp"
#include "entrolith/dtype.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

inline constexpr std::uint8_t kFormatVersion = 1;
inline constexpr std::size_t kMaxDimensions = 32;
inline constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 48;

struct Header {
    Parameters parameters;
    Dtype dtype;
    Identity table_set;
    std::vector<std::uint64_t> shape;
    std::uint64_t values;  // product of the shape
    std::size_t bytes;     // of the header, directory and check included
};

/// Reads and verifies the header. With `tables`, the set it names must be theirs.
/// Throws StreamError.
[[nodiscard]] Header read_header(Bytes data, const TableSet* tables);

/// The bytes of a header. Throws std::invalid_argument if the shape is beyond the format.
[[nodiscard]] std::vector<std::uint8_t> write_header(const Profile& profile, Dtype dtype,
                                                     const std::vector<std::uint64_t>& shape,
                                                     const TableSet& tables);

}  // namespace entrolith
