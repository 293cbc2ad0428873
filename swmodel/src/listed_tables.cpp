// SPDX-License-Identifier: Apache-2.0

#include "entrolith/listed_tables.hpp"

#include <algorithm>
#include <string>

#include "entrolith/tables.hpp"

namespace entrolith {
namespace {

/// The listed symbols of a table.
template <std::size_t kCount>
struct Listed {
    std::size_t first;
    std::size_t count;

    explicit Listed(const std::array<std::uint8_t, kCount>& lengths) noexcept {
        const auto has_codeword = [](std::uint8_t length) { return length != 0; };
        const auto begin = lengths.begin();
        const auto escape = lengths.end() - 1;
        const auto from = std::find_if(begin, escape, has_codeword);
        auto to = escape;
        while (to != from && to[-1] == 0) --to;
        first = static_cast<std::size_t>(from - begin);
        count = static_cast<std::size_t>(to - from);
    }
};

}  // namespace

template <std::size_t kCount>
std::array<std::uint8_t, kCount> read_listed_table(Cursor& cursor) {
    constexpr const char* kField = "scale_table";
    const std::size_t start = cursor.at();
    const std::size_t first = cursor.integer<std::uint8_t>(kField);
    const std::size_t count = cursor.integer<std::uint8_t>(kField);
    if (first + count > kCount - 1) {
        corrupt(kField, start, std::to_string(count) + " symbols from " + std::to_string(first));
    }
    const std::uint8_t* packed = cursor.take((count + 2) / 2, kField);
    const auto nibble = [packed](std::size_t i) {
        return static_cast<std::uint8_t>(packed[i / 2] >> (i % 2 * 4) & 15);
    };
    if (count % 2 == 0 && nibble(count + 1) != 0) {
        corrupt(kField, cursor.at() - 1, "filling bits are not 0");
    }
    std::array<std::uint8_t, kCount> lengths{};
    for (std::size_t i = 0; i < count; ++i) lengths[first + i] = nibble(i);
    lengths.back() = nibble(count);
    check_table(lengths, kField, start);
    return lengths;
}

template <std::size_t kCount>
std::size_t listed_table_bytes(const std::array<std::uint8_t, kCount>& lengths) noexcept {
    return 2 + (Listed{lengths}.count + 2) / 2;
}

template <std::size_t kCount>
std::uint8_t* write_listed_table(const std::array<std::uint8_t, kCount>& lengths,
                                 std::uint8_t* out) noexcept {
    const Listed listed{lengths};
    *out++ = static_cast<std::uint8_t>(listed.first);
    *out++ = static_cast<std::uint8_t>(listed.count);
    const auto length = [&](std::size_t i) {
        return i < listed.count    ? lengths[listed.first + i]
               : i == listed.count ? lengths.back()
                                   : std::uint8_t{0};
    };
    for (std::size_t i = 0; i <= listed.count; i += 2) {
        *out++ = static_cast<std::uint8_t>(length(i) | length(i + 1) << 4);
    }
    return out;
}

template WideLengths read_listed_table(Cursor&);
template SignedLengths read_listed_table(Cursor&);
template std::size_t listed_table_bytes(const WideLengths&) noexcept;
template std::size_t listed_table_bytes(const SignedLengths&) noexcept;
template std::uint8_t* write_listed_table(const WideLengths&, std::uint8_t*) noexcept;
template std::uint8_t* write_listed_table(const SignedLengths&, std::uint8_t*) noexcept;

}  // namespace entrolith
