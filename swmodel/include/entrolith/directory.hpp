// SPDX-License-Identifier: Apache-2.0
//
// entrolith/directory.hpp - the tensors of a stream, and the segments that they are coded in.
//
// Spec      FORMAT.md section 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "entrolith/bytes.hpp"
#include "entrolith/dtype.hpp"
#include "entrolith/limits.hpp"
#include "entrolith/matrix.hpp"

namespace entrolith {

/// Predictors that are not reserved.
inline constexpr std::uint8_t kNoPredictor = 0;
inline constexpr std::uint8_t kMatrixPredictor = 3;

struct Tensor {
    std::string name;  // UTF-8
    std::vector<std::uint64_t> shape;
    std::uint64_t values;  // product of the shape
    std::uint64_t first;   // values of the segment before it
    std::uint64_t rank;    // position in the mapping
};

/// Tensors whose values are cut into chunks together.
struct Segment {
    Dtype dtype;
    std::optional<Matrix> matrix;  // of kMatrixPredictor, which has one tensor
    std::vector<Tensor> tensors;

    [[nodiscard]] std::uint8_t predictor() const noexcept {
        return matrix ? kMatrixPredictor : kNoPredictor;
    }
    /// Values of all tensors.
    [[nodiscard]] std::uint64_t values() const noexcept {
        return tensors.empty() ? 0 : tensors.back().first + tensors.back().values;
    }
    /// How they are cut into chunks of up to `full` values.
    [[nodiscard]] Grid grid(std::size_t full) const noexcept {
        return matrix ? matrix->grid(full) : Grid{values(), 1, 1, full};
    }
};

/// The product of a shape, or nothing if it is above kMaxValues.
[[nodiscard]] std::optional<std::uint64_t> count_values(std::span<const std::uint64_t> shape);

/// Reads the directory, which `cursor` holds exactly. `full` values are a full chunk. Throws
/// StreamError.
[[nodiscard]] std::vector<Segment> read_directory(Bytes data, Cursor cursor, std::uint8_t version,
                                                  bool mapping, std::size_t full);

/// Throws std::invalid_argument if a shape or their sum is beyond the format.
[[nodiscard]] std::vector<std::uint8_t> write_directory(std::span<const Segment> segments,
                                                        bool mapping);

}  // namespace entrolith
