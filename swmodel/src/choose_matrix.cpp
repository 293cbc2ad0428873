// SPDX-License-Identifier: Apache-2.0
//
// FORMAT.md section 8, rule 9.

#include "entrolith/parts.hpp"

namespace entrolith {
namespace {

constexpr std::uint64_t kWidestStrip = 512;
constexpr std::uint64_t kFewestRowsOrColumns = 8;
constexpr std::uint64_t kFewestValues = 1u << 14;
constexpr std::uint64_t kChannels = 16;  // for which a convolution's columns are its inputs

}  // namespace

std::optional<Matrix> choose_matrix(const Input& tensor, const Profile& profile) {
    const auto& shape = tensor.shape;
    if (profile.matrices == Matrices::kNever || shape.size() < 2) return std::nullopt;
    const std::uint8_t view = shape.size() >= 3 && shape[1] >= kChannels ? 0 : 1;
    const Extent e = *extent(shape, view);
    if (e.rows < kFewestRowsOrColumns || e.columns < kFewestRowsOrColumns ||
        e.rows * e.columns < kFewestValues) {
        return std::nullopt;
    }
    Matrix matrix = with_dtype(tensor.dtype, [&](auto f) {
        const auto* patterns = static_cast<const typename decltype(f)::Value*>(tensor.values);
        return find_dead(patterns, shape, view, kWidestStrip);
    });
    if (matrix.live() == 0 || matrix.all_live()) return std::nullopt;
    return matrix;
}

}  // namespace entrolith
