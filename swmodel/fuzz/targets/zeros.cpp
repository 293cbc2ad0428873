// SPDX-License-Identifier: Apache-2.0
//
// zeros: the bitmap of zeros (FORMAT.md section 4.1), read from any bytes and written from any
// bits.

#include "entrolith/zeros.hpp"

#include <algorithm>
#include <vector>

#include "fuzzed_data.hpp"
#include "promise.hpp"

namespace entrolith::fuzz {
namespace {

using Words = std::vector<std::uint32_t>;

Words words_of(Bytes data, std::size_t count) {
    Words words(words_for(count));
    const Bytes bits = data.first(std::min(data.size(), 4 * words.size()));
    std::ranges::copy(bits, reinterpret_cast<std::uint8_t*>(words.data()));
    if (count % kWordBits != 0) words.back() &= (1u << (count % kWordBits)) - 1;
    return words;
}

std::vector<std::uint8_t> written(const Words& words, std::size_t count) {
    const std::size_t most = 4 * (words_for(words.size()) + words.size());
    std::vector<std::uint8_t> out(most + 4);
    out.resize(static_cast<std::size_t>(write_zeros(words.data(), count, out.data()) - out.data()));
    return out;
}

/// Whatever is accepted is what the writer writes: there is one form of a bitmap.
void read_any(Bytes data, std::size_t count) {
    const auto bytes = guarded(data);
    Words words(words_for(count));
    Cursor cursor{bytes, 0, bytes.size(), Cause::kCorrupt};
    const auto zeros = outcome_of([&] { return read_zeros(cursor, count, words.data()); });
    if (const Fault* fault = std::get_if<Fault>(&zeros)) {
        promise(fault->offset <= bytes.size(), "an offset lies in the stream");
        return;
    }
    const auto again = written(words, count);
    promise(std::ranges::equal(again, Bytes{bytes}.first(cursor.at())), "a bitmap has one form");
}

void write_any(Bytes data, std::size_t count) {
    const Words words = words_of(data, count);
    std::size_t zeros = 0;
    for (const std::uint32_t word : words) zeros += static_cast<std::size_t>(std::popcount(word));
    if (zeros == 0 || zeros == count) return;
    const auto bytes = written(words, count);
    Words back(words.size());
    Cursor cursor{bytes, 0, bytes.size(), Cause::kCorrupt};
    promise(read_zeros(cursor, count, back.data()) == zeros, "the number of zeros comes back");
    promise(back == words && cursor.left() == 0, "a bitmap comes back");
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace entrolith;
    fuzz::FuzzedData input{{data, size}};
    const std::size_t count = 1 + input.below(1u << 12);
    if (input.flag()) {
        fuzz::read_any(input.rest(), count);
    } else {
        fuzz::write_any(input.rest(), count);
    }
    return 0;
}
