// SPDX-License-Identifier: Apache-2.0
//
// Package-merge without the packages' contents: the symbols among the first entries of a list are
// always the lightest ones, so a list only has to say how many of its first entries are symbols.
// From the last list to the first, that gives how many symbols are taken and how many packages,
// hence how many entries of the list before.

#include "entrolith/make_table.hpp"

#include <algorithm>
#include <numeric>

#include "entrolith/lanes.hpp"

namespace entrolith {
namespace {

using Weight = std::int64_t;

constexpr Weight kLightest = -1;
constexpr Weight kHeaviest = Weight{1} << 60;

/// Weights in order, numbered from 1, between two that are lighter than any and two that are
/// heavier.
template <std::size_t kCount>
class Weights {
public:
    /// No weights.
    Weights() noexcept { end(0); }

    [[nodiscard]] const Weight& operator[](std::size_t i) const noexcept { return all_[i + 1]; }
    [[nodiscard]] Weight& operator[](std::size_t i) noexcept { return all_[i + 1]; }
    /// There are `count`.
    void end(std::size_t count) noexcept {
        all_[0] = all_[1] = kLightest;
        all_[count + 2] = all_[count + 3] = kHeaviest;
    }

private:
    std::array<Weight, kCount + 4> all_;
};

/// The symbols that get a codeword, lightest first.
template <std::size_t kCount>
struct Leaves {
    Weights<kCount> weight;
    std::array<std::uint8_t, kCount> symbol;
    std::size_t count = 0;

    explicit Leaves(const std::array<std::uint32_t, kCount>& histogram) noexcept {
        constexpr std::size_t kLast = kCount - 1;
        const std::uint32_t total = std::accumulate(histogram.begin(), histogram.end(), 0u);
        std::uint32_t escaped = total;
        for (std::size_t s = 0; s < kLast; ++s) {
            if (!gets_codeword(histogram[s], total)) continue;
            add(histogram[s], s);
            escaped -= histogram[s];
        }
        if (count == 0) add(0, 0);
        add(escaped == 0 ? 1 : escaped, kLast);
        sort();
    }

private:
    void add(std::uint32_t heavy, std::size_t s) noexcept {
        weights_[count] = heavy;
        symbols_[count] = static_cast<std::uint8_t>(s);
        ++count;
    }
    /// By how many are lighter than each, or as light and before it: that has no branches.
    void sort() noexcept {
        std::array<std::uint32_t, kCount> lighter{};
        for (std::size_t i = 1; i < count; ++i) {
            std::uint32_t than_i = 0;
            for (std::size_t j = 0; j < i; ++j) {
                const std::uint32_t less = weights_[j] <= weights_[i] ? 1 : 0;
                than_i += less;
                lighter[j] += 1 - less;
            }
            lighter[i] = than_i;
        }
        for (std::size_t i = 0; i < count; ++i) {
            weight[lighter[i] + 1] = weights_[i];
            symbol[lighter[i]] = symbols_[i];
        }
        weight.end(count);
    }

    std::array<std::uint32_t, kCount> weights_;  // in the order of symbols
    std::array<std::uint8_t, kCount> symbols_;
};

/// A list's entries in pairs: how many of those before each pair, and before what is left after the
/// last, are leaves.
template <std::size_t kCount>
using LeavesBefore = std::array<std::uint8_t, kCount + 1>;

/// Merges leaves and packages into a list, puts the sums of its pairs in `next`, and counts the
/// leaves in it. From both ends at once: either has to wait for itself only.
template <std::size_t kCount>
void merge(const Leaves<kCount>& leaves, const Weights<kCount>& package, std::size_t packages,
           Weights<kCount>& next, LeavesBefore<kCount>& leaves_before) noexcept {
    const auto& leaf = leaves.weight;
    const std::size_t size = leaves.count + packages;
    const std::size_t pairs = size / 2;

    std::size_t low = 0;  // leaves before the pair that is next from the front
    const auto from_front = [&](std::size_t pair) {
        const Weight* w = &leaf[low + 1];
        const Weight* p = &package[2 * pair - low + 1];
        next[pair + 1] = std::min(std::min(w[0] + w[1], p[0] + p[1]), w[0] + p[0]);
        leaves_before[pair] = static_cast<std::uint8_t>(low);
        low += 1u + (w[1] <= p[0]) - (p[1] < w[0]);
    };
    std::size_t high = leaves.count;  // leaves up to the pair that is next from the back
    if (size % 2 != 0) high -= leaf[high] > package[packages];
    leaves_before[pairs] = static_cast<std::uint8_t>(high);
    const auto from_back = [&](std::size_t pair) {
        const Weight* w = &leaf[high];
        const Weight* p = &package[2 * pair + 2 - high];
        next[pair + 1] = std::max(std::max(w[0] + w[-1], p[0] + p[-1]), w[0] + p[0]);
        high -= 1u + (w[-1] > p[0]) - (p[-1] >= w[0]);
        leaves_before[pair] = static_cast<std::uint8_t>(high);
    };
    for (std::size_t pair = 0; pair < pairs / 2; ++pair) {
        from_front(pair);
        from_back(pairs - 1 - pair);
    }
    if (pairs % 2 != 0) from_front(pairs / 2);
    next.end(pairs);
}

}  // namespace

template <std::size_t kCount>
std::array<std::uint8_t, kCount> make_table(
    const std::array<std::uint32_t, kCount>& histogram) noexcept {
    const Leaves<kCount> leaves{histogram};

    std::array<LeavesBefore<kCount>, Lane::kMaxLength> lists;
    std::array<Weights<kCount>, 2> packages;
    std::size_t size = 0;
    for (std::size_t level = 0; level < lists.size(); ++level) {
        merge(leaves, packages[level % 2], size / 2, packages[(level + 1) % 2], lists[level]);
        size = leaves.count + size / 2;
    }

    std::array<std::uint8_t, kCount + 1> ends{};  // how many lists take so many of the leaves
    std::size_t pairs = leaves.count - 1;         // that are taken
    for (auto list = lists.rbegin(); list != lists.rend(); ++list) {
        const std::size_t lightest = (*list)[pairs];
        ++ends[lightest];
        pairs = 2 * pairs - lightest;
    }
    std::array<std::uint8_t, kCount> lengths{};
    std::size_t length = lists.size();
    for (std::size_t i = 0; i < leaves.count; ++i) {
        length -= ends[i];
        lengths[leaves.symbol[i]] = static_cast<std::uint8_t>(length);
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
