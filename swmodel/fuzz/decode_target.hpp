// SPDX-License-Identifier: Apache-2.0
//
// Any bytes into the decoder: it returns values or throws StreamError, and nothing else happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "entrolith/bytes.hpp"
#include "entrolith/decompress.hpp"
#include "entrolith/tables.hpp"

namespace entrolith::fuzz {

const TableSet& tables();

/// The values of each tensor of a stream, as they lie in memory, filled up with zeros.
std::vector<std::vector<std::uint64_t>> decoded(Bytes data, const Index& index);

/// Whether the stream was accepted. Ends the process if a promise of the decoder is broken; the
/// sanitizers do if it reads or writes out of bounds. `data` is copied, so that its end is guarded.
bool decodes(Bytes data);

/// The stream with a header_check that fits, if it is long enough to have one.
std::vector<std::uint8_t> resealed(Bytes data);

}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
