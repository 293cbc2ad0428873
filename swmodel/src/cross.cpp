// SPDX-License-Identifier: Apache-2.0

#include "entrolith/cross.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "entrolith/bytes.hpp"

namespace entrolith {
namespace {

constexpr std::size_t kGroup = 64;

[[nodiscard]] constexpr std::uint64_t low_bits(std::size_t count) noexcept {
    return count >= kGroup ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// `count` bits, 1..64, from bit `at` of a bitmap.
[[nodiscard]] std::uint64_t bits_at(const std::uint32_t* words, std::size_t at,
                                    std::size_t count) noexcept {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(words) + at / 8;
    const std::size_t shift = at % 8;
    std::uint64_t bits = load<std::uint64_t>(bytes) >> shift;
    if (shift != 0) bits |= std::uint64_t{bytes[8]} << (kGroup - shift);
    return bits & low_bits(count);
}

/// Writes a bitmap from its start.
class BitWriter {
public:
    explicit BitWriter(std::uint32_t* words) noexcept
        : out_{reinterpret_cast<std::uint8_t*>(words)} {}

    void put(std::uint64_t bits, std::size_t count) noexcept {
        put_half(bits & low_bits(std::min<std::size_t>(count, 32)),
                 std::min<std::size_t>(count, 32));
        if (count > 32) put_half(bits >> 32, count - 32);
    }
    /// Writes what has not been, with zeros up to a word's end and a word more.
    void finish() noexcept {
        store(out_, waiting_);
        store(out_ + sizeof waiting_, std::uint64_t{0});
    }

private:
    void put_half(std::uint64_t bits, std::size_t count) noexcept {
        waiting_ |= bits << fill_;
        fill_ += count;
        store(out_, waiting_);
        out_ += fill_ / 8;
        waiting_ >>= fill_ / 8 * 8;
        fill_ %= 8;
    }

    std::uint8_t* out_;
    std::uint64_t waiting_ = 0;
    std::size_t fill_ = 0;  // at most 7 + 32 bits before they are stored
};

/// Calls f(first, length, group) for the groups of up to 64 of `count` columns.
template <class Function>
void for_groups(std::size_t count, Function&& f) {
    for (std::size_t first = 0; first < count; first += kGroup) {
        f(first, std::min(kGroup, count - first), first / kGroup);
    }
}

[[nodiscard]] std::size_t row_length(const CrossShape& shape, std::size_t row) noexcept {
    return std::min(shape.columns, shape.count - row * shape.columns);
}

}  // namespace

std::size_t cross_entries(const RunKernel& kernel, const std::uint32_t* zeros,
                          const CrossShape& shape, std::uint32_t* entries) {
    const std::size_t groups = (shape.columns + kGroup - 1) / kGroup;
    std::vector<std::uint64_t> dead(groups, ~std::uint64_t{0});
    std::vector<bool> dead_row(shape.rows());
    for (std::size_t row = 0; row < shape.rows(); ++row) {
        bool all = true;
        for_groups(row_length(shape, row),
                   [&](std::size_t first, std::size_t length, std::size_t group) {
                       const std::uint64_t zero =
                           bits_at(zeros, row * shape.columns + first, length) | ~low_bits(length);
                       dead[group] &= zero;
                       all = all && zero == ~std::uint64_t{0};
                   });
        dead_row[row] = all;
    }

    BitWriter writer{entries};
    for_groups(shape.columns, [&](std::size_t, std::size_t length, std::size_t group) {
        writer.put(dead[group] & low_bits(length), length);
    });
    for (const bool is_dead : dead_row) writer.put(is_dead ? 1 : 0, 1);
    std::size_t count = shape.flags();
    for (std::size_t row = 0; row < shape.rows(); ++row) {
        if (dead_row[row]) continue;
        for_groups(
            row_length(shape, row), [&](std::size_t first, std::size_t length, std::size_t group) {
                const std::uint64_t live = ~dead[group] & low_bits(length);
                const auto kept = static_cast<std::size_t>(std::popcount(live));
                if (kept == 0) return;
                writer.put(kernel.gather(bits_at(zeros, row * shape.columns + first, length), live),
                           kept);
                count += kept;
            });
    }
    writer.finish();
    return count;
}

CrossJoined join_cross(const RunKernel& kernel, const std::uint32_t* entries,
                       const CrossShape& shape, std::uint32_t* zeros) {
    BitWriter writer{zeros};
    CrossJoined joined{shape.flags(), 0};
    for (std::size_t row = 0; row < shape.rows(); ++row) {
        const bool dead_row = bits_at(entries, shape.columns + row, 1) != 0;
        for_groups(row_length(shape, row), [&](std::size_t first, std::size_t length, std::size_t) {
            std::uint64_t live = 0;
            if (!dead_row) live = ~bits_at(entries, first, length) & low_bits(length);
            std::uint64_t zero = low_bits(length);
            if (live != 0) {
                const auto kept = static_cast<std::size_t>(std::popcount(live));
                const std::uint64_t found = bits_at(entries, joined.entries, kept);
                zero &= ~live | kernel.scatter(found, live);
                joined.entries += kept;
                joined.nonzeros += kept - static_cast<std::size_t>(std::popcount(found));
            }
            writer.put(zero, length);
        });
    }
    writer.finish();
    return joined;
}

}  // namespace entrolith
