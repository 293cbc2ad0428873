// SPDX-License-Identifier: Apache-2.0
//
// AVX2, BMI2 and PCLMULQDQ: x86-64 processors since about 2013.

#include "avx2_codes.hpp"
#include "avx2_raw_parts.hpp"
#include "avx2_survey.hpp"
#include "folding_crc32.hpp"
#include "instances.hpp"
#include "portable.hpp"

namespace entrolith {
namespace {

/// The part of a stretch after its whole groups.
Stretch rest_of(const Stretch& stretch, std::size_t whole) noexcept {
    return {stretch.first + whole, stretch.count - whole, stretch.emax, stretch.exponent_bits};
}

/// As CodeKernel::encode says.
void encode_64(CodeWriter& writer, const EncodeTable& table, const Stretch& stretch,
               const std::uint8_t* differences) noexcept {
    if (writer.lanes != kGroupLanes || stretch.first % kGroupLanes != 0) {
        return encode(writer, table, stretch, differences);
    }
    const std::size_t whole = stretch.count / kGroupLanes * kGroupLanes;
    encode(writer, table, rest_of(stretch, whole), differences + whole);
    encode_groups(writer, table, stretch, whole, differences);
}

/// As CodeKernel::decode says.
bool decode_64(CodeReader& reader, const DecodeTable& table, const Stretch& stretch,
               std::uint8_t* differences) noexcept {
    const bool any_symbol = stretch.emax >= kEscape - 1;  // else some would be negative exponents
    if (reader.lanes != kGroupLanes || stretch.first % kGroupLanes != 0 || !any_symbol) {
        return decode(reader, table, stretch, differences);
    }
    const std::size_t whole = stretch.count / kGroupLanes * kGroupLanes;
    return decode_groups(reader, table, stretch, whole, differences) &&
           decode(reader, table, rest_of(stretch, whole), differences + whole);
}

/// As ValueKernel::decode says.
template <class F, auto kUnpack>
bool decode_values_64(CodeReader& reader, const DecodeTable& table, const Stretch& stretch,
                      const std::uint8_t* in, unsigned trailing, std::uint8_t* differences,
                      typename F::Value* values) noexcept {
    if (!decode_64(reader, table, stretch, differences)) return false;
    kUnpack(in, stretch.count, trailing, stretch.emax, differences, values);
    return true;
}

/// Types of 8 exponent bits or fewer.
template <class F>
constexpr ValueKernel<F> lane_kernel(ValueKernel<F> kernel) noexcept {
    kernel.decode = &decode_values_64<F, &unpack_raw<F>>;
    return kernel;
}

constexpr Kernel avx2_kernel() noexcept {
    Kernel kernel = portable_kernel("avx2");
    kernel.crc32 = &crc32_by_folding;
    kernel.codes8.encode = &encode_64;
    kernel.codes8.decode = &decode_64;
    kernel.fp32.survey = &survey_registers<Fp32>;
    kernel.fp32.pack_raw = &pack_fp32;
    kernel.fp32.unpack_raw = &unpack_fp32;
    kernel.fp32.decode = &decode_values_64<Fp32, &unpack_fp32>;
    kernel.bf16 = lane_kernel(kernel.bf16);
    kernel.bf16.survey = &survey_registers<Bf16>;
    kernel.fp16 = lane_kernel(kernel.fp16);
    kernel.fp8e4m3 = lane_kernel(kernel.fp8e4m3);
    kernel.fp8e5m2 = lane_kernel(kernel.fp8e5m2);
    return kernel;
}

}  // namespace

constinit const Kernel kAvx2Kernel = avx2_kernel();

}  // namespace entrolith
