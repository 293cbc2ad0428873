// SPDX-License-Identifier: Apache-2.0
//
// Runs of zeros, found in a bitmap and written to one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "entrolith/bytes.hpp"
#include "entrolith/kernels.hpp"

namespace entrolith {
namespace {

/// As RunKernel::find says.
std::size_t find_numbers(const std::uint32_t* words, std::size_t count,
                         std::uint32_t* numbers) noexcept {
    std::uint32_t* next = numbers;
    std::size_t after = 0;  // the last place where a run begins or ends
    for_edges(words, count, [&](std::size_t first, std::uint64_t edges) {
        for (; edges != 0; edges &= edges - 1) {
            const std::size_t edge = first + static_cast<std::size_t>(std::countr_zero(edges));
            *next++ = static_cast<std::uint32_t>(edge - after);
            after = edge + 1;
        }
    });
    return static_cast<std::size_t>(next - numbers);
}

/// As RunKernel::classify says; two counts of each, so that equal classes wait less.
ClassCounts classify(const std::uint32_t* numbers, std::size_t tokens,
                     std::uint8_t* classes) noexcept {
    std::array<std::array<std::uint32_t, kClassRoom>, 4> part{};
    for (std::size_t token = 0; token < tokens; ++token) {
        const auto c = static_cast<std::uint8_t>(std::bit_width(numbers[token]));
        classes[token] = c;
        ++part[token % 4][c];
    }
    ClassCounts counts;
    for (std::size_t parity = 0; parity < 2; ++parity) {
        std::ranges::transform(part[parity], part[parity + 2], counts[parity].begin(),
                               std::plus<>{});
    }
    return counts;
}

/// As RunKernel::rename says.
void rename(std::uint8_t* classes, std::size_t tokens, const ClassSymbols& symbols) noexcept {
    for (std::size_t token = 0; token < tokens; ++token) {
        classes[token] = symbols[token % 2][classes[token]];
    }
}

/// Bits side by side, from a byte's lowest on; touches 8 bytes beyond.
class ExtraWriter {
public:
    explicit ExtraWriter(std::uint8_t* out) noexcept : out_{out} {}

    /// At most 57 bits.
    void put(std::uint64_t bits, unsigned count) noexcept {
        waiting_ |= bits << fill_;
        fill_ += count;
        store(out_, waiting_);
        out_ += fill_ / 8;
        waiting_ = fill_ < 64 ? waiting_ >> fill_ / 8 * 8 : 0;
        fill_ %= 8;
    }

private:
    std::uint8_t* out_;
    std::uint64_t waiting_ = 0;
    unsigned fill_ = 0;
};

/// As RunKernel::write_extra says.
void write_extra(const std::uint32_t* numbers, std::size_t tokens, std::uint8_t* out) noexcept {
    ExtraWriter writer{out};
    for (std::size_t token = 0; token < tokens; token += 2) {
        const ClassOf distance = class_of(static_cast<unsigned>(std::bit_width(numbers[token])));
        const ClassOf run = class_of(static_cast<unsigned>(std::bit_width(numbers[token + 1])));
        writer.put((numbers[token] - distance.base) | std::uint64_t{numbers[token + 1] - run.base}
                                                          << distance.extra_bits,
                   distance.extra_bits + run.extra_bits);
    }
}

/// Sets bits first .. first + length - 1.
void set_bits(std::uint8_t* bytes, std::size_t first, std::size_t length) noexcept {
    std::uint8_t* at = bytes + first / 64 * 8;
    const std::size_t shift = first % 64;
    const auto set = [&at](std::uint64_t bits) {
        store(at, load<std::uint64_t>(at) | bits);
        at += 8;
    };
    if (length < 64) [[likely]] {  // wherever it begins, in two words
        const std::uint64_t bits = (std::uint64_t{1} << length) - 1;
        set(bits << shift);
        set(bits >> 1 >> (63 - shift));
        return;
    }
    set(~std::uint64_t{0} << shift);
    std::size_t left = length - (64 - shift);
    for (; left >= 64; left -= 64) set(~std::uint64_t{0});
    set((std::uint64_t{1} << left) - 1);
}

/// As RunKernel::expand says.
Expanded expand(const std::uint8_t* classes, std::size_t tokens, const std::uint8_t* extra,
                std::size_t most, std::uint32_t* words) noexcept {
    auto* const bytes = reinterpret_cast<std::uint8_t*>(words);
    std::size_t bit = 0;
    std::size_t at = 0;  // of the next entry
    std::size_t zeros = 0;
    for (std::size_t token = 0; token < tokens; token += 2) {
        const ClassOf distance = class_of(classes[token]);
        const ClassOf run = class_of(classes[token + 1]);
        const std::uint64_t bits = load<std::uint64_t>(extra + bit / 8) >> (bit % 8);
        bit += distance.extra_bits + run.extra_bits;
        const auto low = [](std::uint64_t from, unsigned count) {
            return static_cast<std::size_t>(from & ((std::uint64_t{1} << count) - 1));
        };
        const std::size_t first =
            at + distance.base + low(bits, distance.extra_bits) + (token != 0 ? 1 : 0);
        const std::size_t length = run.base + low(bits >> distance.extra_bits, run.extra_bits) + 1;
        at = first + length;
        if (at > most) break;
        zeros += length;
        set_bits(bytes, first, length);
    }
    return {at, zeros};
}

/// As RunKernel::gather says.
std::uint64_t gather_bits(std::uint64_t bits, std::uint64_t mask) noexcept {
    std::uint64_t found = 0;
    for (unsigned i = 0; mask != 0; mask &= mask - 1, ++i) {
        found |= (bits >> std::countr_zero(mask) & 1) << i;
    }
    return found;
}

/// As RunKernel::scatter says.
std::uint64_t scatter_bits(std::uint64_t bits, std::uint64_t mask) noexcept {
    std::uint64_t found = 0;
    for (; mask != 0; mask &= mask - 1, bits >>= 1) {
        found |= (bits & 1) << std::countr_zero(mask);
    }
    return found;
}

constexpr RunKernel run_kernel() noexcept {
    return {&find_numbers, &classify, &rename, &write_extra, &expand, &gather_bits, &scatter_bits};
}

}  // namespace
}  // namespace entrolith
