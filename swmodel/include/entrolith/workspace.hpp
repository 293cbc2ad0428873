// SPDX-License-Identifier: Apache-2.0
//
// entrolith/workspace.hpp - the buffers that coding a chunk takes: made once, used for every chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "entrolith/blocks.hpp"
#include "entrolith/kernels.hpp"
#include "entrolith/profile.hpp"

namespace entrolith {

/// Buffers of one thread, for chunks of up to `values` values, each with kSlack bytes beyond.
class Workspace {
public:
    Workspace(std::size_t values, const Parameters& parameters);

    /// Non-zero values, bit patterns of 2 or 4 bytes.
    template <class Value>
    [[nodiscard]] Value* nonzeros() noexcept {
        return reinterpret_cast<Value*>(nonzeros_.get());
    }

    std::unique_ptr<std::uint8_t[]> differences;  // emax - exponent of each non-zero value
    std::unique_ptr<std::uint8_t[]> codes;        // the encoder fills it from its end
    std::unique_ptr<std::uint8_t[]> raw;          // of one block
    std::vector<std::uint32_t> zeros;             // the bitmap
    std::vector<Block> blocks;
    std::size_t codes_size;

private:
    std::unique_ptr<std::byte[]> nonzeros_;
};

}  // namespace entrolith
