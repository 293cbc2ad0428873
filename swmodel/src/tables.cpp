// SPDX-License-Identifier: Apache-2.0

#include "entrolith/tables.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "entrolith/lanes.hpp"

namespace entrolith {
namespace {

constexpr unsigned kCodes = 1u << Lane::kMaxLength;

struct Codeword {
    unsigned length = 0;
    unsigned bits = 0;  // first bit lowest
};

/// The bits of a byte in reverse order.
constexpr auto kReversed = [] {
    std::array<std::uint8_t, kCodes> reversed{};
    for (unsigned byte = 0; byte < kCodes; ++byte) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            reversed[byte] =
                static_cast<std::uint8_t>(reversed[byte] | (byte >> bit & 1) << (7 - bit));
        }
    }
    return reversed;
}();

/// Throws std::invalid_argument if there is no such table. FORMAT.md section 3.2.
template <std::size_t kCount>
void check(const std::array<std::uint8_t, kCount>& lengths) {
    constexpr std::array<std::uint16_t, 16> kPart{0, 128, 64, 32, 16, 8, 4, 2, 1};  // of kCodes
    if (lengths[kCount - 1] == 0) throw std::invalid_argument{"the escape has no codeword"};
    unsigned codes = 0;
    unsigned longest = 0;
    for (const std::uint8_t length : lengths) {
        codes += kPart[length % 16];
        longest = std::max<unsigned>(longest, length);
    }
    if (longest > Lane::kMaxLength) {
        throw std::invalid_argument{"a codeword is longer than 8 bits"};
    }
    if (codes != kCodes) throw std::invalid_argument{"the code is not complete"};
}

/// The canonical codewords of a table that check() has passed, length by length.
template <std::size_t kCount>
class Canonical {
public:
    explicit Canonical(const std::array<std::uint8_t, kCount>& lengths) {
        first_.fill(kNone);
        for (std::size_t symbol = kCount; symbol-- > 0;) {
            next_[symbol] =
                std::exchange(first_[lengths[symbol]], static_cast<std::uint8_t>(symbol));
        }
    }

    /// Calls function(symbol, bits) for the codewords of a length, from 1 on.
    template <class Function>
    void each(unsigned length, Function&& function) {
        for (unsigned symbol = first_[length]; symbol != kNone; symbol = next_[symbol]) {
            function(symbol, kReversed[code_]);
            code_ += kCodes >> length;
        }
    }

private:
    static constexpr std::uint8_t kNone = 255;
    std::array<std::uint8_t, Lane::kMaxLength + 1> first_;  // symbol of each length
    std::array<std::uint8_t, kCount> next_;                 // of the same length
    unsigned code_ = 0;
};

template <std::size_t kCount>
std::array<Codeword, kCount> codewords(const std::array<std::uint8_t, kCount>& lengths) {
    check(lengths);
    std::array<Codeword, kCount> words;
    Canonical<kCount> canonical{lengths};
    for (unsigned length = 1; length <= Lane::kMaxLength; ++length) {
        canonical.each(length,
                       [&](unsigned symbol, unsigned bits) { words[symbol] = {length, bits}; });
    }
    return words;
}

/// For 1, 2, ... 8 next bits in turn: with one bit more, all that there is doubles, and the
/// codewords of that length come in.
template <std::size_t kCount>
DecodeTable decode_table(const std::array<std::uint8_t, kCount>& lengths) {
    DecodeTable table;
    table.bytes[0] = 0;
    Canonical<kCount> canonical{lengths};
    const auto step = [&]<unsigned kLength>() {
        constexpr std::size_t kHalf = std::size_t{1} << (kLength - 1);
        std::memcpy(table.bytes.data() + kHalf, table.bytes.data(), kHalf);
        canonical.each(kLength, [&](unsigned symbol, unsigned bits) {
            table.bytes[bits] = static_cast<std::uint8_t>(symbol << 3 | (kLength - 1));
        });
    };
    [&]<unsigned... kBefore>(std::integer_sequence<unsigned, kBefore...>) {
        (step.template operator()<kBefore + 1>(), ...);
    }(std::make_integer_sequence<unsigned, Lane::kMaxLength>{});
    return table;
}

