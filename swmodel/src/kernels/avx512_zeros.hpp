// SPDX-License-Identifier: Apache-2.0
//
// Zeros counted, parted from the other values and joined with them, a word of the bitmap at a time.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "avx512_bytes.hpp"
#include "entrolith/kernels.hpp"
#include "entrolith/zeros.hpp"
#include "folding_crc32.hpp"

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

template <class Value>
inline constexpr auto kAllOf = static_cast<typename Register<Value>::Mask>(~std::uint64_t{0});

template <class Value>
std::size_t count_zero_registers(const Value* values, std::size_t count) noexcept {
    using R = Register<Value>;
    std::size_t zeros = 0;
    std::size_t i = 0;
    for (; i + R::kCount <= count; i += R::kCount) {
        zeros += count_bits(R::zeros(kAllOf<Value>, _mm512_loadu_si512(values + i)));
    }
    const auto rest = static_cast<typename R::Mask>(first_bits(count - i));
    return zeros + count_bits(R::zeros(rest, R::load(rest, values + i)));
}

/// As ValueKernel::tally says.
template <class Value>
Tally tally_registers(const Value* values, std::size_t count, bool check) noexcept {
    using R = Register<Value>;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(values);
    const std::size_t size = count * sizeof *values;
    if (!check) return {count_zero_registers(values, count), 0};
    if (size < kLeastFolded)
        return {count_zero_registers(values, count), crc32_by_tables(bytes, size)};
    Tally found{};
    found.check = fold_crc32(bytes, size, [&](__m512i v) noexcept {
        found.zeros += count_bits(R::zeros(kAllOf<Value>, v));
    });
    const std::size_t seen = count / R::kCount * R::kCount;
    found.zeros += count_zero_registers(values + seen, count - seen);
    return found;
}

/// The zeros of the word of the bitmap that begins with `values`; the others go to `nonzeros`.
template <class Value, class Load>
std::uint32_t part_word(Load load, Value*& nonzeros, std::uint32_t present) noexcept {
    using R = Register<Value>;
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < kWordBits; i += R::kCount) {
        const auto some = static_cast<typename R::Mask>(present >> i);
        const __m512i v = load(i, some);
        const typename R::Mask zeros = R::zeros(some, v);
        const auto kept = static_cast<typename R::Mask>(some & ~zeros);
        word |= static_cast<std::uint32_t>(zeros) << i;
        _mm512_storeu_si512(nonzeros, R::compress(kept, v));
        nonzeros += count_bits(kept);
    }
    return word;
}

/// As ValueKernel::part_zeros says.
template <class Value>
std::size_t part_zero_words(const Value* values, std::size_t count, std::uint32_t* words,
                            Value* nonzeros) noexcept {
    using R = Register<Value>;
    Value* at = nonzeros;
    std::size_t first = 0;
    for (; first + kWordBits <= count; first += kWordBits) {
        const auto load = [&](std::size_t i, typename R::Mask) {
            return _mm512_loadu_si512(values + first + i);
        };
        words[first / kWordBits] = part_word(load, at, ~0u);
    }
    if (first < count) {
        const auto load = [&](std::size_t i, typename R::Mask some) {
            return R::load(some, values + first + i);
        };
        const auto present = static_cast<std::uint32_t>(first_bits(count - first));
        words[first / kWordBits] = part_word(load, at, present);
    }
    return static_cast<std::size_t>(at - nonzeros);
}

/// As ValueKernel::join_zeros says.
template <class Value>
void join_zero_words(const std::uint32_t* words, std::size_t count, const Value* nonzeros,
                     Value* values) noexcept {
    using R = Register<Value>;
    const auto next = [&](std::uint32_t kept_bits) {
        const auto kept = static_cast<typename R::Mask>(kept_bits);
        const __m512i v = R::expand(kept, _mm512_loadu_si512(nonzeros));
        nonzeros += count_bits(kept);
        return v;
    };
    std::size_t first = 0;
    for (; first + kWordBits <= count; first += kWordBits) {
        const std::uint32_t kept = ~words[first / kWordBits];
        for (std::size_t i = 0; i < kWordBits; i += R::kCount) {
            _mm512_storeu_si512(values + first + i, next(kept >> i));
        }
    }
    if (first == count) return;
    const auto present = static_cast<std::uint32_t>(first_bits(count - first));
    const std::uint32_t kept = ~words[first / kWordBits] & present;
    for (std::size_t i = 0; i < kWordBits; i += R::kCount) {
        R::store(values + first + i, static_cast<typename R::Mask>(present >> i), next(kept >> i));
    }
}

}  // namespace
}  // namespace entrolith
