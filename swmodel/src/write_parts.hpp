// SPDX-License-Identifier: Apache-2.0
//
// The parts of a chunk, written: those that chunks of all forms but stored and all zeros have.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "entrolith/chunk.hpp"
#include "entrolith/codes.hpp"
#include "entrolith/cross.hpp"
#include "entrolith/kernels.hpp"
#include "entrolith/raw_parts.hpp"
#include "entrolith/runs.hpp"
#include "entrolith/zeros.hpp"

namespace entrolith {

/// A chunk's values in the order that its parts see them in.
template <class Value>
struct ChunkValues {
    const Value* values;
    std::size_t count;
    const Value* nonzeros;
    std::size_t nonzero_count;
    const std::uint32_t* zeros;  // the bitmap, or null if no value is zero
    std::uint32_t check;

    [[nodiscard]] Rows rows(std::size_t width) const noexcept { return {count, width, zeros}; }
};

/// Finds the values that are not zero; bitmap and values go to `work`, if there are zeros.
template <class F>
ChunkValues<typename F::Value> part_zeros(const Kernel& kernel, const typename F::Value* values,
                                          std::size_t count, bool has_zeros, std::uint32_t check,
                                          Workspace& work) {
    if (!has_zeros) return {values, count, values, count, nullptr, check};
    auto* nonzeros = work.nonzeros<typename F::Value>();
    const std::size_t nonzero_count =
        kernel.values<F>().part_zeros(values, count, work.zeros.data(), nonzeros);
    return {values, count, nonzeros, nonzero_count, work.zeros.data(), check};
}

inline void encode_tokens(const Kernel& kernel, CodeWriter& writer, const Tokens& tokens,
                          Workspace& work) {
    const EncodeTable distances = make_encode_table(tokens.tables[0]);
    const EncodeTable runs = make_encode_table(tokens.tables[1]);
    const EncodeTable* const both[]{&distances, &runs};
    kernel.codes8.encode_mixed(writer, both, kTokenTables.data(), tokens.stretch(),
                               work.symbols.get());
}

/// Rules 1 and 5 of section 8: writes where the zeros are, if there are any, as tokens if that is
/// cheaper than the bitmap, and sets the bits of `mode`.
template <class Value>
std::uint8_t* choose_zeros(const RunKernel& kernel, const Profile& profile,
                           const ChunkValues<Value>& chunk, std::span<const std::size_t> widths,
                           Workspace& work, std::optional<Tokens>& tokens, unsigned& mode,
                           std::uint8_t* out) {
    const std::uint32_t* words = chunk.zeros;
    const std::size_t count = chunk.count;
    if (words == nullptr) return out;
    std::uint64_t least = 8 * zeros_bytes(words, count);
    const bool known = profile.known_pairs != 0;
    std::size_t at_hand = 0;  // the columns of the tokens in work.numbers
    const auto find = [&](std::size_t columns) {
        at_hand = columns;
        if (columns == 0) {
            return find_runs(kernel, words, count, known ? Zeros::kKnownRuns : Zeros::kRuns, 0,
                             known ? profile.known_pairs : kMaxPairs, work.numbers.get(),
                             work.symbols.get());
        }
        const std::size_t entries =
            cross_entries(kernel, words, {columns, count}, work.entries.data());
        return find_runs(kernel, work.entries.data(), entries, Zeros::kCross, columns, kMaxPairs,
                         work.numbers.get(), work.symbols.get());
    };
    const auto keep = [&](const std::optional<Tokens>& found) {
        if (!found || found->cost >= least) return;
        least = found->cost;
        tokens = found;
    };
    if (profile.runs || known) keep(find(0));
    if (profile.runs) {
        for (const std::size_t columns : widths) keep(find(columns));
    }
    mode |= zeros_bits(tokens ? tokens->mode : Zeros::kBitmap);
    if (!tokens) return write_zeros(words, count, out);
    if (tokens->columns != at_hand) tokens = find(tokens->columns);
    return write_runs(kernel, *tokens, chunk.nonzero_count, work.numbers.get(), work.symbols.get(),
                      out);
}

/// Writes the chunk's last `size` raw bytes to `out`.
template <class F>
void write_raw_tail(const Kernel& kernel, const typename F::Value* nonzeros, std::size_t count,
                    std::size_t size, Workspace& work, std::uint8_t* out) {
    std::size_t first = count;
    for (auto block = work.blocks.rbegin(); size > 0; ++block) {
        first -= block->count;
        const std::size_t packed = raw_bytes(block->count, F::kPartBits - block->trailing);
        kernel.values<F>().pack_raw(nonzeros + first, block->count, block->trailing,
                                    work.raw.get());
        const std::size_t taken = std::min(size, packed);
        size -= taken;
        std::memcpy(out + size, work.raw.get() + (packed - taken), taken);
    }
}

/// Writes all parts after the zeros: lanes, what write_head() writes, codes, and the raw parts of
/// work.blocks.
template <class F, class EncodeValues, class WriteHead>
std::uint8_t* write_parts(const Kernel& kernel, const ChunkValues<typename F::Value>& chunk,
                          const Parameters& parameters, const std::optional<Tokens>& tokens,
                          Workspace& work, EncodeValues&& encode_values, WriteHead&& write_head,
                          std::uint8_t* out) {
    std::size_t raw_size = 0;
    for (const Block& block : work.blocks) {
        raw_size += raw_bytes(block.count, F::kPartBits - block.trailing);
    }
    const std::size_t in_lanes = std::min(raw_size, parameters.tail());

    const std::size_t lanes = parameters.lanes();
    std::array<std::uint8_t, kMaxLanes> payload{};
    if (parameters.check != 0) store(payload.data(), chunk.check);
    write_raw_tail<F>(kernel, chunk.nonzeros, chunk.nonzero_count, in_lanes, work,
                      payload.data() + (lanes - in_lanes));
    std::uint8_t* const codes_end = work.codes.get() + work.codes_size;
    CodeWriter writer{{}, lanes, codes_end};
    for (std::size_t k = 0; k < lanes; ++k) {
        writer.states[k] = static_cast<std::uint16_t>(Lane::kLow | payload[k]);
    }
    encode_values(writer);
    if (tokens) encode_tokens(kernel, writer, *tokens, work);

    std::memcpy(out, writer.states.data(), 2 * lanes);
    out = write_head(out + 2 * lanes);
    const auto codes_size = static_cast<std::size_t>(codes_end - writer.at);
    std::memcpy(out, writer.at, codes_size);
    out += codes_size;
    std::size_t first = 0;
    std::uint8_t* raw = out;
    for (const Block& block : work.blocks) {
        kernel.values<F>().pack_raw(chunk.nonzeros + first, block.count, block.trailing, raw);
        raw += raw_bytes(block.count, F::kPartBits - block.trailing);
        first += block.count;
    }
    return out + (raw_size - in_lanes);
}

inline void write_chunk_head(std::uint8_t* out, unsigned mode, std::size_t size) noexcept {
    out[0] = static_cast<std::uint8_t>(mode);
    out[1] = static_cast<std::uint8_t>(size);
    out[2] = static_cast<std::uint8_t>(size >> 8);
    out[3] = static_cast<std::uint8_t>(size >> 16);
}

}  // namespace entrolith
