// SPDX-License-Identifier: Apache-2.0
//
// The code section with 64 lanes, all of them at once.
//
// Lane k's state is two bytes, kept as byte k of two registers or as word k / 2 of an even and an
// odd one: bytes can be compared, compressed and expanded in lane order, words can be shifted.
// A group of 64 symbols in which one or more escapes takes a longer path, without a loop too.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "avx512_bytes.hpp"
#include "entrolith/codes.hpp"

namespace entrolith {
namespace {

inline constexpr std::size_t kGroupLanes = 64;
inline constexpr __mmask64 kAllLanes = ~__mmask64{0};
inline constexpr std::uint64_t kEvenBits = 0x5555'5555'5555'5555;
inline constexpr std::uint64_t kOddBits = 0xAAAA'AAAA'AAAA'AAAA;

/// Bits of `even` and of `odd` in turn: 32 of each, from bit `first` on.
inline __mmask64 interleaved(__mmask64 even, __mmask64 odd, unsigned first) noexcept {
    return _pdep_u64(even >> first, kEvenBits) | _pdep_u64(odd >> first, kOddBits);
}

inline constexpr ByteIndex kEvenOfTwo = byte_index([](unsigned i) { return 2 * i; });
inline constexpr ByteIndex kOddOfTwo = byte_index([](unsigned i) { return 2 * i + 1; });
inline constexpr ByteIndex kLowerInTurn =
    byte_index([](unsigned i) { return i / 2 + (i % 2 != 0 ? 64 : 0); });
inline constexpr ByteIndex kUpperInTurn =
    byte_index([](unsigned i) { return 32 + i / 2 + (i % 2 != 0 ? 64 : 0); });

// ------------------------------------------------------------------------------------- encoding

struct EncodeRows {
    __m512i lengths;
    __m512i codewords;

    explicit EncodeRows(const EncodeTable& table) noexcept
        : lengths{_mm512_load_si512(table.lengths.data())},
          codewords{_mm512_load_si512(table.codewords.data())} {}
};

struct OneEncodeTable {
    EncodeRows rows;
    explicit OneEncodeTable(const EncodeTable& table) noexcept : rows{table} {}

    [[nodiscard]] __m512i lengths(__m512i index, std::size_t /*group*/) const noexcept {
        return _mm512_permutexvar_epi8(index, rows.lengths);
    }
    [[nodiscard]] __m512i codewords(__m512i index, std::size_t /*group*/) const noexcept {
        return _mm512_permutexvar_epi8(index, rows.codewords);
    }
};

struct TwoEncodeTables {
    EncodeRows rows[2];
    const std::uint64_t* which;

    [[nodiscard]] __m512i lengths(__m512i index, std::size_t group) const noexcept {
        return _mm512_mask_permutexvar_epi8(_mm512_permutexvar_epi8(index, rows[0].lengths),
                                            which[group], index, rows[1].lengths);
    }
    [[nodiscard]] __m512i codewords(__m512i index, std::size_t group) const noexcept {
        return _mm512_mask_permutexvar_epi8(_mm512_permutexvar_epi8(index, rows[0].codewords),
                                            which[group], index, rows[1].codewords);
    }
};

class GroupEncoder {
public:
    GroupEncoder(CodeWriter& writer, std::uint16_t emax) noexcept
        : writer_{writer}, emax_{_mm512_set1_epi8(static_cast<char>(emax))}, at_{writer.at} {
        const __m512i lower = _mm512_load_si512(writer.states.data());
        const __m512i upper = _mm512_load_si512(writer.states.data() + 32);
        even_ = _mm512_permutex2var_epi16(lower, even_words(), upper);
        odd_ = _mm512_permutex2var_epi16(lower, odd_words(), upper);
    }
    ~GroupEncoder() {
        const __m512i even_bytes = select(low_bytes(), even_, _mm512_slli_epi16(odd_, 8));
        const __m512i odd_bytes = select(low_bytes(), _mm512_srli_epi16(even_, 8), odd_);
        _mm512_store_si512(writer_.states.data(),
                           _mm512_permutex2var_epi8(even_bytes, bytes_of(kLowerInTurn), odd_bytes));
        _mm512_store_si512(writer_.states.data() + 32,
                           _mm512_permutex2var_epi8(even_bytes, bytes_of(kUpperInTurn), odd_bytes));
        writer_.at = at_;
    }
    GroupEncoder(const GroupEncoder&) = delete;
    GroupEncoder& operator=(const GroupEncoder&) = delete;

