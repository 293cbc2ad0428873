// SPDX-License-Identifier: Apache-2.0
//
// codes: the code section (FORMAT.md section 6) as kernels encode and decode it, stretch by
// stretch.

#include "entrolith/codes.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "default_tables.hpp"
#include "entrolith/kernels.hpp"
#include "fuzzed_data.hpp"
#include "promise.hpp"

namespace entrolith::fuzz {
namespace {

const TableSet& tables() {
    static const TableSet set = [] {
        std::vector<Lengths> all(kDefaultTables.begin(), kDefaultTables.end());
        all.push_back({2, 2, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3});
        all.push_back({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1});
        all.push_back({4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4});
        return TableSet{all, kDefaultTablesIdentity};
    }();
    return set;
}

template <class Exponent>
const CodeKernel<Exponent>& operations() {
    if constexpr (sizeof(Exponent) == 1) {
        return kernel().codes8;
    } else {
        return kernel().codes16;
    }
}

enum class Coding { kRaw, kTable, kMixed };

struct Part {
    Coding coding;
    Stretch stretch;
    std::size_t tables[2];
    std::vector<std::uint64_t> which;
};

template <class Exponent>
std::vector<Part> read_parts(FuzzedData& input, std::size_t& symbols) {
    std::vector<Part> parts;
    symbols = 0;
    do {
        Part part{};
        part.coding = static_cast<Coding>(input.below(3));
        part.stretch = {symbols, 1 + input.below(600), input.integer<std::uint16_t>(),
                        input.flag() ? std::uint8_t{8 * sizeof(Exponent)} : std::uint8_t{5}};
        part.stretch.emax &= static_cast<std::uint16_t>((1u << part.stretch.exponent_bits) - 1);
        for (std::size_t& table : part.tables) table = input.below(tables().size());
        symbols += part.stretch.count;
        if (part.coding == Coding::kMixed) {
            const std::uint64_t pattern = input.integer<std::uint64_t>();
            const std::size_t words = (symbols - 1) / 64 - part.stretch.first / 64 + 1;
            for (std::size_t w = 0; w < words; ++w) {
                part.which.push_back(pattern * (2 * w + 1) ^ pattern >> w % 64);
            }
        }
        parts.push_back(std::move(part));
    } while (parts.size() < 8 && input.flag());
    return parts;
}

template <class Exponent>
void encode(CodeWriter& writer, const Part& part, const Exponent* differences) {
    const CodeKernel<Exponent>& ops = operations<Exponent>();
    const EncodeTable* const pair[2]{&tables().encode(part.tables[0]),
                                     &tables().encode(part.tables[1])};
    switch (part.coding) {
        case Coding::kRaw:
            encode_raw_block(writer, part.stretch, differences);
            return;
        case Coding::kTable:
            ops.encode(writer, *pair[0], part.stretch, differences);
            return;
        case Coding::kMixed:
            ops.encode_mixed(writer, pair, part.which.data(), part.stretch, differences);
    }
}

template <class Exponent>
bool decode(CodeReader& reader, const Part& part, Exponent* differences) {
    const CodeKernel<Exponent>& ops = operations<Exponent>();
    const DecodeTable* const pair[2]{&tables().decode(part.tables[0]),
                                     &tables().decode(part.tables[1])};
    switch (part.coding) {
        case Coding::kRaw:
            return decode_raw_block(reader, part.stretch, differences);
        case Coding::kTable:
            return ops.decode(reader, *pair[0], part.stretch, differences);
        case Coding::kMixed:
            return ops.decode_mixed(reader, pair, part.which.data(), part.stretch, differences);
    }
    return false;
}

using Codes = std::vector<std::uint8_t>;
template <class Exponent>
using Differences = std::vector<Exponent>;
/// Whether all is well, and what was decoded if so.
template <class Exponent>
using Decoded = std::tuple<bool, Differences<Exponent>, LaneStates, std::size_t>;

template <class Exponent>
Decoded<Exponent> decoded(Bytes codes, const LaneStates& initial, std::size_t lanes,
                          const std::vector<Part>& parts, std::size_t symbols) {
    Codes chunk{0};  // something is before the codes, even if there are none
    chunk.insert(chunk.end(), codes.begin(), codes.end());
    const Codes data = guarded(chunk);
    return under_every_kernel([&]() -> Decoded<Exponent> {
        CodeReader reader{initial, lanes, data.data() + 1, data.data() + data.size()};
        Differences<Exponent> differences(symbols + kSlack);
        for (const Part& part : parts) {
            if (!decode(reader, part, differences.data() + part.stretch.first)) return {};
        }
        differences.resize(symbols);
        return {true, differences, reader.states, static_cast<std::size_t>(reader.end - reader.at)};
    });
}

/// Differences that values can have: exponents are 0 .. emax, and most are close to it.
template <class Exponent>
Differences<Exponent> read_differences(FuzzedData& input, const std::vector<Part>& parts,
                                       std::size_t symbols) {
    const Bytes given = input.rest();
    Differences<Exponent> differences(symbols + kSlack);
    for (const Part& part : parts) {
        for (std::size_t i = 0; i < part.stretch.count; ++i) {
            const std::size_t j = part.stretch.first + i;
            const unsigned byte = given.empty() ? 0u : given[j % given.size()];
            const unsigned difference =
                byte < 192 ? byte % 16 : (byte - 192) * (part.stretch.emax / 64);
            differences[j] =
                static_cast<Exponent>(std::min<unsigned>(difference, part.stretch.emax));
        }
    }
    return differences;
}

template <class Exponent>
void encode_any(FuzzedData& input, std::size_t lanes) {
    std::size_t symbols = 0;
    const std::vector<Part> parts = read_parts<Exponent>(input, symbols);
    LaneStates last{};
    for (std::size_t k = 0; k < lanes; ++k) {
        last[k] = static_cast<std::uint16_t>(Lane::kLow | input.integer<std::uint8_t>());
    }
    const Differences<Exponent> differences = read_differences<Exponent>(input, parts, symbols);
    const auto [codes, initial] = under_every_kernel([&] {
        Codes room((1 + sizeof(Exponent)) * symbols + kSlack);
        CodeWriter writer{last, lanes, room.data() + room.size()};
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
            encode(writer, *part, differences.data() + part->stretch.first);
        }
        Codes written(writer.at, room.data() + room.size());
        return std::pair{written, writer.states};
    });
    const auto [good, back, states, left] =
        decoded<Exponent>(codes, initial, lanes, parts, symbols);
    promise(good, "what was encoded is decoded");
    promise(std::ranges::equal(back, std::span{differences}.first(symbols)), "symbols come back");
    promise(left == 0 && states == last, "the decoder ends where the encoder began");
}

template <class Exponent>
void decode_any(FuzzedData& input, std::size_t lanes) {
    std::size_t symbols = 0;
    const std::vector<Part> parts = read_parts<Exponent>(input, symbols);
    LaneStates initial{};
    for (std::size_t k = 0; k < lanes; ++k) {
        initial[k] = std::max(std::uint16_t{Lane::kLow}, input.integer<std::uint16_t>());
    }
    const auto found = decoded<Exponent>(input.rest(), initial, lanes, parts, symbols);
    for (const std::uint16_t state : std::get<LaneStates>(found)) {
        promise(!std::get<bool>(found) || state == 0 || state >= Lane::kLow,
                "a lane has bits to read");
    }
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace entrolith::fuzz;
    FuzzedData input{{data, size}};
    const std::size_t lanes = std::size_t{8} << input.below(4);
    switch (input.below(4)) {
        case 0:
            encode_any<std::uint8_t>(input, lanes);
            break;
        case 1:
            decode_any<std::uint8_t>(input, lanes);
            break;
        case 2:
            encode_any<std::uint16_t>(input, lanes);
            break;
        default:
            decode_any<std::uint16_t>(input, lanes);
    }
    return 0;
}
