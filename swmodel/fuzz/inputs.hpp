// SPDX-License-Identifier: Apache-2.0
//
// What the fuzz program feeds the codec: values, parameters, streams, and their damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "entrolith/dtype.hpp"
#include "entrolith/profile.hpp"

namespace entrolith::fuzz {

using Random = std::mt19937_64;

/// 0 .. bound - 1.
std::size_t below(Random& random, std::size_t bound);

/// Bit patterns of a type as they lie in memory.
struct Values {
    Dtype dtype;
    std::size_t count;
    std::vector<std::uint8_t> bytes;
};

/// Between them, all kinds: dense and sparse, runs of zeros, escapes, raw blocks, short mantissas.
Values random_values(Random& random, Dtype dtype, std::size_t count);

/// The least version of the format that has the type.
std::uint8_t version_of(Dtype dtype);

/// Any parameters that the header of a stream of this type may have, and any choices.
Profile random_profile(Random& random, Dtype dtype);

std::vector<std::uint8_t> compressed(const Values& values, const Profile& profile);

/// One to four bytes changed, put in or cut out; behind the header if `behind` says where.
std::vector<std::uint8_t> damaged(Random& random, std::vector<std::uint8_t> stream,
                                  std::size_t behind);

}  // namespace entrolith::fuzz
