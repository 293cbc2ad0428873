// SPDX-License-Identifier: Apache-2.0
//
// entrolith/workspace.hpp - the buffers that coding a chunk takes: made once, used for every chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "entrolith/blocks.hpp"
#include "entrolith/dynamic.hpp"
#include "entrolith/kernels.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/signs.hpp"

namespace entrolith {

/// Buffers of one thread, for chunks of up to `values` values, each with kSlack bytes beyond.
class Workspace {
public:
    Workspace(std::size_t values, const Parameters& parameters);

    /// Non-zero values.
    template <class Value>
    [[nodiscard]] Value* nonzeros() noexcept {
        return reinterpret_cast<Value*>(nonzeros_.get());
    }
    /// emax - exponent of each non-zero value.
    template <class Exponent>
    [[nodiscard]] Exponent* differences() noexcept {
        return reinterpret_cast<Exponent*>(differences_.get());
    }

    std::size_t codes_size;
    std::unique_ptr<std::uint8_t[]> codes;  // the encoder fills it from its end
    std::unique_ptr<std::uint8_t[]> raw;    // of one block
    std::vector<std::uint32_t> zeros;       // the bitmap
    std::vector<std::uint32_t> entries;     // of a cross
    std::vector<Block> blocks;

    // Tables of the chunk's own, as the format has them and as the coders do.
    std::vector<BlockCost> costs;
    std::vector<Lengths> tables;
    std::vector<EncodeTable> encode_tables;
    std::vector<DecodeTable> decode_tables;

    // Tokens of zero runs.
    std::unique_ptr<std::uint32_t[]> numbers;
    std::unique_ptr<std::uint8_t[]> symbols;
    std::unique_ptr<std::uint8_t[]> extra;

    // Rows of scaled and signed chunks.
    [[nodiscard]] RowBuffers rows() const noexcept {
        return {states.get(), offsets.get(), row_differences.get(), row_tables.get(), halves.get()};
    }
    std::unique_ptr<ColumnState[]> states;
    std::unique_ptr<std::int16_t[]> offsets;
    std::unique_ptr<std::uint8_t[]> row_differences;
    std::unique_ptr<std::uint8_t[]> row_tables;
    std::unique_ptr<std::uint16_t[]> halves;
    [[nodiscard]] SignBuffers signs() const noexcept {
        return {leans.get(), senses.get(), signed_differences.get(), signed_tables.get()};
    }
    std::unique_ptr<ColumnLean[]> leans;
    std::unique_ptr<std::uint8_t[]> senses;
    std::unique_ptr<std::uint8_t[]> signed_differences;
    std::unique_ptr<std::uint8_t[]> signed_tables;

    /// `count` values in the order of their taps; made where they are first asked for.
    template <class Value>
    [[nodiscard]] Value* reordered(std::size_t count) {
        reordered_.resize(count * sizeof(Value) + kSlack);
        return reinterpret_cast<Value*>(reordered_.data());
    }
    /// Room for a chunk to be compared with another, in the same way.
    [[nodiscard]] std::uint8_t* attempt(std::size_t bytes) {
        attempt_.resize(bytes);
        return attempt_.data();
    }

private:
    std::unique_ptr<std::byte[]> differences_;
    std::unique_ptr<std::byte[]> nonzeros_;
    std::vector<std::byte> reordered_;
    std::vector<std::uint8_t> attempt_;
};

}  // namespace entrolith