    /// One symbol of each lane; kWhole says that all lanes are active. `which` says which tables
    /// are whose.
    template <bool kWhole, class Tables, class Which>
    void group(const Tables& tables, const Which& which, __m512i differences,
               __mmask64 active) noexcept {
        const __m512i index = _mm512_min_epu8(differences, _mm512_set1_epi8(63));
        const __m512i lengths = tables.lengths(index, which);
        const __m512i codewords = tables.codewords(index, which);
        __mmask64 escapes = _mm512_movepi8_mask(lengths);
        const __m512i nibble = _mm512_set1_epi16(15);
        const __m512i even_length = _mm512_and_si512(lengths, nibble);
        const __m512i odd_length = _mm512_and_si512(_mm512_srli_epi16(lengths, 8), nibble);

        // A state has no room for the codeword if x >> (16 - length) is not 0. That has 8 bits.
        const __m512i byte = _mm512_set1_epi16(8);
        const __m512i even_over = _mm512_srlv_epi16(even_, _mm512_sub_epi16(byte, even_length));
        const __m512i odd_over = _mm512_srlv_epi16(odd_, _mm512_sub_epi16(byte, odd_length));
        const __m512i over = select(low_bytes(), _mm512_srli_epi16(even_over, 8), odd_over);
        __mmask64 full = _mm512_test_epi8_mask(over, over);
        const __m512i bytes = select(low_bytes(), even_, _mm512_slli_epi16(odd_, 8));
        const __m512i high = _mm512_set1_epi16(static_cast<short>(0xFF00));
        __m512i even =
            _mm512_mask_srli_epi16(even_, _mm512_test_epi16_mask(even_over, high), even_, 8);
        __m512i odd = _mm512_mask_srli_epi16(odd_, _mm512_test_epi16_mask(odd_over, high), odd_, 8);
        even = _mm512_or_si512(_mm512_sllv_epi16(even, even_length),
                               _mm512_and_si512(codewords, low_bytes()));
        odd = _mm512_or_si512(_mm512_sllv_epi16(odd, odd_length), _mm512_srli_epi16(codewords, 8));
        if constexpr (kWhole) {
            even_ = even;
            odd_ = odd;
        } else {
            full &= active;
            escapes &= active;
            const auto lanes_of = [&](std::uint64_t bits) {
                return static_cast<__mmask32>(_pext_u64(active, bits));
            };
            even_ = _mm512_mask_mov_epi16(even_, lanes_of(kEvenBits), even);
            odd_ = _mm512_mask_mov_epi16(odd_, lanes_of(kOddBits), odd);
        }
        if (escapes != 0) [[unlikely]] {
            // A decoder takes a lane's byte and then its exponent.
            const __m512i exponents = _mm512_sub_epi8(emax_, differences);
            put(_mm512_permutex2var_epi8(bytes, bytes_of(kUpperInTurn), exponents),
                interleaved(full, escapes, 32));
            put(_mm512_permutex2var_epi8(bytes, bytes_of(kLowerInTurn), exponents),
                interleaved(full, escapes, 0));
        } else {
            put(bytes, full);
        }
    }

private:
    static __m512i even_words() noexcept { return _mm512_slli_epi16(word_numbers(), 1); }
    static __m512i odd_words() noexcept {
        return _mm512_add_epi16(even_words(), _mm512_set1_epi16(1));
    }
    static __m512i word_numbers() noexcept {
        return _mm512_cvtepu8_epi16(
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kNumbers.data())));
    }
    static constexpr ByteIndex kNumbers = byte_index([](unsigned i) { return i; });

