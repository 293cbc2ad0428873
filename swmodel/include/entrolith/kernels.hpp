// SPDX-License-Identifier: Apache-2.0
//
// entrolith/kernels.hpp - the loops over values, once for each instruction set.
//
// Scope     What a chunk is coded with, as operations. Every kernel does exactly the same: same
//           bytes, same values, same refusals. What a chunk consists of is chunk.hpp's.
// Read me   A kernel is a table of functions, so that each is compiled for its own instruction set
//           and the rest of the library for the least. Operations touch up to kSlack bytes beyond
//           their buffers where they say so, and no others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "entrolith/codes.hpp"
#include "entrolith/dtype.hpp"
#include "entrolith/scale.hpp"
#include "entrolith/signs.hpp"
#include "entrolith/tables.hpp"
#include "entrolith/token_classes.hpp"

namespace entrolith {

inline constexpr std::size_t kSlack = 64;

/// What a block says of itself to whoever chooses its table.
struct BlockSurvey {
    Histogram histogram;  // of differences
    std::uint16_t emax;
    std::uint8_t trailing;  // low mantissa bits that are 0 in all values
};

/// What there is to know of a chunk's values before anything else.
struct Tally {
    std::size_t zeros;
    std::uint32_t check;  // their CRC-32 (section 7), or 0
};

/// Operations on values of one type.
template <class F>
struct ValueKernel {
    using Value = typename F::Value;
    using Exponent = typename F::Exponent;

    /// Counts the zeros, and takes the check of the values if there is to be one.
    Tally (*tally)(const Value* values, std::size_t count, bool check) noexcept;

    /// Fills the bitmap of `count` values (section 4.1: words_for(count) words), gathers the others
    /// in `nonzeros` (with slack), and returns their number.
    std::size_t (*part_zeros)(const Value* values, std::size_t count, std::uint32_t* words,
                              Value* nonzeros) noexcept;
    /// Undoes part_zeros(), and returns the check of the values if there is one, else 0. `nonzeros`
    /// has slack, `values` none.
    std::uint32_t (*join_zeros)(const std::uint32_t* words, std::size_t count,
                                const Value* nonzeros, Value* values, bool check) noexcept;

    /// Fills differences[count] (with slack).
    BlockSurvey (*survey)(const Value* values, std::size_t count, Exponent* differences) noexcept;

    /// Packs the raw parts of a block with `trailing` zero bits (section 5.1); `out` has slack.
    void (*pack_raw)(const Value* values, std::size_t count, unsigned trailing,
                     std::uint8_t* out) noexcept;
    /// Undoes pack_raw() with exponents emax - difference; `in` and `differences` have slack,
    /// `values` none.
    void (*unpack_raw)(const std::uint8_t* in, std::size_t count, unsigned trailing,
                       std::uint16_t emax, const Exponent* differences, Value* values) noexcept;
    /// CodeKernel::decode() and unpack_raw() of a block in one; `differences` is room to work in.
    bool (*decode)(CodeReader& reader, const DecodeTable& table, const Stretch& stretch,
                   const std::uint8_t* in, unsigned trailing, Exponent* differences,
                   Value* values) noexcept;
};

/// Operations on the code section (section 6). A table is any table: of a set, or a chunk's own.
template <class Exponent>
struct CodeKernel {
    /// Encodes a stretch; stretches come last first. Moves writer.at down by at most
    /// 1 + sizeof(Exponent) bytes a symbol, and touches kSlack bytes below.
    void (*encode)(CodeWriter& writer, const EncodeTable& table, const Stretch& stretch,
                   const Exponent* differences) noexcept;
    /// Decodes a stretch into `differences` (with slack); false if it is corrupt.
    bool (*decode)(CodeReader& reader, const DecodeTable& table, const Stretch& stretch,
                   Exponent* differences) noexcept;

