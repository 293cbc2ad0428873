// SPDX-License-Identifier: Apache-2.0

#include "entrolith/runs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "entrolith/cross.hpp"
#include "entrolith/make_table.hpp"
#include "entrolith/zeros.hpp"

namespace entrolith {
namespace {

constexpr unsigned kClasses = kMaxClass + 1;

/// A number less 1 is `base` + its extra bits.
struct Class {
    std::uint32_t base;
    std::uint32_t extra_bits;
};

constexpr std::array<Class, kClasses> kClass = [] {
    std::array<Class, kClasses> classes{};
    for (unsigned c = 1; c < kClasses; ++c) {
        classes[c] = {1u << (c - 1), c - 1};
    }
    return classes;
}();

[[noreturn]] void corrupt(const char* field, std::size_t offset, const std::string& why) {
    throw StreamError{Cause::kCorrupt, field, offset, why};
}

/// Sets the bits first .. last - 1 of a bitmap that is made of words of 64 bits.
void set_bits(std::uint32_t* words, std::size_t first, std::size_t last) noexcept {
    auto* bytes = reinterpret_cast<std::uint8_t*>(words);
    while (first < last) {
        const std::size_t shift = first % 64;
        const std::size_t length = std::min(64 - shift, last - first);
        std::uint8_t* at = bytes + first / 64 * 8;
        store(at, load<std::uint64_t>(at) | ~std::uint64_t{0} >> (64 - length) << shift);
        first += length;
    }
}

}  // namespace

Runs read_runs(Cursor& cursor, std::size_t count, std::size_t full, bool cross) {
    Runs runs{};
    if (cross) {
        runs.columns = cursor.integer<std::uint16_t>("columns");
        if (runs.columns == 0 || runs.columns > full) {
            corrupt("columns", cursor.at() - 2, std::to_string(runs.columns) + " columns");
        }
    }
    runs.start = cursor.at();
    runs.nonzeros = cursor.integer<std::uint16_t>("nonzeros");
    if (runs.nonzeros == 0 || runs.nonzeros >= count) {
        corrupt("nonzeros", runs.start,
                std::to_string(runs.nonzeros) + " of " + std::to_string(count) + " values");
    }
    runs.pairs = cursor.integer<std::uint16_t>("pairs");
    if (runs.pairs == 0 || runs.pairs > kMaxPairs) {
        corrupt("pairs", cursor.at() - 2, std::to_string(runs.pairs) + " pairs");
    }
    const auto extra_bytes = cursor.integer<std::uint16_t>("extra_bytes");
    runs.tables = {read_table(cursor, "distance_table"), read_table(cursor, "run_table")};
    runs.extra = {cursor.take(extra_bytes, "extra"), extra_bytes};
    return runs;
}

bool read_classes(const Runs& runs, std::uint8_t* symbols) noexcept {
    std::uint8_t highest = 0;
    for (std::size_t token = 0; token < runs.tokens(); ++token) {
        const std::uint8_t symbol = symbols[token];
        const auto escaped = static_cast<std::uint8_t>(kClassEmax - symbol);
        symbols[token] = symbol < kEscape ? symbol : escaped;
        highest = std::max(highest, symbols[token]);
    }
    return highest < kClasses;
}

void join_runs(const Runs& runs, const std::uint8_t* classes, std::size_t count,
               std::uint8_t* scratch, std::uint32_t* entries, std::uint32_t* words) {
    const bool cross = runs.columns != 0;
    const CrossShape shape{cross ? runs.columns : count, count};
    const std::size_t most = cross ? shape.most_entries() : count;
    std::uint32_t* const sequence = cross ? entries : words;
    std::size_t extra_bits = 0;
    for (std::size_t token = 0; token < runs.tokens(); ++token) {
        extra_bits += kClass[classes[token]].extra_bits;
    }
    // Beyond `extra` bits are 0: whether they are wanted is seen only after what they lead to.
    const std::size_t wanted = (extra_bits + 7) / 8;
    std::copy(runs.extra.begin(), runs.extra.end(), scratch);
    const std::size_t end = std::max(wanted, runs.extra.size()) + kExtraSlack;
    std::fill(scratch + runs.extra.size(), scratch + end, std::uint8_t{0});

    std::fill_n(sequence, words_for(most) + kCrossSlackWords, 0u);
    std::size_t bit = 0;
    std::size_t at = 0;  // of the next value
    std::size_t zeros = 0;
    for (std::size_t token = 0; token < runs.tokens(); token += 2) {
        const Class distance = kClass[classes[token]];
        const Class run = kClass[classes[token + 1]];
        std::uint64_t bits = load<std::uint64_t>(scratch + bit / 8) >> (bit % 8);
        const auto take = [&bits](Class c) {
            const std::uint64_t low = bits & ((std::uint64_t{1} << c.extra_bits) - 1);
            bits >>= c.extra_bits;
            return c.base + static_cast<std::size_t>(low);
        };
        const std::size_t first = at + take(distance) + (token != 0);
        at = first + take(run) + 1;
        bit += std::size_t{distance.extra_bits} + run.extra_bits;
        if (at > most) corrupt("pairs", runs.start + 2, "a run passes the last value");
        zeros += at - first;
        set_bits(sequence, first, at);
    }
    std::size_t nonzeros = count - zeros;
    if (cross) {
        const CrossJoined joined = join_cross(sequence, shape, words);
        if (at > joined.entries) corrupt("pairs", runs.start + 2, "a run passes the last value");
        nonzeros = joined.nonzeros;
    }
    if (nonzeros != runs.nonzeros) {
        corrupt("pairs", runs.start + 2, std::to_string(nonzeros) + " values are not zero");
    }
    const std::size_t unused = 8 * wanted - extra_bits;
    if (wanted != runs.extra.size() || (unused != 0 && runs.extra[wanted - 1] >> (8 - unused))) {
        corrupt("extra", runs.start + kRunsHeadBytes, "does not end with the last token");
    }
}

std::optional<Tokens> find_runs(const std::uint32_t* words, std::size_t count, std::size_t columns,
                                std::uint32_t* numbers) noexcept {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(words);
    std::uint32_t* next = numbers;
    std::size_t after = 0;  // the last place where a run begins or ends
    std::uint64_t before = 0;
    for (std::size_t first = 0; first <= count; first += 64) {
        const std::size_t left = count - first;
        std::uint64_t word = left != 0 ? load<std::uint64_t>(bytes + first / 8) : 0;
        if (left < 64) word &= (std::uint64_t{1} << left) - 1;
        std::uint64_t edges = word ^ (word << 1 | before);
        before = word >> 63;
        for (; edges != 0; edges &= edges - 1) {
            const std::size_t edge = first + static_cast<std::size_t>(std::countr_zero(edges));
            *next++ = static_cast<std::uint32_t>(edge - after);
            after = edge + 1;
        }
    }

    Tokens tokens{};
    tokens.columns = columns;
    tokens.pairs = static_cast<std::size_t>(next - numbers) / 2;
    if (tokens.pairs > kMaxPairs) return std::nullopt;
    std::array<std::array<std::uint32_t, kClasses>, 4>
        counts{};  // two each, so that equal classes wait less for each other
    for (std::size_t token = 0; token < tokens.count(); ++token) {
        const auto c = static_cast<unsigned>(std::bit_width(numbers[token]));
        if (c > kMaxClass) return std::nullopt;
        ++counts[token % 4][c];
    }
    tokens.cost = 8 * (kRunsHeadBytes + (columns != 0 ? 2 : 0));
    for (std::size_t parity = 0; parity < 2; ++parity) {
        Histogram histogram{};
        for (unsigned c = 0; c < kClasses; ++c) {
            const std::uint32_t often = counts[parity][c] + counts[parity + 2][c];
            histogram[std::min(c, kEscape)] += often;
            tokens.extra_bits += std::size_t{often} * kClass[c].extra_bits;
        }
        tokens.tables[parity] = make_table(histogram);
        tokens.cost += table_cost(tokens.tables[parity], histogram, 8);
    }
    tokens.cost += 8 * ((tokens.extra_bits + 7) / 8);
    return tokens;
}

std::uint8_t* write_runs(const Tokens& tokens, std::size_t nonzeros, const std::uint32_t* numbers,
                         std::uint8_t* symbols, std::uint8_t* out) noexcept {
    const std::size_t extra_bytes = (tokens.extra_bits + 7) / 8;
    if (tokens.columns != 0) {
        store(out, static_cast<std::uint16_t>(tokens.columns));
        out += 2;
    }
    store(out, static_cast<std::uint16_t>(nonzeros));
    store(out + 2, static_cast<std::uint16_t>(tokens.pairs));
    store(out + 4, static_cast<std::uint16_t>(extra_bytes));
    store(out + 6, pack_table(tokens.tables[0]));
    store(out + 14, pack_table(tokens.tables[1]));
    out += kRunsHeadBytes;
    std::uint8_t* const end = out + extra_bytes;

    std::array<std::array<std::uint8_t, kClasses>, 2> symbol{};
    for (std::size_t parity = 0; parity < 2; ++parity) {
        for (unsigned c = 0; c < kClasses; ++c) {
            const bool coded = c < kEscape && tokens.tables[parity][c] != 0;
            symbol[parity][c] = static_cast<std::uint8_t>(coded ? c : kClassEmax - c);
        }
    }
    std::uint64_t bits = 0;
    unsigned fill = 0;  // at most 7 + 2 * 16 bits before they are stored
    for (std::size_t token = 0; token < tokens.count(); token += 2) {
        for (std::size_t parity = 0; parity < 2; ++parity) {
            const std::uint64_t number = numbers[token + parity];
            const auto c = static_cast<unsigned>(std::bit_width(number));
            symbols[token + parity] = symbol[parity][c];
            bits |= (number - kClass[c].base) << fill;
            fill += kClass[c].extra_bits;
        }
        store(out, bits);
        out += fill / 8;
        bits >>= fill / 8 * 8;
        fill %= 8;
    }
    return end;
}

}  // namespace entrolith