    /// Puts the bytes of `mask` in front of those before. They are moved to the register's end:
    /// what is stored below them comes to be overwritten, what is above them must stay.
    void put(__m512i bytes, __mmask64 mask) noexcept {
        const std::size_t count = count_bits(mask);
        const __m512i index =
            _mm512_add_epi8(bytes_of(kNumbers), _mm512_set1_epi8(static_cast<char>(count)));
        const __m512i packed = _mm512_maskz_compress_epi8(mask, bytes);
        _mm512_storeu_si512(at_ - kGroupLanes, _mm512_permutexvar_epi8(index, packed));
        at_ -= count;
    }

    CodeWriter& writer_;
    const __m512i emax_;
    __m512i even_;
    __m512i odd_;
    std::uint8_t* at_;
};

template <class Tables>
void encode_groups(CodeWriter& writer, const Tables& tables, const Stretch& stretch,
                   const std::uint8_t* differences) noexcept {
    GroupEncoder encoder{writer, stretch.emax};
    const std::size_t lead = stretch.first % kGroupLanes;
    const std::size_t end = lead + stretch.count;
    for (std::size_t group = (end + kGroupLanes - 1) / kGroupLanes; group-- > 0;) {
        const std::size_t start = kGroupLanes * group;  // in lanes from the first group's first
        if (start >= lead && start + kGroupLanes <= end) [[likely]] {
            encoder.template group<true>(
                tables, group, _mm512_loadu_si512(differences + (start - lead)), kAllLanes);
            continue;
        }
        const std::size_t from = start < lead ? lead : start;
        const std::size_t to = start + kGroupLanes < end ? start + kGroupLanes : end;
        const __mmask64 active = first_bits(to - from) << (from - start);
        const __m512i some =
            _mm512_maskz_loadu_epi8(first_bits(to - from), differences + (from - lead));
        encoder.template group<false>(tables, group, _mm512_maskz_expand_epi8(active, some),
                                      active);
    }
}

// ------------------------------------------------------------------------------------- decoding

struct DecodeRows {
    __m512i rows[4];

    explicit DecodeRows(const DecodeTable& table) noexcept {
        for (unsigned i = 0; i < 4; ++i) rows[i] = _mm512_load_si512(table.bytes.data() + 64 * i);
    }
    [[nodiscard]] __m512i of(__m512i low) const noexcept {
        return _mm512_mask_blend_epi8(_mm512_movepi8_mask(low),
                                      _mm512_permutex2var_epi8(rows[0], low, rows[1]),
                                      _mm512_permutex2var_epi8(rows[2], low, rows[3]));
    }
};

/// Symbols of a group as DecodeTable has them in a byte.
template <unsigned kEscapeSymbol>
struct PackedSymbols {
    __m512i lengths;  // less 1, in bits 0-2

    [[nodiscard]] __m512i differences() const noexcept {
        return _mm512_and_si512(_mm512_srli_epi16(lengths, 3), _mm512_set1_epi8(31));
    }
    [[nodiscard]] __mmask64 escapes(__m512i differences) const noexcept {
        return _mm512_cmpeq_epi8_mask(differences,
                                      _mm512_set1_epi8(static_cast<char>(kEscapeSymbol)));
    }
};

struct OneDecodeTable {
    DecodeRows rows;
    explicit OneDecodeTable(const DecodeTable& table) noexcept : rows{table} {}
    [[nodiscard]] PackedSymbols<kEscape> of(__m512i low, std::size_t /*group*/) const noexcept {
        return {rows.of(low)};
    }
};

