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

/// Canonical codewords. FORMAT.md section 3.2.
template <std::size_t kCount>
std::array<Codeword, kCount> codewords(const std::array<std::uint8_t, kCount>& lengths) {
    std::array<unsigned, 16> next{};  // first the sequences of each length, then where they begin
    for (const std::uint8_t length : lengths) next[length % 16] += kCodes >> length % 16;
    if (lengths[kCount - 1] == 0) throw std::invalid_argument{"the escape has no codeword"};
    unsigned code = 0;
    for (unsigned length = 1; length <= Lane::kMaxLength; ++length) {
        code += std::exchange(next[length], code);
    }
    if (std::ranges::any_of(lengths, [](unsigned length) { return length > Lane::kMaxLength; })) {
        throw std::invalid_argument{"a codeword is longer than 8 bits"};
    }
    if (code != kCodes) throw std::invalid_argument{"the code is not complete"};
    std::array<Codeword, kCount> words;
    for (std::size_t symbol = 0; symbol < kCount; ++symbol) {
        const unsigned length = lengths[symbol];
        if (length == 0) continue;
        const unsigned first = std::exchange(next[length], next[length] + (kCodes >> length));
        words[symbol] = {length, kReversed[first]};
    }
    return words;
}

/// The bytes of a DecodeTable, made for 1, 2, ... 8 next bits in turn: with one bit more, all that
/// there is doubles, and the codewords of that length come in. Up to the fourth bit there are twice
/// as many rows, from then on twice as many bytes in each.
class Doubling {
public:
    explicit Doubling(DecodeTable& table) noexcept : table_{table} {
        table.bytes[0] = 0;
        table.rows[0] = 0;
    }

    template <unsigned kLength>
    void grow() noexcept {
        constexpr std::size_t kHalf = std::size_t{1} << (kLength - 1);
        std::memcpy(table_.bytes.data() + kHalf, table_.bytes.data(), kHalf);
        if constexpr (kHalf < kRow) {
            for (std::size_t r = 0; r < kHalf; ++r) {
                table_.rows[(kHalf + r) * kRow] = table_.rows[r * kRow];
            }
        } else {
            constexpr std::size_t kColumns = kHalf / kRow;
            for (std::size_t r = 0; r < kRow; ++r) {
                std::uint8_t* row = table_.rows.data() + r * kRow;
                std::memcpy(row + kColumns, row, kColumns);
            }
        }
    }
    void put(unsigned bits, std::uint8_t byte) noexcept {
        table_.bytes[bits] = byte;
        table_.rows[bits % kRow * kRow + bits / kRow] = byte;
    }

private:
    static constexpr std::size_t kRow = 16;
    DecodeTable& table_;
};

template <std::size_t kCount>
DecodeTable decode_table(const std::array<Codeword, kCount>& words) {
    constexpr std::size_t kNone = kCount;
    std::array<std::size_t, Lane::kMaxLength + 1> first;  // symbol of each length
    std::array<std::size_t, kCount> next;                 // of the same length
    first.fill(kNone);
    for (std::size_t symbol = 0; symbol < kCount; ++symbol) {
        next[symbol] = std::exchange(first[words[symbol].length], symbol);
    }
    DecodeTable table;
    Doubling doubling{table};
    const auto step = [&]<unsigned kLength>() {
        doubling.grow<kLength>();
        for (std::size_t symbol = first[kLength]; symbol != kNone; symbol = next[symbol]) {
            doubling.put(words[symbol].bits,
                         static_cast<std::uint8_t>(symbol << 3 | (kLength - 1)));
        }
    };
    [&]<unsigned... kBefore>(std::integer_sequence<unsigned, kBefore...>) {
        (step.template operator()<kBefore + 1>(), ...);
    }(std::make_integer_sequence<unsigned, Lane::kMaxLength>{});
    for (std::size_t at = 0; at < kCodes; ++at) {
        const unsigned byte = table.bytes[at];
        table.entries[at] = static_cast<std::uint16_t>(byte >> 3 << 8 | ((byte & 7) + 1));
    }
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
    return decode_table(codewords(lengths));
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
        static_cast<void>(codewords(lengths));
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
        decode_.push_back(decode_table(words));
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
