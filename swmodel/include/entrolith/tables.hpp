// SPDX-License-Identifier: Apache-2.0
//
// entrolith/tables.hpp - code tables as the format defines them and as the coders want them.
//
// Spec      FORMAT.md section 3. A set's identity is computed by whoever makes the set.
// Read me   Codewords are held in reverse order, first bit lowest, as lanes hold them. A difference
//           is emax - exponent as a byte; the encoder's tables have all 256, so that differences
//           without a codeword are the escape without a comparison.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "entrolith/bytes.hpp"

namespace entrolith {

inline constexpr unsigned kSymbols = 16;
inline constexpr unsigned kEscape = 15;
inline constexpr std::size_t kMaxTables = 128;
inline constexpr std::uint8_t kRawTable = 255;
inline constexpr std::size_t kDynamicTable = 128;  // a chunk's own tables are this and up
inline constexpr std::size_t kMaxDynamicTables = 64;

inline constexpr unsigned kWideSymbols = 32;  // of scaled chunks
inline constexpr unsigned kWideEscape = 31;
inline constexpr unsigned kSignedSymbols = 64;  // of signed chunks
inline constexpr unsigned kSignedEscape = 63;

using Lengths = std::array<std::uint8_t, kSymbols>;
using WideLengths = std::array<std::uint8_t, kWideSymbols>;
using SignedLengths = std::array<std::uint8_t, kSignedSymbols>;
using Identity = std::array<std::uint8_t, 8>;

/// By the next 8 bits of a lane, the codeword that they begin with.
struct DecodeTable {
    /// Its length - 1 in bits 0-2, its symbol above.
    alignas(64) std::array<std::uint8_t, 256> bytes;

    /// Its length in the low byte, its symbol in the high.
    [[nodiscard]] unsigned operator[](std::size_t bits) const noexcept {
        const unsigned byte = bytes[bits];
        return byte >> 3 << 8 | ((byte & 7) + 1);
    }
};

/// The same for 64 symbols, as differences: each is its symbol with the lowest bit inverted, so
/// that a difference is a constant less what an escape's byte says (signs.hpp).
struct SignedDecodeTable {
    static constexpr std::uint8_t kEscape = kSignedEscape ^ 1;

    /// Length in the low byte, difference in the high.
    std::array<std::uint16_t, 256> entries;

    [[nodiscard]] unsigned operator[](std::size_t bits) const noexcept { return entries[bits]; }
};

/// By difference, a codeword.
struct EncodeTable {
    /// Length in bits 0-4, escape in bit 5, reversed codeword in bits 8-15, Lane::limit(length) in
    /// bits 16-31.
    using Entry = std::uint32_t;
    static constexpr Entry kEscape = 1u << 5;

    std::array<Entry, 256> entries;
    /// The same in registers, where 63 stands for all differences above: the length, with bit 7 set
    /// for the escape, and the reversed codeword.
    alignas(64) std::array<std::uint8_t, 64> lengths;
    alignas(64) std::array<std::uint8_t, 64> codewords;

    [[nodiscard]] Entry operator[](std::uint8_t difference) const noexcept {
        return entries[difference];
    }
    [[nodiscard]] Entry operator[](std::uint16_t difference) const noexcept {
        return entries[difference < 256 ? difference : 255];
    }
};

/// The coders' forms of a table of 16 or 32 symbols, the last of which is the escape. Throw
/// std::invalid_argument if it breaks section 3.2.
template <std::size_t kCount>
[[nodiscard]] DecodeTable make_decode_table(const std::array<std::uint8_t, kCount>& lengths);
template <std::size_t kCount>
[[nodiscard]] EncodeTable make_encode_table(const std::array<std::uint8_t, kCount>& lengths);
/// The same of 64 symbols, whose differences are those of SignedDecodeTable.
[[nodiscard]] SignedDecodeTable make_signed_decode_table(const SignedLengths& lengths);
[[nodiscard]] EncodeTable make_signed_encode_table(const SignedLengths& lengths);

/// Throws StreamError with this field and offset if the table breaks section 3.2.
template <std::size_t kCount>
void check_table(const std::array<std::uint8_t, kCount>& lengths, const char* field,
                 std::size_t offset);

/// A table inside a chunk: [4 bits] a length, lowest first. Throws StreamError.
[[nodiscard]] Lengths read_table(Cursor& cursor, const char* field);
[[nodiscard]] std::uint64_t pack_table(const Lengths& lengths) noexcept;

/// How often each symbol occurs in a block; differences without a symbol of their own are escapes.
using Histogram = std::array<std::uint32_t, kSymbols>;
using WideHistogram = std::array<std::uint32_t, kWideSymbols>;
using SignedHistogram = std::array<std::uint32_t, kSignedSymbols>;

/// Bits of codewords, and of the `escape` bits that follow those of the escape.
template <std::size_t kCount>
[[nodiscard]] constexpr std::uint32_t table_cost(const std::array<std::uint8_t, kCount>& lengths,
                                                 const std::array<std::uint32_t, kCount>& histogram,
                                                 unsigned escape) noexcept {
    std::uint32_t bits = 0;
    for (std::size_t symbol = 0; symbol < kCount; ++symbol) {
        const bool coded = symbol != kCount - 1 && lengths[symbol] != 0;
        bits += histogram[symbol] * (coded ? lengths[symbol] : lengths[kCount - 1] + escape);
    }
    return bits;
}

struct Choice {
    std::uint8_t table;  // kRawTable: no table is cheaper
    std::uint32_t bits;  // of codewords and exponent bytes
};

/// What a symbol costs in every table of a set, in bits, the escape's exponent included: tables lie
/// side by side, so the costs of a block are a sum of 16 rows. Those beyond the set are 0.
struct CostTable {
    std::size_t tables;
    std::array<std::array<std::uint32_t, kMaxTables>, kSymbols> bits;
};

class TableSet {
public:
    /// Throws std::invalid_argument if there are not 1..128 tables or one breaks section 3.2.
    TableSet(std::span<const Lengths> tables, const Identity& identity);

    [[nodiscard]] std::size_t size() const noexcept { return decode_.size(); }
    [[nodiscard]] const Identity& identity() const noexcept { return identity_; }
    [[nodiscard]] const DecodeTable& decode(std::size_t table) const { return decode_[table]; }
    [[nodiscard]] const EncodeTable& encode(std::size_t table) const { return encode_[table]; }

    /// Of exponents that take `exponent_bytes` bytes, 1 or 2, where they are written whole.
    [[nodiscard]] const CostTable& costs(unsigned exponent_bytes) const noexcept {
        return costs_[exponent_bytes - 1];
    }

private:
    Identity identity_;
    std::vector<DecodeTable> decode_;
    std::vector<EncodeTable> encode_;
    std::array<CostTable, 2> costs_{};
};

}  // namespace entrolith