struct TwoDecodeTables {
    DecodeRows rows[2];
    const std::uint64_t* which;
    [[nodiscard]] PackedSymbols<kEscape> of(__m512i low, std::size_t group) const noexcept {
        return {_mm512_mask_blend_epi8(which[group], rows[0].of(low), rows[1].of(low))};
    }
};

class GroupDecoder {
public:
    GroupDecoder(CodeReader& reader, const Stretch& stretch) noexcept
        : reader_{reader},
          emax_{_mm512_set1_epi8(static_cast<char>(stretch.emax))},
          beyond_{_mm512_set1_epi8(static_cast<char>(0xFFu << stretch.exponent_bits))},
          checks_symbols_{stretch.emax < kEscape - 1},
          at_{reader.at} {
        const __m512i lower = _mm512_load_si512(reader.states.data());
        const __m512i upper = _mm512_load_si512(reader.states.data() + 32);
        low_ = _mm512_permutex2var_epi8(lower, bytes_of(kEvenOfTwo), upper);
        high_ = _mm512_permutex2var_epi8(lower, bytes_of(kOddOfTwo), upper);
        spare_ = _mm512_sub_epi8(bit_widths(high_), _mm512_set1_epi8(2));
    }
    ~GroupDecoder() {
        _mm512_store_si512(reader_.states.data(),
                           _mm512_permutex2var_epi8(low_, bytes_of(kLowerInTurn), high_));
        _mm512_store_si512(reader_.states.data() + 32,
                           _mm512_permutex2var_epi8(low_, bytes_of(kUpperInTurn), high_));
        reader_.at = at_;
    }
    GroupDecoder(const GroupDecoder&) = delete;
    GroupDecoder& operator=(const GroupDecoder&) = delete;

    /// Nothing that cannot be has come up so far, and no byte beyond the end.
    [[nodiscard]] bool good() const noexcept { return wrong_ == 0 && at_ <= reader_.end; }

    /// One symbol of each lane; kWhole says that all lanes are active.
    template <bool kWhole, class Tables, class Which>
    [[nodiscard]] __m512i group(const Tables& tables, const Which& which,
                                __mmask64 active) noexcept {
        const auto symbols = tables.of(low_, which);
        const __m512i found = symbols.lengths;
        const __m512i even = select(low_bytes(), low_, _mm512_slli_epi16(high_, 8));
        const __m512i odd = select(low_bytes(), _mm512_srli_epi16(low_, 8), high_);
        const __m512i three = _mm512_set1_epi16(7);
        const __m512i even_length = _mm512_and_si512(found, three);  // less 1
        const __m512i odd_length = _mm512_and_si512(_mm512_srli_epi16(found, 8), three);
        const __m512i even_rest = _mm512_srlv_epi16(_mm512_srli_epi16(even, 1), even_length);
        const __m512i odd_rest = _mm512_srlv_epi16(_mm512_srli_epi16(odd, 1), odd_length);
        const __m512i low = select(low_bytes(), even_rest, _mm512_slli_epi16(odd_rest, 8));
        const __m512i high = select(low_bytes(), _mm512_srli_epi16(even_rest, 8), odd_rest);
        // The bits that wait are counted beside: that tells sooner than the states who wants a
        // byte.
        const __m512i spare = _mm512_sub_epi8(spare_, _mm512_and_si512(found, _mm512_set1_epi8(7)));
        __mmask64 wants = _mm512_movepi8_mask(spare);
        __m512i differences = symbols.differences();
        __mmask64 escapes = symbols.escapes(differences);
        if constexpr (!kWhole) {
            wants &= active;
            escapes &= active;
        }
        if (checks_symbols_) [[unlikely]] {
            wrong_ |= _mm512_mask_cmpgt_epu8_mask(active & ~escapes, differences, emax_);
        }
        __m512i new_low;
        if (escapes != 0) [[unlikely]] {
            const __m512i lower = take(interleaved(wants, escapes, 0));
            const __m512i upper = take(interleaved(wants, escapes, 32));
            const __m512i exponents = _mm512_permutex2var_epi8(lower, bytes_of(kOddOfTwo), upper);
            wrong_ |= _mm512_mask_test_epi8_mask(escapes, exponents, beyond_);
            differences = _mm512_mask_sub_epi8(differences, escapes, emax_, exponents);
            new_low = _mm512_permutex2var_epi8(lower, bytes_of(kEvenOfTwo), upper);
            new_low = _mm512_mask_blend_epi8(wants, low, new_low);
        } else {
            new_low = _mm512_mask_expand_epi8(low, wants, next_bytes());
            at_ += count_bits(wants);
        }
        const __m512i new_high = _mm512_mask_blend_epi8(wants, high, low);
        const __m512i new_spare = _mm512_mask_add_epi8(_mm512_sub_epi8(spare, _mm512_set1_epi8(1)),
                                                       wants, spare, _mm512_set1_epi8(7));
        if constexpr (kWhole) {
            low_ = new_low;
            high_ = new_high;
            spare_ = new_spare;
        } else {
            low_ = _mm512_mask_mov_epi8(low_, active, new_low);
            high_ = _mm512_mask_mov_epi8(high_, active, new_high);
            spare_ = _mm512_mask_mov_epi8(spare_, active, new_spare);
        }
        return differences;
    }

private:
    /// Zeros stand for the bytes beyond the end.
    [[nodiscard]] __m512i next_bytes() const noexcept {
        const std::ptrdiff_t left = reader_.end - at_;
        if (left >= static_cast<std::ptrdiff_t>(kGroupLanes)) [[likely]] {
            return _mm512_loadu_si512(at_);
        }
        return left <= 0 ? _mm512_setzero_si512()
                         : _mm512_maskz_loadu_epi8(first_bits(static_cast<std::size_t>(left)), at_);
    }

