// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <optional>

#include "entrolith/chunk.hpp"
#include "entrolith/codes.hpp"
#include "entrolith/crc32.hpp"
#include "entrolith/kernels.hpp"
#include "entrolith/raw_parts.hpp"
#include "entrolith/runs.hpp"
#include "entrolith/scale.hpp"
#include "entrolith/signs.hpp"
#include "entrolith/taps.hpp"
#include "entrolith/zeros.hpp"

namespace entrolith {
namespace {

/// Fills work.symbols with the classes of tokens; false if something is wrong.
bool decode_tokens(const Kernel& kernel, CodeReader& reader, const Runs& runs, Workspace& work) {
    const DecodeTable distances = make_decode_table(runs.tables[0]);
    const DecodeTable lengths = make_decode_table(runs.tables[1]);
    const DecodeTable* const both[]{&distances, &lengths};
    return kernel.codes8.decode_mixed(reader, both, kTokenTables.data(), runs.stretch(),
                                      work.symbols.get()) &&
           read_classes(runs, work.symbols.get());
}

/// Fills the values of the blocks whose raw bytes are all in `stored`; of those after them only
/// work.differences. Returns how many values there are so far, or nothing if something is wrong.
template <class F>
std::optional<std::size_t> decode_blocks(const Kernel& kernel, CodeReader& reader,
                                         const TableSet& tables, Bytes stored, Workspace& work,
                                         typename F::Value* values) {
    using Exponent = typename F::Exponent;
    const ValueKernel<F>& ops = kernel.values<F>();
    work.decode_tables.clear();
    for (const Lengths& lengths : work.tables) {
        work.decode_tables.push_back(make_decode_table(lengths));
    }
    std::size_t done = 0;
    std::size_t first = 0;
    std::size_t raw = 0;
    for (const Block& block : work.blocks) {
        const Stretch stretch{first, block.count, block.emax, F::kExponentBits};
        Exponent* differences = work.differences<Exponent>() + first;
        const std::uint8_t* in = stored.data() + raw;
        typename F::Value* out = values + first;
        first += block.count;
        raw += raw_bytes(block.count, F::kPartBits - block.trailing);
        const bool joins = raw + kSlack <= stored.size();
        if (joins) done = first;
        if (block.table == kRawTable) {
            if (!decode_raw_block(reader, stretch, differences)) return std::nullopt;
            if (joins) {
                ops.unpack_raw(in, block.count, block.trailing, block.emax, differences, out);
            }
            continue;
        }
        const DecodeTable& table = block.table < kDynamicTable
                                       ? tables.decode(block.table)
                                       : work.decode_tables[block.table - kDynamicTable];
        const bool good =
            joins ? ops.decode(reader, table, stretch, in, block.trailing, differences, out)
                  : kernel.codes<F>().decode(reader, table, stretch, differences);
        if (!good) return std::nullopt;
    }
    return reader.finished() ? std::optional{done} : std::nullopt;
}

/// Fills work.differences with half octaves; false if something is wrong.
bool decode_rows(const Kernel& kernel, CodeReader& reader, const Scale& scale, const Rows& rows,
                 Workspace& work) {
    const DecodeTable first = make_decode_table(scale.tables[0]);
    const DecodeTable second = make_decode_table(scale.tables[1]);
    const DecodeTable* const both[]{&first, &second};
    return kernel.rows.decode(reader, both, rows, work.rows(), work.differences<std::uint16_t>()) &&
           reader.finished();
}

/// Fills work.differences with signs and half octaves; false if something is wrong.
bool decode_signed_rows(const Kernel& kernel, CodeReader& reader, const SignedScale& scale,
                        const Rows& rows, Workspace& work) {
    std::array<SignedDecodeTable, kSignedTables> tables;
    std::ranges::transform(scale.tables, tables.begin(), make_signed_decode_table);
    return kernel.signed_rows.decode(reader, tables.data(), rows, work.rows(), work.signs(),
                                     work.differences<std::uint16_t>()) &&
           reader.finished();
}

/// A chunk's raw bytes, of which the last lie in the lanes.
class RawBytes {
public:
    RawBytes(Bytes stored, Bytes in_lanes, std::uint8_t* scratch)
        : stored_{stored}, in_lanes_{in_lanes}, scratch_{scratch} {}

