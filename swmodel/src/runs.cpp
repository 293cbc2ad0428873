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
Runs read_runs(Cursor& cursor, std::size_t count, std::size_t full, Zeros zeros) {
    Runs runs{};
    if (zeros == Zeros::kCross) {
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
    if (zeros == Zeros::kKnownRuns) {
        const std::size_t known = cursor.integer<std::uint8_t>("known_tables");
        if (known >= kKnownTables.size()) {
            corrupt("known_tables", cursor.at() - 1,
                    "there are no tables " + std::to_string(known));
        }
        runs.tables = kKnownTables[known];
    } else {
        runs.tables = {read_table(cursor, "distance_table"), read_table(cursor, "run_table")};
    }
    runs.extra_at = cursor.at();
    runs.extra = {cursor.take(extra_bytes, "extra"), extra_bytes};
    return runs;
}

bool read_classes(const Runs& runs, std::uint8_t* symbols) noexcept {
    const std::size_t tokens = runs.tokens();
    std::uint8_t highest = 0;
    for (std::size_t token = 0; token < tokens; ++token) {
        const std::uint8_t symbol = symbols[token];
        const auto escaped = static_cast<std::uint8_t>(kClassEmax - symbol);
        symbols[token] = symbol < kEscape ? symbol : escaped;
        highest = std::max(highest, symbols[token]);
    }
    return highest <= kMaxClass;
}

void join_runs(const RunKernel& kernel, const Runs& runs, const std::uint8_t* classes,
               std::size_t count, std::uint8_t* scratch, std::uint32_t* entries,
               std::uint32_t* words) {
    const bool cross = runs.columns != 0;
    const CrossShape shape{cross ? runs.columns : count, count};
    const std::size_t most = cross ? shape.most_entries() : count;
    std::uint32_t* const sequence = cross ? entries : words;
    const std::size_t tokens = runs.tokens();
    std::uint32_t extra_bits = 0;
    for (std::size_t token = 0; token < tokens; ++token) {
        extra_bits += classes[token] == 0 ? 0u : classes[token] - 1u;
    }
    // Beyond `extra` bits are 0: whether they are wanted is seen only after what they lead to.
    const std::size_t wanted = (extra_bits + 7) / 8;
    std::copy(runs.extra.begin(), runs.extra.end(), scratch);
    const std::size_t end = std::max(wanted, runs.extra.size()) + kExtraSlack;
    std::fill(scratch + runs.extra.size(), scratch + end, std::uint8_t{0});

    std::fill_n(sequence, words_for(most) + kCrossSlackWords, 0u);
    const Expanded found = kernel.expand(classes, tokens, scratch, most, sequence);
    if (found.end > most) corrupt("pairs", runs.start + 2, "a run passes the last value");
    const std::size_t at = found.end;
    const std::size_t zeros = found.zeros;
    std::size_t nonzeros = count - zeros;
    if (cross) {
        const CrossJoined joined = join_cross(kernel, sequence, shape, words);
        if (at > joined.entries) corrupt("pairs", runs.start + 2, "a run passes the last value");
        nonzeros = joined.nonzeros;
    }
    if (nonzeros != runs.nonzeros) {
        corrupt("pairs", runs.start + 2, std::to_string(nonzeros) + " values are not zero");
    }
    const std::size_t unused = 8 * wanted - extra_bits;
    if (wanted != runs.extra.size() || (unused != 0 && runs.extra[wanted - 1] >> (8 - unused))) {
        corrupt("extra", runs.extra_at, "does not end with the last token");
    }
}

std::optional<Tokens> find_runs(const RunKernel& kernel, const std::uint32_t* words,
                                std::size_t count, Zeros mode, std::size_t columns,
                                std::size_t most, std::uint32_t* numbers,
                                std::uint8_t* classes) noexcept {
    Tokens tokens{};
    tokens.mode = mode;
    tokens.columns = columns;
    tokens.pairs = kernel.find(words, count, numbers) / 2;
    if (tokens.pairs > most) return std::nullopt;
    const ClassCounts counts = kernel.classify(numbers, tokens.count(), classes);
    std::array<Histogram, 2> histograms{};
    for (std::size_t parity = 0; parity < 2; ++parity) {
        Histogram& histogram = histograms[parity];
        for (unsigned c = 0; c < kClassRoom; ++c) {
            const std::uint32_t often = counts[parity][c];
            if (often == 0) continue;
            if (c > kMaxClass) return std::nullopt;
            histogram[std::min(c, kEscape)] += often;
            tokens.extra_bits += std::size_t{often} * class_of(c).extra_bits;
        }
    }
    const auto cost = [&](const TokenTables& tables) {
        return table_cost(tables[0], histograms[0], 8) + table_cost(tables[1], histograms[1], 8);
    };
    if (mode == Zeros::kKnownRuns) {
        const auto* cheapest = std::ranges::min_element(kKnownTables, {}, cost);
        tokens.known = static_cast<std::uint8_t>(cheapest - kKnownTables.begin());
        tokens.tables = *cheapest;
    } else {
        tokens.tables = {make_table(histograms[0]), make_table(histograms[1])};
    }
    const std::size_t bytes = runs_head_bytes(mode) + (tokens.extra_bits + 7) / 8;
    tokens.cost = 8 * bytes + cost(tokens.tables);
    return tokens;
}

std::uint8_t* write_runs(const RunKernel& kernel, const Tokens& tokens, std::size_t nonzeros,
                         const std::uint32_t* numbers, std::uint8_t* classes,
                         std::uint8_t* out) noexcept {
    const std::size_t extra_bytes = (tokens.extra_bits + 7) / 8;
    if (tokens.columns != 0) {
        store(out, static_cast<std::uint16_t>(tokens.columns));
        out += 2;
    }
    store(out, static_cast<std::uint16_t>(nonzeros));
    store(out + 2, static_cast<std::uint16_t>(tokens.pairs));
    store(out + 4, static_cast<std::uint16_t>(extra_bytes));
    out += 6;
    if (tokens.mode == Zeros::kKnownRuns) {
        *out++ = tokens.known;
    } else {
        store(out, pack_table(tokens.tables[0]));
        store(out + 8, pack_table(tokens.tables[1]));
        out += 16;
    }
    kernel.write_extra(numbers, tokens.count(), out);

    ClassSymbols symbols{};
    for (std::size_t parity = 0; parity < 2; ++parity) {
        for (unsigned c = 0; c <= kMaxClass; ++c) {
            const bool coded = c < kEscape && tokens.tables[parity][c] != 0;
            symbols[parity][c] = static_cast<std::uint8_t>(coded ? c : kClassEmax - c);
        }
    }
    kernel.rename(classes, tokens.count(), symbols);
    return out + extra_bytes;
}

}  // namespace entrolith
