// SPDX-License-Identifier: Apache-2.0
//
// entrolith/limits.hpp - how large tensors may be. FORMAT.md section 2.
#pragma once

#include <cstddef>
#include <cstdint>

namespace entrolith {

inline constexpr std::size_t kMaxDimensions = 32;
inline constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 48;

}  // namespace entrolith
