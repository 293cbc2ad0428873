// SPDX-License-Identifier: Apache-2.0
//
// AVX-512 with VBMI2 and VPCLMULQDQ: Ice Lake, Zen 4 and later.

#include "avx512_codes.hpp"
#include "avx512_half_octaves.hpp"
#include "avx512_raw_parts.hpp"
#include "avx512_runs.hpp"
#include "avx512_scale.hpp"
#include "avx512_signs.hpp"
#include "avx512_survey.hpp"
#include "avx512_turns.hpp"
#include "avx512_zeros.hpp"
#include "folding_crc32.hpp"
#include "instances.hpp"
#include "portable.hpp"

namespace entrolith {
namespace {

void encode_64(CodeWriter& writer, const EncodeTable& table, const Stretch& stretch,
               const std::uint8_t* differences) noexcept {
    if (writer.lanes != kGroupLanes) return encode(writer, table, stretch, differences);
    encode_groups(writer, OneEncodeTable{table}, stretch, differences);
}

bool decode_64(CodeReader& reader, const DecodeTable& table, const Stretch& stretch,
               std::uint8_t* differences) noexcept {
    if (reader.lanes != kGroupLanes) return decode(reader, table, stretch, differences);
    return decode_groups(reader, OneDecodeTable{table}, stretch, differences);
}

void encode_mixed_64(CodeWriter& writer, const EncodeTable* const tables[2],
                     const std::uint64_t* which, const Stretch& stretch,
                     const std::uint8_t* differences) noexcept {
    if (writer.lanes != kGroupLanes) {
        return encode_mixed(writer, tables, which, stretch, differences);
    }
    const TwoEncodeTables both{{EncodeRows{*tables[0]}, EncodeRows{*tables[1]}}, which};
    encode_groups(writer, both, stretch, differences);
}

bool decode_mixed_64(CodeReader& reader, const DecodeTable* const tables[2],
                     const std::uint64_t* which, const Stretch& stretch,
                     std::uint8_t* differences) noexcept {
    if (reader.lanes != kGroupLanes) {
        return decode_mixed(reader, tables, which, stretch, differences);
    }
    const TwoDecodeTables both{{DecodeRows{*tables[0]}, DecodeRows{*tables[1]}}, which};
    return decode_groups(reader, both, stretch, differences);
}

/// As ValueKernel::decode says, for types without vectors of their own for raw parts.
template <class F>
bool decode_plain_values_64(CodeReader& reader, const DecodeTable& table, const Stretch& stretch,
                            const std::uint8_t* in, unsigned trailing, std::uint8_t* differences,
                            typename F::Value* values) noexcept {
    if (!decode_64(reader, table, stretch, differences)) return false;
    unpack_raw<F>(in, stretch.count, trailing, stretch.emax, differences, values);
    return true;
}

/// Lanes wait for each other most of the time, which is when raw parts are unpacked.
template <class F>
bool decode_values_64(CodeReader& reader, const DecodeTable& table, const Stretch& stretch,
                      const std::uint8_t* in, unsigned trailing, std::uint8_t* differences,
                      typename F::Value* values) noexcept {
    if (reader.lanes != kGroupLanes || stretch.first % kGroupLanes != 0) {
        if (!decode_64(reader, table, stretch, differences)) return false;
        unpack_parts<F>(in, stretch.count, trailing, stretch.emax, differences, values);
        return true;
    }
    const __m512i emax = _mm512_set1_epi8(static_cast<char>(stretch.emax));
    return with_parts<F>(in, trailing, [&](const auto& parts) noexcept {
        return decode_groups(
            reader, OneDecodeTable{table}, stretch, [&](std::size_t first, __m512i group) noexcept {
                unpack_64<F>(parts, first, stretch.count, _mm512_sub_epi8(emax, group), values);
            });
    });
}

template <class F>
constexpr ValueKernel<F> zero_kernel(ValueKernel<F> kernel) noexcept {
    using Value = typename F::Value;
    kernel.tally = &tally_registers<Value>;
    kernel.part_zeros = &part_zero_words<Value>;
    kernel.join_zeros = &join_zero_words<Value>;
    return kernel;
}

template <class F>
constexpr ValueKernel<F> byte_kernel(ValueKernel<F> kernel) noexcept {
    kernel = zero_kernel(kernel);
    kernel.survey = &survey_groups<F>;
    kernel.pack_raw = &pack_parts<F>;
    kernel.unpack_raw = &unpack_parts<F>;
    kernel.decode = &decode_values_64<F>;
    return kernel;
}

template <class F>
constexpr ValueKernel<F> half_kernel(ValueKernel<F> kernel) noexcept {
    kernel.pack_raw = &pack_halves<F>;
    kernel.unpack_raw = &unpack_halves<F>;
    return kernel;
}

constexpr Kernel avx512_kernel() noexcept {
    Kernel kernel = portable_kernel("avx512");
    kernel.crc32 = &crc32_by_folding;
    kernel.choose = &choose_at_once;
    kernel.runs.find = &find_numbers_at_once;
    kernel.runs.classify = &classify_at_once;
    kernel.runs.rename = &rename_at_once;
    kernel.runs.write_extra = &write_extra_at_once;
    kernel.runs.expand = &expand_at_once;
    kernel.runs.gather = &gather_at_once;
    kernel.runs.scatter = &scatter_at_once;
    kernel.decode_turns = &decode_turns_at_once;
    kernel.codes8 = {&encode_64, &decode_64, &encode_mixed_64, &decode_mixed_64};
    kernel.rows = {
        {&survey_rows_at_once<Fp32>, &survey_rows_at_once<Bf16>}, &encode_rows_64, &decode_rows_64};
    kernel.signed_rows = {{&survey_signed_rows_at_once<Fp32>, &survey_signed_rows_at_once<Bf16>},
                          &encode_signed_rows_64,
                          &decode_signed_rows_64};
    kernel.fp32 = byte_kernel(kernel.fp32);
    kernel.bf16 = byte_kernel(kernel.bf16);
    kernel.fp32_halves = half_kernel(kernel.fp32_halves);
    kernel.bf16_halves = half_kernel(kernel.bf16_halves);
    kernel.fp32_signed_halves = half_kernel(kernel.fp32_signed_halves);
    kernel.bf16_signed_halves = half_kernel(kernel.bf16_signed_halves);
    kernel.fp16 = zero_kernel(kernel.fp16);
    kernel.fp16.decode = &decode_plain_values_64<Fp16>;
    kernel.fp8e4m3.decode = &decode_plain_values_64<Fp8E4M3>;
    kernel.fp8e5m2.decode = &decode_plain_values_64<Fp8E5M2>;
    return kernel;
}

}  // namespace

constinit const Kernel kAvx512Kernel = avx512_kernel();

}  // namespace entrolith
