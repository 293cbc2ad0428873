// SPDX-License-Identifier: Apache-2.0
//
// Values and profiles of every kind, out of few bytes of input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "entrolith/dtype.hpp"
#include "entrolith/profile.hpp"
#include "fuzzed_data.hpp"

namespace entrolith::fuzz {

/// A cheap source of bits for what need not be under the fuzzer's control.
class Noise {
public:
    explicit Noise(std::uint64_t seed) noexcept : state_{2 * seed + 1} {}

    std::uint64_t operator()() noexcept {  // xorshift*
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545F4914F6CDD1D;
    }

private:
    std::uint64_t state_;
};

/// `count` bit patterns: stretches that are zero, sparse, dense, far apart, in unlike columns, of
/// few mantissa bits, of any bits, or just as they lie in the input.
template <class F>
[[nodiscard]] std::vector<typename F::Value> read_values(FuzzedData& input, std::size_t count);

/// One of those that a version of the format has.
[[nodiscard]] Dtype read_dtype(FuzzedData& input, std::uint8_t version) noexcept;

/// Any parameters that a header may have.
[[nodiscard]] Parameters read_parameters(FuzzedData& input);

/// One that has a name, one of a level, or any.
[[nodiscard]] Profile read_profile(FuzzedData& input);

}  // namespace entrolith::fuzz
