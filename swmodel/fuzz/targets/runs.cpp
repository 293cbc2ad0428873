// SPDX-License-Identifier: Apache-2.0
//
// runs: zeros as distances and runs, with a cross, known tables or neither (FORMAT.md section 4.2):
// any bytes and classes read, and any bitmap written and read back.

#include "entrolith/runs.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "entrolith/cross.hpp"
#include "entrolith/zeros.hpp"
#include "fuzzed_data.hpp"
#include "promise.hpp"

namespace entrolith::fuzz {
namespace {

constexpr std::size_t kFull = 1u << 12;  // values of a full chunk
constexpr std::size_t kMostEntries = 3 * kFull;

using Words = std::vector<std::uint32_t>;

/// Bitmaps have words more, which may be touched.
Words bitmap(std::size_t bits) { return Words(words_for(bits) + kCrossSlackWords); }

std::size_t count_bits(const Words& words, std::size_t count) {
    std::size_t bits = 0;
    for (std::size_t i = 0; i < count; ++i) bits += words[i / kWordBits] >> (i % kWordBits) & 1;
    return bits;
}

/// The bitmap of `count` values, without what is beyond.
Words join(const Runs& runs, const std::vector<std::uint8_t>& classes, std::size_t count) {
    std::vector<std::uint8_t> scratch(kExtraScratch);
    Words entries = bitmap(kMostEntries);
    Words words = bitmap(count);
    join_runs(kernel().runs, runs, classes.data(), count, scratch.data(), entries.data(),
              words.data());
    promise(count_bits(words, count) == count - runs.nonzeros, "the runs add up to the zeros");
    promise(count % kWordBits == 0 || words[count / kWordBits] >> (count % kWordBits) == 0,
            "no zero lies beyond the chunk");
    words.resize(words_for(count));
    return words;
}

Zeros read_mode(FuzzedData& input) {
    return input.between<Zeros>(static_cast<std::size_t>(Zeros::kRuns),
                                static_cast<std::size_t>(Zeros::kKnownRuns));
}

void read_any(FuzzedData& input, std::size_t count) {
    const Zeros mode = read_mode(input);
    const Bytes given = input.take(input.below(512));
    const auto bytes = guarded(input.rest());
    const auto outcome = outcome_of([&] {
        Cursor cursor{bytes, 0, bytes.size(), Cause::kCorrupt};
        return read_runs(cursor, count, kFull, mode);
    });
    if (const Fault* fault = std::get_if<Fault>(&outcome)) {
        promise(fault->offset <= bytes.size(), "an offset lies in the stream");
        return;
    }
    const Runs& runs = std::get<Runs>(outcome);
    promise(runs.nonzeros > 0 && runs.nonzeros < count, "some values are zero, and some are not");
    std::vector<std::uint8_t> classes(runs.tokens());
    for (std::size_t i = 0; i < classes.size() && !given.empty(); ++i) {
        classes[i] = static_cast<std::uint8_t>(given[i % given.size()] % (kMaxClass + 1));
    }
    const auto joined =
        under_every_kernel([&] { return outcome_of([&] { return join(runs, classes, count); }); });
    if (const Fault* fault = std::get_if<Fault>(&joined)) {
        promise(fault->offset <= bytes.size(), "an offset lies in the stream");
    }
}

/// A bitmap out of runs, so that there are long ones.
Words read_bitmap(FuzzedData& input, std::size_t count) {
    Words words = bitmap(count);
    bool zero = input.flag();
    for (std::size_t i = 0; i < count; zero = !zero) {
        const std::size_t length = input.empty() ? count : 1 + input.skewed();
        for (const std::size_t end = std::min(count, i + length); i < end; ++i) {
            if (zero) words[i / kWordBits] |= 1u << (i % kWordBits);
        }
    }
    return words;
}

/// What the encoder makes of a bitmap; no bytes if the format cannot say it.
struct Written {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint8_t> symbols;

    bool operator==(const Written&) const = default;
};

Written write(const Words& words, std::size_t count, std::size_t zeros, Zeros mode,
              std::size_t columns) {
    const RunKernel& ops = kernel().runs;
    Words entries = words;
    std::size_t number = count;
    if (columns != 0) {
        const CrossShape shape{columns, count};
        entries = bitmap(shape.most_entries());
        number = cross_entries(ops, words.data(), shape, entries.data());
        promise(number <= shape.most_entries(), "a cross has no more entries than there can be");
    }
    std::vector<std::uint32_t> numbers(number + 1 + kSlack / sizeof(std::uint32_t));
    std::vector<std::uint8_t> symbols(2 * kMaxPairs + kSlack);
    const auto tokens = find_runs(ops, entries.data(), number, mode, columns, kMaxPairs,
                                  numbers.data(), symbols.data());
    if (!tokens) return {};
    promise(tokens->pairs >= 1 && tokens->pairs <= kMaxPairs, "the format can say the runs");
    const std::size_t size = runs_head_bytes(mode) + (tokens->extra_bits + 7) / 8;
    std::vector<std::uint8_t> room(size + kExtraSlack);
    const std::uint8_t* end =
        write_runs(ops, *tokens, count - zeros, numbers.data(), symbols.data(), room.data());
    promise(end == room.data() + size, "the part has its size");
    room.resize(size);
    symbols.resize(tokens->count());
    return {guarded(room), symbols};
}

void write_any(FuzzedData& input, std::size_t count) {
    const Zeros mode = read_mode(input);
    const std::size_t columns = mode == Zeros::kCross ? 1 + input.below(kFull) : 0;
    Words words = read_bitmap(input, count);
    const std::size_t zeros = count_bits(words, count);
    if (zeros == 0 || zeros == count) return;
    auto [bytes, symbols] =
        under_every_kernel([&] { return write(words, count, zeros, mode, columns); });
    if (bytes.empty()) return;

    Cursor cursor{bytes, 0, bytes.size(), Cause::kCorrupt};
    const Runs runs = read_runs(cursor, count, kFull, mode);
    promise(cursor.left() == 0 && runs.columns == columns && runs.nonzeros == count - zeros &&
                runs.tokens() == symbols.size(),
            "the part comes back");
    promise(read_classes(runs, symbols.data()), "classes are those that there are");
    words.resize(words_for(count));
    promise(
        under_every_kernel([&, &classes = symbols] { return join(runs, classes, count); }) == words,
        "the bitmap comes back");
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace entrolith::fuzz;
    FuzzedData input{{data, size}};
    const std::size_t count = 1 + input.skewed() % kFull;
    if (input.flag()) {
        read_any(input, count);
    } else {
        write_any(input, count);
    }
    return 0;
}