    /// `size` bytes from `at`, with kSlack readable bytes after them.
    [[nodiscard]] const std::uint8_t* at(std::size_t at, std::size_t size) const {
        if (at + size + kSlack <= stored_.size()) return stored_.data() + at;
        const std::size_t here = at < stored_.size() ? std::min(size, stored_.size() - at) : 0;
        if (here != 0) std::memcpy(scratch_, stored_.data() + at, here);
        if (here < size) {
            std::memcpy(scratch_ + here, in_lanes_.data() + (at + here - stored_.size()),
                        size - here);
        }
        std::memset(scratch_ + size, 0, kSlack);
        return scratch_;
    }

private:
    Bytes stored_;
    Bytes in_lanes_;
    std::uint8_t* scratch_;
};

/// Joins the raw parts of work.blocks with the exponents in work.differences, from value `done` on.
/// F is the values' type or, in a scaled or signed chunk, HalfOctaves or SignedHalves of it.
template <class F>
void join_raw_parts(const Kernel& kernel, const RawBytes& raw, const ChunkLayout& layout,
                    std::size_t done, Workspace& work, typename F::Value* nonzeros) {
    std::size_t first = 0;
    std::size_t at = 0;
    for (const Block& block : work.blocks) {
        const std::size_t bits = block.count * (F::kPartBits - block.trailing);
        const std::size_t size = (bits + 7) / 8;
        const std::uint8_t* packed = raw.at(at, size);
        if (bits % 8 != 0 && packed[size - 1] >> (bits % 8) != 0) {
            corrupt("raw", layout.raw + (layout.in_rows() ? 0 : at),
                    "unused bits of a block are not 0");
        }
        if (first >= done) {
            kernel.values<F>().unpack_raw(packed, block.count, block.trailing, block.emax,
                                          work.differences<typename F::Exponent>() + first,
                                          nonzeros + first);
        }
        first += block.count;
        at += size;
    }
}

template <class F>
void decode_coded(Bytes data, const ChunkHead& head, const Parameters& parameters,
                  const TableSet& tables, Workspace& work, typename F::Value* values) {
    const ChunkLayout layout =
        read_chunk_layout(data, head, F::kDtype, parameters, tables.size(), work);
    const bool has_taps = layout.signs && layout.signs->taps > 1;
    auto* places =  // where values lie in the chunk's order
        has_taps ? work.reordered<typename F::Value>(head.count) : values;
    const std::size_t lanes = parameters.lanes();
    LaneStates initial{};
    std::memcpy(initial.data(), data.data() + layout.lanes, 2 * lanes);
    const Kernel& kernel = entrolith::kernel();
    CodeReader reader{initial, lanes, data.data() + layout.codes, data.data() + layout.raw};
    const Bytes stored = data.subspan(layout.raw, layout.end - layout.raw);
    const bool has_zeros = head.zeros != Zeros::kNone;
    auto* nonzeros = has_zeros ? work.nonzeros<typename F::Value>() : places;
    const auto refuse = [&] {
        explain_codes(data, head, layout, initial, lanes, F::kExponentBits, tables, work);
    };
    const auto join_tokens = [&] {
        if (!layout.runs) return;
        join_runs(kernel.runs, *layout.runs, work.symbols.get(), head.count, work.extra.get(),
                  work.entries.data(), work.zeros.data());
    };
    std::size_t done = 0;  // values that are complete
    if (layout.runs && !decode_tokens(kernel, reader, *layout.runs, work)) refuse();
    const std::uint32_t* zeros = has_zeros ? work.zeros.data() : nullptr;
    if (layout.scale) {
        const Rows rows{head.count, layout.scale->width, zeros};
        if (!decode_offsets(reader, *layout.scale, {work.offsets.get(), rows.count()})) refuse();
        join_tokens();
        if (!decode_rows(kernel, reader, *layout.scale, rows, work)) refuse();
    } else if (layout.signs) {
        const Rows rows{head.count, layout.signs->width, zeros};
        if (!decode_offsets(reader, *layout.signs, {work.offsets.get(), rows.count()}) ||
            !decode_senses(reader, *layout.signs, {work.senses.get(), rows.count()})) {
            refuse();
        }
        join_tokens();
        if (!decode_signed_rows(kernel, reader, *layout.signs, rows, work)) refuse();
    } else {
        const auto decoded = decode_blocks<F>(kernel, reader, tables, stored, work, nonzeros);
        if (!decoded) refuse();
        done = *decoded;
        join_tokens();
    }

    std::array<std::uint8_t, kMaxLanes> payload{};
    for (std::size_t k = 0; k < lanes; ++k)
        payload[k] = static_cast<std::uint8_t>(reader.states[k]);
    const std::size_t held = layout.raw_bytes - (layout.end - layout.raw);
    const auto padding =
        std::span{payload}.subspan(parameters.check_bytes(), parameters.tail() - held);
    if (std::ranges::any_of(padding, [](std::uint8_t byte) { return byte != 0; })) {
        corrupt("lanes", layout.lanes, "payload bytes without raw bytes are not 0");
    }

    const RawBytes raw{stored, std::span{payload}.subspan(lanes - held, held), work.raw.get()};
    if constexpr (F::kExponentBits == 8) {
        if (layout.scale) {
            join_raw_parts<HalfOctaves<F>>(kernel, raw, layout, done, work, nonzeros);
        } else if (layout.signs) {
            join_raw_parts<SignedHalves<F>>(kernel, raw, layout, done, work, nonzeros);
        }
    }
    if (!layout.in_rows()) join_raw_parts<F>(kernel, raw, layout, done, work, nonzeros);

    const bool checked = parameters.check != 0;
    std::uint32_t check = 0;
    if (has_zeros) {
        check = kernel.values<F>().join_zeros(zeros, head.count, nonzeros, places,
                                              checked && !has_taps);
    }
    if (has_taps) {
        scatter_taps(places, head.count, layout.signs->width, layout.signs->taps, values);
    }
    if (checked && (has_taps || !has_zeros)) {
        const auto* plain = reinterpret_cast<const std::uint8_t*>(values);
        check = kernel.crc32(plain, head.count * sizeof *values);
    }
    if (checked && load<std::uint32_t>(payload.data()) != check) {
        corrupt("check", layout.lanes, "the values do not match their check");
    }
}

}  // namespace

template <class F>
void decode_chunk(Bytes data, const ChunkHead& head, const Parameters& parameters,
                  const TableSet& tables, Workspace& work, typename F::Value* values) {
    const std::size_t size = head.count * sizeof *values;
    switch (head.form) {
        case Form::kAllZero:
            std::memset(values, 0, size);
            return;
        case Form::kStored:
            std::memcpy(values, data.data() + head.body, size);
            if (parameters.check != 0 && load<std::uint32_t>(data.data() + head.body + size) !=
                                             crc32(data.data() + head.body, size)) {
                corrupt("check", head.body + size, "the values do not match their check");
            }
            return;
        case Form::kCoded:
        case Form::kScaled:
        case Form::kSigned:
            decode_coded<F>(data, head, parameters, tables, work, values);
            return;
    }
}

template void decode_chunk<Fp32>(Bytes, const ChunkHead&, const Parameters&, const TableSet&,
                                 Workspace&, Fp32::Value*);
template void decode_chunk<Bf16>(Bytes, const ChunkHead&, const Parameters&, const TableSet&,
                                 Workspace&, Bf16::Value*);
template void decode_chunk<Fp16>(Bytes, const ChunkHead&, const Parameters&, const TableSet&,
                                 Workspace&, Fp16::Value*);
template void decode_chunk<Fp64>(Bytes, const ChunkHead&, const Parameters&, const TableSet&,
                                 Workspace&, Fp64::Value*);
template void decode_chunk<Fp8E4M3>(Bytes, const ChunkHead&, const Parameters&, const TableSet&,
                                    Workspace&, Fp8E4M3::Value*);
template void decode_chunk<Fp8E5M2>(Bytes, const ChunkHead&, const Parameters&, const TableSet&,
                                    Workspace&, Fp8E5M2::Value*);

}  // namespace entrolith
