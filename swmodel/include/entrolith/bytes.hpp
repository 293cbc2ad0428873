// SPDX-License-Identifier: Apache-2.0
//
// entrolith/bytes.hpp - little-endian integers in memory, and a cursor that never over-reads.
//
// Scope     All that knows how integers lie in a stream. FORMAT.md, notation.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "entrolith/error.hpp"

namespace entrolith {

static_assert(std::endian::native == std::endian::little,
              "streams and values are read as they lie in memory");

using Bytes = std::span<const std::uint8_t>;

template <class Integer>
[[nodiscard]] inline Integer load(const std::uint8_t* at) noexcept {
    Integer value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class Integer>
inline void store(std::uint8_t* at, Integer value) noexcept {
    std::memcpy(at, &value, sizeof value);
}

/// Appends a LEB128 integer.
inline void put_varint(std::vector<std::uint8_t>& out, std::uint64_t value) {
    for (; value > 127; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 128));
    out.push_back(static_cast<std::uint8_t>(value));
}

/// Takes integers from the bytes at() .. end(); running out is a refusal with the field's name.
class Cursor {
public:
    Cursor(Bytes data, std::size_t at, std::size_t end, Cause shortage) noexcept
        : data_{data.data()}, at_{at}, end_{end}, shortage_{shortage} {}

    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    [[nodiscard]] std::size_t end() const noexcept { return end_; }
    [[nodiscard]] std::size_t left() const noexcept { return end_ - at_; }

    const std::uint8_t* take(std::uint64_t size, const char* field) {
        if (size > left()) {
            throw StreamError{shortage_, field, at_,
                              "needs " + std::to_string(size) + " bytes, " +
                                  std::to_string(left()) + " are left"};
        }
        const std::uint8_t* here = data_ + at_;
        at_ += static_cast<std::size_t>(size);
        return here;
    }

    template <class Integer>
    Integer integer(const char* field) {
        return load<Integer>(take(sizeof(Integer), field));
    }

    /// LEB128, at most 9 bytes, shortest form only.
    std::uint64_t varint(const char* field) {
        const std::size_t start = at_;
        std::uint64_t value = 0;
        for (unsigned group = 0; group < 9; ++group) {
            const auto byte = integer<std::uint8_t>(field);
            value |= std::uint64_t{byte & 127u} << (7 * group);
            if (byte < 128) {
                if (byte == 0 && group != 0) {
                    throw StreamError{Cause::kCorrupt, field, start,
                                      "varint is not in shortest form"};
                }
                return value;
            }
        }
        throw StreamError{Cause::kCorrupt, field, start, "varint exceeds 2^63 - 1"};
    }

private:
    const std::uint8_t* data_;
    std::size_t at_;
    std::size_t end_;
    Cause shortage_;
};

}  // namespace entrolith