    [[nodiscard]] __m512i take(__mmask64 mask) noexcept {
        const __m512i bytes = _mm512_maskz_expand_epi8(mask, next_bytes());
        at_ += count_bits(mask);
        return bytes;
    }

    CodeReader& reader_;
    const __m512i emax_;
    const __m512i beyond_;
    const bool checks_symbols_;
    const std::uint8_t* at_;
    __m512i low_;
    __m512i high_;
    __m512i spare_;  // bits that wait, less 9
    __mmask64 wrong_ = 0;
};

/// Decodes a stretch and calls `keep` with the number of a symbol within it and the differences
/// from there on: those of a whole group, or of a part of one.
template <class Tables, class Keep>
bool decode_groups(CodeReader& reader, const Tables& tables, const Stretch& stretch,
                   Keep keep) noexcept {
    GroupDecoder decoder{reader, stretch};
    const std::size_t lead = stretch.first % kGroupLanes;
    const std::size_t end = lead + stretch.count;
    for (std::size_t group = 0, start = 0; start < end; ++group, start += kGroupLanes) {
        if (start >= lead && start + kGroupLanes <= end) [[likely]] {
            keep(start - lead, decoder.template group<true>(tables, group, kAllLanes));
            continue;
        }
        const std::size_t from = start < lead ? lead : start;
        const std::size_t to = start + kGroupLanes < end ? start + kGroupLanes : end;
        const __mmask64 active = first_bits(to - from) << (from - start);
        keep(from - lead, _mm512_maskz_compress_epi8(
                              active, decoder.template group<false>(tables, group, active)));
    }
    return decoder.good();
}

/// The same into memory.
template <class Tables>
bool decode_groups(CodeReader& reader, const Tables& tables, const Stretch& stretch,
                   std::uint8_t* differences) noexcept {
    return decode_groups(reader, tables, stretch,
                         [differences](std::size_t first, __m512i group) noexcept {
                             _mm512_storeu_si512(differences + first, group);
                         });
}

}  // namespace
}  // namespace entrolith
