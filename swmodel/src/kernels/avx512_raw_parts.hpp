// SPDX-License-Identifier: Apache-2.0
//
// Sign and mantissa of a block, packed and unpacked by byte permutations.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "avx512_bytes.hpp"
#include "entrolith/dtype.hpp"
#include "portable_raw_parts.hpp"

namespace entrolith {
namespace {

/// Operations on registers of patterns of 2 or 4 bytes.
template <class Value>
struct PatternRegister;

template <class F>
using Patterns = PatternRegister<typename F::Value>;

template <>
struct PatternRegister<std::uint32_t> {
    static constexpr std::size_t kCount = 16;

    template <unsigned kBits>
    static __m512i slli(__m512i v) noexcept {
        return _mm512_slli_epi32(v, kBits);
    }
    template <unsigned kBits>
    static __m512i srli(__m512i v) noexcept {
        return _mm512_srli_epi32(v, kBits);
    }
    static __m512i sll(__m512i v, unsigned bits) noexcept {
        return _mm512_sll_epi32(v, _mm_cvtsi32_si128(static_cast<int>(bits)));
    }
    static __m512i srl(__m512i v, unsigned bits) noexcept {
        return _mm512_srl_epi32(v, _mm_cvtsi32_si128(static_cast<int>(bits)));
    }
    static __m512i sllv(__m512i v, __m512i bits) noexcept { return _mm512_sllv_epi32(v, bits); }
    static __m512i set1(std::uint32_t v) noexcept { return _mm512_set1_epi32(static_cast<int>(v)); }
    static __m512i load_first(const std::uint32_t* from, std::size_t count) noexcept {
        return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(first_bits(count)), from);
    }
    static void store_first(std::uint32_t* to, std::size_t count, __m512i v) noexcept {
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(first_bits(count)), v);
    }
};

template <>
struct PatternRegister<std::uint16_t> {
    static constexpr std::size_t kCount = 32;

    template <unsigned kBits>
    static __m512i slli(__m512i v) noexcept {
        return _mm512_slli_epi16(v, kBits);
    }
    template <unsigned kBits>
    static __m512i srli(__m512i v) noexcept {
        return _mm512_srli_epi16(v, kBits);
    }
    static __m512i sll(__m512i v, unsigned bits) noexcept {
        return _mm512_sll_epi16(v, _mm_cvtsi32_si128(static_cast<int>(bits)));
    }
    static __m512i srl(__m512i v, unsigned bits) noexcept {
        return _mm512_srl_epi16(v, _mm_cvtsi32_si128(static_cast<int>(bits)));
    }
    static __m512i sllv(__m512i v, __m512i bits) noexcept { return _mm512_sllv_epi16(v, bits); }
    static __m512i set1(std::uint16_t v) noexcept {
        return _mm512_set1_epi16(static_cast<short>(v));
    }
    static __m512i load_first(const std::uint16_t* from, std::size_t count) noexcept {
        return _mm512_maskz_loadu_epi16(static_cast<__mmask32>(first_bits(count)), from);
    }
    static void store_first(std::uint16_t* to, std::size_t count, __m512i v) noexcept {
        _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(first_bits(count)), v);
    }
};

/// Where the upper `bytes` bytes of a part lie, for as many values as a register has.
template <class F>
constexpr ByteIndex upper_bytes(unsigned bytes) noexcept {
    return byte_index([=](unsigned i) {
        return (i / bytes * sizeof(typename F::Value) + F::kPartBits / 8 - bytes + i % bytes) % 64;
    });
}

