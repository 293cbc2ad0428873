// SPDX-License-Identifier: Apache-2.0
//
// Rule 10 of FORMAT.md section 8.

#include <array>
#include <utility>

#include "entrolith/compress.hpp"
#include "entrolith/parts.hpp"

namespace entrolith {
namespace {

constexpr std::uint64_t kWidestStrip = 512;
constexpr std::uint64_t kFewestRows = 32;
constexpr std::uint64_t kFewestColumns = 16;
constexpr std::uint64_t kFewestValuesByShape = 1u << 14;
constexpr std::uint64_t kFewestValuesBySize = 1u << 14;
constexpr std::uint64_t kChannels = 16;  // for which a convolution's columns are its inputs

Matrix matrix_of(const Input& tensor, std::uint8_t view) {
    return with_dtype(tensor.dtype, [&](auto f) {
        const auto* patterns = static_cast<const typename decltype(f)::Value*>(tensor.values);
        return find_dead(patterns, tensor.shape, view, kWidestStrip);
    });
}

bool may_be_scaled(Dtype dtype) {
    return with_dtype(dtype, [](auto f) { return decltype(f)::kExponentBits == 8; });
}

/// A convolution is seen with its inputs as columns, unless there is more dead if every tap of an
/// input is a column of its own.
std::optional<Matrix> choose_by_shape(const Input& tensor) {
    const auto& shape = tensor.shape;
    const std::uint8_t view = shape.size() >= 3 && shape[1] >= kChannels ? 0 : 1;
    const Extent e = *extent(shape, view);
    if (e.rows < kFewestRows || e.columns < kFewestColumns ||
        e.rows * e.columns < kFewestValuesByShape) {
        return std::nullopt;
    }
    Matrix matrix = matrix_of(tensor, view);
    if (view == 0) {
        Matrix other = matrix_of(tensor, 1);
        if (16 * other.live() < 15 * matrix.live()) matrix = std::move(other);
    }
    const bool of_use = may_be_scaled(tensor.dtype) || !matrix.all_live();
    if (matrix.live() == 0 || !of_use) return std::nullopt;
    return matrix;
}

std::optional<Matrix> choose_by_size(const Input& tensor, const Profile& profile,
                                     const TableSet& tables) {
    const auto dimensions = tensor.shape.size();
    const Extent e = *extent(tensor.shape, 1);
    if (e.rows * e.columns < kFewestValuesBySize) return std::nullopt;
    std::optional<Matrix> best;
    std::uint64_t least = segment_size(single_part(tensor, std::nullopt, 0), profile, tables);
    const std::array views{std::size_t{0}, std::size_t{1}, dimensions - 1};
    for (const std::size_t view : std::span{views}.subspan(dimensions >= 3 ? 0 : 2)) {
        Matrix matrix = matrix_of(tensor, static_cast<std::uint8_t>(view));
        if (matrix.live() == 0) return std::nullopt;
        const std::uint64_t size = segment_size(single_part(tensor, matrix, 0), profile, tables);
        if (size >= least) continue;
        least = size;
        best = std::move(matrix);
    }
    return best;
}

}  // namespace

std::optional<Matrix> choose_matrix(const Input& tensor, const Profile& profile,
                                    const TableSet& tables) {
    if (tensor.shape.size() < 2) return std::nullopt;
    switch (profile.matrices) {
        case Matrices::kNever:
            return std::nullopt;
        case Matrices::kByShape:
            return choose_by_shape(tensor);
        case Matrices::kBySize:
            return choose_by_size(tensor, profile, tables);
    }
    return std::nullopt;
}

}  // namespace entrolith
