// SPDX-License-Identifier: Apache-2.0

#include "entrolith/workspace.hpp"

#include <algorithm>

#include "entrolith/zeros.hpp"

namespace entrolith {

Workspace::Workspace(std::size_t values, const Parameters& parameters)
    : differences{std::make_unique_for_overwrite<std::uint8_t[]>(values + kSlack)},
      codes{std::make_unique_for_overwrite<std::uint8_t[]>(values + kSlack)},
      raw{std::make_unique_for_overwrite<std::uint8_t[]>(3 * std::min(values, parameters.block()) +
                                                         parameters.lanes() + kSlack)},
      zeros(words_for(values)),
      codes_size{values + kSlack},
      nonzeros_{std::make_unique_for_overwrite<std::byte[]>(4 * values + kSlack)} {
    blocks.reserve(values / parameters.block() + 1);
}

}  // namespace entrolith
