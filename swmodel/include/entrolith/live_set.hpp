// SPDX-License-Identifier: Apache-2.0
//
// entrolith/live_set.hpp - which rows or columns of a matrix are live, as a set to search.
//
// Spec      FORMAT.md section 2.1.
// Read me   A set of which all are live takes no memory, however large it is; another takes a few
//           bits for each bit of the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace entrolith {

class LiveSet {
public:
    /// `size` rows or columns, of which these bits are dead, 1 = dead; bits beyond `size` are 0.
    /// None for none.
    LiveSet(std::uint64_t size, const std::uint8_t* dead);

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t count() const noexcept { return all() ? size_ : before_.back(); }
    [[nodiscard]] bool all() const noexcept { return words_.empty(); }

    /// Number of live ones below `index`, 0 .. size().
    [[nodiscard]] std::uint64_t rank(std::uint64_t index) const noexcept;
    /// The live one of this number, below count().
    [[nodiscard]] std::uint64_t select(std::uint64_t number) const noexcept;

    struct Run {
        std::uint64_t first;
        std::uint64_t end;
    };
    /// The first unbroken run of live ones at or after `index`; empty at the end.
    [[nodiscard]] Run run(std::uint64_t index) const noexcept;

    /// Their number and, if it is not 0, the bits of the dead ones, as the stream has them.
    [[nodiscard]] std::uint64_t dead() const noexcept { return size_ - count(); }
    [[nodiscard]] std::vector<std::uint8_t> dead_bits() const;

private:
    [[nodiscard]] std::uint64_t next(std::uint64_t index, bool live) const noexcept;

    std::uint64_t size_;
    std::vector<std::uint64_t> words_;   // 1 = live
    std::vector<std::uint64_t> before_;  // live ones before each word, and in all
};

}  // namespace entrolith
