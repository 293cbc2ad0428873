// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cstring>

#include "entrolith/chunk.hpp"
#include "entrolith/codes.hpp"
#include "entrolith/crc32.hpp"
#include "entrolith/raw_parts.hpp"
#include "entrolith/zeros.hpp"

namespace entrolith {
namespace {

/// What the first pass over the non-zero values finds out.
struct Survey {
    std::size_t raw_bytes = 0;      // without trailing zeros stripped
    std::size_t trimmed_bytes = 0;  // with
};

/// Counts differences below the escape; four histograms, so that a run of equal ones need not wait
/// for its own count.
Histogram count_symbols(const std::uint8_t* differences, std::size_t count) noexcept {
    std::array<std::array<std::uint32_t, 256>, 4> part;  // above the escape: never read
    for (auto& counts : part) std::fill_n(counts.begin(), kEscape, 0u);
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (std::size_t k = 0; k < 4; ++k) ++part[k][differences[i + k]];
    }
    for (; i < count; ++i) ++part[0][differences[i]];
    Histogram histogram{};
    auto escapes = static_cast<std::uint32_t>(count);
    for (unsigned symbol = 0; symbol < kEscape; ++symbol) {
        for (const auto& counts : part) histogram[symbol] += counts[symbol];
        escapes -= histogram[symbol];
    }
    histogram[kEscape] = escapes;
    return histogram;
}

/// Fills work.blocks and work.differences. Here a raw block's emax is its true one.
template <class F>
Survey survey_blocks(const typename F::Value* nonzeros, std::size_t count,
                     const Parameters& parameters, const TableSet& tables, Workspace& work) {
    using Value = typename F::Value;
    Survey found;
    work.blocks.clear();
    for (std::size_t first = 0; first < count; first += parameters.block()) {
        const Value* values = nonzeros + first;
        std::uint8_t* differences = work.differences.get() + first;
        const std::size_t length = std::min(parameters.block(), count - first);
        std::uint8_t emax = 0;
        Value mantissas = 0;
        for (std::size_t i = 0; i < length; ++i) {
            const std::uint8_t exponent = F::exponent(values[i]);
            differences[i] = exponent;
            emax = std::max(emax, exponent);
            mantissas = static_cast<Value>(mantissas | values[i]);
        }
        for (std::size_t i = 0; i < length; ++i) {
            differences[i] = static_cast<std::uint8_t>(emax - differences[i]);
        }
        const auto in_block = static_cast<std::uint32_t>(length);
        const Choice choice = tables.choose(count_symbols(differences, length), in_block);
        const auto trailing = static_cast<std::uint8_t>(
            std::countr_zero(std::uint32_t{mantissas} | 1u << F::kMantissaBits));
        work.blocks.push_back({in_block, emax, choice.table, trailing});
        found.raw_bytes += raw_bytes(length, F::kPartBits);
        found.trimmed_bytes += raw_bytes(length, F::kPartBits - trailing);
    }
    return found;
}

template <unsigned kLanes>
std::span<const std::uint8_t> encode_codes(LaneStates& states, const TableSet& tables,
                                           Workspace& work, std::size_t nonzeros) {
    std::uint8_t* end = work.codes.get() + work.codes_size;
    CodeEncoder<kLanes> encoder{states, end};
    std::size_t first = nonzeros;
    for (auto block = work.blocks.rbegin(); block != work.blocks.rend(); ++block) {
        first -= block->count;
        const std::uint8_t* differences = work.differences.get() + first;
        if (block->table == kRawTable) {
            encoder.raw_block(*block, differences);
        } else {
            encoder.block(*block, tables.encode(block->table), first, differences);
        }
    }
    return {encoder.begin(), end};
}

std::span<const std::uint8_t> encode_codes(std::size_t lanes, LaneStates& states,
                                           const TableSet& tables, Workspace& work,
                                           std::size_t nonzeros) {
    switch (lanes) {
        case 8:
            return encode_codes<8>(states, tables, work, nonzeros);
        case 16:
            return encode_codes<16>(states, tables, work, nonzeros);
        case 32:
            return encode_codes<32>(states, tables, work, nonzeros);
        default:
            return encode_codes<64>(states, tables, work, nonzeros);
    }
}

/// Writes the chunk's last `size` raw bytes to `out`.
template <class F>
void write_raw_tail(const typename F::Value* nonzeros, std::size_t count, std::size_t size,
                    Workspace& work, std::uint8_t* out) {
    std::size_t first = count;
    for (auto block = work.blocks.rbegin(); size > 0; ++block) {
        first -= block->count;
        const std::size_t packed = raw_bytes(block->count, F::kPartBits - block->trailing);
        pack_raw<F>(nonzeros + first, block->count, block->trailing, work.raw.get());
        const std::size_t taken = std::min(size, packed);
        size -= taken;
        std::memcpy(out + size, work.raw.get() + (packed - taken), taken);
    }
}

template <class F>
std::uint8_t* encode_coded(const typename F::Value* nonzeros, std::size_t nonzero_count,
                           std::uint32_t check, const Profile& profile, const TableSet& tables,
                           Workspace& work, bool& trailing, std::uint8_t* out) {
    const Parameters& parameters = profile.parameters;
    const Survey survey = survey_blocks<F>(nonzeros, nonzero_count, parameters, tables, work);
    trailing = profile.trailing && survey.raw_bytes - survey.trimmed_bytes > work.blocks.size();
    if (!trailing) {
        for (Block& block : work.blocks) block.trailing = 0;
    }
    const std::size_t raw_size = trailing ? survey.trimmed_bytes : survey.raw_bytes;
    const std::size_t in_lanes = std::min(raw_size, parameters.tail());

    const std::size_t lanes = parameters.lanes();
    std::array<std::uint8_t, kMaxLanes> payload{};
    if (parameters.check != 0) store(payload.data(), check);
    write_raw_tail<F>(nonzeros, nonzero_count, in_lanes, work, payload.data() + (lanes - in_lanes));
    LaneStates states{};
    for (std::size_t k = 0; k < lanes; ++k) states[k] = Lane::kLow | payload[k];
    const auto codes = encode_codes(lanes, states, tables, work, nonzero_count);

    for (std::size_t k = 0; k < lanes; ++k, out += 2) {
        store(out, static_cast<std::uint16_t>(states[k]));
    }
    for (const Block& block : work.blocks) {
        *out++ = block.table == kRawTable ? std::uint8_t{0} : block.emax;
        *out++ = block.table;
        if (trailing) *out++ = block.trailing;
    }
    std::memcpy(out, codes.data(), codes.size());
    out += codes.size();
    std::size_t first = 0;
    std::uint8_t* raw = out;
    for (const Block& block : work.blocks) {
        pack_raw<F>(nonzeros + first, block.count, block.trailing, raw);
        raw += raw_bytes(block.count, F::kPartBits - block.trailing);
        first += block.count;
    }
    return out + (raw_size - in_lanes);
}

/// As wide as the values, so that the compiler's vectors count without widening; a chunk's count
/// fits.
template <class Value>
std::size_t count_zeros(const Value* values, std::size_t count) noexcept {
    Value zeros = 0;
    for (std::size_t i = 0; i < count; ++i) zeros = static_cast<Value>(zeros + (values[i] == 0));
    return zeros;
}

void write_chunk_head(std::uint8_t* out, unsigned mode, std::size_t size) noexcept {
    out[0] = static_cast<std::uint8_t>(mode);
    out[1] = static_cast<std::uint8_t>(size);
    out[2] = static_cast<std::uint8_t>(size >> 8);
    out[3] = static_cast<std::uint8_t>(size >> 16);
}

}  // namespace

