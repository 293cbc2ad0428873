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
#include "entrolith/zeros.hpp"

namespace entrolith {
namespace {

[[noreturn]] void corrupt(const char* field, std::size_t offset, const std::string& why) {
    throw StreamError{Cause::kCorrupt, field, offset, why};
}

/// Fills work.symbols, and the values of the blocks whose raw bytes are all in `stored`; of those
/// after them only work.differences. Returns how many values there are so far, or nothing if
/// something is wrong.
template <class F>
std::optional<std::size_t> decode_codes(const Kernel& kernel, CodeReader& reader,
                                        const ChunkLayout& layout, const TableSet& tables,
                                        Bytes stored, Workspace& work, typename F::Value* values) {
    using Exponent = typename F::Exponent;
    const ValueKernel<F>& ops = kernel.values<F>();
    if (layout.runs) {
        const DecodeTable distances = make_decode_table(layout.runs->tables[0]);
        const DecodeTable runs = make_decode_table(layout.runs->tables[1]);
        const DecodeTable* const both[]{&distances, &runs};
        if (!kernel.codes8.decode_mixed(reader, both, kTokenTables.data(), layout.runs->stretch(),
                                        work.symbols.get()) ||
            !read_classes(*layout.runs, work.symbols.get())) {
            return std::nullopt;
        }
    }
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

template <class F>
void decode_coded(Bytes data, const ChunkHead& head, const Parameters& parameters,
                  const TableSet& tables, Workspace& work, typename F::Value* values) {
    const ChunkLayout layout =
        read_chunk_layout(data, head, F::kDtype, parameters, tables.size(), work);
    const std::size_t lanes = parameters.lanes();
    LaneStates initial{};
    std::memcpy(initial.data(), data.data() + layout.lanes, 2 * lanes);
    const Kernel& kernel = entrolith::kernel();
    CodeReader reader{initial, lanes, data.data() + layout.codes, data.data() + layout.raw};
    const Bytes stored = data.subspan(layout.raw, layout.end - layout.raw);
    const bool has_zeros = head.zeros != Zeros::kNone;
    auto* nonzeros = has_zeros ? work.nonzeros<typename F::Value>() : values;
    const auto done = decode_codes<F>(kernel, reader, layout, tables, stored, work, nonzeros);
    if (!done) {
        explain_codes(data, layout, initial, lanes, F::kExponentBits, tables, work);
    }
    if (layout.runs) {
        join_runs(kernel.runs, *layout.runs, work.symbols.get(), head.count, work.extra.get(),
                  work.entries.data(), work.zeros.data());
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
    std::size_t first = 0;
    std::size_t at = 0;
    for (const Block& block : work.blocks) {
        const std::size_t bits = block.count * (F::kPartBits - block.trailing);
        const std::size_t size = (bits + 7) / 8;
        const std::uint8_t* packed = raw.at(at, size);
        if (bits % 8 != 0 && packed[size - 1] >> (bits % 8) != 0) {
            corrupt("raw", layout.raw + at, "unused bits of a block are not 0");
        }
        if (first >= *done) {
            kernel.values<F>().unpack_raw(packed, block.count, block.trailing, block.emax,
                                          work.differences<typename F::Exponent>() + first,
                                          nonzeros + first);
        }
        first += block.count;
        at += size;
    }

    const bool checked = parameters.check != 0;
    std::uint32_t check = 0;
    if (has_zeros) {
        check =
            kernel.values<F>().join_zeros(work.zeros.data(), head.count, nonzeros, values, checked);
    } else if (checked) {
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
