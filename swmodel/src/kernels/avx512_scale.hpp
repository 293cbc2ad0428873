// SPDX-License-Identifier: Apache-2.0
//
// The rows of scaled chunks, 64 columns at a time: their states and half octaves are words of two
// registers, their d bytes of one.
//
// States are kept with kBias added, which section 4.4 adds to them anyway. t takes four values of
// the clamped d and one of five remainders of the prediction: its own bounds are then never passed,
// and beyond those of d there is only one W.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "avx512_bytes.hpp"
#include "avx512_codes.hpp"
#include "avx512_raw_parts.hpp"
#include "entrolith/scale.hpp"
#include "portable_scale.hpp"
#include "scale_groups.hpp"

namespace entrolith {
namespace {

inline constexpr std::int16_t kBias = 8;
inline constexpr std::size_t kWords = 32;  // in a register

inline void reset_states(const Rows& rows, const RowBuffers& buffers) noexcept {
    for (std::size_t c = 0; c < rows.columns(); c += kWords) {
        _mm512_storeu_si512(buffers.states + c, _mm512_set1_epi16(kBias));
    }
}

/// A group's columns in a row with some offset.
struct GroupStates {
    static constexpr std::size_t kHalves = 2;

    ColumnState* at;
    __m512i states[kHalves];
    __m512i above[kHalves];  // P + 4
    __m512i remainders;      // what t is for a d of 0
    __mmask64 tables;

    GroupStates(ColumnState* columns, __m512i offset) noexcept : at{columns} {
        for (std::size_t k = 0; k < kHalves; ++k) {
            states[k] = _mm512_loadu_si512(at + k * kWords);
            above[k] = _mm512_add_epi16(_mm512_srai_epi16(states[k], 4), offset);
        }
        const __m512i low = _mm512_permutex2var_epi8(above[0], bytes_of(kEvenOfTwo), above[1]);
        tables = _mm512_test_epi8_mask(low, _mm512_set1_epi8(8));
        // 4 less half of the remainder of P + 4, rounded up.
        const __m512i half =
            _mm512_avg_epu8(_mm512_and_si512(low, _mm512_set1_epi8(7)), _mm512_setzero_si512());
        remainders = _mm512_sub_epi8(_mm512_set1_epi8(4), half);
    }

    /// 4 r + 4.
    static __m512i offset_of(int offset) noexcept {
        return _mm512_set1_epi16(static_cast<short>(4 * offset + 4));
    }
    /// q of columns 32 k and up.
    [[nodiscard]] __m512i predicted(std::size_t k) const noexcept {
        return _mm512_srai_epi16(above[k], 3);
    }

    /// Stores what the states of the active columns come to be.
    template <bool kWhole>
    void learn(__m512i d, __m512i gain, __mmask64 active) const noexcept {
        const __m512i clamped =
            _mm512_max_epi8(_mm512_min_epi8(d, _mm512_set1_epi8(14)), _mm512_set1_epi8(-16));
        const __m512i twice = _mm512_add_epi8(clamped, clamped);
        const __m512i t = _mm512_add_epi8(_mm512_add_epi8(twice, twice), remainders);
        const __m512i w = _mm512_permutex2var_epi8(
            _mm512_loadu_si512(kStateSteps.data()), t,
            _mm512_loadu_si512(kStateSteps.data() + kStateSteps.size() / 2));
        for (std::size_t k = 0; k < kHalves; ++k) {
            const __m512i step = _mm512_srai_epi16(_mm512_mullo_epi16(words_of(w, k), gain), 5);
            const __m512i most = _mm512_set1_epi16(kMostState + kBias);
            const __m512i least = _mm512_set1_epi16(-kMostState + kBias);
            const __m512i moved =
                _mm512_max_epi16(_mm512_min_epi16(_mm512_add_epi16(states[k], step), most), least);
            if constexpr (kWhole) {
                _mm512_storeu_si512(at + k * kWords, moved);
            } else {
                _mm512_mask_storeu_epi16(at + k * kWords,
                                         static_cast<__mmask32>(active >> (k * kWords)), moved);
            }
        }
    }

