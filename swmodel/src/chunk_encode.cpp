// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <optional>

#include "entrolith/chunk.hpp"
#include "entrolith/codes.hpp"
#include "entrolith/cross.hpp"
#include "entrolith/dynamic.hpp"
#include "entrolith/kernels.hpp"
#include "entrolith/raw_parts.hpp"
#include "entrolith/runs.hpp"
#include "entrolith/scale.hpp"
#include "entrolith/zeros.hpp"

namespace entrolith {
namespace {

/// Form 1, as work.blocks and work.tables have it.
struct CodedPlan {
    bool trailing;
    std::uint64_t cost;  // rule 8 of section 8: bits
};

/// Fills work.blocks, work.tables and work.differences. Here a raw block's emax is its true one.
template <class F>
CodedPlan plan_coded(const Kernel& kernel, const typename F::Value* nonzeros, std::size_t count,
                     const Profile& profile, const TableSet& tables, Workspace& work) {
    const ValueKernel<F>& ops = kernel.values<F>();
    const std::size_t full = profile.parameters.block();
    constexpr unsigned kExponentBits = 8 * F::kExponentBytes;
    std::size_t untrimmed = 0;
    std::size_t trimmed = 0;
    work.blocks.clear();
    work.costs.clear();
    for (std::size_t first = 0; first < count; first += full) {
        const std::size_t length = std::min(full, count - first);
        const BlockSurvey block =
            ops.survey(nonzeros + first, length, work.differences<typename F::Exponent>() + first);
        const auto in_block = static_cast<std::uint32_t>(length);
        const Choice choice = kernel.choose(tables.costs(F::kExponentBytes), block.histogram,
                                            kExponentBits * in_block);
        work.blocks.push_back({in_block, block.emax, choice.table, block.trailing});
        work.costs.push_back({block.histogram, choice.bits});
        untrimmed += raw_bytes(length, F::kPartBits);
        trimmed += raw_bytes(length, F::kPartBits - block.trailing);
    }
    const std::uint64_t bits =
        choose_dynamic(profile.mode, kExponentBits, work.costs, work.blocks, work.tables);
    const std::size_t blocks = work.blocks.size();
    const bool trailing = profile.trailing && untrimmed - trimmed > blocks;
    if (!trailing) {
        for (Block& block : work.blocks) block.trailing = 0;
    }
    const std::size_t head =
        tables_bytes(work.tables.size()) + blocks * (F::kExponentBytes + 1 + (trailing ? 1 : 0));
    return {trailing, bits + 8 * (head + (trailing ? trimmed : untrimmed))};
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

/// Rule 8 of section 8: form 2 if that is cheaper. The rows of the chunk in work.rows() are those
/// of the plan.
template <class F>
std::optional<Scale> choose_scale(const Kernel& kernel, const typename F::Value* values,
                                  std::size_t count, const std::uint32_t* zeros,
                                  std::size_t nonzeros, std::span<const std::size_t> widths,
                                  std::uint64_t cost, Workspace& work) {
    const RowBuffers buffers = work.rows();
    std::optional<Scale> best;
    std::size_t at_hand = 0;  // the width of the rows in work.rows()
    const auto plan = [&](std::size_t width) -> std::optional<ScalePlan> {
        const Rows rows{count, width, zeros};
        at_hand = width;
        const ScaleSurvey survey = kernel.rows.survey<F>()(values, rows, buffers);
        if (!survey.possible) return std::nullopt;
        return plan_scale(width, survey, {buffers.offsets, rows.count()});
    };
    for (const std::size_t width : widths) {
        const auto found = plan(width);
        if (!found) continue;
        const std::size_t raw =
            raw_bytes(nonzeros, HalfOctaves<F>::kPartBits - found->scale.trailing);
        if (found->bits + 8 * raw >= cost) continue;
        cost = found->bits + 8 * raw;
        best = found->scale;
    }
    if (best && best->width != at_hand) static_cast<void>(plan(best->width));
    return best;
}

/// Codes the rows in work.rows().
void encode_scaled(const Kernel& kernel, CodeWriter& writer, const Scale& scale, const Rows& rows,
                   Workspace& work) {
    const std::array tables{make_encode_table(scale.tables[0]), make_encode_table(scale.tables[1])};
    const EncodeTable* const both[]{&tables[0], &tables[1]};
    const RowBuffers buffers = work.rows();
    kernel.rows.encode(writer, both, rows, buffers);
    const std::size_t count = rows.count();
    offset_differences(scale.offset_table, {buffers.offsets, count}, buffers.halves);
    kernel.codes16.encode(writer, make_encode_table(scale.offset_table),
                          {0, count - 1, kOffsetEmax, 16}, buffers.halves);
}

void encode_tokens(const Kernel& kernel, CodeWriter& writer, const Tokens& tokens,
                   Workspace& work) {
    const EncodeTable distances = make_encode_table(tokens.tables[0]);
    const EncodeTable runs = make_encode_table(tokens.tables[1]);
    const EncodeTable* const both[]{&distances, &runs};
    kernel.codes8.encode_mixed(writer, both, kTokenTables.data(), tokens.stretch(),
                               work.symbols.get());
}

/// Rule 5 of section 8: writes where the zeros are, as tokens if that is cheaper than the bitmap.
std::uint8_t* choose_zeros(const RunKernel& kernel, const Profile& profile, std::size_t count,
                           std::size_t nonzeros, std::span<const std::size_t> widths,
                           Workspace& work, std::optional<Tokens>& tokens, std::uint8_t* out) {
    const std::uint32_t* words = work.zeros.data();
    std::uint64_t least = 8 * zeros_bytes(words, count);
    std::size_t at_hand = 0;  // the columns of the tokens in work.numbers
    const auto find = [&](std::size_t columns) {
        at_hand = columns;
        if (columns == 0)
            return find_runs(kernel, words, count, 0, work.numbers.get(), work.symbols.get());
        const std::size_t entries =
            cross_entries(kernel, words, {columns, count}, work.entries.data());
        return find_runs(kernel, work.entries.data(), entries, columns, work.numbers.get(),
                         work.symbols.get());
    };
    const auto keep = [&](const std::optional<Tokens>& found) {
        if (!found || found->cost >= least) return;
        least = found->cost;
        tokens = found;
    };
    if (profile.runs) {
        keep(find(0));
        for (const std::size_t columns : widths) keep(find(columns));
    }
    if (!tokens) return write_zeros(words, count, out);
    if (tokens->columns != at_hand) tokens = find(tokens->columns);
    return write_runs(kernel, *tokens, nonzeros, work.numbers.get(), work.symbols.get(), out);
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

/// Writes all parts after the zeros: lanes, what write_head() writes, codes, and the raw parts of
/// work.blocks.
template <class F, class EncodeValues, class WriteHead>
std::uint8_t* write_parts(const Kernel& kernel, const typename F::Value* nonzeros,
                          std::size_t nonzero_count, std::uint32_t check,
                          const Parameters& parameters, const std::optional<Tokens>& tokens,
                          Workspace& work, EncodeValues&& encode_values, WriteHead&& write_head,
                          std::uint8_t* out) {
    std::size_t raw_size = 0;
    for (const Block& block : work.blocks) {
        raw_size += raw_bytes(block.count, F::kPartBits - block.trailing);
    }
    const std::size_t in_lanes = std::min(raw_size, parameters.tail());

    const std::size_t lanes = parameters.lanes();
    std::array<std::uint8_t, kMaxLanes> payload{};
    if (parameters.check != 0) store(payload.data(), check);
    write_raw_tail<F>(kernel, nonzeros, nonzero_count, in_lanes, work,
                      payload.data() + (lanes - in_lanes));
    std::uint8_t* const codes_end = work.codes.get() + work.codes_size;
    CodeWriter writer{{}, lanes, codes_end};
    for (std::size_t k = 0; k < lanes; ++k) {
        writer.states[k] = static_cast<std::uint16_t>(Lane::kLow | payload[k]);
    }
    encode_values(writer);
    if (tokens) encode_tokens(kernel, writer, *tokens, work);

    std::memcpy(out, writer.states.data(), 2 * lanes);
    out = write_head(out + 2 * lanes);
    const auto codes_size = static_cast<std::size_t>(codes_end - writer.at);
    std::memcpy(out, writer.at, codes_size);
    out += codes_size;
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
    return with_dtype(dtype, [&](auto f) {
        using F = decltype(f);
        const std::size_t blocks = count / parameters.block() + 1;
        // Codes are never larger than raw exponents, nor tokens than the bitmap, nor dynamic tables
        // than what they save: only their number comes on top.
        const std::size_t coded = 8 + most_zeros_bytes(count) + 2 * parameters.lanes() + 1 +
                                  (F::kExponentBytes + 2) * blocks + F::kExponentBytes * count +
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
    const ValueKernel<F>& ops = kernel.values<F>();
    const auto [zeros, check] = ops.tally(values, count, parameters.check != 0);
    if (zeros == count) {
        write_chunk_head(out, kCodedForm | kAllZeros | is_short,
                         static_cast<std::size_t>(body - out));
        return body;
    }
    const std::size_t plain_size = count * sizeof(Value);

    const std::size_t nonzero_count = count - zeros;
    const auto widths = widths_to_try(profile, strip);
    unsigned mode = is_short;
    const Value* nonzeros = values;
    std::uint8_t* end = body;
    std::optional<Tokens> tokens;
    if (zeros != 0) {
        ops.part_zeros(values, count, work.zeros.data(), work.nonzeros<Value>());
        nonzeros = work.nonzeros<Value>();
        end = choose_zeros(kernel.runs, profile, count, nonzero_count, widths, work, tokens, end);
        mode |= !tokens ? kZeroBitmap : tokens->columns == 0 ? kZeroRuns : kZeroCross;
    }
    const CodedPlan coded = plan_coded<F>(kernel, nonzeros, nonzero_count, profile, tables, work);
    std::optional<Scale> scale;
    if constexpr (F::kExponentBits == 8) {
        const std::uint32_t* bitmap = zeros != 0 ? work.zeros.data() : nullptr;
        if (profile.scaled) {
            scale = choose_scale<F>(kernel, values, count, bitmap, nonzero_count, widths,
                                    coded.cost, work);
        }
        if (scale) {
            cut_raw_parts(nonzero_count, scale->trailing, parameters.block(), work.blocks);
            mode |= kScaledForm;
            end = write_parts<HalfOctaves<F>>(
                kernel, nonzeros, nonzero_count, check, parameters, tokens, work,
                [&](CodeWriter& writer) {
                    encode_scaled(kernel, writer, *scale, {count, scale->width, bitmap}, work);
                },
                [&](std::uint8_t* head) { return write_scale(*scale, head); }, end);
        }
    }
    if (!scale) {
        mode |= kCodedForm | (coded.trailing ? kTrailingBit : 0u) |
                (work.tables.empty() ? 0u : kDynamicBit);
        end = write_parts<F>(
            kernel, nonzeros, nonzero_count, check, parameters, tokens, work,
            [&](CodeWriter& writer) {
                encode_blocks<F>(kernel, writer, tables, work, nonzero_count);
            },
            [&](std::uint8_t* head) { return write_blocks<F>(work, coded.trailing, head); }, end);
    }
    const std::size_t stored_size =
        static_cast<std::size_t>(body - out) + plain_size + parameters.check_bytes();
    if (profile.stored && static_cast<std::size_t>(end - out) >= stored_size) {
        std::memcpy(body, values, plain_size);
        if (parameters.check != 0) store(body + plain_size, check);
        write_chunk_head(out, is_short, stored_size);
        return out + stored_size;
    }
    write_chunk_head(out, mode, static_cast<std::size_t>(end - out));
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