    /// The same where each symbol has one of two tables: symbol j of the chunk has tables[1] if bit
    /// j mod 64 of which[j / 64 - first / 64] is 1.
    void (*encode_mixed)(CodeWriter& writer, const EncodeTable* const tables[2],
                         const std::uint64_t* which, const Stretch& stretch,
                         const Exponent* differences) noexcept;
    bool (*decode_mixed)(CodeReader& reader, const DecodeTable* const tables[2],
                         const std::uint64_t* which, const Stretch& stretch,
                         Exponent* differences) noexcept;
};

/// Operations on runs of zeros (section 4.2). A number is a token's less 1.
struct RunKernel {
    /// Fills `numbers` (with slack) with those of all runs in a bitmap of `count` entries, which
    /// has a word more, and returns how many there are.
    std::size_t (*find)(const std::uint32_t* words, std::size_t count,
                        std::uint32_t* numbers) noexcept;
    /// Fills `classes` (with slack).
    ClassCounts (*classify)(const std::uint32_t* numbers, std::size_t tokens,
                            std::uint8_t* classes) noexcept;
    /// Replaces classes by their symbols; `classes` has slack.
    void (*rename)(std::uint8_t* classes, std::size_t tokens, const ClassSymbols& symbols) noexcept;
    /// Writes the extra bits of pairs of tokens; touches 8 bytes beyond.
    void (*write_extra)(const std::uint32_t* numbers, std::size_t tokens,
                        std::uint8_t* out) noexcept;
    /// Sets the bits of runs in a bitmap of `most` 0s and a word more, until one passes its end.
    /// `extra` has all extra bits and 8 bytes more.
    Expanded (*expand)(const std::uint8_t* classes, std::size_t tokens, const std::uint8_t* extra,
                       std::size_t most, std::uint32_t* words) noexcept;

    /// The bits of `bits` at the places of `mask`, side by side.
    std::uint64_t (*gather)(std::uint64_t bits, std::uint64_t mask) noexcept;
    /// Undoes gather(); 0 elsewhere.
    std::uint64_t (*scatter)(std::uint64_t bits, std::uint64_t mask) noexcept;
};

/// A function for each type that chunks in rows may have.
template <template <class> class Function>
struct ForRowTypes {
    Function<Fp32> fp32;
    Function<Bf16> bf16;

    template <class F>
    [[nodiscard]] Function<F> of() const noexcept {
        if constexpr (std::is_same_v<F, Fp32>) {
            return fp32;
        } else {
            static_assert(std::is_same_v<F, Bf16>);
            return bf16;
        }
    }
};

/// Operations on the rows of a scaled chunk (section 4.4).
struct RowKernel {
    template <class F>
    using Survey = ScaleSurvey (*)(const typename F::Value* values, const Rows& rows,
                                   const RowBuffers& buffers) noexcept;

    /// Rule 8 of section 8: fills offsets, with kNoOffset for rows of zeros, differences and
    /// tables.
    ForRowTypes<Survey> survey;
    /// Encodes the differences. Moves writer.at down by at most 2 bytes a value, and touches kSlack
    /// bytes below.
    void (*encode)(CodeWriter& writer, const EncodeTable* const tables[2], const Rows& rows,
                   const RowBuffers& buffers) noexcept;
    /// Fills half_octaves (with slack), without those of zeros, as kHighestHalf - h, from the
    /// offsets; false if they are corrupt.
    bool (*decode)(CodeReader& reader, const DecodeTable* const tables[2], const Rows& rows,
                   const RowBuffers& buffers, std::uint16_t* half_octaves) noexcept;
};

/// The same on the rows of a signed chunk (section 4.5).
struct SignedRowKernel {
    template <class F>
    using Survey = SignedSurvey (*)(const typename F::Value* values, const Rows& rows,
                                    const RowBuffers& buffers, const SignBuffers& signs) noexcept;