    /// Signed bytes 32 k and up, as words.
    static __m512i words_of(__m512i bytes, std::size_t k) noexcept {
        return _mm512_cvtepi8_epi16(k == 0 ? _mm512_castsi512_si256(bytes)
                                           : _mm512_extracti64x4_epi64(bytes, 1));
    }
};

/// Counts of the 32 symbols of two tables: each bit of a group's symbols is a mask of 64 bits, and
/// from such masks comes the one of any symbol.
class WideCounter {
public:
    /// Lanes outside `active` are not counted.
    void add(__m512i differences, __mmask64 tables, __mmask64 active) noexcept {
        const __m512i symbols = _mm512_min_epu8(differences, _mm512_set1_epi8(kWideEscape));
        const auto bit = [&](unsigned b) {
            return _mm512_test_epi8_mask(symbols, _mm512_set1_epi8(static_cast<char>(1u << b)));
        };
        const std::uint64_t b3 = bit(3);
        const std::uint64_t b4 = bit(4);
        const std::uint64_t upper[3] = {~b4 & b3 & active, b4 & ~b3 & active, b4 & b3 & active};
        // Masks go through memory: that is where a broadcast costs nothing.
        std::uint64_t masks[9] = {bit(0),
                                  bit(1),
                                  bit(2),
                                  upper[0] & ~tables,
                                  upper[1] & ~tables,
                                  upper[2] & ~tables,
                                  upper[0] & tables,
                                  upper[1] & tables,
                                  upper[2] & tables};
        asm volatile("" : "+m"(masks));
        const auto everywhere = [&](unsigned m) {
            return _mm512_set1_epi64(static_cast<long long>(masks[m]));
        };
        // Lane s: which values have s as their lower three bits.
        const __m512i lower =
            _mm512_and_si512(_mm512_xor_si512(everywhere(0), inverse(0)),
                             _mm512_and_si512(_mm512_xor_si512(everywhere(1), inverse(1)),
                                              _mm512_xor_si512(everywhere(2), inverse(2))));
        for (unsigned u = 0; u < 3; ++u) {
            count(1 + u, lower, everywhere(3 + u));
            count(5 + u, lower, everywhere(6 + u));
        }
        const std::uint64_t rare = ~b4 & ~b3 & active;
        if (rare != 0) [[unlikely]] {
            count(0, lower, _mm512_set1_epi64(static_cast<long long>(rare & ~tables)));
            count(4, lower, _mm512_set1_epi64(static_cast<long long>(rare & tables)));
        }
    }

    void add_up(std::array<WideHistogram, 2>& histograms) const noexcept {
        for (unsigned k = 0; k < 8; ++k) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(histograms[k / 4].data() + k % 4 * 8),
                                _mm512_cvtepi64_epi32(counts_[k]));
        }
    }

private:
    void count(unsigned k, __m512i lower, __m512i upper) noexcept {
        counts_[k] =
            _mm512_add_epi64(counts_[k], _mm512_popcnt_epi64(_mm512_and_si512(lower, upper)));
    }
    /// All ones in the lanes whose number has a 0 at bit b.
    static __m512i inverse(unsigned b) noexcept {
        const auto lane = [b](long long s) { return s >> b & 1 ? 0LL : -1LL; };
        return _mm512_setr_epi64(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6),
                                 lane(7));
    }

    __m512i counts_[8] = {};
};

/// The upper words of 64 values, from the first of which `count` are read; `bits` takes all bits.
template <class F>
struct UpperWords {
    __m512i words[2];

    UpperWords(const typename F::Value* values, std::size_t count, __m512i& bits) noexcept {
        using P = Patterns<F>;
        constexpr std::size_t kRegisters = sizeof(typename F::Value);
        __m512i all[kRegisters];
        for (std::size_t r = 0; r < kRegisters; ++r) {
            const std::size_t at = r * P::kCount;
            if (at + P::kCount <= count) [[likely]] {
                all[r] = _mm512_loadu_si512(values + at);
            } else {
                all[r] =
                    at < count ? P::load_first(values + at, count - at) : _mm512_setzero_si512();
            }
            bits = _mm512_or_si512(bits, all[r]);
        }
        if constexpr (kRegisters == 2) {
            words[0] = all[0];
            words[1] = all[1];
        } else {
            for (unsigned k = 0; k < 2; ++k) {
                words[k] = _mm512_permutex2var_epi16(all[2 * k], odd_words(), all[2 * k + 1]);
            }
        }
    }

