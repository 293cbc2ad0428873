// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>

#include "entrolith/chunk.hpp"
#include "entrolith/codes.hpp"
#include "entrolith/kernels.hpp"
#include "entrolith/raw_parts.hpp"
#include "entrolith/zeros.hpp"

namespace entrolith {
namespace {

/// What the first pass over the non-zero values finds out.
struct Survey {
    std::size_t raw_bytes = 0;      // without trailing zeros stripped
    std::size_t trimmed_bytes = 0;  // with
};

/// Fills work.blocks and work.differences. Here a raw block's emax is its true one.
template <class F>
Survey survey_blocks(const Kernel& kernel, const typename F::Value* nonzeros, std::size_t count,
                     const Parameters& parameters, const TableSet& tables, Workspace& work) {
    const ValueKernel<F>& ops = kernel.values<F>();
    Survey found;
    work.blocks.clear();
    for (std::size_t first = 0; first < count; first += parameters.block()) {
        const std::size_t length = std::min(parameters.block(), count - first);
        const BlockSurvey block =
            ops.survey(nonzeros + first, length, work.differences.get() + first);
        const auto in_block = static_cast<std::uint32_t>(length);
        const Choice choice = kernel.choose(tables.costs(), block.histogram, 8 * in_block);
        work.blocks.push_back(
            {in_block, static_cast<std::uint8_t>(block.emax), choice.table, block.trailing});
        found.raw_bytes += raw_bytes(length, F::kPartBits);
        found.trimmed_bytes += raw_bytes(length, F::kPartBits - block.trailing);
    }
    return found;
}

/// Fills work.codes from its end.
template <class F>
std::span<const std::uint8_t> encode_codes(const Kernel& kernel, CodeWriter& writer,
                                           const TableSet& tables, Workspace& work,
                                           std::size_t nonzeros) {
    std::uint8_t* end = work.codes.get() + work.codes_size;
    writer.at = end;
    std::size_t first = nonzeros;
    for (auto block = work.blocks.rbegin(); block != work.blocks.rend(); ++block) {
        first -= block->count;
        const Stretch stretch{first, block->count, block->emax, F::kExponentBits};
        const std::uint8_t* differences = work.differences.get() + first;
        if (block->table == kRawTable) {
            encode_raw_block(writer, stretch, differences);
        } else {
            kernel.codes<F>().encode(writer, tables.encode(block->table), stretch, differences);
        }
    }
    return {writer.at, end};
}

/// Writes the chunk's last `size` raw bytes to `out`.
template <class F>
void write_raw_tail(const Kernel& kernel, const typename F::Value* nonzeros, std::size_t count,
                    std::size_t size, Workspace& work, std::uint8_t* out) {
    std::size_t first = count;
    for (auto block = work.blocks.rbegin(); size > 0; ++block) {
        first -= block->count;
        const std::size_t packed = raw_bytes(block->count, F::kPartBits - block->trailing);
        kernel.values<F>().pack_raw(nonzeros + first, block->count, block->trailing,
                                    work.raw.get());
        const std::size_t taken = std::min(size, packed);
        size -= taken;
        std::memcpy(out + size, work.raw.get() + (packed - taken), taken);
    }
}

template <class F>
std::uint8_t* encode_coded(const Kernel& kernel, const typename F::Value* nonzeros,
                           std::size_t nonzero_count, std::uint32_t check, const Profile& profile,
                           const TableSet& tables, Workspace& work, bool& trailing,
                           std::uint8_t* out) {
    const Parameters& parameters = profile.parameters;
    const Survey survey =
        survey_blocks<F>(kernel, nonzeros, nonzero_count, parameters, tables, work);
    trailing = profile.trailing && survey.raw_bytes - survey.trimmed_bytes > work.blocks.size();
    if (!trailing) {
        for (Block& block : work.blocks) block.trailing = 0;
    }
    const std::size_t raw_size = trailing ? survey.trimmed_bytes : survey.raw_bytes;
    const std::size_t in_lanes = std::min(raw_size, parameters.tail());

    const std::size_t lanes = parameters.lanes();
    std::array<std::uint8_t, kMaxLanes> payload{};
    if (parameters.check != 0) store(payload.data(), check);
    write_raw_tail<F>(kernel, nonzeros, nonzero_count, in_lanes, work,
                      payload.data() + (lanes - in_lanes));
    CodeWriter writer{{}, lanes, nullptr};
    for (std::size_t k = 0; k < lanes; ++k) {
        writer.states[k] = static_cast<std::uint16_t>(Lane::kLow | payload[k]);
    }
    const auto codes = encode_codes<F>(kernel, writer, tables, work, nonzero_count);

    std::memcpy(out, writer.states.data(), 2 * lanes);
    out += 2 * lanes;
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
        kernel.values<F>().pack_raw(nonzeros + first, block.count, block.trailing, raw);
        raw += raw_bytes(block.count, F::kPartBits - block.trailing);
        first += block.count;
    }
    return out + (raw_size - in_lanes);
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
    return std::max(coded, stored) + kSlack;
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

    const Kernel& kernel = entrolith::kernel();
    const ValueKernel<F>& ops = kernel.values<F>();
    const std::size_t zeros = ops.count_zeros(values, count);
    if (zeros == count) {
        write_chunk_head(out, 1u | 1u << 2 | is_short, static_cast<std::size_t>(body - out));
        return body;
    }
    const auto* plain = reinterpret_cast<const std::uint8_t*>(values);
    const std::size_t plain_size = count * sizeof(Value);
    const std::uint32_t check = parameters.check != 0 ? kernel.crc32(0, plain, plain_size) : 0;

    const Value* nonzeros = values;
    std::uint8_t* end = body;
    if (zeros != 0) {
        ops.part_zeros(values, count, work.zeros.data(), work.nonzeros<Value>());
        nonzeros = work.nonzeros<Value>();
        end = write_zeros(work.zeros.data(), count, end);
    }
    bool trailing = false;
    end = encode_coded<F>(kernel, nonzeros, count - zeros, check, profile, tables, work, trailing,
                          end);
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
