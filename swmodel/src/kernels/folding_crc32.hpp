// SPDX-License-Identifier: Apache-2.0
//
// The CRC-32 by carry-less multiplication: a register that lies D bytes before another may be
// added to it once its halves are multiplied by x^(8 D) mod P. Registers that are far apart do not
// wait for each other, so four of them walk side by side and are added up at the end.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "entrolith/bytes.hpp"
#include "portable_crc32.hpp"

namespace entrolith {
namespace {

/// What the lower and the upper 64 bits of 16 bytes are multiplied by to move them `bytes` ahead.
/// The product of reflected polynomials is one bit short, hence the shift.
struct Fold {
    std::uint64_t lower;
    std::uint64_t upper;

    static constexpr Fold by(std::size_t bytes) noexcept {
        return {std::uint64_t{power(bytes + 4)} << 1, std::uint64_t{power(bytes - 4)} << 1};
    }
    [[nodiscard]] __m128i vector() const noexcept {
        return _mm_set_epi64x(static_cast<long long>(upper), static_cast<long long>(lower));
    }
};

inline __m128i fold(__m128i v, __m128i by, __m128i next) noexcept {
    return _mm_xor_si128(
        next, _mm_xor_si128(_mm_clmulepi64_si128(v, by, 0x00), _mm_clmulepi64_si128(v, by, 0x11)));
}

inline __m128i load16(const std::uint8_t* at) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

/// The state after 16 bytes of message that are held in a register.
inline std::uint32_t remainder(__m128i v) noexcept {
    std::uint8_t bytes[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), v);
    return update(0, bytes, sizeof bytes);
}

#ifdef __VPCLMULQDQ__
using Wide = __m512i;
inline Wide load_wide(const std::uint8_t* at) noexcept { return _mm512_loadu_si512(at); }
inline Wide wide(const Fold& by) noexcept { return _mm512_broadcast_i32x4(by.vector()); }
inline Wide wide_start(std::uint32_t crc) noexcept {
    return _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(crc)));
}
inline Wide fold(Wide v, Wide by, Wide next) noexcept {
    return _mm512_ternarylogic_epi64(next, _mm512_clmulepi64_epi128(v, by, 0x00),
                                     _mm512_clmulepi64_epi128(v, by, 0x11), 0x96);
}
inline __m128i narrow(Wide v) noexcept {
    const __m128i by = Fold::by(16).vector();
    __m128i sum = _mm512_castsi512_si128(v);
    sum = fold(sum, by, _mm512_extracti32x4_epi32(v, 1));
    sum = fold(sum, by, _mm512_extracti32x4_epi32(v, 2));
    return fold(sum, by, _mm512_extracti32x4_epi32(v, 3));
}
#else
using Wide = __m128i;
inline Wide load_wide(const std::uint8_t* at) noexcept { return load16(at); }
inline Wide wide(const Fold& by) noexcept { return by.vector(); }
inline Wide wide_start(std::uint32_t crc) noexcept {
    return _mm_cvtsi32_si128(static_cast<int>(crc));
}
inline __m128i narrow(Wide v) noexcept { return v; }
#endif

inline Wide add(Wide a, Wide b) noexcept { return a ^ b; }

inline constexpr std::size_t kWide = sizeof(Wide);
inline constexpr std::size_t kWalkers = 4;

/// The state after `registers` of them, at least kWalkers, which `next` returns one by one.
template <class Next>
std::uint32_t fold_registers(std::size_t registers, Next next) noexcept {
    Wide v[kWalkers];
    for (Wide& walker : v) walker = next();
    v[0] = add(v[0], wide_start(0xFFFFFFFF));
    const Wide far = wide(Fold::by(kWalkers * kWide));
    std::size_t i = kWalkers;
    for (; i + kWalkers <= registers; i += kWalkers) {
        for (Wide& walker : v) walker = fold(walker, far, next());
    }
    const Wide near = wide(Fold::by(kWide));
    Wide sum = fold(fold(fold(v[0], near, v[1]), near, v[2]), near, v[3]);
    for (; i < registers; ++i) sum = fold(sum, near, next());
    return remainder(narrow(sum));
}

/// As Kernel::crc32 says.
std::uint32_t crc32_by_folding(const std::uint8_t* data, std::size_t size) noexcept {
    const std::size_t registers = size / kWide;
    if (registers < kWalkers) return crc32_by_tables(data, size);
    const std::uint8_t* at = data;
    const std::uint32_t state = fold_registers(registers, [&]() noexcept {
        const Wide v = load_wide(at);
        at += kWide;
        return v;
    });
    return ~update(state, at, size - registers * kWide);
}

}  // namespace
}  // namespace entrolith