    /// Sign and h of columns 32 k and up, as 10 bits.
    [[nodiscard]] __m512i signed_halves(std::size_t k) const noexcept {
        return _mm512_srli_epi16(words[k], 15 - kHalfBits);
    }

private:
    static __m512i odd_words() noexcept {
        static constexpr ByteIndex kOddWords =  // word i is number 2 i + 1
            byte_index([](unsigned i) { return i % 2 == 0 ? i + 1 : 0; });
        return bytes_of(kOddWords);
    }
};

/// h of what UpperWords has with the sign.
inline __m512i without_sign(__m512i signed_halves) noexcept {
    return _mm512_and_si512(signed_halves, _mm512_set1_epi16(kHighestHalf));
}

/// The signs of 64 values, of what UpperWords has.
inline __mmask64 signs_of(__m512i lower, __m512i upper) noexcept {
    const __m512i sign = _mm512_set1_epi16(kHighestHalf + 1);
    return _mm512_kunpackd(_mm512_test_epi16_mask(upper, sign),
                           _mm512_test_epi16_mask(lower, sign));
}

/// Where signs are not looked at; avx512_signs.hpp has what does.
struct NoGroupSigns {
    static constexpr bool kLooks = false;
    void weigh(const RowGroup&, __mmask64, __mmask64) const noexcept {}
    void end_row(std::size_t) const noexcept {}
    template <bool kWhole>
    void code(const RowGroup&, __mmask64, __mmask64, __m512i) const noexcept {}
};

/// Counts what a survey has stored.
template <bool kDense>
void count_groups(WideCounter& counter, const Rows& rows, const RowBuffers& buffers) noexcept {
    for (std::size_t value = 0; value < rows.values; value += kGroupLanes) {
        const RowGroup group{value, 0, std::min(kGroupLanes, rows.values - value)};
        counter.add(_mm512_loadu_si512(buffers.differences + value), bits_at(buffers.tables, value),
                    group.active<kDense>(rows));
    }
}

/// `signs` sees those of each group twice, before and after the offset of its row is known. Where
/// it looks, symbols are counted apart: registers do not suffice for all at once.
template <class F, bool kDense, class Signs>
ScaleSurvey survey_groups_of_rows(const typename F::Value* values, const Rows& rows,
                                  const RowBuffers& all_buffers, Signs& signs) noexcept {
    using Half = HalfOctaves<F>;
    const RowBuffers buffers = all_buffers;  // which no store changes, as the compiler can see
    const __m512i ones = _mm512_set1_epi16(1);
    __m512i bits = _mm512_setzero_si512();
    __m512i far = _mm512_setzero_si512();
    WideCounter counter;
    reset_states(rows, buffers);
    for (std::size_t row = 0; row < rows.count(); ++row) {
        __m512i sums = _mm512_setzero_si512();
        std::size_t count = 0;
        for_each_group(rows, row, [&](const RowGroup& group) noexcept {
            const UpperWords<F> upper{values + group.value, group.count, bits};
            const __mmask64 active = group.active<kDense>(rows);
            count += count_bits(active);
            const __m512i both[2] = {upper.signed_halves(0), upper.signed_halves(1)};
            if constexpr (Signs::kLooks) signs.weigh(group, signs_of(both[0], both[1]), active);
            for (std::size_t k = 0; k < 2; ++k) {
                const __m512i half = without_sign(both[k]);
                _mm512_storeu_si512(buffers.halves + group.column + k * kWords,
                                    Signs::kLooks ? both[k] : half);
                const __m512i state =
                    _mm512_loadu_si512(buffers.states + group.column + k * kWords);
                const __m512i beyond =
                    _mm512_sub_epi16(_mm512_slli_epi16(half, 3), _mm512_srai_epi16(state, 4));
                const auto some = static_cast<__mmask32>(active >> (k * kWords));
                sums = _mm512_add_epi32(
                    sums, _mm512_madd_epi16(_mm512_maskz_mov_epi16(some, beyond), ones));
            }
        });
        signs.end_row(row);
        if (count == 0) {
            buffers.offsets[row] = kNoOffset;
            continue;
        }
        const int offset =
            row_offset(_mm512_reduce_add_epi32(sums) + 4 * static_cast<int>(count), count);
        buffers.offsets[row] = static_cast<std::int16_t>(offset);
        const __m512i all_offset = GroupStates::offset_of(offset);
        const __m512i gain = _mm512_set1_epi16(static_cast<short>(state_gain(row)));
        for_each_group(rows, row, [&](const RowGroup& group) noexcept {
            const GroupStates states{buffers.states + group.column, all_offset};
            const __mmask64 active = group.active<kDense>(rows);
            __m512i both[2];
            __m512i d[2];
            for (std::size_t k = 0; k < 2; ++k) {
                both[k] = _mm512_loadu_si512(buffers.halves + group.column + k * kWords);
                d[k] = _mm512_sub_epi16(Signs::kLooks ? without_sign(both[k]) : both[k],
                                        states.predicted(k));
                const auto some = static_cast<__mmask32>(active >> (k * kWords));
                far = _mm512_or_si512(far,
                                      _mm512_maskz_add_epi16(some, d[k], _mm512_set1_epi16(128)));
            }
            const __m512i bytes = _mm512_permutex2var_epi8(d[0], bytes_of(kEvenOfTwo), d[1]);
            const __m512i differences = _mm512_sub_epi8(_mm512_set1_epi8(kCentre), bytes);
            _mm512_storeu_si512(buffers.differences + group.value, differences);
            put_bits(buffers.tables, group.value, states.tables);
            if constexpr (!Signs::kLooks) counter.add(differences, states.tables, active);
            const auto learn = [&](auto whole) {
                if constexpr (Signs::kLooks) {
                    signs.template code<whole.value>(group, signs_of(both[0], both[1]), active,
                                                     bytes);
                }
                states.template learn<whole.value>(bytes, gain, active);
            };
            if (active == kAllLanes) [[likely]] {
                learn(std::true_type{});
            } else {
                learn(std::false_type{});
            }
        });
    }
    ScaleSurvey found{};
    found.possible =
        _mm512_test_epi16_mask(far, _mm512_set1_epi16(static_cast<short>(0xFF00))) == 0;
    const auto folded = static_cast<std::uint64_t>(_mm512_reduce_or_epi64(bits));
    std::uint64_t mantissas = folded | folded >> 32;
    if constexpr (sizeof(typename F::Value) == 2) mantissas |= mantissas >> 16;
    mantissas |= std::uint64_t{1} << Half::kMantissaBits;
    found.trailing = static_cast<std::uint8_t>(std::countr_zero(mantissas));
    if constexpr (Signs::kLooks) count_groups<kDense>(counter, rows, buffers);
    counter.add_up(found.histograms);
    return found;
}

