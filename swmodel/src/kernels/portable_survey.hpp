// SPDX-License-Identifier: Apache-2.0
//
// What a block says of itself, and which table suits it best.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "entrolith/kernels.hpp"

namespace entrolith {
namespace {

/// Counts differences below the escape; four histograms, so that a run of equal ones need not wait
/// for its own count.
template <class Exponent>
Histogram count_symbols(const Exponent* differences, std::size_t count) noexcept {
    std::array<std::array<std::uint32_t, 256>, 4> part;  // above the escape: never read
    for (auto& counts : part) std::fill_n(counts.begin(), kEscape, 0u);
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (std::size_t k = 0; k < 4; ++k) ++part[k][std::min<unsigned>(differences[i + k], 255)];
    }
    for (; i < count; ++i) ++part[0][std::min<unsigned>(differences[i], 255)];
    Histogram histogram{};
    auto escapes = static_cast<std::uint32_t>(count);
    for (unsigned symbol = 0; symbol < kEscape; ++symbol) {
        for (const auto& counts : part) histogram[symbol] += counts[symbol];
        escapes -= histogram[symbol];
    }
    histogram[kEscape] = escapes;
    return histogram;
}

/// As ValueKernel::survey says.
template <class F>
BlockSurvey survey(const typename F::Value* values, std::size_t count,
                   typename F::Exponent* differences) noexcept {
    using Value = typename F::Value;
    using Exponent = typename F::Exponent;
    Exponent emax = 0;
    Value mantissas = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Exponent exponent = F::exponent(values[i]);
        differences[i] = exponent;
        emax = std::max(emax, exponent);
        mantissas = static_cast<Value>(mantissas | values[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
        differences[i] = static_cast<Exponent>(emax - differences[i]);
    }
    const auto stopper = static_cast<Value>(Value{1} << F::kMantissaBits);
    const auto trailing =
        static_cast<std::uint8_t>(std::countr_zero(static_cast<Value>(mantissas | stopper)));
    return {count_symbols(differences, count), emax, trailing};
}

/// As Kernel::choose says.
Choice choose(const CostTable& costs, const Histogram& histogram, std::uint32_t raw_bits) noexcept {
    constexpr std::size_t kAtOnce = 16;
    Choice best{kRawTable, raw_bits};
    for (std::size_t first = 0; first < costs.tables; first += kAtOnce) {
        std::array<std::uint32_t, kAtOnce> bits{};
        for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
            const std::uint32_t* row = costs.bits[symbol].data() + first;
            for (std::size_t t = 0; t < kAtOnce; ++t) bits[t] += histogram[symbol] * row[t];
        }
        for (std::size_t t = 0; t < std::min(kAtOnce, costs.tables - first); ++t) {
            const bool cheaper =
                best.table == kRawTable ? bits[t] <= best.bits : bits[t] < best.bits;
            if (cheaper) best = {static_cast<std::uint8_t>(first + t), bits[t]};
        }
    }
    return best;
}

}  // namespace
}  // namespace entrolith
