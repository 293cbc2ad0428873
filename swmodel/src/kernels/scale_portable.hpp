// SPDX-License-Identifier: Apache-2.0
//
// The rows of scaled chunks, value by value.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "entrolith/dtype.hpp"
#include "entrolith/scale.hpp"
#include "portable_codes.hpp"

namespace entrolith {
namespace {

[[nodiscard]] inline bool bit_of(const std::uint8_t* bits, std::size_t i) noexcept {
    return (bits[i / 8] >> (i % 8) & 1) != 0;
}

/// As RowKernel says.
template <class F>
ScaleSurvey survey_rows(const typename F::Value* values, const Rows& rows,
                        const RowBuffers& buffers) noexcept {
    using Half = HalfOctaves<F>;
    ScaleSurvey found{true, 0, {}};
    std::fill_n(buffers.states, rows.columns(), ColumnState{});
    std::fill_n(buffers.tables, (rows.values + 7) / 8, std::uint8_t{0});
    auto all_bits = typename F::Value{0};
    std::size_t first = 0;
    for (std::size_t row = 0; row < rows.count(); ++row) {
        const std::size_t length = rows.length(row);
        std::int32_t sum = 0;
        std::size_t count = 0;
        for (std::size_t c = 0; c < length; ++c) {
            const auto value = values[first + c];
            const bool counts = value != 0;
            const int half = Half::exponent(value);
            sum += counts ? 8 * half + 4 - buffers.states[c].prediction(0) : 0;
            count += counts;
            all_bits |= value;
        }
        if (count == 0) {
            buffers.offsets[row] = kNoOffset;
            first += length;
            continue;
        }
        const int offset = row_offset(sum, count);
        buffers.offsets[row] = static_cast<std::int16_t>(offset);
        const int gain = state_gain(row);
        for (std::size_t c = 0; c < length; ++c) {
            const std::size_t i = first + c;
            if (values[i] == 0) continue;
            const int half = Half::exponent(values[i]);
            const int prediction = buffers.states[c].prediction(offset);
            const int q = predicted_half(prediction);
            const int d = half - q;
            found.possible &= d >= -128 && d <= 127;
            const unsigned table = static_cast<unsigned>(q) % 2;
            const auto difference = static_cast<std::uint8_t>(kCentre - d);
            buffers.differences[i] = difference;
            buffers.tables[i / 8] =
                static_cast<std::uint8_t>(buffers.tables[i / 8] | table << (i % 8));
            ++found.histograms[table][std::min<unsigned>(difference, kWideEscape)];
            buffers.states[c].learn(prediction, half, gain);
        }
        first += length;
    }
    constexpr auto kBeyond = typename F::Value{1} << Half::kMantissaBits;
    found.trailing = static_cast<std::uint8_t>(
        std::countr_zero(static_cast<typename F::Value>(all_bits | kBeyond)));
    return found;
}

/// As RowKernel says.
inline void encode_rows(CodeWriter& writer, const EncodeTable* const tables[2], const Rows& rows,
                        const RowBuffers& buffers) noexcept {
    std::uint8_t* at = writer.at;
    const std::size_t lane_mask = writer.lanes - 1;
    std::size_t i = rows.values;
    for (std::size_t row = rows.count(); row-- > 0;) {
        for (std::size_t c = rows.length(row); c-- > 0;) {
            --i;
            if (rows.is_zero(i)) continue;
            const std::uint8_t difference = buffers.differences[i];
            at = put_symbol(at, writer.states[c & lane_mask],
                            (*tables[bit_of(buffers.tables, i)])[difference],
                            std::uint16_t{kCentre}, difference);
        }
    }
    writer.at = at;
}

/// As RowKernel says.
inline bool decode_rows(CodeReader& reader, const DecodeTable* const tables[2], const Rows& rows,
                        const RowBuffers& buffers, std::uint16_t* half_octaves) noexcept {
    std::fill_n(buffers.states, rows.columns(), ColumnState{});
    const std::size_t lane_mask = reader.lanes - 1;
    const std::uint8_t* at = reader.at;
    std::size_t i = 0;
    for (std::size_t row = 0; row < rows.count(); ++row) {
        const int offset = buffers.offsets[row];
        const int gain = state_gain(row);
        const std::size_t length = rows.length(row);
        for (std::size_t c = 0; c < length; ++c, ++i) {
            if (rows.is_zero(i)) continue;
            const int prediction = buffers.states[c].prediction(offset);
            const int q = predicted_half(prediction);
            std::uint16_t& state = reader.states[c & lane_mask];
            Lane lane{state};
            const unsigned entry = tables[static_cast<unsigned>(q) % 2]->entries[lane.peek()];
            lane.drop(entry & 31);
            if (lane.wants_byte() != 0) {
                if (at == reader.end) return false;
                lane.take(*at++, ~0u);
            }
            state = static_cast<std::uint16_t>(lane.state());
            int d = kCentre - static_cast<int>(entry >> 8);
            if (entry >> 8 == kWideEscape) [[unlikely]] {
                if (at == reader.end) return false;
                d = static_cast<std::int8_t>(*at++);
            }
            const int half = q + d;
            if (half < 0 || half > kHighestHalf) return false;
            *half_octaves++ = static_cast<std::uint16_t>(kHighestHalf - half);
            buffers.states[c].learn(prediction, half, gain);
        }
    }
    reader.at = at;
    return true;
}

}  // namespace
}  // namespace entrolith