/// As RowKernel says.
template <class F>
ScaleSurvey survey_rows_at_once(const typename F::Value* values, const Rows& rows,
                                const RowBuffers& buffers) noexcept {
    NoGroupSigns signs;
    return rows.zeros == nullptr ? survey_groups_of_rows<F, true>(values, rows, buffers, signs)
                                 : survey_groups_of_rows<F, false>(values, rows, buffers, signs);
}

/// One of two tables for each lane, by the bits of what is else the number of a group.
struct EncodeTablesByLane {
    EncodeRows rows[2];

    [[nodiscard]] __m512i lengths(__m512i index, __mmask64 tables) const noexcept {
        return _mm512_mask_permutexvar_epi8(_mm512_permutexvar_epi8(index, rows[0].lengths), tables,
                                            index, rows[1].lengths);
    }
    [[nodiscard]] __m512i codewords(__m512i index, __mmask64 tables) const noexcept {
        return _mm512_mask_permutexvar_epi8(_mm512_permutexvar_epi8(index, rows[0].codewords),
                                            tables, index, rows[1].codewords);
    }
};

struct DecodeTablesByLane {
    DecodeRows rows[2];

    [[nodiscard]] PackedSymbols<kWideEscape> of(__m512i low, __mmask64 tables) const noexcept {
        return {_mm512_mask_blend_epi8(tables, rows[0].of(low), rows[1].of(low))};
    }
};

/// Encodes differences, of which those of a group have the tables which_of(group).
template <bool kDense, class Tables, class WhichOf>
void encode_groups_of_rows(CodeWriter& writer, const Rows& rows, const std::uint8_t* differences,
                           int centre, const Tables& tables, WhichOf which_of) noexcept {
    GroupEncoder encoder{writer, static_cast<std::uint16_t>(centre)};
    for_each_group_back(rows, [&](const RowGroup& group) noexcept {
        const __mmask64 active = group.active<kDense>(rows);
        const __m512i some = _mm512_loadu_si512(differences + group.value);
        const auto which = which_of(group);
        if (active == kAllLanes) [[likely]] {
            encoder.template group<true>(tables, which, some, active);
        } else {
            encoder.template group<false>(tables, which, some, active);
        }
    });
}

