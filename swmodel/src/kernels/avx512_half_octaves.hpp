// SPDX-License-Identifier: Apache-2.0
//
// Raw parts of scaled chunks, of 23 and 7 bits if none of them are dropped, and of signed chunks,
// of 22 and 6 bits without a sign: packed by shifts that bring each part to its place in a byte,
// and two permutations, as no byte has bits of three parts; unpacked by multishift, which puts the
// sign and the mantissa where they belong at once.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "avx512_bytes.hpp"
#include "avx512_raw_parts.hpp"
#include "entrolith/dtype.hpp"
#include "portable_raw_parts.hpp"

namespace entrolith {
namespace {

/// The least width at which a byte has bits of two parts at most.
inline constexpr unsigned kLeastPacked = 7;

/// How parts of some width become bytes.
struct PackLayout {
    ByteIndex left;  // by how much a part is rotated, in the first byte of its lane
    ByteIndex first;
    ByteIndex second;
    __mmask64 has_first;
    __mmask64 has_second;
};

template <class F>
constexpr PackLayout pack_layout(unsigned width) noexcept {
    constexpr unsigned kSize = sizeof(typename F::Value);
    constexpr unsigned kCount = 64 / kSize;
    PackLayout layout{};
    layout.left =
        byte_index([=](unsigned i) { return i % kSize == 0 ? i / kSize * width % 8 : 0; });
    for (unsigned byte = 0; byte < kCount * width / 8; ++byte) {
        const auto place = [=](unsigned part) {
            return static_cast<std::uint8_t>(part * kSize + byte - part * width / 8);
        };
        const unsigned part = 8 * byte / width;
        layout.first[byte] = place(part);
        layout.has_first |= __mmask64{1} << byte;
        if ((part + 1) * width < 8 * byte + 8) {
            layout.second[byte] = place(part + 1);
            layout.has_second |= __mmask64{1} << byte;
        }
    }
    return layout;
}

template <class F>
inline constexpr auto kPackLayouts = [] {
    std::array<PackLayout, F::kPartBits + 1> all{};
    for (unsigned width = kLeastPacked; width <= F::kPartBits; ++width) {
        all[width] = pack_layout<F>(width);
    }
    return all;
}();

/// The raw parts of a register of values. F is HalfOctaves or SignedHalves of another type.
template <class F>
__m512i parts_of(__m512i v, unsigned trailing) noexcept {
    using P = Patterns<F>;
    const __m512i mantissa = P::set1(F::kMantissa);
    if constexpr (F::kPartBits == F::kMantissaBits) {
        return P::srl(_mm512_and_si512(v, mantissa), trailing);
    } else {
        return P::srl(select(mantissa, v, P::template srli<F::kExponentBits>(v)), trailing);
    }
}

/// Packs parts of 6 bits: two make 12 bits, and two of those 3 bytes.
template <class F>
void pack_sixes(const typename F::Value* values, std::size_t count, unsigned trailing,
                std::uint8_t* out) noexcept {
    using P = Patterns<F>;
    static constexpr ByteIndex kThreeOfEight =
        byte_index([](unsigned i) { return i / 3 * 8 % 64 + i % 3; });
    const auto parts = [&](std::size_t at) {  // of 32 / P::kCount registers, the last with zeros
        if (at + P::kCount <= count) return parts_of<F>(_mm512_loadu_si512(values + at), trailing);
        if (at >= count) return _mm512_setzero_si512();
        return parts_of<F>(P::load_first(values + at, count - at), trailing);
    };
    for (std::size_t i = 0; i < count; i += 32) {
        __m512i words = parts(i);
        if constexpr (P::kCount == 16) {
            words = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(words)),
                                       _mm512_cvtepi32_epi16(parts(i + 16)), 1);
        }
        const __m512i twelves = _mm512_madd_epi16(words, _mm512_set1_epi32(1 | 64 << 16));
        const __m512i fours = _mm512_or_si512(twelves, _mm512_srli_epi64(twelves, 32 - 12));
        _mm512_storeu_si512(out, _mm512_permutexvar_epi8(bytes_of(kThreeOfEight), fours));
        out += 24;
    }
}

/// Packs parts of kLeastPacked bits or more.
template <class F>
void pack_placed(const typename F::Value* values, std::size_t count, unsigned trailing,
                 std::uint8_t* out) noexcept {
    using P = Patterns<F>;
    const unsigned width = F::kPartBits - trailing;
    const PackLayout& layout = kPackLayouts<F>[width];
    const __m512i left = bytes_of(layout.left);
    const __m512i first = bytes_of(layout.first);
    const __m512i second = bytes_of(layout.second);
    const auto packed = [&](__m512i v) {
        const __m512i placed = P::sllv(parts_of<F>(v, trailing), left);
        return _mm512_or_si512(_mm512_maskz_permutexvar_epi8(layout.has_first, first, placed),
                               _mm512_maskz_permutexvar_epi8(layout.has_second, second, placed));
    };
    std::size_t i = 0;
    for (; i + P::kCount <= count; i += P::kCount) {
        _mm512_storeu_si512(out, packed(_mm512_loadu_si512(values + i)));
        out += P::kCount * width / 8;
    }
    if (i < count) _mm512_storeu_si512(out, packed(P::load_first(values + i, count - i)));
}

