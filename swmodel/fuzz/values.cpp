// SPDX-License-Identifier: Apache-2.0

#include "values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace entrolith::fuzz {

template <class F>
std::vector<typename F::Value> read_values(FuzzedData& input, std::size_t count) {
    using Value = typename F::Value;
    enum Kind { kLiteral, kZero, kAnyBits, kAnyExponent, kSparse, kRuns, kDense, kColumns, kKinds };
    std::vector<Value> values;
    values.reserve(count);
    Noise noise{input.integer<std::uint8_t>()};
    while (values.size() < count) {
        const auto kind = input.empty() ? kZero : static_cast<Kind>(input.below(kKinds));
        const std::size_t length = input.empty() ? count : 1 + input.skewed();
        const std::size_t end = std::min(count, values.size() + length);
        if (kind == kZero) {
            values.resize(end);
            continue;
        }
        if (kind == kLiteral) {
            for (std::size_t i = 0; i < 8 && values.size() < end; ++i) {
                values.push_back(input.integer<Value>());
            }
            continue;
        }
        const auto top = static_cast<unsigned>(input.below(F::kMaxExponent + 1));
        const auto mask = static_cast<Value>(~Value{0} << input.below(F::kPartBits));
        // Columns are as far apart as exponents can be, which is how far scales can go.
        const std::size_t columns = kind == kColumns ? 2 + input.below(100) : 1;
        const unsigned zeros = kind == kSparse || kind == kRuns ? input.integer<std::uint8_t>() : 0;
        bool zero = false;
        while (values.size() < end) {
            const std::uint64_t bits = noise();
            // Between runs a zero follows a zero, and the number decides where that changes.
            const bool turn = (bits >> 56) < zeros;
            zero = kind == kRuns ? zero != turn : turn;
            unsigned exponent = top;
            if (kind == kAnyExponent) {
                exponent = static_cast<unsigned>((bits >> 40) % (top + 1));
            } else {
                exponent -=
                    std::min(top, static_cast<unsigned>(std::countr_zero(bits >> 32 | 1u << 23)));
            }
            const std::size_t column = values.size() % columns;
            if (kind == kColumns && column == 1) exponent = F::kMaxExponent - top;
            auto part = static_cast<Value>(noise() & (F::kSign | F::kMantissa) & mask);
            if (kind == kColumns && column % 8 < 3) {  // of mostly one sign
                const bool other = bits >> 61 == 0;
                part = static_cast<Value>(other == (column % 8 == 0) ? part | F::kSign
                                                                     : part & F::kMantissa);
            }
            values.push_back(kind == kAnyBits ? static_cast<Value>(noise())
                             : zero ? Value{0}
                                    : F::join(static_cast<typename F::Exponent>(exponent), part));
        }
    }
    return values;
}

template std::vector<Fp32::Value> read_values<Fp32>(FuzzedData&, std::size_t);
template std::vector<Bf16::Value> read_values<Bf16>(FuzzedData&, std::size_t);
template std::vector<Fp16::Value> read_values<Fp16>(FuzzedData&, std::size_t);
template std::vector<Fp64::Value> read_values<Fp64>(FuzzedData&, std::size_t);
template std::vector<Fp8E4M3::Value> read_values<Fp8E4M3>(FuzzedData&, std::size_t);
template std::vector<Fp8E5M2::Value> read_values<Fp8E5M2>(FuzzedData&, std::size_t);

Dtype read_dtype(FuzzedData& input, std::uint8_t version) noexcept {
    return input.between<Dtype>(
        static_cast<std::size_t>(Dtype::kFp32),
        static_cast<std::size_t>(version == 1 ? Dtype::kFp16 : Dtype::kFp8E5M2));
}

Parameters read_parameters(FuzzedData& input) {
    Parameters parameters{};
    parameters.version = input.between<std::uint8_t>(1, 2);
    parameters.log2_chunk = input.between<std::uint8_t>(9, parameters.version == 1 ? 15 : 16);
    parameters.log2_block = input.between<std::uint8_t>(5, parameters.log2_chunk);
    parameters.log2_lanes = input.between<std::uint8_t>(3, 6);
    parameters.check = input.between<std::uint8_t>(0, 1);
    return parameters;
}

Profile read_profile(FuzzedData& input) {
    constexpr std::array kModes{Mode::kStatic, Mode::kDynamic, Mode::kHybrid};
    switch (input.below(3)) {
        case 0:
            return kProfiles[input.below(kProfiles.size())];
        case 1: {
            const auto number = input.between<int>(1, kMaxLevel);
            const std::size_t mode = input.below(kModes.size() + 1);
            const auto forced =
                mode < kModes.size() ? std::optional{kModes[mode]} : std::optional<Mode>{};
            return level(number, forced, input.flag());
        }
        default: {
            Profile profile{};
            profile.parameters = read_parameters(input);
            profile.stored = input.flag();
            profile.trailing = input.flag() ? 1 : 0;
            if (profile.parameters.version >= 2) {
                profile.runs = input.flag();
                profile.mode = kModes[input.below(kModes.size())];
                profile.matrices = static_cast<Matrices>(input.below(3));
                const std::size_t in_rows = input.below(3);
                profile.scaled = in_rows >= 1;
                profile.signs = in_rows == 2;
            }
            return profile;
        }
    }
}

}  // namespace entrolith::fuzz
