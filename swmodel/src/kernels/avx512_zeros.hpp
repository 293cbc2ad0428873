// SPDX-License-Identifier: Apache-2.0
//
// Zeros counted, parted from the other values and joined with them, a word of the bitmap at a time.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "avx512_bytes.hpp"

namespace entrolith {
namespace {

/// As many values as fill a register.
template <class Value>
struct Register;

template <>
struct Register<std::uint32_t> {
    static constexpr std::size_t kCount = 16;
    using Mask = __mmask16;

    static __m512i load(Mask mask, const std::uint32_t* from) noexcept {
        return _mm512_maskz_loadu_epi32(mask, from);
    }
    static void store(std::uint32_t* to, Mask mask, __m512i v) noexcept {
        _mm512_mask_storeu_epi32(to, mask, v);
    }
    static Mask zeros(Mask mask, __m512i v) noexcept {
        return _mm512_mask_testn_epi32_mask(mask, v, v);
    }
    static __m512i compress(Mask mask, __m512i v) noexcept {
        return _mm512_maskz_compress_epi32(mask, v);
    }
    static __m512i expand(Mask mask, __m512i v) noexcept {
        return _mm512_maskz_expand_epi32(mask, v);
    }
};

template <>
struct Register<std::uint16_t> {
    static constexpr std::size_t kCount = 32;
    using Mask = __mmask32;

    static __m512i load(Mask mask, const std::uint16_t* from) noexcept {
        return _mm512_maskz_loadu_epi16(mask, from);
    }
    static void store(std::uint16_t* to, Mask mask, __m512i v) noexcept {
        _mm512_mask_storeu_epi16(to, mask, v);
    }
    static Mask zeros(Mask mask, __m512i v) noexcept {
        return _mm512_mask_testn_epi16_mask(mask, v, v);
    }
    static __m512i compress(Mask mask, __m512i v) noexcept {
        return _mm512_maskz_compress_epi16(mask, v);
    }
    static __m512i expand(Mask mask, __m512i v) noexcept {
        return _mm512_maskz_expand_epi16(mask, v);
    }
};

/// As ValueKernel::count_zeros says.
template <class Value>
std::size_t count_zero_registers(const Value* values, std::size_t count) noexcept {
    using R = Register<Value>;
    constexpr auto kAll = static_cast<typename R::Mask>(~std::uint64_t{0});
    std::size_t zeros = 0;
    std::size_t i = 0;
    for (; i + R::kCount <= count; i += R::kCount) {
        zeros += count_bits(R::zeros(kAll, _mm512_loadu_si512(values + i)));
    }
    const auto rest = static_cast<typename R::Mask>(first_bits(count - i));
    return zeros + count_bits(R::zeros(rest, R::load(rest, values + i)));
}

/// As ValueKernel::part_zeros says.
template <class Value>
std::size_t part_zero_words(const Value* values, std::size_t count, std::uint32_t* words,
                            Value* nonzeros) noexcept {
    using R = Register<Value>;
    constexpr std::size_t kInWord = 32;
    Value* at = nonzeros;
    for (std::size_t first = 0; first < count; first += kInWord) {
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < kInWord; i += R::kCount) {
            const std::size_t left = first + i < count ? count - (first + i) : 0;
            const auto some =
                static_cast<typename R::Mask>(first_bits(left < R::kCount ? left : R::kCount));
            const __m512i v = R::load(some, values + first + i);
            const typename R::Mask zeros = R::zeros(some, v);
            const auto kept = static_cast<typename R::Mask>(some & ~zeros);
            word |= static_cast<std::uint32_t>(zeros) << i;
            _mm512_storeu_si512(at, R::compress(kept, v));
            at += count_bits(kept);
        }
        words[first / kInWord] = word;
    }
    return static_cast<std::size_t>(at - nonzeros);
}

/// As ValueKernel::join_zeros says.
template <class Value>
void join_zero_words(const std::uint32_t* words, std::size_t count, const Value* nonzeros,
                     Value* values) noexcept {
    using R = Register<Value>;
    constexpr std::size_t kInWord = 32;
    for (std::size_t first = 0; first < count; first += kInWord) {
        const std::uint32_t kept_bits = ~words[first / kInWord];
        for (std::size_t i = 0; i < kInWord; i += R::kCount) {
            const std::size_t left = first + i < count ? count - (first + i) : 0;
            const auto some =
                static_cast<typename R::Mask>(first_bits(left < R::kCount ? left : R::kCount));
            const auto kept = static_cast<typename R::Mask>((kept_bits >> i) & some);
            R::store(values + first + i, some, R::expand(kept, _mm512_loadu_si512(nonzeros)));
            nonzeros += count_bits(kept);
        }
    }
}

}  // namespace
}  // namespace entrolith
