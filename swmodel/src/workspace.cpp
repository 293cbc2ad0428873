// SPDX-License-Identifier: Apache-2.0

#include "entrolith/workspace.hpp"

#include <algorithm>

#include "entrolith/cross.hpp"
#include "entrolith/runs.hpp"
#include "entrolith/zeros.hpp"

namespace entrolith {
namespace {

// Of the widest type, fp64.
constexpr std::size_t kExponentBytes = 2;
constexpr std::size_t kPartBytes = 7;
constexpr std::size_t kValueBytes = 8;

/// As many columns as a full chunk has values, and a row for each value, are the most there can be.
constexpr std::size_t most_entries(const Parameters& parameters) { return 3 * parameters.chunk(); }

template <class Item>
std::unique_ptr<Item[]> buffer(std::size_t items) {
    return std::make_unique_for_overwrite<Item[]>(items + kSlack / sizeof(Item));
}

}  // namespace

// A symbol takes no more than the escape and an exponent, and tokens are coded only where they take
// less than a bitmap.
Workspace::Workspace(std::size_t values, const Parameters& parameters)
    : codes_size{(1 + kExponentBytes) * values + most_zeros_bytes(values) + kSlack},
      codes{buffer<std::uint8_t>(codes_size)},
      raw{buffer<std::uint8_t>(kPartBytes * std::min(values, parameters.block()) +
                               parameters.lanes())},
      zeros(words_for(values) + kCrossSlackWords),
      entries(words_for(most_entries(parameters)) + kCrossSlackWords),
      numbers{buffer<std::uint32_t>(most_entries(parameters) + 1)},
      symbols{buffer<std::uint8_t>(2 * kMaxPairs)},
      extra{buffer<std::uint8_t>(kExtraScratch)},
      states{buffer<ColumnState>(values + kSlack)},
      offsets{buffer<std::int16_t>(values)},
      row_differences{buffer<std::uint8_t>(values)},
      row_tables{buffer<std::uint8_t>(values / 8)},
      halves{buffer<std::uint16_t>(values + kSlack)},
      leans{buffer<ColumnLean>(values)},
      senses{buffer<std::uint8_t>(values)},
      signed_differences{buffer<std::uint8_t>(values)},
      signed_tables{buffer<std::uint8_t>(values)},
      differences_{buffer<std::byte>(kExponentBytes * values)},
      nonzeros_{buffer<std::byte>(kValueBytes * values)} {
    blocks.reserve(values / parameters.block() + 1);
}

}  // namespace entrolith