/// `invert` is what a difference's number is changed by to be its symbol's.
template <std::size_t kCount>
EncodeTable encode_table(const std::array<Codeword, kCount>& words, unsigned invert = 0) {
    const auto entry = [](const Codeword& word) {
        return Lane::limit(word.length) << 16 | word.bits << 8 | word.length;
    };
    EncodeTable table;
    table.entries.fill(entry(words[kCount - 1]) | EncodeTable::kEscape);
    for (unsigned symbol = 0; symbol < kCount - 1; ++symbol) {
        if (words[symbol].length != 0) table.entries[symbol ^ invert] = entry(words[symbol]);
    }
    for (std::size_t i = 0; i < table.lengths.size(); ++i) {
        const EncodeTable::Entry from = table.entries[i];
        const unsigned escape = from & EncodeTable::kEscape ? 128 : 0;
        table.lengths[i] = static_cast<std::uint8_t>((from & 31) | escape);
        table.codewords[i] = static_cast<std::uint8_t>(from >> 8);
    }
    return table;
}

}  // namespace

template <std::size_t kCount>
DecodeTable make_decode_table(const std::array<std::uint8_t, kCount>& lengths) {
    check(lengths);
    return decode_table(lengths);
}

template <std::size_t kCount>
EncodeTable make_encode_table(const std::array<std::uint8_t, kCount>& lengths) {
    return encode_table(codewords(lengths));
}

SignedDecodeTable make_signed_decode_table(const SignedLengths& lengths) {
    const auto words = codewords(lengths);
    SignedDecodeTable table;
    for (unsigned symbol = 0; symbol < kSignedSymbols; ++symbol) {
        const auto [length, bits] = words[symbol];
        if (length == 0) continue;
        const auto difference = static_cast<std::uint8_t>(symbol ^ 1);
        const auto entry = static_cast<std::uint16_t>(unsigned{difference} << 8 | length);
        for (std::size_t at = bits; at < kCodes; at += std::size_t{1} << length) {
            table.entries[at] = entry;
        }
    }
    return table;
}

EncodeTable make_signed_encode_table(const SignedLengths& lengths) {
    return encode_table(codewords(lengths), 1);
}

template <std::size_t kCount>
void check_table(const std::array<std::uint8_t, kCount>& lengths, const char* field,
                 std::size_t offset) {
    try {
        check(lengths);
    } catch (const std::invalid_argument& error) {
        throw StreamError{Cause::kCorrupt, field, offset, error.what()};
    }
}

template DecodeTable make_decode_table(const Lengths&);
template DecodeTable make_decode_table(const WideLengths&);
template EncodeTable make_encode_table(const Lengths&);
template EncodeTable make_encode_table(const WideLengths&);
template void check_table(const Lengths&, const char*, std::size_t);
template void check_table(const WideLengths&, const char*, std::size_t);
template void check_table(const SignedLengths&, const char*, std::size_t);

Lengths read_table(Cursor& cursor, const char* field) {
    const auto packed = cursor.integer<std::uint64_t>(field);
    Lengths lengths;
    for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
        lengths[symbol] = packed >> (4 * symbol) & 15;
    }
    check_table(lengths, field, cursor.at() - sizeof packed);
    return lengths;
}

std::uint64_t pack_table(const Lengths& lengths) noexcept {
    std::uint64_t packed = 0;
    for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
        packed |= std::uint64_t{lengths[symbol]} << (4 * symbol);
    }
    return packed;
}

TableSet::TableSet(std::span<const Lengths> tables, const Identity& identity)
    : identity_{identity} {
    if (tables.empty() || tables.size() > kMaxTables) {
        throw std::invalid_argument{"a set has 1 to 128 tables"};
    }
    for (CostTable& costs : costs_) costs.tables = tables.size();
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const auto words = codewords(tables[t]);
        decode_.push_back(decode_table(tables[t]));
        encode_.push_back(encode_table(words));
        for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
            const unsigned length = words[symbol].length;
            const bool escaped = symbol == kEscape || length == 0;
            for (unsigned bytes = 1; bytes <= costs_.size(); ++bytes) {
                costs_[bytes - 1].bits[symbol][t] =
                    escaped ? words[kEscape].length + 8 * bytes : length;
            }
        }
    }
}

}  // namespace entrolith
