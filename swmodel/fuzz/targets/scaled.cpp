// SPDX-License-Identifier: Apache-2.0
//
// scaled: scaled and signed chunks (FORMAT.md sections 4.4, 4.5) with a sound part `scale`, of any
// width, taps, offsets and tables, and any bytes as their codes. (A table out of any bytes would
// hardly ever be sound.)
//
// Input     lanes, dtype and form, number of values, zeros, scale, then lanes and codes.

#include <algorithm>
#include <array>
#include <vector>

#include "chunks.hpp"
#include "entrolith/make_table.hpp"
#include "entrolith/raw_parts.hpp"
#include "entrolith/scale.hpp"
#include "entrolith/signs.hpp"
#include "entrolith/zeros.hpp"
#include "fuzzed_data.hpp"
#include "promise.hpp"
#include "values.hpp"

namespace entrolith::fuzz {
namespace {

template <std::size_t kCount>
std::array<std::uint8_t, kCount> read_table(FuzzedData& input) {
    std::array<std::uint32_t, kCount> histogram{};
    for (std::uint32_t& count : histogram) count = 1u << input.below(20) >> 4;
    return make_table(histogram);
}

void read_head(FuzzedData& input, std::size_t full, unsigned most_trailing, ScaleHead& head) {
    head.width =
        static_cast<std::uint16_t>(1 + input.skewed() % std::min<std::size_t>(full, 65535));
    head.trailing = static_cast<std::uint8_t>(input.below(most_trailing + 1));
    head.first_offset = static_cast<std::int16_t>(
        kLowestOffset + static_cast<int>(input.below(kHighestOffset - kLowestOffset + 1)));
    head.offset_table = read_table<kSymbols>(input);
}

bool same_head(const ScaleHead& a, const ScaleHead& b) {
    return a.width == b.width && a.trailing == b.trailing && a.first_offset == b.first_offset &&
           a.offset_table == b.offset_table;
}

/// The part `scale`, and what follows from it.
struct Part {
    unsigned form;
    std::vector<std::uint8_t> bytes;
    unsigned raw_bits;  // of a value
};

/// A part that is written is read as it was.
Part scaled_part(FuzzedData& input, std::size_t full, unsigned mantissa_bits) {
    Scale scale{};
    read_head(input, full, mantissa_bits - 1, scale);
    for (WideLengths& table : scale.tables) table = read_table<kWideSymbols>(input);
    std::vector<std::uint8_t> bytes(kMostScaleBytes);
    bytes.resize(static_cast<std::size_t>(write_scale(scale, bytes.data()) - bytes.data()));
    promise(bytes.size() == scale_bytes(scale), "the part has its size");
    const auto written = guarded(bytes);
    Cursor cursor{written, 0, written.size(), Cause::kCorrupt};
    const Scale back = read_scale(cursor, mantissa_bits, full);
    promise(cursor.left() == 0 && same_head(back, scale) && back.tables == scale.tables,
            "the part comes back");
    return {kScaledForm, bytes, mantissa_bits - scale.trailing};
}

Part signed_part(FuzzedData& input, std::size_t full, unsigned mantissa_bits) {
    SignedScale scale{};
    read_head(input, full, mantissa_bits - 2, scale);
    scale.taps = static_cast<std::uint8_t>(1 + input.skewed() % 255);
    scale.sense_table = read_table<kSymbols>(input);
    for (SignedLengths& table : scale.tables) table = read_table<kSignedSymbols>(input);
    std::vector<std::uint8_t> bytes(kMostSignedScaleBytes);
    bytes.resize(static_cast<std::size_t>(write_signed_scale(scale, bytes.data()) - bytes.data()));
    promise(bytes.size() == signed_scale_bytes(scale), "the part has its size");
    const auto written = guarded(bytes);
    Cursor cursor{written, 0, written.size(), Cause::kCorrupt};
    const SignedScale back = read_signed_scale(cursor, mantissa_bits, full);
    promise(cursor.left() == 0 && same_head(back, scale) && back.taps == scale.taps &&
                back.sense_table == scale.sense_table && back.tables == scale.tables,
            "the part comes back");
    return {kSignedForm, bytes, mantissa_bits - 1 - scale.trailing};
}

template <class F>
void decode_any(FuzzedData& input, const Parameters& parameters, bool has_signs) {
    const std::size_t full = parameters.chunk();
    const std::size_t count = std::min(1 + input.skewed(), full);
    std::vector<std::uint8_t> chunk(count < full ? 8 : 4);
    std::size_t nonzeros = count;
    Noise noise{input.integer<std::uint8_t>()};

    if (const unsigned zeros_of_256 = input.integer<std::uint8_t>(); zeros_of_256 != 0) {
        std::vector<std::uint32_t> words(words_for(count));
        for (std::size_t i = 0; i < count; ++i) {
            if (noise() >> 56 >= zeros_of_256) continue;
            words[i / kWordBits] |= 1u << (i % kWordBits);
            --nonzeros;
        }
        if (nonzeros == 0) return;
        if (nonzeros != count) {
            std::vector<std::uint8_t> zeros(4 * (words.size() + words_for(words.size())) + 4);
            const std::uint8_t* end = write_zeros(words.data(), count, zeros.data());
            chunk.insert(chunk.end(), static_cast<const std::uint8_t*>(zeros.data()), end);
            chunk[0] |= static_cast<std::uint8_t>(zeros_bits(Zeros::kBitmap));
        }
    }

    const Part part = has_signs ? signed_part(input, full, F::kMantissaBits)
                                : scaled_part(input, full, F::kMantissaBits);
    chunk[0] |= static_cast<std::uint8_t>(part.form);
    for (std::size_t k = 0; k < parameters.lanes(); ++k) {
        const auto state = std::max<unsigned>(Lane::kLow, input.integer<std::uint16_t>());
        chunk.push_back(static_cast<std::uint8_t>(state));
        chunk.push_back(static_cast<std::uint8_t>(state >> 8));
    }
    chunk.insert(chunk.end(), part.bytes.begin(), part.bytes.end());
    const Bytes codes = input.rest();
    chunk.insert(chunk.end(), codes.begin(), codes.end());
    const std::size_t raw = raw_bytes(nonzeros, part.raw_bits);
    for (std::size_t i = parameters.tail(); i < raw; ++i) {
        chunk.push_back(static_cast<std::uint8_t>(noise() >> 56));
    }
    frame(chunk, count, full);
    static_cast<void>(decode_by_all<F>(guarded(chunk), count, parameters));
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace entrolith;
    fuzz::FuzzedData input{{data, size}};
    Parameters parameters = fuzz::read_parameters(input);
    parameters.version = 2;
    const std::size_t kind = input.below(4);
    if (kind % 2 == 1) {
        fuzz::decode_any<Fp32>(input, parameters, kind >= 2);
    } else {
        fuzz::decode_any<Bf16>(input, parameters, kind >= 2);
    }
    return 0;
}
