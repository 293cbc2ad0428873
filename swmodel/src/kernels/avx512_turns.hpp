// SPDX-License-Identifier: Apache-2.0
//
// The code section with 8 lanes, a lane in each word of a register.
//
// A chunk's next symbols wait for its last ones, some 30 cycles. So several chunks take turns, 8
// symbols each: what they do in between depends on nobody. No branch depends on the data, escapes
// included.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "avx512_codes.hpp"
#include "entrolith/codes.hpp"
#include "portable_codes.hpp"

namespace entrolith {
namespace {

/// A turn on its way, of exponents of 8 bits, which all bytes are, and an emax that no symbol is
/// above.
class TurnDecoder {
public:
    TurnDecoder() noexcept = default;
    explicit TurnDecoder(const Turn& turn) noexcept
        : table_{turn.table},
          at_{turn.reader->at},
          differences_{turn.differences},
          emax_{turn.stretch.emax},
          turn_{&turn} {
        load_states();
    }

    /// How often take() may be called without running out of bytes.
    [[nodiscard]] std::size_t safe_steps() const noexcept {
        return static_cast<std::size_t>(turn_->reader->end - at_) / kMostBytes;
    }

    /// The next 8 symbols, which begin with number `first` of the stretch.
    void take(std::size_t first) noexcept {
        const __m256i low = _mm256_set1_epi32(255);
        const __m512i next = _mm512_castsi128_si512(_mm256_cvtepi32_epi8(states_));
        const __m256i entries =
            _mm256_cvtepu8_epi32(_mm512_castsi512_si128(DecodeRows{*table_}.of(next)));
        const __m256i rest = _mm256_srlv_epi32(_mm256_srli_epi32(states_, 1),
                                               _mm256_and_si256(entries, _mm256_set1_epi32(7)));
        const __m256i symbols = _mm256_srli_epi32(entries, 3);
        const __mmask8 wants = _mm256_cmplt_epu32_mask(rest, _mm256_set1_epi32(256));
        const __mmask8 escapes = _mm256_cmpeq_epi32_mask(symbols, _mm256_set1_epi32(kEscape));

        // Each lane takes its byte and then its exponent.
        const std::uint32_t taken = _pdep_u32(wants, 0x5555) | _pdep_u32(escapes, 0xAAAA);
        const __m256i both = _mm256_cvtepu16_epi32(_mm_maskz_expand_epi8(
            static_cast<__mmask16>(taken), _mm_loadu_si128(reinterpret_cast<const __m128i*>(at_))));
        at_ += count_bits(taken);
        states_ = _mm256_mask_or_epi32(rest, wants, _mm256_slli_epi32(rest, 8),
                                       _mm256_and_si256(both, low));
        const __m256i differences = _mm256_mask_sub_epi32(
            symbols, escapes, _mm256_set1_epi32(emax_), _mm256_srli_epi32(both, 8));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(differences_ + first),
                         _mm256_cvtepi32_epi8(differences));
    }

    /// The next `count` symbols, in whatever number of bytes there is; false if they are corrupt.
    [[nodiscard]] bool take_plainly(std::size_t first, std::size_t count) noexcept {
        const Stretch& all = turn_->stretch;
        CodeReader& reader = *turn_->reader;
        reader.at = at_;
        _mm_store_si128(reinterpret_cast<__m128i*>(reader.states.data()),
                        _mm256_cvtepi32_epi16(states_));
        const Stretch part{all.first + first, count, all.emax, all.exponent_bits};
        if (!decode(reader, *turn_->table, part, differences_ + first)) return false;
        at_ = reader.at;
        load_states();
        return true;
    }

    /// The symbols from number `first` on.
    [[nodiscard]] bool finish(std::size_t first) noexcept {
        return take_plainly(first, turn_->stretch.count - first);
    }

private:
    static constexpr std::size_t kMostBytes = 2 * kTurnLanes;

    void load_states() noexcept {
        states_ = _mm256_cvtepu16_epi32(
            _mm_load_si128(reinterpret_cast<const __m128i*>(turn_->reader->states.data())));
    }

    __m256i states_{};
    const DecodeTable* table_ = nullptr;
    const std::uint8_t* at_ = nullptr;
    std::uint8_t* differences_ = nullptr;
    int emax_ = 0;
    const Turn* turn_ = nullptr;
};

/// As Kernel::decode_turns says.
bool decode_turns_at_once(std::span<const Turn> turns) noexcept {
    std::array<TurnDecoder, kMostTurns> room;
    std::size_t count = 0;
    std::size_t whole = ~std::size_t{0};
    for (const Turn& turn : turns) {
        if (turn.stretch.emax < kEscape - 1 || turn.stretch.exponent_bits < 8) {
            if (!decode(*turn.reader, *turn.table, turn.stretch, turn.differences)) return false;
            continue;
        }
        room[count++] = TurnDecoder{turn};
        whole = std::min(whole, turn.stretch.count / kTurnLanes);
    }
    if (count == 0) return true;
    const std::span decoders{room.data(), count};
    for (std::size_t step = 0; step < whole;) {
        std::size_t safe = whole - step;
        for (const TurnDecoder& decoder : decoders) safe = std::min(safe, decoder.safe_steps());
        for (const std::size_t end = step + safe; step < end; ++step) {
            for (TurnDecoder& decoder : decoders) decoder.take(kTurnLanes * step);
        }
        if (step == whole) break;
        for (TurnDecoder& decoder : decoders) {  // one of them is near its end
            if (decoder.safe_steps() > 0) {
                decoder.take(kTurnLanes * step);
            } else if (!decoder.take_plainly(kTurnLanes * step, kTurnLanes)) {
                return false;
            }
        }
        ++step;
    }
    for (TurnDecoder& decoder : decoders) {
        if (!decoder.finish(kTurnLanes * whole)) return false;
    }
    return true;
}

}  // namespace
}  // namespace entrolith
