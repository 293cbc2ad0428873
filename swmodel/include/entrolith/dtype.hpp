// SPDX-License-Identifier: Apache-2.0
//
// entrolith/dtype.hpp - the floating-point types of a stream. FORMAT.md section 2, table of dtypes.
//
// Scope     Where sign, exponent and mantissa lie in a bit pattern; no arithmetic on numbers.
#pragma once

#include <cstdint>

namespace entrolith {

enum class Dtype : std::uint8_t { kFp32 = 1, kBf16 = 2, kFp16 = 3 };

/// The bits of one type. `part` is the raw part: the sign directly above the mantissa.
template <Dtype Type, class Pattern, unsigned ExponentBits, unsigned MantissaBits>
struct Float {
    using Value = Pattern;
    static constexpr Dtype kDtype = Type;
    static constexpr unsigned kExponentBits = ExponentBits;
    static constexpr unsigned kMantissaBits = MantissaBits;
    static constexpr unsigned kPartBits = MantissaBits + 1;
    static constexpr unsigned kMaxExponent = (1u << ExponentBits) - 1;
    static_assert(ExponentBits <= 8, "an exponent is a byte of the code section");
    static_assert(8 * sizeof(Pattern) == 1 + ExponentBits + MantissaBits);

    static constexpr Pattern kMantissa = (Pattern{1} << MantissaBits) - 1;
    static constexpr Pattern kSign = static_cast<Pattern>(Pattern{1} << MantissaBits);

    [[nodiscard]] static constexpr std::uint8_t exponent(Pattern value) noexcept {
        return static_cast<std::uint8_t>((value >> MantissaBits) & kMaxExponent);
    }
    [[nodiscard]] static constexpr Pattern part(Pattern value) noexcept {
        return static_cast<Pattern>(((value >> ExponentBits) & kSign) | (value & kMantissa));
    }
    [[nodiscard]] static constexpr Pattern join(std::uint8_t exponent, Pattern part) noexcept {
        return static_cast<Pattern>(((part & kSign) << ExponentBits) |
                                    (Pattern{exponent} << MantissaBits) | (part & kMantissa));
    }
};

using Fp32 = Float<Dtype::kFp32, std::uint32_t, 8, 23>;
using Bf16 = Float<Dtype::kBf16, std::uint16_t, 8, 7>;
using Fp16 = Float<Dtype::kFp16, std::uint16_t, 5, 10>;

[[nodiscard]] constexpr unsigned bytes_of(Dtype dtype) noexcept {
    return dtype == Dtype::kFp32 ? 4 : 2;
}

/// Calls `f` with a Fp32, Bf16 or Fp16: the one place where a dtype becomes a type.
template <class Function>
decltype(auto) with_dtype(Dtype dtype, Function&& f) {
    switch (dtype) {
        case Dtype::kBf16:
            return f(Bf16{});
        case Dtype::kFp16:
            return f(Fp16{});
        case Dtype::kFp32:
            break;
    }
    return f(Fp32{});
}

}  // namespace entrolith