    /// Rules 8 and 9 of section 8: what RowKernel's survey does, and fills senses and the
    /// differences and tables of signed chunks.
    ForRowTypes<Survey> survey;
    /// Encodes signs.differences, as RowKernel::encode does.
    void (*encode)(CodeWriter& writer, const EncodeTable* tables, const Rows& rows,
                   const SignBuffers& signs) noexcept;
    /// Fills signed_halves (with slack), without those of zeros, as kHighestSignedHalf -
    /// (2^9 s + h), from offsets and senses; false if they are corrupt.
    bool (*decode)(CodeReader& reader, const SignedDecodeTable* tables, const Rows& rows,
                   const RowBuffers& buffers, const SignBuffers& signs,
                   std::uint16_t* signed_halves) noexcept;
};

struct Kernel {
    std::string_view name;

    std::uint32_t (*crc32)(const std::uint8_t* data, std::size_t size) noexcept;
    /// Rule 2 of section 8.
    Choice (*choose)(const CostTable& costs, const Histogram& histogram,
                     std::uint32_t raw_bits) noexcept;
    RunKernel runs;
    CodeKernel<std::uint8_t> codes8;
    CodeKernel<std::uint16_t> codes16;
    /// CodeKernel::decode() for each of up to kMostTurns stretches.
    bool (*decode_turns)(std::span<const Turn> turns) noexcept;
    RowKernel rows;
    SignedRowKernel signed_rows;
    ValueKernel<Fp32> fp32;
    ValueKernel<HalfOctaves<Fp32>> fp32_halves;
    ValueKernel<SignedHalves<Fp32>> fp32_signed_halves;
    ValueKernel<Bf16> bf16;
    ValueKernel<HalfOctaves<Bf16>> bf16_halves;
    ValueKernel<SignedHalves<Bf16>> bf16_signed_halves;
    ValueKernel<Fp16> fp16;
    ValueKernel<Fp64> fp64;
    ValueKernel<Fp8E4M3> fp8e4m3;
    ValueKernel<Fp8E5M2> fp8e5m2;

    template <class F>
    [[nodiscard]] const ValueKernel<F>& values() const noexcept {
        if constexpr (std::is_same_v<F, Fp32>) {
            return fp32;
        } else if constexpr (std::is_same_v<F, HalfOctaves<Fp32>>) {
            return fp32_halves;
        } else if constexpr (std::is_same_v<F, SignedHalves<Fp32>>) {
            return fp32_signed_halves;
        } else if constexpr (std::is_same_v<F, Bf16>) {
            return bf16;
        } else if constexpr (std::is_same_v<F, HalfOctaves<Bf16>>) {
            return bf16_halves;
        } else if constexpr (std::is_same_v<F, SignedHalves<Bf16>>) {
            return bf16_signed_halves;
        } else if constexpr (std::is_same_v<F, Fp16>) {
            return fp16;
        } else if constexpr (std::is_same_v<F, Fp64>) {
            return fp64;
        } else if constexpr (std::is_same_v<F, Fp8E4M3>) {
            return fp8e4m3;
        } else {
            static_assert(std::is_same_v<F, Fp8E5M2>);
            return fp8e5m2;
        }
    }
    template <class F>
    [[nodiscard]] const auto& codes() const noexcept {
        if constexpr (F::kExponentBytes == 1) {
            return codes8;
        } else {
            return codes16;
        }
    }
};

/// There is no such kernel, or this processor does not run it.
class KernelError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Those that this processor runs, the fastest first.
[[nodiscard]] std::span<const Kernel* const> kernels();

/// The one in use: what set_kernel() or the environment's ENTROLITH_KERNEL names, else the fastest.
/// Throws KernelError, at first use, if the environment names none that runs here.
[[nodiscard]] const Kernel& kernel();

/// Changes the kernel of all calls to come, of every thread. Throws KernelError.
void set_kernel(std::string_view name);

}  // namespace entrolith
