// SPDX-License-Identifier: Apache-2.0
//
// The code section with 64 lanes, 32 of them at a time.
//
// Without byte permutations over 256 entries a codeword is looked up by its first 4 bits, and by
// the next 4 where those do not settle it, which few first bits leave open. Without compression and
// expansion 8 bytes at a time are shuffled by tables of 256 patterns. Groups with an escape, and
// the last bytes of the codes, are left to the plain code.
#pragma once

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "entrolith/codes.hpp"
#include "portable_codes.hpp"

namespace entrolith {
namespace {

inline constexpr std::size_t kGroupLanes = 64;

/// For a mask of 8 bytes, the shuffle that moves those of the mask to the end.
inline constexpr auto kPackPatterns = [] {
    std::array<std::array<std::uint8_t, 8>, 256> patterns{};
    for (unsigned mask = 0; mask < 256; ++mask) {
        unsigned to = 8 - static_cast<unsigned>(std::popcount(mask));
        for (std::uint8_t from = 0; from < 8; ++from) {
            if (mask >> from & 1) patterns[mask][to++] = from;
        }
    }
    return patterns;
}();

/// For a mask of 8 words, the shuffle that gives each of them the next byte, and 0 to the others.
inline constexpr auto kSpreadPatterns = [] {
    std::array<std::array<std::uint8_t, 16>, 256> patterns{};
    for (unsigned mask = 0; mask < 256; ++mask) {
        std::uint8_t next = 0;
        for (unsigned word = 0; word < 8; ++word) {
            patterns[mask][2 * word] = mask >> word & 1 ? next++ : std::uint8_t{128};
            patterns[mask][2 * word + 1] = 128;
        }
    }
    return patterns;
}();

inline __m128i load_half(const void* at) noexcept {
    return _mm_loadl_epi64(static_cast<const __m128i*>(at));
}
inline __m128i load_128(const void* at) noexcept {
    return _mm_loadu_si128(static_cast<const __m128i*>(at));
}
inline __m256i load_256(const void* at) noexcept {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}
inline __m256i row_of_16(const std::uint8_t* at) noexcept {
    return _mm256_broadcastsi128_si256(load_128(at));
}

/// 2^(8 - n) and 2^(n - 1) in byte n, for lengths 1 .. 8.
inline __m256i powers_down() noexcept {
    return _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0));
}
inline __m256i powers_up() noexcept {
    return _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0));
}

/// 32 lanes as words, so arranged that packing `a` and `b` gives bytes in lane order: lanes 0-7 and
/// 16-23, lanes 8-15 and 24-31.
struct HalfGroup {
    __m256i a;
    __m256i b;

    static HalfGroup load(const std::uint16_t* states) noexcept {
        return {_mm256_set_m128i(load_128(states + 16), load_128(states)),
                _mm256_set_m128i(load_128(states + 24), load_128(states + 8))};
    }
    void store(std::uint16_t* states) const noexcept {
        const auto put = [states](std::size_t first, __m128i words) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(states + first), words);
        };
        put(0, _mm256_castsi256_si128(a));
        put(16, _mm256_extracti128_si256(a, 1));
        put(8, _mm256_castsi256_si128(b));
        put(24, _mm256_extracti128_si256(b, 1));
    }
    [[nodiscard]] __m256i low_bytes() const noexcept {
        const __m256i byte = _mm256_set1_epi16(255);
        return _mm256_packus_epi16(_mm256_and_si256(a, byte), _mm256_and_si256(b, byte));
    }
};

/// Bytes as words, in the low or in the high byte.
inline HalfGroup low_words(__m256i bytes) noexcept {
    const __m256i zero = _mm256_setzero_si256();
    return {_mm256_unpacklo_epi8(bytes, zero), _mm256_unpackhi_epi8(bytes, zero)};
}
inline HalfGroup high_words(__m256i bytes) noexcept {
    const __m256i zero = _mm256_setzero_si256();
    return {_mm256_unpacklo_epi8(zero, bytes), _mm256_unpackhi_epi8(zero, bytes)};
}

inline unsigned mask_of(__m256i bytes) noexcept {
    return static_cast<unsigned>(_mm256_movemask_epi8(bytes));
}
inline std::size_t count_bits(unsigned mask) noexcept {
    return static_cast<std::size_t>(std::popcount(mask));
}

// ------------------------------------------------------------------------------------- encoding

class HalfGroupEncoder {
public:
    explicit HalfGroupEncoder(const EncodeTable& table) noexcept
        : lengths_{row_of_16(table.lengths.data())},
          codewords_{row_of_16(table.codewords.data())} {}

    [[nodiscard]] static __m256i symbols(const std::uint8_t* differences) noexcept {
        return _mm256_min_epu8(load_256(differences), _mm256_set1_epi8(kEscape));
    }
    /// With bit 7 set for escapes.
    [[nodiscard]] __m256i lengths(__m256i symbols) const noexcept {
        return _mm256_shuffle_epi8(lengths_, symbols);
    }

