// SPDX-License-Identifier: Apache-2.0

#include "entrolith/parts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "entrolith/workers.hpp"

namespace entrolith {
namespace {

constexpr std::array kDtypes{Dtype::kFp32, Dtype::kBf16,    Dtype::kFp16,
                             Dtype::kFp64, Dtype::kFp8E4M3, Dtype::kFp8E5M2};

constexpr std::uint64_t kOwnSegment = 1u << 14;  // values, at the smallest levels

Tensor describe(const Input& input, std::uint64_t rank) {
    const auto values = count_values(input.shape);
    if (!values) throw std::invalid_argument{"more than 2^48 values"};
    return {input.name, input.shape, *values, 0, rank};
}

/// What choose_matrix() says to each tensor.
std::vector<std::optional<Matrix>> choose_matrices(std::span<const Input> tensors,
                                                   const Profile& profile, const TableSet& tables,
                                                   unsigned threads) {
    std::vector<std::optional<Matrix>> found(tensors.size());
    if (profile.matrices == Matrices::kNever) return found;
    std::uint64_t values = 0;
    for (const Input& input : tensors) values += count_values(input.shape).value_or(0);
    Counter counter{tensors.size()};
    run_workers(worker_count(threads, values / profile.parameters.chunk()), [&](unsigned) {
        while (const auto next = counter.take()) {
            const auto at = static_cast<std::size_t>(next.first);
            try {
                found[at] = choose_matrix(tensors[at], profile, tables);
            } catch (...) {
                counter.fail(next.first);
            }
        }
    });
    counter.rethrow();
    return found;
}

}  // namespace

Part single_part(const Input& tensor, std::optional<Matrix> matrix, std::uint64_t rank) {
    return {{tensor.dtype, std::move(matrix), {describe(tensor, rank)}}, {tensor.values}};
}

std::vector<Part> make_parts(std::span<const Input> tensors, const Profile& profile,
                             const TableSet& tables, unsigned threads) {
    auto matrices = choose_matrices(tensors, profile, tables, threads);
    std::vector<Part> parts;
    std::vector<Part> single;
    std::array<Part, kDtypes.size()> pools{};
    for (std::uint64_t rank = 0; rank < tensors.size(); ++rank) {
        const Input& input = tensors[rank];
        auto& matrix = matrices[static_cast<std::size_t>(rank)];
        Tensor tensor = describe(input, rank);
        if (matrix || (profile.matrices == Matrices::kBySize && tensor.values >= kOwnSegment)) {
            single.push_back(single_part(input, std::move(matrix), rank));
            continue;
        }
        Part& pool = pools[static_cast<std::size_t>(input.dtype) - 1];
        tensor.first = pool.segment.values();
        pool.segment.tensors.push_back(std::move(tensor));
        pool.tensors.push_back(input.values);
    }
    for (const Dtype dtype : kDtypes) {
        Part& pool = pools[static_cast<std::size_t>(dtype) - 1];
        pool.segment.dtype = dtype;
        if (!pool.tensors.empty()) parts.push_back(std::move(pool));
    }
    std::ranges::move(single, std::back_inserter(parts));
    return parts;
}

template <class Value>
const Value* chunk_values(const Part& part, const Grid::Tile& tile, Value* room) {
    if (part.segment.matrix) {
        const Matrix& matrix = *part.segment.matrix;
        const auto* values = static_cast<const Value*>(part.tensors[0]);
        const auto position = matrix.in_one_piece(tile);
        if (position) return values + static_cast<std::size_t>(*position);
        matrix.gather(values, tile, room);
        return room;
    }
    const auto& tensors = part.segment.tensors;
    const auto after =
        std::ranges::upper_bound(tensors, tile.row, std::ranges::less{}, &Tensor::first);
    auto t = static_cast<std::size_t>(after - tensors.begin()) - 1;
    for (std::size_t done = 0; done < tile.rows; ++t) {
        const auto* values = static_cast<const Value*>(part.tensors[t]);
        const auto skip = static_cast<std::size_t>(tile.row + done - tensors[t].first);
        const auto here = static_cast<std::size_t>(
            std::min<std::uint64_t>(tile.rows - done, tensors[t].values - skip));
        if (here == tile.rows) return values + skip;
        if (here != 0) std::memcpy(room + done, values + skip, here * sizeof(Value));
        done += here;
    }
    return room;
}

template const std::uint8_t* chunk_values(const Part&, const Grid::Tile&, std::uint8_t*);
template const std::uint16_t* chunk_values(const Part&, const Grid::Tile&, std::uint16_t*);
template const std::uint32_t* chunk_values(const Part&, const Grid::Tile&, std::uint32_t*);
template const std::uint64_t* chunk_values(const Part&, const Grid::Tile&, std::uint64_t*);

}  // namespace entrolith
