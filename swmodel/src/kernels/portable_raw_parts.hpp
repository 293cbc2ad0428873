// SPDX-License-Identifier: Apache-2.0
//
// Sign and mantissa of a block, packed. 64 values of any width are a whole number of bytes, so
// packing goes by groups of 64, and what has no bit positions in it is left to the compiler's
// vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "entrolith/bytes.hpp"

namespace entrolith {
namespace {

inline constexpr std::size_t kGroup = 64;

/// Calls `f` with the width as a constant where it has a path of its own, else with 0.
template <class Function>
decltype(auto) with_width(unsigned width, Function&& f) {
    switch (width) {
        case 8:
            return f(std::integral_constant<unsigned, 8>{});
        case 16:
            return f(std::integral_constant<unsigned, 16>{});
        case 24:
            return f(std::integral_constant<unsigned, 24>{});
        default:
            return f(std::integral_constant<unsigned, 0>{});
    }
}

template <unsigned kWidth, class Value>
void pack_group(const Value* parts, std::size_t count, unsigned width, std::uint8_t* out) noexcept {
    if constexpr (kWidth == 8) {
        for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(parts[i]);
    } else if constexpr (kWidth == 16) {
        for (std::size_t i = 0; i < count; ++i) {
            store(out + 2 * i, static_cast<std::uint16_t>(parts[i]));
        }
    } else if constexpr (kWidth == 24) {
        for (std::size_t i = 0; i < count; ++i) {
            store(out + 3 * i, static_cast<std::uint32_t>(parts[i]));
        }
    } else {
        std::uint64_t bits = 0;
        unsigned fill = 0;  // at most 7 + 53 bits before they are stored
        const auto put = [&](std::uint64_t more, unsigned length) {
            bits |= more << fill;
            fill += length;
            store(out, bits);
            out += fill / 8;
            bits >>= fill / 8 * 8;
            fill %= 8;
        };
        std::size_t i = 0;
        if constexpr (sizeof(Value) < 8) {  // two at a time fit
            for (; i + 2 <= count; i += 2) {
                put(parts[i] | std::uint64_t{parts[i + 1]} << width, 2 * width);
            }
        }
        for (; i < count; ++i) put(parts[i], width);
        *out = static_cast<std::uint8_t>(bits);
    }
}

template <unsigned kWidth, class Value>
void unpack_group(const std::uint8_t* in, std::size_t count, unsigned width,
                  Value* parts) noexcept {
    if constexpr (kWidth == 8) {
        for (std::size_t i = 0; i < count; ++i) parts[i] = in[i];
    } else if constexpr (kWidth == 16) {
        for (std::size_t i = 0; i < count; ++i)
            parts[i] = static_cast<Value>(load<std::uint16_t>(in + 2 * i));
    } else if constexpr (kWidth == 24) {
        for (std::size_t i = 0; i < count; ++i) {
            parts[i] = static_cast<Value>(load<std::uint32_t>(in + 3 * i) & 0xFFFFFFu);
        }
    } else {
        using Word = std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>;
        const Word mask = (Word{1} << width) - 1;
        std::size_t bit = 0;
        for (std::size_t i = 0; i < count; ++i, bit += width) {
            parts[i] = static_cast<Value>(load<Word>(in + bit / 8) >> (bit % 8) & mask);
        }
    }
}

/// As ValueKernel::pack_raw says.
template <class F>
void pack_raw(const typename F::Value* values, std::size_t count, unsigned trailing,
              std::uint8_t* out) noexcept {
    const unsigned width = F::kPartBits - trailing;
    with_width(width, [&](auto constant) {
        typename F::Value parts[kGroup];
        for (std::size_t first = 0; first < count; first += kGroup) {
            const std::size_t length = std::min(kGroup, count - first);
            for (std::size_t i = 0; i < length; ++i) {
                parts[i] = static_cast<typename F::Value>(F::part(values[first + i]) >> trailing);
            }
            pack_group<constant.value>(parts, length, width, out + first / 8 * width);
        }
    });
}

/// As ValueKernel::unpack_raw says.
template <class F>
void unpack_raw(const std::uint8_t* in, std::size_t count, unsigned trailing, std::uint16_t emax,
                const typename F::Exponent* differences, typename F::Value* values) noexcept {
    const unsigned width = F::kPartBits - trailing;
    with_width(width, [&](auto constant) {
        typename F::Value parts[kGroup];
        for (std::size_t first = 0; first < count; first += kGroup) {
            const std::size_t length = std::min(kGroup, count - first);
            unpack_group<constant.value>(in + first / 8 * width, length, width, parts);
            for (std::size_t i = 0; i < length; ++i) {
                const auto exponent =
                    static_cast<typename F::Exponent>(emax - differences[first + i]);
                values[first + i] =
                    F::join(exponent, static_cast<typename F::Value>(parts[i] << trailing));
            }
        }
    });
}

}  // namespace
}  // namespace entrolith