    /// 32 symbols that are not escapes.
    std::uint8_t* put(std::uint8_t* at, HalfGroup& lanes, __m256i symbols,
                      __m256i lengths) const noexcept {
        const HalfGroup limits = high_words(_mm256_shuffle_epi8(powers_down(), lengths));
        const HalfGroup full{at_least(lanes.a, limits.a), at_least(lanes.b, limits.b)};
        const __m256i bytes = lanes.low_bytes();
        const HalfGroup factors = low_words(_mm256_shuffle_epi8(powers_up(), lengths));
        const HalfGroup codewords = low_words(_mm256_shuffle_epi8(codewords_, symbols));
        lanes.a = pushed(lanes.a, full.a, factors.a, codewords.a);
        lanes.b = pushed(lanes.b, full.b, factors.b, codewords.b);

        const unsigned mask = mask_of(_mm256_packs_epi16(full.a, full.b));
        at = put_16(at, _mm256_extracti128_si256(bytes, 1), mask >> 16);
        return put_16(at, _mm256_castsi256_si128(bytes), mask & 0xFFFF);
    }

private:
    static __m256i at_least(__m256i v, __m256i limit) noexcept {
        return _mm256_cmpeq_epi16(_mm256_max_epu16(v, limit), v);
    }
    /// A product is a shift; half of the power fits in a byte, the other half is one bit.
    static __m256i pushed(__m256i lane, __m256i full, __m256i factor, __m256i codeword) noexcept {
        const __m256i rest = _mm256_blendv_epi8(lane, _mm256_srli_epi16(lane, 8), full);
        const __m256i shifted = _mm256_slli_epi16(_mm256_mullo_epi16(rest, factor), 1);
        return _mm256_or_si256(shifted, codeword);
    }
    static std::uint8_t* put_16(std::uint8_t* at, __m128i bytes, unsigned mask) noexcept {
        at = put_8(at, _mm_unpackhi_epi64(bytes, bytes), mask >> 8);
        return put_8(at, bytes, mask & 255);
    }
    static std::uint8_t* put_8(std::uint8_t* at, __m128i bytes, unsigned mask) noexcept {
        const __m128i packed = _mm_shuffle_epi8(bytes, load_half(kPackPatterns[mask].data()));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(at - 8), packed);
        return at - count_bits(mask);
    }

    __m256i lengths_;
    __m256i codewords_;
};

/// Whole groups of a stretch that begins with lane 0.
inline void encode_groups(CodeWriter& writer, const EncodeTable& table, const Stretch& stretch,
                          std::size_t count, const std::uint8_t* differences) noexcept {
    const HalfGroupEncoder encoder{table};
    HalfGroup lower = HalfGroup::load(writer.states.data());
    HalfGroup upper = HalfGroup::load(writer.states.data() + 32);
    const auto save = [&] {
        lower.store(writer.states.data());
        upper.store(writer.states.data() + 32);
    };
    for (std::size_t i = count; i > 0;) {
        i -= kGroupLanes;
        const __m256i symbols[] = {HalfGroupEncoder::symbols(differences + i),
                                   HalfGroupEncoder::symbols(differences + i + 32)};
        const __m256i lengths[] = {encoder.lengths(symbols[0]), encoder.lengths(symbols[1])};
        if (mask_of(_mm256_or_si256(lengths[0], lengths[1])) != 0) [[unlikely]] {
            save();
            encode(writer, table, {stretch.first + i, kGroupLanes, stretch.emax, 0},
                   differences + i);
            lower = HalfGroup::load(writer.states.data());
            upper = HalfGroup::load(writer.states.data() + 32);
            continue;
        }
        writer.at = encoder.put(writer.at, upper, symbols[1], lengths[1]);
        writer.at = encoder.put(writer.at, lower, symbols[0], lengths[0]);
    }
    save();
}

// ------------------------------------------------------------------------------------- decoding