/// Packs parts whose width is a number of whole bytes.
template <class F>
void pack_bytes(const typename F::Value* values, std::size_t count, unsigned bytes,
                std::uint8_t* out) noexcept {
    using P = Patterns<F>;
    static constexpr ByteIndex kIndex[3] = {upper_bytes<F>(1), upper_bytes<F>(2),
                                            upper_bytes<F>(3)};
    const __m512i index = bytes_of(kIndex[bytes - 1]);
    const __m512i mantissa = P::set1(F::kMantissa);
    const auto packed = [&](__m512i v) {
        return _mm512_permutexvar_epi8(index, select(mantissa, v, P::template srli<8>(v)));
    };
    std::size_t i = 0;
    for (; i + P::kCount <= count; i += P::kCount) {
        _mm512_storeu_si512(out, packed(_mm512_loadu_si512(values + i)));
        out += P::kCount * bytes;
    }
    if (i < count) _mm512_storeu_si512(out, packed(P::load_first(values + i, count - i)));
}

/// As ValueKernel::pack_raw says.
template <class F>
void pack_parts(const typename F::Value* values, std::size_t count, unsigned trailing,
                std::uint8_t* out) noexcept {
    const unsigned width = F::kPartBits - trailing;
    if (width % 8 == 0) {
        pack_bytes<F>(values, count, width / 8, out);
    } else {
        pack_raw<F>(values, count, trailing, out);
    }
}

/// Sign, exponent and mantissa from the exponent above the part.
template <class F>
__m512i rotated(__m512i v) noexcept {
    using P = Patterns<F>;
    using Value = typename F::Value;
    constexpr auto kExponent = static_cast<Value>(Value{F::kMaxExponent} << F::kMantissaBits);
    constexpr auto kTop = static_cast<Value>(Value{1} << (8 * sizeof(Value) - 1));
    const __m512i below_sign = select(P::set1(kExponent), P::template srli<1>(v), v);
    return select(P::set1(kTop), P::template slli<8>(v), below_sign);
}

/// Parts of F::kPartBits bits, to be joined with exponents: both are gathered at once.
template <class F>
class WholeParts {
public:
    explicit WholeParts(const std::uint8_t* in) noexcept : in_{in} {}

    /// Register r of the 64 values with these exponents; its first value is number `at`.
    [[nodiscard]] __m512i values(std::size_t at, unsigned r, __m512i exponents) const noexcept {
        const __m512i parts = _mm512_loadu_si512(in_ + at * (kSize - 1));
        return rotated<F>(_mm512_permutex2var_epi8(parts, bytes_of(kIndex[r]), exponents));
    }

private:
    static constexpr unsigned kSize = sizeof(typename F::Value);

    static constexpr ByteIndex index_of(unsigned r) noexcept {
        return byte_index([=](unsigned i) {
            const unsigned part = i / kSize * (kSize - 1) + i % kSize;
            const unsigned exponent = 64 + r * (64 / kSize) + i / kSize;
            return i % kSize == kSize - 1 ? exponent : part;
        });
    }
    static constexpr ByteIndex kIndex[4] = {index_of(0), index_of(1), index_of(2), index_of(3)};

    const std::uint8_t* in_;
};

/// Where parts of some width lie, seen from each byte of a register of values: the 8 bytes of its
/// quadword begin with the one where the quadword's first part does; its own bits begin at
/// `shifts`.
struct BitLayout {
    ByteIndex bytes;
    ByteIndex shifts;
};

template <class F>
constexpr BitLayout bit_layout(unsigned width) noexcept {
    constexpr unsigned kSize = sizeof(typename F::Value);
    const auto first_bit = [=](unsigned i) { return i / 8 * (8 / kSize) * width; };
    return {byte_index([=](unsigned i) { return first_bit(i) / 8 + i % 8; }),
            byte_index([=](unsigned i) {
                return first_bit(i) % 8 + i % 8 / kSize * width + i % kSize * 8;
            })};
}

template <class F>
constexpr std::array<BitLayout, F::kPartBits> bit_layouts() noexcept {
    std::array<BitLayout, F::kPartBits> all{};
    for (unsigned width = 0; width < F::kPartBits; ++width) all[width] = bit_layout<F>(width);
    return all;
}

