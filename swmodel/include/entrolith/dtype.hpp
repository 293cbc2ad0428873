// SPDX-License-Identifier: Apache-2.0
//
// entrolith/dtype.hpp - the floating-point types of a stream. FORMAT.md section 2, table of dtypes.
//
// Scope     Where sign, exponent and mantissa lie in a bit pattern; no arithmetic on numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace entrolith {

enum class Dtype : std::uint8_t {
    kFp32 = 1,
    kBf16 = 2,
    kFp16 = 3,
    kFp64 = 4,
    kFp8E4M3 = 5,
    kFp8E5M2 = 6
};

/// The bits of one type. `part` is the raw part: the sign directly above the mantissa.
template <Dtype Type, class Pattern, unsigned ExponentBits, unsigned MantissaBits>
struct Float {
    using Value = Pattern;
    using Exponent = std::conditional_t<(ExponentBits > 8), std::uint16_t, std::uint8_t>;
    static constexpr Dtype kDtype = Type;
    static constexpr unsigned kExponentBytes = sizeof(Exponent);  // where one is written whole
    static constexpr unsigned kExponentBits = ExponentBits;
    static constexpr unsigned kMantissaBits = MantissaBits;
    static constexpr unsigned kPartBits = MantissaBits + 1;
    static constexpr unsigned kMaxExponent = (1u << ExponentBits) - 1;
    static_assert(8 * sizeof(Pattern) == 1 + ExponentBits + MantissaBits);

    static constexpr Pattern kMantissa = static_cast<Pattern>((Pattern{1} << MantissaBits) - 1);
    static constexpr Pattern kSign = static_cast<Pattern>(Pattern{1} << MantissaBits);

    [[nodiscard]] static constexpr Exponent exponent(Pattern value) noexcept {
        return static_cast<Exponent>((value >> MantissaBits) & kMaxExponent);
    }
    [[nodiscard]] static constexpr Pattern part(Pattern value) noexcept {
        return static_cast<Pattern>(((value >> ExponentBits) & kSign) | (value & kMantissa));
    }
    [[nodiscard]] static constexpr Pattern join(Exponent exponent, Pattern part) noexcept {
        return static_cast<Pattern>(((part & kSign) << ExponentBits) |
                                    (Pattern{exponent} << MantissaBits) | (part & kMantissa));
    }
};

using Fp32 = Float<Dtype::kFp32, std::uint32_t, 8, 23>;
using Bf16 = Float<Dtype::kBf16, std::uint16_t, 8, 7>;
using Fp16 = Float<Dtype::kFp16, std::uint16_t, 5, 10>;
using Fp64 = Float<Dtype::kFp64, std::uint64_t, 11, 52>;
using Fp8E4M3 = Float<Dtype::kFp8E4M3, std::uint8_t, 4, 3>;
using Fp8E5M2 = Float<Dtype::kFp8E5M2, std::uint8_t, 5, 2>;

/// The same values as section 4.4 of FORMAT.md sees them: the top bit of the mantissa belongs to
/// the exponent, which counts half octaves.
template <class F>
using HalfOctaves = Float<F::kDtype, typename F::Value, F::kExponentBits + 1, F::kMantissaBits - 1>;

/// The same values as section 4.5 sees them: the sign, too, belongs to the exponent, above the half
/// octave, and a raw part is mantissa only.
template <class F>
struct SignedHalves {
    using Value = typename F::Value;
    using Exponent = std::uint16_t;
    static constexpr Dtype kDtype = F::kDtype;
    static constexpr unsigned kExponentBytes = sizeof(Exponent);
    static constexpr unsigned kExponentBits = F::kExponentBits + 2;
    static constexpr unsigned kMantissaBits = F::kMantissaBits - 1;
    static constexpr unsigned kPartBits = kMantissaBits;
    static constexpr unsigned kMaxExponent = (1u << kExponentBits) - 1;
    static constexpr auto kMantissa = static_cast<Value>((Value{1} << kMantissaBits) - 1);

    [[nodiscard]] static constexpr Exponent exponent(Value value) noexcept {
        return static_cast<Exponent>(value >> kMantissaBits);
    }
    [[nodiscard]] static constexpr Value part(Value value) noexcept {
        return static_cast<Value>(value & kMantissa);
    }
    [[nodiscard]] static constexpr Value join(Exponent exponent, Value part) noexcept {
        return static_cast<Value>(Value{exponent} << kMantissaBits | part);
    }
};

/// Calls `f` with the type of `dtype`: the one place where a dtype becomes a type.
template <class Function>
decltype(auto) with_dtype(Dtype dtype, Function&& f) {
    switch (dtype) {
        case Dtype::kBf16:
            return f(Bf16{});
        case Dtype::kFp16:
            return f(Fp16{});
        case Dtype::kFp64:
            return f(Fp64{});
        case Dtype::kFp8E4M3:
            return f(Fp8E4M3{});
        case Dtype::kFp8E5M2:
            return f(Fp8E5M2{});
        case Dtype::kFp32:
            break;
    }
    return f(Fp32{});
}

[[nodiscard]] inline unsigned bytes_of(Dtype dtype) noexcept {
    return with_dtype(dtype, [](auto f) { return unsigned{sizeof(typename decltype(f)::Value)}; });
}

}  // namespace entrolith
