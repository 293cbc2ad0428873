// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <optional>

#include "chunk_rows.hpp"
#include "entrolith/chunk.hpp"
#include "entrolith/codes.hpp"
#include "entrolith/dynamic.hpp"
#include "entrolith/kernels.hpp"
#include "entrolith/raw_parts.hpp"
#include "entrolith/zeros.hpp"
#include "write_parts.hpp"

namespace entrolith {
namespace {

/// Form 1, as work.blocks and work.tables have it.
struct CodedPlan {
    bool trailing;
    std::uint64_t cost;  // rule 8 of section 8: bits
};

/// Rule 3 of section 8: from the most that each block allows to what it strips. Whether any does.
template <class F>
bool choose_trailing(const Profile& profile, std::vector<Block>& blocks) {
    std::uint8_t common = F::kPartBits;
    std::size_t saved = 0;
    for (const Block& block : blocks) {
        common = std::min(common, block.trailing);
        saved += raw_bytes(block.count, F::kPartBits) -
                 raw_bytes(block.count, F::kPartBits - block.trailing);
    }
    if (profile.trailing == 1 && saved > blocks.size()) return true;
    common = profile.trailing > 1 ? static_cast<std::uint8_t>(common - common % profile.trailing)
                                  : std::uint8_t{0};
    for (Block& block : blocks) block.trailing = common;
    return common > 0;
}

/// Rule 2 of section 8. `differences` are the block's.
template <class F>
Choice choose_table(const Kernel& kernel, const CostTable& costs, const Profile& profile,
                    const BlockSurvey& block, const typename F::Exponent* differences,
                    std::size_t count) {
    constexpr unsigned kExponentBits = 8 * F::kExponentBytes;
    const auto raw_bits = static_cast<std::uint32_t>(kExponentBits * count);
    if (profile.step == 1) return kernel.choose(costs, block.histogram, raw_bits);
    Histogram sample{};
    for (std::size_t i = 0; i < count; i += profile.step) {
        ++sample[std::min<unsigned>(differences[i], kEscape)];
    }
    const std::size_t sampled = (count + profile.step - 1) / profile.step;
    const std::uint8_t table =
        kernel.choose(costs, sample, static_cast<std::uint32_t>(kExponentBits * sampled)).table;
    if (table == kRawTable) return {kRawTable, raw_bits};
    std::uint32_t bits = 0;
    for (unsigned symbol = 0; symbol < kSymbols; ++symbol) {
        bits += block.histogram[symbol] * costs.bits[symbol][table];
    }
    return {table, bits};
}

/// Fills work.blocks, work.tables and work.differences. Here a raw block's emax is its true one.
template <class F>
CodedPlan plan_coded(const Kernel& kernel, const ChunkValues<typename F::Value>& chunk,
                     const Profile& profile, const TableSet& tables, Workspace& work) {
    const typename F::Value* nonzeros = chunk.nonzeros;
    const std::size_t count = chunk.nonzero_count;
    const ValueKernel<F>& ops = kernel.values<F>();
    const std::size_t full = profile.parameters.block();
    constexpr unsigned kExponentBits = 8 * F::kExponentBytes;
    work.blocks.clear();
    work.costs.clear();
    for (std::size_t first = 0; first < count; first += full) {
        const std::size_t length = std::min(full, count - first);
        auto* differences = work.differences<typename F::Exponent>() + first;
        const BlockSurvey block = ops.survey(nonzeros + first, length, differences);
        const Choice choice = choose_table<F>(kernel, tables.costs(F::kExponentBytes), profile,
                                              block, differences, length);
        work.blocks.push_back(
            {static_cast<std::uint32_t>(length), block.emax, choice.table, block.trailing});
        work.costs.push_back({block.histogram, choice.bits});
    }
    const std::uint64_t bits =
        choose_dynamic(profile.mode, kExponentBits, work.costs, work.blocks, work.tables);
    const bool trailing = choose_trailing<F>(profile, work.blocks);
    std::size_t bytes = tables_bytes(work.tables.size()) +
                        work.blocks.size() * (F::kExponentBytes + 1 + (trailing ? 1 : 0));
    for (const Block& block : work.blocks) {
        bytes += raw_bytes(block.count, F::kPartBits - block.trailing);
    }
    return {trailing, bits + 8 * bytes};
}

template <class F>
void encode_blocks(const Kernel& kernel, CodeWriter& writer, const TableSet& tables,
                   Workspace& work, std::size_t nonzeros) {
    using Exponent = typename F::Exponent;
    work.encode_tables.clear();
    for (const Lengths& lengths : work.tables) {
        work.encode_tables.push_back(make_encode_table(lengths));
    }
    std::size_t first = nonzeros;
    for (auto block = work.blocks.rbegin(); block != work.blocks.rend(); ++block) {
        first -= block->count;
        const Stretch stretch{first, block->count, block->emax, F::kExponentBits};
        const Exponent* differences = work.differences<Exponent>() + first;
        if (block->table == kRawTable) {
            encode_raw_block(writer, stretch, differences);
            continue;
        }
        const EncodeTable& table = block->table < kDynamicTable
                                       ? tables.encode(block->table)
                                       : work.encode_tables[block->table - kDynamicTable];
        kernel.codes<F>().encode(writer, table, stretch, differences);
    }
}

template <class F>
std::uint8_t* write_blocks(const Workspace& work, bool trailing, std::uint8_t* out) {
    if (!work.tables.empty()) {
        *out++ = static_cast<std::uint8_t>(work.tables.size());
        for (const Lengths& lengths : work.tables) {
            store(out, pack_table(lengths));
            out += sizeof(std::uint64_t);
        }
    }
    for (const Block& block : work.blocks) {
        store(out, static_cast<typename F::Exponent>(block.table == kRawTable ? 0 : block.emax));
        out += F::kExponentBytes;
        *out++ = block.table;
        if (trailing) *out++ = block.trailing;
    }
    return out;
}

}  // namespace

std::size_t encode_chunk_bound(std::size_t count, Dtype dtype, const Profile& profile) {
    return with_dtype(dtype, [&](auto f) {
        using F = decltype(f);
        const Parameters& parameters = profile.parameters;
        const std::size_t blocks = count / parameters.block() + 1;
        // Codes are never larger than raw exponents, unless costs are estimated: then values may be
        // escaped, at a byte more. Nor are tokens larger than the bitmap, nor dynamic tables than
        // what they save: only their number comes on top.
        const std::size_t exponent_bytes = F::kExponentBytes + (profile.step > 1 ? 1 : 0);
        const std::size_t coded = 8 + most_zeros_bytes(count) + 2 * parameters.lanes() + 1 +
                                  (F::kExponentBytes + 2) * blocks + exponent_bytes * count +
                                  raw_bytes(count, F::kPartBits) + blocks;
        const std::size_t stored = 8 + count * sizeof(typename F::Value) + parameters.check_bytes();
        return std::max(coded, stored) + kSlack;
    });
}

template <class F>
std::uint8_t* encode_chunk(const typename F::Value* values, std::size_t count, std::size_t strip,
                           const Profile& profile, const TableSet& tables, Workspace& work,
                           std::uint8_t* out) {
    using Value = typename F::Value;
    const Parameters& parameters = profile.parameters;
    const unsigned is_short = count < parameters.chunk() ? kShortBit : 0u;
    std::uint8_t* body = out + 4;
    if (is_short != 0) {
        store(body, static_cast<std::uint32_t>(count));
        body += 4;
    }

    const Kernel& kernel = entrolith::kernel();
    const auto [zeros, check] = kernel.values<F>().tally(values, count, parameters.check != 0);
    if (zeros == count) {
        write_chunk_head(out, kCodedForm | kAllZeros | is_short,
                         static_cast<std::size_t>(body - out));
        return body;
    }
    const auto chunk = part_zeros<F>(kernel, values, count, zeros != 0, check, work);
    const auto widths = widths_to_try(profile, strip, kTriedWidths);
    unsigned mode = is_short;
    std::optional<Tokens> tokens;
    std::uint8_t* end = choose_zeros(kernel.runs, profile, chunk, widths, work, tokens, mode, body);

    const CodedPlan coded = plan_coded<F>(kernel, chunk, profile, tables, work);
    RowsPlan in_rows;
    if constexpr (F::kExponentBits == 8) {
        if (profile.scaled) {
            const auto signed_widths = profile.signs
                                           ? widths_to_try(profile, strip, kTriedSignedWidths)
                                           : std::span<const std::size_t>{};
            in_rows = choose_rows<F>(kernel, chunk, widths, signed_widths, coded.cost, work);
        }
        if (in_rows.scale) {
            mode |= kScaledForm;
            end = write_scaled<F>(kernel, chunk, *in_rows.scale, parameters, tokens, work, end);
        } else if (in_rows.signs) {
            mode |= kSignedForm;
            end = write_signed<F>(kernel, chunk, *in_rows.signs, parameters, tokens, work, end);
        }
    }
    if (!in_rows.scale && !in_rows.signs) {
        mode |= kCodedForm | (coded.trailing ? kTrailingBit : 0u) |
                (work.tables.empty() ? 0u : kDynamicBit);
        end = write_parts<F>(
            kernel, chunk, parameters, tokens, work,
            [&](CodeWriter& writer) {
                encode_blocks<F>(kernel, writer, tables, work, chunk.nonzero_count);
            },
            [&](std::uint8_t* head) { return write_blocks<F>(work, coded.trailing, head); }, end);
    }

    const std::size_t plain_size = count * sizeof(Value);
    const std::size_t stored_size =
        static_cast<std::size_t>(body - out) + plain_size + parameters.check_bytes();
    if (profile.stored && static_cast<std::size_t>(end - out) >= stored_size) {
        mode = is_short;
        end = out + stored_size;
        std::memcpy(body, values, plain_size);
        if (parameters.check != 0) store(body + plain_size, check);
    }
    write_chunk_head(out, mode, static_cast<std::size_t>(end - out));
    if constexpr (F::kExponentBits == 8) {
        if (profile.scaled && profile.signs && searches_widths(profile, strip)) {
            const std::size_t bound = encode_chunk_bound(count, F::kDtype, profile);
            return choose_taps<F>(kernel, chunk, profile, widths, bound, work, out, body, end);
        }
    }
    return end;
}

template std::uint8_t* encode_chunk<Fp32>(const Fp32::Value*, std::size_t, std::size_t,
                                          const Profile&, const TableSet&, Workspace&,
                                          std::uint8_t*);
template std::uint8_t* encode_chunk<Bf16>(const Bf16::Value*, std::size_t, std::size_t,
                                          const Profile&, const TableSet&, Workspace&,
                                          std::uint8_t*);
template std::uint8_t* encode_chunk<Fp16>(const Fp16::Value*, std::size_t, std::size_t,
                                          const Profile&, const TableSet&, Workspace&,
                                          std::uint8_t*);
template std::uint8_t* encode_chunk<Fp64>(const Fp64::Value*, std::size_t, std::size_t,
                                          const Profile&, const TableSet&, Workspace&,
                                          std::uint8_t*);
template std::uint8_t* encode_chunk<Fp8E4M3>(const Fp8E4M3::Value*, std::size_t, std::size_t,
                                             const Profile&, const TableSet&, Workspace&,
                                             std::uint8_t*);
template std::uint8_t* encode_chunk<Fp8E5M2>(const Fp8E5M2::Value*, std::size_t, std::size_t,
                                             const Profile&, const TableSet&, Workspace&,
                                             std::uint8_t*);

}  // namespace entrolith