class HalfGroupDecoder {
public:
    explicit HalfGroupDecoder(const DecodeTable& table) noexcept
        : first_{row_of_16(table.bytes.data())} {
        const __m128i lengths = _mm_and_si128(load_128(table.bytes.data()), _mm_set1_epi8(7));
        auto open =
            static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpgt_epi8(lengths, _mm_set1_epi8(3))));
        for (; open != 0; open &= open - 1) {
            const auto bits = static_cast<unsigned>(std::countr_zero(open));
            open_[opens_] = _mm256_set1_epi8(static_cast<char>(bits));
            std::array<std::uint8_t, 16> row;  // the bytes of these next four bits
            for (std::size_t i = 0; i < row.size(); ++i) row[i] = table.bytes[16 * i + bits];
            second_[opens_++] = row_of_16(row.data());
        }
    }

    /// Symbols and lengths as in DecodeTable::bytes.
    [[nodiscard]] __m256i find(const HalfGroup& lanes) const noexcept {
        const __m256i nibble = _mm256_set1_epi8(15);
        const __m256i bytes = lanes.low_bytes();
        const __m256i lower = _mm256_and_si256(bytes, nibble);
        const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
        __m256i found = _mm256_shuffle_epi8(first_, lower);
        for (unsigned k = 0; k < opens_; ++k) {
            found = _mm256_blendv_epi8(found, _mm256_shuffle_epi8(second_[k], upper),
                                       _mm256_cmpeq_epi8(lower, open_[k]));
        }
        return found;
    }

    /// Drops what find() has found and takes bytes where fewer than 8 bits wait.
    static const std::uint8_t* advance(const std::uint8_t* at, HalfGroup& lanes,
                                       __m256i found) noexcept {
        const __m256i lengths =
            _mm256_add_epi8(_mm256_and_si256(found, _mm256_set1_epi8(7)), _mm256_set1_epi8(1));
        const HalfGroup factors = high_words(_mm256_shuffle_epi8(powers_down(), lengths));
        const HalfGroup rest{_mm256_mulhi_epu16(lanes.a, factors.a),
                             _mm256_mulhi_epu16(lanes.b, factors.b)};
        const HalfGroup wants{below_256(rest.a), below_256(rest.b)};
        const unsigned mask = mask_of(_mm256_packs_epi16(wants.a, wants.b));
        const auto next = [&at, mask](unsigned first) {
            const unsigned some = mask >> first & 255;
            const __m128i bytes =
                _mm_shuffle_epi8(load_half(at), load_128(kSpreadPatterns[some].data()));
            at += count_bits(some);
            return bytes;
        };
        const __m128i taken[] = {next(0), next(8), next(16), next(24)};
        lanes.a = pushed(rest.a, wants.a, _mm256_set_m128i(taken[2], taken[0]));
        lanes.b = pushed(rest.b, wants.b, _mm256_set_m128i(taken[3], taken[1]));
        return at;
    }

    [[nodiscard]] static __m256i symbols(__m256i found) noexcept {
        return _mm256_and_si256(_mm256_srli_epi16(found, 3), _mm256_set1_epi8(31));
    }

private:
    static __m256i below_256(__m256i v) noexcept {
        return _mm256_cmpeq_epi16(_mm256_srli_epi16(v, 8), _mm256_setzero_si256());
    }
    static __m256i pushed(__m256i rest, __m256i wants, __m256i bytes) noexcept {
        return _mm256_or_si256(_mm256_blendv_epi8(rest, _mm256_slli_epi16(rest, 8), wants), bytes);
    }

    static constexpr unsigned kMostOpen = 7;  // codes of 16 symbols leave no more first bits open

    __m256i first_;
    __m256i open_[kMostOpen];
    __m256i second_[kMostOpen];
    unsigned opens_ = 0;
};

/// Whole groups of a stretch that begins with lane 0, for as long as nothing can be wrong with them
/// that needs a look at each symbol.
inline bool decode_groups(CodeReader& reader, const DecodeTable& table, const Stretch& stretch,
                          std::size_t count, std::uint8_t* differences) noexcept {
    const HalfGroupDecoder decoder{table};
    HalfGroup lower = HalfGroup::load(reader.states.data());
    HalfGroup upper = HalfGroup::load(reader.states.data() + 32);
    const auto save = [&] {
        lower.store(reader.states.data());
        upper.store(reader.states.data() + 32);
    };
    constexpr std::ptrdiff_t kMostRead = kGroupLanes + 8;
    for (std::size_t i = 0; i < count; i += kGroupLanes) {
        const __m256i found[] = {decoder.find(lower), decoder.find(upper)};
        const __m256i symbols[] = {HalfGroupDecoder::symbols(found[0]),
                                   HalfGroupDecoder::symbols(found[1])};
        const __m256i escape = _mm256_set1_epi8(kEscape);
        const __m256i escapes = _mm256_or_si256(_mm256_cmpeq_epi8(symbols[0], escape),
                                                _mm256_cmpeq_epi8(symbols[1], escape));
        if (mask_of(escapes) != 0 || reader.end - reader.at < kMostRead) [[unlikely]] {
            save();
            const Stretch group{stretch.first + i, kGroupLanes, stretch.emax,
                                stretch.exponent_bits};
            if (!decode(reader, table, group, differences + i)) return false;
            lower = HalfGroup::load(reader.states.data());
            upper = HalfGroup::load(reader.states.data() + 32);
            continue;
        }
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(differences + i), symbols[0]);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(differences + i + 32), symbols[1]);
        reader.at = HalfGroupDecoder::advance(reader.at, lower, found[0]);
        reader.at = HalfGroupDecoder::advance(reader.at, upper, found[1]);
    }
    save();
    return true;
}

}  // namespace
}  // namespace entrolith
