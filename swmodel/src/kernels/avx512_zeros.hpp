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
    const std::size_t registers = size / kWide;
    if (registers < kWalkers) {
        return {count_zero_registers(values, count), crc32_by_tables(bytes, size)};
    }
    std::size_t zeros = 0;
    const Value* at = values;
    const std::uint32_t state = fold_registers(registers, [&]() noexcept {
        const __m512i v = _mm512_loadu_si512(at);
        zeros += count_bits(R::zeros(kAllOf<Value>, v));
        at += R::kCount;
        return v;
    });
    const std::size_t seen = registers * kWide;
    zeros += count_zero_registers(at, count - registers * R::kCount);
    return {zeros, ~update(state, bytes + seen, size - seen)};
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

/// Walks over the values of a chunk, register by register, and joins zeros and non-zeros.
template <class Value>
class ZeroJoiner {
public:
    using R = Register<Value>;

    ZeroJoiner(const std::uint32_t* words, const Value* nonzeros, Value* values) noexcept
        : words_{words}, nonzeros_{nonzeros}, values_{values} {}

    __m512i whole() noexcept {
        const __m512i v = joined(kAllOf<Value>);
        _mm512_storeu_si512(values_ + done_, v);
        done_ += R::kCount;
        return v;
    }
    /// The last values, fewer than fill a register.
    void rest(std::size_t count) noexcept {
        const auto present = static_cast<typename R::Mask>(first_bits(count));
        R::store(values_ + done_, present, joined(present));
    }

private:
    __m512i joined(typename R::Mask present) noexcept {
        const std::uint32_t zeros = words_[done_ / kWordBits] >> (done_ % kWordBits);
        const auto kept = static_cast<typename R::Mask>(~zeros & present);
        const __m512i v = R::expand(kept, _mm512_loadu_si512(nonzeros_));
        nonzeros_ += count_bits(kept);
        return v;
    }

    const std::uint32_t* words_;
    const Value* nonzeros_;
    Value* values_;
    std::size_t done_ = 0;
};

/// As ValueKernel::join_zeros says.
template <class Value>
std::uint32_t join_zero_words(const std::uint32_t* words, std::size_t count, const Value* nonzeros,
                              Value* values, bool check) noexcept {
    using R = Register<Value>;
    ZeroJoiner<Value> joiner{words, nonzeros, values};
    const std::size_t registers = count / R::kCount;
    const bool folds = check && registers >= kWalkers;
    std::uint32_t state = 0;
    if (folds) {
        state = fold_registers(registers, [&]() noexcept { return joiner.whole(); });
    } else {
        for (std::size_t r = 0; r < registers; ++r) joiner.whole();
    }
    const std::size_t left = count % R::kCount;
    if (left != 0) joiner.rest(left);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(values);
    if (folds) return ~update(state, bytes + registers * kWide, left * sizeof *values);
    return check ? crc32_by_tables(bytes, count * sizeof *values) : 0;
}

}  // namespace
}  // namespace entrolith
