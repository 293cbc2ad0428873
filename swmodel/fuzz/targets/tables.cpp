// SPDX-License-Identifier: Apache-2.0
//
// tables: any lengths of 16, 32 and 64 symbols as a code table (FORMAT.md section 3.2), against
// what makes a code complete, and tables made of any histogram (section 8, rule 7).

#include "entrolith/tables.hpp"

#include <array>
#include <cstdint>

#include "entrolith/make_table.hpp"
#include "fuzzed_data.hpp"
#include "promise.hpp"

namespace entrolith::fuzz {
namespace {

constexpr unsigned kLongest = 8;

template <std::size_t kCount>
using Table = std::array<std::uint8_t, kCount>;

template <std::size_t kCount>
bool is_code(const Table<kCount>& lengths) {
    unsigned used = 0;  // of 256ths
    for (const unsigned length : lengths) {
        if (length > kLongest) return false;
        if (length != 0) used += 256u >> length;
    }
    return lengths.back() != 0 && used == 256;
}

/// Every symbol's codeword, whatever bits follow it, is read as that symbol, and nothing else is;
/// what registers hold is what memory holds.
template <std::size_t kCount>
void follow(const Table<kCount>& lengths) {
    constexpr unsigned kLast = kCount - 1;
    const EncodeTable encode = make_encode_table(lengths);
    const DecodeTable decode = make_decode_table(lengths);
    unsigned seen = 0;
    for (std::uint8_t symbol = 0; symbol < kCount; ++symbol) {
        const EncodeTable::Entry entry = encode[symbol];
        const unsigned length = entry & 31;
        const unsigned bits = entry >> 8 & 255;
        const bool escaped = (entry & EncodeTable::kEscape) != 0;
        promise(encode.lengths[symbol] == (length | (escaped ? 128u : 0u)) &&
                    encode.codewords[symbol] == bits,
                "a codeword is the same in registers");
        promise(escaped == (symbol == kLast || lengths[symbol] == 0),
                "symbols without a codeword are escaped");
        if (escaped && symbol != kLast) continue;
        promise(length == lengths[symbol], "a codeword has its length");
        for (unsigned above = 0; above < 256u >> length; ++above, ++seen) {
            const unsigned next = above << length | bits;
            promise(decode[next] == (unsigned{symbol} << 8 | length),
                    "a codeword is read as its symbol");
        }
    }
    promise(seen == 256, "every byte starts with a codeword");
}

/// The same of signed chunks' tables, which are read as differences.
void follow(const SignedLengths& lengths) {
    const EncodeTable encode = make_signed_encode_table(lengths);
    const SignedDecodeTable decode = make_signed_decode_table(lengths);
    unsigned seen = 0;
    for (std::uint8_t difference = 0; difference < kSignedSymbols; ++difference) {
        const unsigned symbol = difference ^ 1u;
        const EncodeTable::Entry entry = encode[difference];
        const unsigned length = entry & 31;
        const unsigned bits = entry >> 8 & 255;
        const bool escaped = (entry & EncodeTable::kEscape) != 0;
        promise(encode.lengths[difference] == (length | (escaped ? 128u : 0u)) &&
                    encode.codewords[difference] == bits,
                "a codeword is the same in registers");
        promise(escaped == (symbol == kSignedEscape || lengths[symbol] == 0),
                "symbols without a codeword are escaped");
        if (escaped && symbol != kSignedEscape) continue;
        promise(length == lengths[symbol], "a codeword has its length");
        for (unsigned above = 0; above < 256u >> length; ++above, ++seen) {
            const unsigned next = above << length | bits;
            promise(decode[next] == (unsigned{difference} << 8 | length),
                    "a codeword is read as its difference");
        }
    }
    promise(seen == 256, "every byte starts with a codeword");
}

template <std::size_t kCount>
void check(FuzzedData& input) {
    Table<kCount> lengths;
    for (std::uint8_t& length : lengths) length = input.integer<std::uint8_t>() % 10;
    const auto outcome = outcome_of([&] {
        check_table(lengths, "tables", 0);
        return true;
    });
    promise(accepted(outcome) == is_code(lengths), "a table is a complete code with an escape");
    if (accepted(outcome)) follow(lengths);
}

/// What is made of a histogram is a code with a codeword for all that occurs once in 1024.
template <std::size_t kCount>
void make(FuzzedData& input) {
    std::array<std::uint32_t, kCount> histogram;
    std::uint32_t total = 0;
    for (std::uint32_t& count : histogram) {
        const std::size_t shift = 9 + input.below(23);  // so that they add up to less than 2^28
        count = input.integer<std::uint32_t>() >> shift;
        total += count;
    }
    const Table<kCount> lengths = make_table(histogram);
    promise(is_code(lengths), "what is made is a code");
    follow(lengths);
    const auto frequent = [&](unsigned symbol) { return gets_codeword(histogram[symbol], total); };
    bool any = false;
    for (unsigned symbol = 0; symbol < kCount - 1; ++symbol) any |= frequent(symbol);
    for (unsigned symbol = 0; symbol < kCount - 1; ++symbol) {
        promise((lengths[symbol] != 0) == (any ? frequent(symbol) : symbol == 0),
                "symbols have a codeword if they are not rare");
        for (unsigned other = 0; other < symbol; ++other) {
            if (lengths[symbol] == 0 || lengths[other] == 0) continue;
            promise(histogram[symbol] < histogram[other]   ? lengths[symbol] >= lengths[other]
                    : histogram[symbol] > histogram[other] ? lengths[symbol] <= lengths[other]
                                                           : true,
                    "rarer symbols have no shorter codewords");
        }
    }
}

/// From the four bits a length that a stream has.
void read(FuzzedData& input) {
    const auto bytes = guarded(input.take(8));
    const auto outcome = outcome_of([&] {
        Cursor cursor{bytes, 0, bytes.size(), Cause::kCorrupt};
        return read_table(cursor, "tables");
    });
    if (bytes.size() < 8) {
        promise(!accepted(outcome), "a cut table is refused");
        return;
    }
    Lengths lengths;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        lengths[i] = bytes[i / 2] >> (4 * (i % 2)) & 15;
    }
    promise(accepted(outcome) == is_code(lengths), "a table is a complete code with an escape");
    promise(!accepted(outcome) || std::get<Lengths>(outcome) == lengths, "lengths are four bits");
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace entrolith;
    fuzz::FuzzedData input{{data, size}};
    switch (input.below(7)) {
        case 0:
            fuzz::check<kSymbols>(input);
            break;
        case 1:
            fuzz::check<kWideSymbols>(input);
            break;
        case 2:
            fuzz::make<kSymbols>(input);
            break;
        case 3:
            fuzz::make<kWideSymbols>(input);
            break;
        case 4:
            fuzz::check<kSignedSymbols>(input);
            break;
        case 5:
            fuzz::make<kSignedSymbols>(input);
            break;
        default:
            fuzz::read(input);
    }
    return 0;
}
