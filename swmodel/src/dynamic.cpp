// SPDX-License-Identifier: Apache-2.0
//
// Few blocks gain by a table of their own, and a table is dear to make: so a bound comes first. No
// code does better than the entropy of what it codes.

#include "entrolith/dynamic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "entrolith/make_table.hpp"

namespace entrolith {
namespace {

constexpr std::uint32_t kTableBits = 64;
constexpr std::size_t kMaxBounded = 512;
constexpr double kUnit = 256;  // of a bit

/// n log2 n, in units, never too small and at most 1 too large.
using Entropies = std::array<std::uint32_t, kMaxBounded + 1>;

const Entropies& entropies() {
    static const Entropies table = [] {
        Entropies found{};
        for (std::size_t n = 2; n <= kMaxBounded; ++n) {
            const auto x = static_cast<double>(n);
            found[n] = static_cast<std::uint32_t>(kUnit * x * std::log2(x) + 1);
        }
        return found;
    }();
    return table;
}

/// No more bits than the table of rule 7 takes for these symbols; at most kMaxBounded of them.
std::uint32_t least_cost(const Histogram& histogram, std::uint32_t total,
                         unsigned escape) noexcept {
    const Entropies& nlogn = entropies();
    std::uint32_t used = 1;
    std::uint32_t escaped = histogram[kEscape];
    for (unsigned symbol = 0; symbol < kEscape; ++symbol) {
        const std::uint32_t count = histogram[symbol];
        const bool coded = gets_codeword(count, total);
        escaped += coded ? 0 : count;
        used += coded ? nlogn[count] : 0;
    }
    used += nlogn[escaped];
    const std::uint32_t known = nlogn[total];
    const auto unit = static_cast<std::uint32_t>(kUnit);
    return escape * escaped + (known > used ? (known - used) / unit : 0);
}

}  // namespace

std::uint64_t choose_dynamic(Mode mode, unsigned escape, std::span<const BlockCost> costs,
                             std::span<Block> blocks, std::vector<Lengths>& made) {
    made.clear();
    std::uint64_t all = 0;
    for (const BlockCost& cost : costs) all += cost.bits;
    if (mode == Mode::kStatic) return all;
    const std::size_t in_unit = mode == Mode::kDynamic ? 4 : 1;
    for (std::size_t first = 0; first < blocks.size() && made.size() < kMaxDynamicTables;
         first += in_unit) {
        const std::size_t length = std::min(in_unit, blocks.size() - first);
        Histogram histogram{};
        std::uint32_t total = 0;
        std::uint32_t fixed = 0;
        for (std::size_t b = first; b < first + length; ++b) {
            for (unsigned s = 0; s < kSymbols; ++s) histogram[s] += costs[b].histogram[s];
            total += blocks[b].count;
            fixed += costs[b].bits;
        }
        const auto choose = [&, unit = blocks.subspan(first, length)](std::size_t table,
                                                                      std::uint32_t bits) {
            for (Block& block : unit) block.table = static_cast<std::uint8_t>(table);
            all = all - fixed + bits;
        };
        if (mode == Mode::kHybrid && total <= kMaxBounded &&
            least_cost(histogram, total, escape) + kTableBits >= fixed) {
            continue;
        }
        const Lengths lengths = make_table(histogram);
        const std::uint32_t bits = table_cost(lengths, histogram, escape);
        if (mode == Mode::kDynamic && escape * total < bits + kTableBits) {
            choose(kRawTable, escape * total);
        } else if (mode == Mode::kDynamic || bits + kTableBits < fixed) {
            choose(kDynamicTable + made.size(), bits);
            made.push_back(lengths);
        }
    }
    return all;
}

}  // namespace entrolith
