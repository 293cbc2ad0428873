// SPDX-License-Identifier: Apache-2.0

#include "entrolith/live_set.hpp"

#include <algorithm>
#include <bit>

namespace entrolith {
namespace {

constexpr unsigned kWordBits = 64;
constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

}  // namespace

LiveSet::LiveSet(std::uint64_t size, const std::uint8_t* dead) : size_{size} {
    const auto bytes = static_cast<std::size_t>((size + 7) / 8);
    if (dead == nullptr || std::all_of(dead, dead + bytes, [](auto bits) { return bits == 0; })) {
        return;
    }
    words_.resize((bytes + 7) / 8, kAllBits);
    if (size % kWordBits != 0) words_.back() >>= kWordBits - size % kWordBits;
    for (std::size_t i = 0; i < bytes; ++i) {
        words_[i / 8] &= ~(std::uint64_t{dead[i]} << 8 * (i % 8));
    }
    before_.resize(words_.size() + 1);
    for (std::size_t w = 0; w < words_.size(); ++w) {
        before_[w + 1] = before_[w] + static_cast<unsigned>(std::popcount(words_[w]));
    }
}

std::uint64_t LiveSet::rank(std::uint64_t index) const noexcept {
    if (all()) return index;
    const std::uint64_t in_word = index % kWordBits;
    std::uint64_t count = before_[index / kWordBits];
    if (in_word != 0) {
        const std::uint64_t below = words_[index / kWordBits] << (kWordBits - in_word);
        count += static_cast<unsigned>(std::popcount(below));
    }
    return count;
}

std::uint64_t LiveSet::select(std::uint64_t number) const noexcept {
    if (all()) return number;
    const auto after = std::ranges::upper_bound(before_, number);
    const auto w = static_cast<std::size_t>(after - before_.begin()) - 1;
    std::uint64_t word = words_[w];
    for (std::uint64_t left = number - before_[w]; left != 0; --left) word &= word - 1;
    return w * kWordBits + static_cast<unsigned>(std::countr_zero(word));
}

std::uint64_t LiveSet::next(std::uint64_t index, bool live) const noexcept {
    const std::uint64_t flip = live ? 0 : kAllBits;
    std::uint64_t keep = kAllBits << index % kWordBits;
    for (auto w = static_cast<std::size_t>(index / kWordBits); w < words_.size(); ++w) {
        const std::uint64_t word = (words_[w] ^ flip) & keep;
        if (word != 0) {
            return std::min(size_, w * kWordBits + static_cast<unsigned>(std::countr_zero(word)));
        }
        keep = kAllBits;
    }
    return size_;
}

LiveSet::Run LiveSet::run(std::uint64_t index) const noexcept {
    if (all()) return {index, size_};
    const std::uint64_t first = next(index, true);
    return {first, next(first, false)};
}

std::vector<std::uint8_t> LiveSet::dead_bits() const {
    if (all()) return {};
    std::vector<std::uint8_t> bits(static_cast<std::size_t>((size_ + 7) / 8));
    for (std::size_t i = 0; i < bits.size(); ++i) {
        bits[i] = static_cast<std::uint8_t>(~(words_[i / 8] >> 8 * (i % 8)));
    }
    if (size_ % 8 != 0)
        bits.back() = static_cast<std::uint8_t>(bits.back() & ((1u << size_ % 8) - 1));
    return bits;
}

}  // namespace entrolith
