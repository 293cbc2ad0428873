// SPDX-License-Identifier: Apache-2.0
//
// Package-merge without the packages' contents: the symbols among the first entries of a list are
// always the lightest ones, so a list only has to say which of its entries are symbols. From the
// last list to the first, that gives how many symbols are taken and how many packages, hence how
// many entries of the list before.

#include "entrolith/make_table.hpp"

#include <bit>
#include <numeric>

#include "entrolith/lanes.hpp"

namespace entrolith {
namespace {

constexpr std::uint32_t kHeaviest = ~0u;

/// The symbols that get a codeword, lightest first, then one that is heavier than any.
template <std::size_t kCount>
struct Leaves {
    std::array<std::uint32_t, kCount + 1> weight;
    std::array<std::uint8_t, kCount> symbol;
    std::size_t count = 0;

    explicit Leaves(const std::array<std::uint32_t, kCount>& histogram) noexcept {
        constexpr std::size_t kLast = kCount - 1;
        const std::uint32_t total = std::accumulate(histogram.begin(), histogram.end(), 0u);
        std::uint32_t escaped = total;
        for (std::size_t s = 0; s < kLast; ++s) {
            if (histogram[s] == 0 || 256 * std::uint64_t{histogram[s]} < total) continue;
            insert(histogram[s], s);
            escaped -= histogram[s];
        }
        if (count == 0) insert(0, 0);
        insert(escaped == 0 ? 1 : escaped, kLast);
        weight[count] = kHeaviest;
    }

private:
    void insert(std::uint32_t w, std::size_t s) noexcept {
        std::size_t at = count++;
        for (; at > 0 && weight[at - 1] > w; --at) {
            weight[at] = weight[at - 1];
            symbol[at] = symbol[at - 1];
        }
        weight[at] = w;
        symbol[at] = static_cast<std::uint8_t>(s);
    }
};

}  // namespace

template <std::size_t kCount>
std::array<std::uint8_t, kCount> make_table(
    const std::array<std::uint32_t, kCount>& histogram) noexcept {
    static_assert(2 * kCount <= 64);
    const Leaves<kCount> leaves{histogram};

    std::array<std::uint64_t, Lane::kMaxLength> symbols{};  // bit i: entry i of a list is a symbol
    std::array<std::uint32_t, 2 * kCount> list;
    std::size_t size = 0;
    for (std::uint64_t& is_symbol : symbols) {
        std::array<std::uint32_t, kCount + 1> package;
        const std::size_t packages = size / 2;
        for (std::size_t i = 0; i < packages; ++i) package[i] = list[2 * i] + list[2 * i + 1];
        package[packages] = kHeaviest;
        size = leaves.count + packages;
        std::size_t leaf = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint32_t w = leaves.weight[leaf];
            const std::uint32_t p = package[i - leaf];
            const bool is_leaf = w <= p;
            list[i] = is_leaf ? w : p;
            is_symbol |= std::uint64_t{is_leaf} << i;
            leaf += is_leaf;
        }
    }

    std::array<std::uint8_t, kCount> lengths{};
    std::size_t taken = 2 * (leaves.count - 1);
    for (auto is_symbol = symbols.rbegin(); is_symbol != symbols.rend(); ++is_symbol) {
        const std::uint64_t first = (std::uint64_t{1} << taken) - 1;
        const auto lightest = static_cast<std::size_t>(std::popcount(*is_symbol & first));
        for (std::size_t i = 0; i < lightest; ++i) ++lengths[leaves.symbol[i]];
        taken = 2 * (taken - lightest);
    }
    return lengths;
}

template std::array<std::uint8_t, 16> make_table<16>(
    const std::array<std::uint32_t, 16>& histogram) noexcept;
template std::array<std::uint8_t, 32> make_table<32>(
    const std::array<std::uint32_t, 32>& histogram) noexcept;

}  // namespace entrolith