/// As ValueKernel::pack_raw says. F is HalfOctaves or SignedHalves of another type.
template <class F>
void pack_halves(const typename F::Value* values, std::size_t count, unsigned trailing,
                 std::uint8_t* out) noexcept {
    const unsigned width = F::kPartBits - trailing;
    if (width == 6) return pack_sixes<F>(values, count, trailing, out);
    if constexpr (F::kPartBits >= kLeastPacked) {
        if (width >= kLeastPacked) return pack_placed<F>(values, count, trailing, out);
    }
    pack_raw<F>(values, count, trailing, out);
}

/// Half octaves of 64 values, as words.
struct HalfWords {
    __m512i words[2];
};

/// Parts of any width, to be joined with half octaves. F is HalfOctaves or SignedHalves of another
/// type.
template <class F>
class HalfParts {
public:
    HalfParts(const std::uint8_t* in, unsigned trailing) noexcept
        : in_{in},
          width_{F::kPartBits - trailing},
          gather_{bytes_of(kLayouts[trailing].bytes)},
          shift_{bytes_of(kLayouts[trailing].shifts)},
          mask_{Patterns<F>::set1(
              static_cast<Value>(kTop | (F::kMantissa & ~((1u << trailing) - 1))))} {}

    /// As WholeParts::values says.
    [[nodiscard]] __m512i values(std::size_t at, unsigned r,
                                 const HalfWords& halves) const noexcept {
        const __m512i packed =
            _mm512_permutexvar_epi8(gather_, _mm512_loadu_si512(in_ + at * width_ / 8));
        const __m512i placed = _mm512_multishift_epi64_epi8(shift_, packed);
        return select(mask_, placed, above(r, halves));
    }

private:
    using Value = typename F::Value;
    static constexpr unsigned kSize = sizeof(Value);
    /// The sign, if parts have it.
    static constexpr auto kTop =
        static_cast<Value>(F::kPartBits > F::kMantissaBits ? Value{1} << (8 * kSize - 1) : 0);

    /// Register r of half octaves in their places.
    static __m512i above(unsigned r, const HalfWords& halves) noexcept {
        if constexpr (kSize == 2) {
            return _mm512_slli_epi16(halves.words[r], F::kMantissaBits);
        } else {
            const __m512i words = halves.words[r / 2];
            return _mm512_slli_epi32(
                _mm512_cvtepu16_epi32(r % 2 == 0 ? _mm512_castsi512_si256(words)
                                                 : _mm512_extracti64x4_epi64(words, 1)),
                F::kMantissaBits);
        }
    }

    /// The top byte of a value ends with the sign, where its part ends; others have mantissa bits.
    static constexpr BitLayout layout_of(unsigned trailing) noexcept {
        const unsigned width = F::kPartBits - trailing;
        BitLayout layout = bit_layout<F>(width);
        for (unsigned i = 0; i < 64; ++i) {
            const bool top = i % kSize == kSize - 1;
            const unsigned part = layout.shifts[i] - i % kSize * 8;
            const unsigned from = top ? part + width - 8 : layout.shifts[i] - trailing;
            layout.shifts[i] = static_cast<std::uint8_t>(from % 64);
        }
        return layout;
    }
    static constexpr auto kLayouts = [] {
        std::array<BitLayout, F::kPartBits> all{};
        for (unsigned t = 0; t < all.size(); ++t) all[t] = layout_of(t);
        return all;
    }();

    const std::uint8_t* in_;
    unsigned width_;
    __m512i gather_;
    __m512i shift_;
    __m512i mask_;
};

/// As ValueKernel::unpack_raw says. F is HalfOctaves or SignedHalves of another type.
template <class F>
void unpack_halves(const std::uint8_t* in, std::size_t count, unsigned trailing, std::uint16_t emax,
                   const std::uint16_t* differences, typename F::Value* values) noexcept {
    const HalfParts<F> parts{in, trailing};
    const __m512i all_emax = _mm512_set1_epi16(static_cast<short>(emax));
    for (std::size_t first = 0; first < count; first += 64) {
        HalfWords halves;
        for (std::size_t k = 0; k < 2; ++k) {
            const std::size_t at = first + 32 * k;
            const std::size_t left = at < count ? count - at : 0;
            const auto some = static_cast<__mmask32>(first_bits(left < 32 ? left : 32));
            halves.words[k] =
                _mm512_sub_epi16(all_emax, _mm512_maskz_loadu_epi16(some, differences + at));
        }
        unpack_64<F>(parts, first, count, halves, values);
    }
}

}  // namespace
}  // namespace entrolith
