// SPDX-License-Identifier: Apache-2.0
//
// entrolith/header.hpp - what a stream says of itself before its chunks.
//
// Spec      FORMAT.md section 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "entrolith/bytes.hpp"
#include "entrolith/directory.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

inline constexpr std::uint8_t kFormatVersion = 2;  // the newest; 1 is read and written too

struct Header {
    Parameters parameters;
    bool footer;
    bool mapping;
    Identity table_set;
    std::vector<Segment> segments;
    std::size_t bytes;  // of the header, directory and check included
};

/// Reads and verifies the header. With `tables`, the set it names must be theirs.
/// Throws StreamError.
[[nodiscard]] Header read_header(Bytes data, const TableSet* tables);

/// Whether a profile's streams have a footer.
[[nodiscard]] constexpr bool has_footer(const Parameters& parameters) noexcept {
    return parameters.version >= 2 && parameters.check != 0;
}

/// The bytes of a header. Throws std::invalid_argument if the tensors are beyond the format.
[[nodiscard]] std::vector<std::uint8_t> write_header(const Parameters& parameters, bool mapping,
                                                     std::span<const Segment> segments,
                                                     const TableSet& tables);

}  // namespace entrolith
