// SPDX-License-Identifier: Apache-2.0
//
// entrolith/parts.hpp - how an encoder puts tensors into segments, and finds a chunk's values.
//
// Spec      FORMAT.md section 8, rules 10 and 11.
// Read me   Values stay where the caller has them. Only chunks that straddle tensors, or leave out
//           dead rows and columns, are copied, one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "entrolith/chunk_order.hpp"
#include "entrolith/directory.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {

/// A tensor to compress: aligned bit patterns in C order.
struct Input {
    std::string name;
    Dtype dtype;
    std::vector<std::uint64_t> shape;
    const void* values;
};

/// A segment to write, and the values of its tensors.
struct Part {
    Segment segment;
    std::vector<const void*> tensors;

    [[nodiscard]] Grid grid(std::size_t full) const noexcept { return segment.grid(full); }
};

/// A segment of one tensor. Throws std::invalid_argument if it is beyond the format.
[[nodiscard]] Part single_part(const Input& tensor, std::optional<Matrix> matrix,
                               std::uint64_t rank);

/// Rule 10: the matrix that a tensor is seen as, if any.
[[nodiscard]] std::optional<Matrix> choose_matrix(const Input& tensor, const Profile& profile,
                                                  const TableSet& tables);

/// Rule 11: the segments of a stream, which do not depend on the threads that look for matrices.
/// Throws std::invalid_argument if a tensor is beyond the format.
[[nodiscard]] std::vector<Part> make_parts(std::span<const Input> tensors, const Profile& profile,
                                           const TableSet& tables, unsigned threads);

/// The values of a chunk: a tensor's own, or else gathered in `room`.
template <class Value>
[[nodiscard]] const Value* chunk_values(const Part& part, const Grid::Tile& tile, Value* room);

}  // namespace entrolith
