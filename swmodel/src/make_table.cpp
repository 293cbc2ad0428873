// SPDX-License-Identifier: Apache-2.0
//
// Package-merge without the packages' contents: the symbols among the first entries of a list are
// always the lightest ones, so a list only has to say how many of its first entries are symbols.
// From the last list to the first, that gives how many symbols are taken and how many packages,
// hence how many entries of the list before.

#include "entrolith/make_table.hpp"

#include <limits>
#include <numeric>

#include "entrolith/lanes.hpp"

namespace entrolith {
namespace {

constexpr std::int32_t kLightest = -1;
constexpr std::int32_t kHeaviest = std::numeric_limits<std::int32_t>::max();

/// Weights in order, between one that is lighter than any and one that is heavier.
template <std::size_t kCount>
using Weights = std::array<std::int32_t, kCount + 2>;

/// The symbols that get a codeword, lightest first.
template <std::size_t kCount>
struct Leaves {
    Weights<kCount> weight;
    std::array<std::uint8_t, kCount> symbol;
    std::size_t count = 0;

    explicit Leaves(const std::array<std::uint32_t, kCount>& histogram) noexcept {
        constexpr std::size_t kLast = kCount - 1;
        weight[0] = kLightest;
        const std::uint32_t total = std::accumulate(histogram.begin(), histogram.end(), 0u);
        std::uint32_t escaped = total;
        for (std::size_t s = 0; s < kLast; ++s) {
            if (histogram[s] == 0 || 1024 * std::uint64_t{histogram[s]} < total) continue;
            insert(histogram[s], s);
            escaped -= histogram[s];
        }
        if (count == 0) insert(0, 0);
        insert(escaped == 0 ? 1 : escaped, kLast);
        weight[count + 1] = kHeaviest;
    }

private:
    void insert(std::uint32_t heavy, std::size_t s) noexcept {
        const auto w = static_cast<std::int32_t>(heavy);
        std::size_t at = count++;
        for (; weight[at] > w; --at) {
            weight[at + 1] = weight[at];
            symbol[at] = symbol[at - 1];
        }
        weight[at + 1] = w;
        symbol[at] = static_cast<std::uint8_t>(s);
    }
};

/// How many of a list's entries before each, and of all of them, are leaves.
template <std::size_t kCount>
using LeavesBefore = std::array<std::uint8_t, 2 * kCount>;

/// Merges leaves and packages, sums the pairs of the result in `next`, and counts the leaves in it.
/// From both ends at once: either has to wait for itself only.
template <std::size_t kCount>
void merge(const Leaves<kCount>& leaves, const Weights<kCount>& package, std::size_t packages,
           Weights<kCount>& next, LeavesBefore<kCount>& leaves_before) noexcept {
    const std::size_t size = leaves.count + packages;
    const std::size_t middle = size / 4 * 2;  // so that no pair has an entry on either side

    std::size_t low = 1;  // the leaf that is next from the front
    std::int32_t before = 0;
    const auto from_front = [&](std::size_t i) {
        const std::int32_t w = leaves.weight[low];
        const std::int32_t p = package[i + 2 - low];
        const bool leaf = w <= p;
        const std::int32_t here = leaf ? w : p;
        next[i / 2 + 1] = before + here;  // right once i is odd
        before = here;
        leaves_before[i] = static_cast<std::uint8_t>(low - 1);
        low += leaf;
    };
    std::size_t high = leaves.count;  // the leaf that is next from the back
    std::int32_t after = 0;
    const auto from_back = [&](std::size_t i) {
        const std::int32_t w = leaves.weight[high];
        const std::int32_t p = package[i + 1 - high];
        const bool leaf = w > p;
        const std::int32_t here = leaf ? w : p;
        next[i / 2 + 1] = here + after;  // right once i is even
        after = here;
        high -= leaf;
        leaves_before[i] = static_cast<std::uint8_t>(high);
    };
    for (std::size_t i = 0; i < middle; ++i) {
        from_front(i);
        from_back(size - 1 - i);
    }
    for (std::size_t i = size - middle; i > middle; --i) from_back(i - 1);
    next[size / 2 + 1] = kHeaviest;
    leaves_before[size] = static_cast<std::uint8_t>(leaves.count);
}

}  // namespace

template <std::size_t kCount>
std::array<std::uint8_t, kCount> make_table(
    const std::array<std::uint32_t, kCount>& histogram) noexcept {
    const Leaves<kCount> leaves{histogram};

    std::array<LeavesBefore<kCount>, Lane::kMaxLength> lists;
    std::array<Weights<kCount>, 2> packages;
    for (auto& weights : packages) weights[0] = kLightest;
    packages[0][1] = kHeaviest;
    std::size_t size = 0;
    for (std::size_t level = 0; level < lists.size(); ++level) {
        merge(leaves, packages[level % 2], size / 2, packages[(level + 1) % 2], lists[level]);
        size = leaves.count + size / 2;
    }

    std::array<std::uint8_t, kCount> lengths{};
    std::size_t taken = 2 * (leaves.count - 1);
    for (auto list = lists.rbegin(); list != lists.rend(); ++list) {
        const std::size_t lightest = (*list)[taken];
        for (std::size_t i = 0; i < lightest; ++i) ++lengths[leaves.symbol[i]];
        taken = 2 * (taken - lightest);
    }
    return lengths;
}

template std::array<std::uint8_t, 16> make_table<16>(
    const std::array<std::uint32_t, 16>& histogram) noexcept;
template std::array<std::uint8_t, 32> make_table<32>(
    const std::array<std::uint32_t, 32>& histogram) noexcept;
template std::array<std::uint8_t, 64> make_table<64>(
    const std::array<std::uint32_t, 64>& histogram) noexcept;

}  // namespace entrolith