template <class F>
inline constexpr std::array<BitLayout, F::kPartBits> kBitLayouts = bit_layouts<F>();

/// Parts of less than F::kPartBits bits, to be joined with exponents.
template <class F>
class ShortParts {
public:
    ShortParts(const std::uint8_t* in, unsigned trailing) noexcept
        : in_{in},
          width_{F::kPartBits - trailing},
          trailing_{trailing},
          gather_{bytes_of(kBitLayouts<F>[width_].bytes)},
          shift_{bytes_of(kBitLayouts<F>[width_].shifts)},
          mask_{Patterns<F>::set1(static_cast<typename F::Value>((1u << width_) - 1))} {}

    /// As WholeParts::values says.
    [[nodiscard]] __m512i values(std::size_t at, unsigned r, __m512i exponents) const noexcept {
        const __m512i packed =
            _mm512_permutexvar_epi8(gather_, _mm512_loadu_si512(in_ + at / 8 * width_));
        const __m512i parts = Patterns<F>::sll(
            _mm512_and_si512(_mm512_multishift_epi64_epi8(shift_, packed), mask_), trailing_);
        return rotated<F>(
            _mm512_mask_permutexvar_epi8(parts, kTops, bytes_of(kSpread[r]), exponents));
    }

private:
    static constexpr unsigned kSize = sizeof(typename F::Value);
    static constexpr __mmask64 kTops = 0x1111'1111'1111'1111u * (kSize == 4 ? 8u : 10u);

    static constexpr ByteIndex spread(unsigned r) noexcept {
        return byte_index([=](unsigned i) { return (r * (64 / kSize) + i / kSize) % 64; });
    }
    static constexpr ByteIndex kSpread[4] = {spread(0), spread(1), spread(2), spread(3)};

    const std::uint8_t* in_;
    unsigned width_;
    unsigned trailing_;
    __m512i gather_;
    __m512i shift_;
    __m512i mask_;
};

/// Values `first` .. `first` + 63, or to `count`, which have these exponents.
template <class F, class Parts, class Exponents>
void unpack_64(const Parts& parts, std::size_t first, std::size_t count, const Exponents& exponents,
               typename F::Value* values) noexcept {
    using P = Patterns<F>;
    constexpr unsigned kRegisters = sizeof(typename F::Value);
    if (first + 64 <= count) [[likely]] {
#pragma GCC unroll 4
        for (unsigned r = 0; r < kRegisters; ++r) {
            const std::size_t at = first + r * P::kCount;
            _mm512_storeu_si512(values + at, parts.values(at, r, exponents));
        }
        return;
    }
    for (unsigned r = 0; r < kRegisters; ++r) {
        const std::size_t at = first + r * P::kCount;
        if (at >= count) return;
        const std::size_t left = count - at;
        P::store_first(values + at, left < P::kCount ? left : P::kCount,
                       parts.values(at, r, exponents));
    }
}

/// Calls `f` with what unpacks the parts at `in`.
template <class F, class Function>
decltype(auto) with_parts(const std::uint8_t* in, unsigned trailing, Function f) noexcept {
    return trailing == 0 ? f(WholeParts<F>{in}) : f(ShortParts<F>{in, trailing});
}

/// As ValueKernel::unpack_raw says.
template <class F>
void unpack_parts(const std::uint8_t* in, std::size_t count, unsigned trailing, std::uint16_t emax,
                  const std::uint8_t* differences, typename F::Value* values) noexcept {
    const __m512i all_emax = _mm512_set1_epi8(static_cast<char>(emax));
    with_parts<F>(in, trailing, [&](const auto& parts) noexcept {
        for (std::size_t first = 0; first < count; first += 64) {
            const __m512i exponents =
                _mm512_sub_epi8(all_emax, _mm512_loadu_si512(differences + first));
            unpack_64<F>(parts, first, count, exponents, values);
        }
    });
}

}  // namespace
}  // namespace entrolith
