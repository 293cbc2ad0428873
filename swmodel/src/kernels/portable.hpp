// SPDX-License-Identifier: Apache-2.0
//
// A kernel in plain C++. Its parts are templates of internal linkage: each file that includes them
// compiles them for its own instruction set, and the linker must not merge the results.
#pragma once

#include "entrolith/kernels.hpp"
#include "portable_codes.hpp"
#include "portable_crc32.hpp"
#include "portable_raw_parts.hpp"
#include "portable_runs.hpp"
#include "portable_scale.hpp"
#include "portable_signs.hpp"
#include "portable_survey.hpp"
#include "portable_zeros.hpp"

namespace entrolith {
namespace {

/// As ValueKernel::decode says.
template <class F>
bool decode_values(CodeReader& reader, const DecodeTable& table, const Stretch& stretch,
                   const std::uint8_t* in, unsigned trailing, typename F::Exponent* differences,
                   typename F::Value* values) noexcept {
    if (!decode(reader, table, stretch, differences)) return false;
    unpack_raw<F>(in, stretch.count, trailing, stretch.emax, differences, values);
    return true;
}

template <class F>
constexpr ValueKernel<F> value_kernel() noexcept {
    using Value = typename F::Value;
    return {&tally<Value>, &part_zeros<Value>, &join_zeros<Value>, &survey<F>,
            &pack_raw<F>,  &unpack_raw<F>,     &decode_values<F>};
}

template <class Exponent>
constexpr CodeKernel<Exponent> code_kernel() noexcept {
    return {&encode<Exponent>, &decode<Exponent>, &encode_mixed<Exponent>, &decode_mixed<Exponent>};
}

/// The kernel of the instruction set that the including file is compiled for.
constexpr Kernel portable_kernel(std::string_view name) noexcept {
    return {name,
            &crc32_by_tables,
            &choose,
            run_kernel(),
            code_kernel<std::uint8_t>(),
            code_kernel<std::uint16_t>(),
            &decode_turns,
            {{&survey_rows<Fp32>, &survey_rows<Bf16>}, &encode_rows, &decode_rows},
            {{&survey_signed_rows<Fp32>, &survey_signed_rows<Bf16>},
             &encode_signed_rows,
             &decode_signed_rows},
            value_kernel<Fp32>(),
            value_kernel<HalfOctaves<Fp32>>(),
            value_kernel<SignedHalves<Fp32>>(),
            value_kernel<Bf16>(),
            value_kernel<HalfOctaves<Bf16>>(),
            value_kernel<SignedHalves<Bf16>>(),
            value_kernel<Fp16>(),
            value_kernel<Fp64>(),
            value_kernel<Fp8E4M3>(),
            value_kernel<Fp8E5M2>()};
}

}  // namespace
}  // namespace entrolith