std::size_t encode_chunk_bound(std::size_t count, Dtype dtype, const Parameters& parameters) {
    const std::size_t blocks = count / parameters.block() + 1;
    const unsigned part_bits = dtype == Dtype::kFp32   ? Fp32::kPartBits
                               : dtype == Dtype::kBf16 ? Bf16::kPartBits
                                                       : Fp16::kPartBits;
    const std::size_t words = words_for(count);
    const std::size_t zeros = 4 * (words + words_for(words));
    const std::size_t coded = 8 + zeros + 2 * parameters.lanes() + 3 * blocks + count +
                              raw_bytes(count, part_bits) + blocks;
    const std::size_t stored = 8 + count * bytes_of(dtype) + parameters.check_bytes();
    return std::max(coded, stored) + Workspace::kSlack;
}

template <class F>
std::uint8_t* encode_chunk(const typename F::Value* values, std::size_t count,
                           const Profile& profile, const TableSet& tables, Workspace& work,
                           std::uint8_t* out) {
    using Value = typename F::Value;
    const Parameters& parameters = profile.parameters;
    const unsigned is_short = count < parameters.chunk() ? 1u << 7 : 0u;
    std::uint8_t* body = out + 4;
    if (is_short != 0) {
        store(body, static_cast<std::uint32_t>(count));
        body += 4;
    }

    const std::size_t zeros = count_zeros(values, count);
    if (zeros == count) {
        write_chunk_head(out, 1u | 1u << 2 | is_short, static_cast<std::size_t>(body - out));
        return body;
    }
    const auto* plain = reinterpret_cast<const std::uint8_t*>(values);
    const std::size_t plain_size = count * sizeof(Value);
    const std::uint32_t check = parameters.check != 0 ? crc32(plain, plain_size) : 0;

    const Value* nonzeros = values;
    std::uint8_t* end = body;
    if (zeros != 0) {
        part_zeros(values, count, work.zeros.data(), work.nonzeros<Value>());
        nonzeros = work.nonzeros<Value>();
        end = write_zeros(work.zeros.data(), count, end);
    }
    bool trailing = false;
    end = encode_coded<F>(nonzeros, count - zeros, check, profile, tables, work, trailing, end);
    const std::size_t stored_size =
        static_cast<std::size_t>(body - out) + plain_size + parameters.check_bytes();
    if (profile.stored && static_cast<std::size_t>(end - out) >= stored_size) {
        std::memcpy(body, values, plain_size);
        if (parameters.check != 0) store(body + plain_size, check);
        write_chunk_head(out, is_short, stored_size);
        return out + stored_size;
    }
    const unsigned mode = 1u | (zeros != 0 ? 2u << 2 : 0u) | (trailing ? 1u << 5 : 0u) | is_short;
    write_chunk_head(out, mode, static_cast<std::size_t>(end - out));
    return end;
}

template std::uint8_t* encode_chunk<Fp32>(const Fp32::Value*, std::size_t, const Profile&,
                                          const TableSet&, Workspace&, std::uint8_t*);
template std::uint8_t* encode_chunk<Bf16>(const Bf16::Value*, std::size_t, const Profile&,
                                          const TableSet&, Workspace&, std::uint8_t*);
template std::uint8_t* encode_chunk<Fp16>(const Fp16::Value*, std::size_t, const Profile&,
                                          const TableSet&, Workspace&, std::uint8_t*);

}  // namespace entrolith