/// As RowKernel says.
inline void encode_rows_64(CodeWriter& writer, const EncodeTable* const tables[2], const Rows& rows,
                           const RowBuffers& buffers) noexcept {
    if (writer.lanes != kGroupLanes) return encode_rows(writer, tables, rows, buffers);
    const EncodeTablesByLane both{{EncodeRows{*tables[0]}, EncodeRows{*tables[1]}}};
    const auto which = [&](const RowGroup& group) noexcept {
        return bits_at(buffers.tables, group.value);
    };
    return rows.zeros == nullptr ? encode_groups_of_rows<true>(writer, rows, buffers.differences,
                                                               kCentre, both, which)
                                 : encode_groups_of_rows<false>(writer, rows, buffers.differences,
                                                                kCentre, both, which);
}

template <bool kDense>
bool decode_groups_of_rows(CodeReader& reader, const DecodeTable* const tables[2], const Rows& rows,
                           const RowBuffers& buffers, std::uint16_t* half_octaves) noexcept {
    const DecodeTablesByLane both{{DecodeRows{*tables[0]}, DecodeRows{*tables[1]}}};
    GroupDecoder decoder{reader, {0, 0, kCentre, 8}};
    const __m512i highest = _mm512_set1_epi16(static_cast<short>(kHighestHalf));
    __m512i beyond = _mm512_setzero_si512();
    reset_states(rows, buffers);
    for (std::size_t row = 0; row < rows.count(); ++row) {
        const __m512i offset = GroupStates::offset_of(buffers.offsets[row]);
        const __m512i gain = _mm512_set1_epi16(static_cast<short>(state_gain(row)));
        for_each_group(rows, row, [&](const RowGroup& group) noexcept {
            const GroupStates states{buffers.states + group.column, offset};
            const __mmask64 active = group.active<kDense>(rows);
            const bool whole = active == kAllLanes;
            const __m512i differences = whole ? decoder.group<true>(both, states.tables, active)
                                              : decoder.group<false>(both, states.tables, active);
            const __m512i d = _mm512_sub_epi8(_mm512_set1_epi8(kCentre), differences);
            __m512i below[2];  // the highest half octave
            for (std::size_t k = 0; k < 2; ++k) {
                const __m512i half =
                    _mm512_add_epi16(states.predicted(k), GroupStates::words_of(d, k));
                below[k] = _mm512_sub_epi16(highest, half);
            }
            if (whole) [[likely]] {
                for (std::size_t k = 0; k < 2; ++k) {
                    _mm512_storeu_si512(half_octaves + k * kWords, below[k]);
                    beyond = _mm512_or_si512(beyond, below[k]);
                }
                half_octaves += kGroupLanes;
                states.template learn<true>(d, gain, active);
                return;
            }
            for (std::size_t k = 0; k < 2; ++k) {
                const auto some = static_cast<__mmask32>(active >> (k * kWords));
                const __m512i packed = _mm512_maskz_compress_epi16(some, below[k]);
                _mm512_storeu_si512(half_octaves, packed);
                half_octaves += count_bits(some);
                beyond = _mm512_or_si512(beyond, packed);
            }
            states.template learn<false>(d, gain, active);
        });
        if (!decoder.good()) return false;
    }
    const __m512i more = _mm512_set1_epi16(static_cast<short>(~kHighestHalf));
    return _mm512_test_epi16_mask(beyond, more) == 0;
}

/// As RowKernel says.
inline bool decode_rows_64(CodeReader& reader, const DecodeTable* const tables[2], const Rows& rows,
                           const RowBuffers& buffers, std::uint16_t* half_octaves) noexcept {
    if (reader.lanes != kGroupLanes) {
        return decode_rows(reader, tables, rows, buffers, half_octaves);
    }
    return rows.zeros == nullptr
               ? decode_groups_of_rows<true>(reader, tables, rows, buffers, half_octaves)
               : decode_groups_of_rows<false>(reader, tables, rows, buffers, half_octaves);
}

}  // namespace
}  // namespace entrolith
