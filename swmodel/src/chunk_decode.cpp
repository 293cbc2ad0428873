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

/// The tables that blocks name.
class BlockTables {
public:
    BlockTables(const TableSet& tables, Workspace& work)
        : tables_{tables}, made_{work.decode_tables} {
        made_.clear();
        for (const Lengths& lengths : work.tables) made_.push_back(make_decode_table(lengths));
    }
    [[nodiscard]] const DecodeTable& of(const Block& block) const {
        return block.table < kDynamicTable ? tables_.decode(block.table)
                                           : made_[block.table - kDynamicTable];
    }

private:
    const TableSet& tables_;
    std::vector<DecodeTable>& made_;
};

/// Fills the values of the blocks whose raw bytes are all in `stored`; of those after them only
/// work.differences. Returns how many values there are so far, or nothing if something is wrong.
template <class F>
std::optional<std::size_t> decode_blocks(const Kernel& kernel, CodeReader& reader,
                                         const BlockTables& tables, Bytes stored, Workspace& work,
                                         typename F::Value* values) {
    using Exponent = typename F::Exponent;
    const ValueKernel<F>& ops = kernel.values<F>();
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
        const DecodeTable& table = tables.of(block);
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
            const std::size_t begins = layout.raw + (layout.in_rows() ? 0 : at);
            corrupt("raw", std::min(begins, layout.end),  // a block may lie in the lanes whole
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

/// A coded, scaled or signed chunk: what comes before the codes of its values, these codes, and
/// what makes values of them. Throws StreamError.
template <class F>
class CodedChunk {
public:
    using Value = typename F::Value;

    CodedChunk(Bytes data, const ChunkHead& head, const Parameters& parameters,
               const TableSet& tables, Workspace& work, Value* values)
        : data_{data},
          head_{head},
          parameters_{parameters},
          tables_{tables},
          work_{work},
          values_{values},
          layout_{read_chunk_layout(data, head, F::kDtype, parameters, tables.size(), work)},
          places_{has_taps() ? work.reordered<Value>(head.count) : values},
          nonzeros_{has_zeros() ? work.nonzeros<Value>() : places_},
          stored_{data.subspan(layout_.raw, layout_.end - layout_.raw)},
          block_tables_{tables, work},
          reader_{{}, parameters.lanes(), data.data() + layout_.codes, data.data() + layout_.raw} {
        std::memcpy(initial_.data(), data.data() + layout_.lanes, 2 * parameters.lanes());
        reader_.states = initial_;
        if (layout_.runs && !decode_tokens(kernel_, reader_, *layout_.runs, work)) refuse();
    }

    void decode_codes() {
        if (layout_.scale) {
            const Rows rows{head_.count, layout_.scale->width, zeros()};
            if (!decode_offsets(reader_, *layout_.scale, {work_.offsets.get(), rows.count()})) {
                refuse();
            }
            join_tokens();
            if (!decode_rows(kernel_, reader_, *layout_.scale, rows, work_)) refuse();
        } else if (layout_.signs) {
            const Rows rows{head_.count, layout_.signs->width, zeros()};
            if (!decode_offsets(reader_, *layout_.signs, {work_.offsets.get(), rows.count()}) ||
                !decode_senses(reader_, *layout_.signs, {work_.senses.get(), rows.count()})) {
                refuse();
            }
            join_tokens();
            if (!decode_signed_rows(kernel_, reader_, *layout_.signs, rows, work_)) refuse();
        } else {
            const auto decoded =
                decode_blocks<F>(kernel_, reader_, block_tables_, stored_, work_, nonzeros_);
            if (!decoded) refuse();
            done_ = *decoded;
            join_tokens();
        }
    }

    /// In place of decode_codes(), for form kCoded: adds block `number`, if there is one, to what
    /// is to be decoded in turn. False if something is wrong.
    [[nodiscard]] bool add_turn(std::size_t number, std::vector<Turn>& turns) {
        if (number >= work_.blocks.size()) return true;
        const Block& block = work_.blocks[number];
        const std::size_t first = number * parameters_.block();
        const Stretch stretch{first, block.count, block.emax, F::kExponentBits};
        auto* differences = work_.differences<typename F::Exponent>() + first;
        if (block.table == kRawTable) return decode_raw_block(reader_, stretch, differences);
        turns.push_back({&reader_, &block_tables_.of(block), stretch, differences});
        return true;
    }
    /// After the last turn; false if something is wrong.
    [[nodiscard]] bool end_turns() {
        if (!reader_.finished()) return false;
        join_tokens();
        return true;
    }

    void join() {
        const std::size_t lanes = parameters_.lanes();
        std::array<std::uint8_t, kMaxLanes> payload{};
        for (std::size_t k = 0; k < lanes; ++k) {
            payload[k] = static_cast<std::uint8_t>(reader_.states[k]);
        }
        const std::size_t held = layout_.raw_bytes - stored_.size();
        const auto padding =
            std::span{payload}.subspan(parameters_.check_bytes(), parameters_.tail() - held);
        if (std::ranges::any_of(padding, [](std::uint8_t byte) { return byte != 0; })) {
            corrupt("lanes", layout_.lanes, "payload bytes without raw bytes are not 0");
        }

        const RawBytes raw{stored_, std::span{payload}.subspan(lanes - held, held),
                           work_.raw.get()};
        if constexpr (F::kExponentBits == 8) {
            if (layout_.scale) {
                join_raw_parts<HalfOctaves<F>>(kernel_, raw, layout_, done_, work_, nonzeros_);
            } else if (layout_.signs) {
                join_raw_parts<SignedHalves<F>>(kernel_, raw, layout_, done_, work_, nonzeros_);
            }
        }
        if (!layout_.in_rows()) {
            join_raw_parts<F>(kernel_, raw, layout_, done_, work_, nonzeros_);
        }

        const bool checked = parameters_.check != 0;
        std::uint32_t check = 0;
        if (has_zeros()) {
            check = kernel_.values<F>().join_zeros(zeros(), head_.count, nonzeros_, places_,
                                                   checked && !has_taps());
        }
        if (has_taps()) {
            scatter_taps(places_, head_.count, layout_.signs->width, layout_.signs->taps, values_);
        }
        if (checked && (has_taps() || !has_zeros())) {
            const auto* plain = reinterpret_cast<const std::uint8_t*>(values_);
            check = kernel_.crc32(plain, head_.count * sizeof(Value));
        }
        if (checked && load<std::uint32_t>(payload.data()) != check) {
            corrupt("check", layout_.lanes, "the values do not match their check");
        }
    }

private:
    [[nodiscard]] bool has_taps() const noexcept {
        return layout_.signs && layout_.signs->taps > 1;
    }
    [[nodiscard]] bool has_zeros() const noexcept { return head_.zeros != Zeros::kNone; }
    [[nodiscard]] const std::uint32_t* zeros() const noexcept {
        return has_zeros() ? work_.zeros.data() : nullptr;
    }
    void join_tokens() {
        if (!layout_.runs) return;
        join_runs(kernel_.runs, *layout_.runs, work_.symbols.get(), head_.count, work_.extra.get(),
                  work_.entries.data(), work_.zeros.data());
    }
    [[noreturn]] void refuse() const {
        explain_codes(data_, head_, layout_, initial_, parameters_.lanes(), F::kExponentBits,
                      tables_, work_);
    }

    const Kernel& kernel_ = kernel();
    Bytes data_;
    const ChunkHead& head_;
    const Parameters& parameters_;
    const TableSet& tables_;
    Workspace& work_;
    Value* values_;
    ChunkLayout layout_;
    Value* places_;  // where values lie in the chunk's order
    Value* nonzeros_;
    Bytes stored_;
    BlockTables block_tables_;
    LaneStates initial_{};
    CodeReader reader_;
    std::size_t done_ = 0;  // values that are complete
};

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
            CodedChunk<F> chunk{data, head, parameters, tables, work, values};
            chunk.decode_codes();
            chunk.join();
            return;
    }
}

template <class F>
bool decode_in_turn(Bytes data, std::span<const ChunkJob<F>> jobs, const Parameters& parameters,
                    const TableSet& tables) {
    try {
        std::array<std::optional<CodedChunk<F>>, kMostTurns> chunks;
        std::size_t blocks = 0;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const auto& [head, work, values] = jobs[i];
            if (head.form != Form::kCoded) return false;
            chunks[i].emplace(data, head, parameters, tables, *work, values);
            blocks = std::max(blocks, work->blocks.size());
        }
        std::vector<Turn> turns;
        turns.reserve(kMostTurns);
        for (std::size_t block = 0; block < blocks; ++block) {
            turns.clear();
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                if (!chunks[i]->add_turn(block, turns)) return false;
            }
            if (!kernel().decode_turns(turns)) return false;
        }
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (!chunks[i]->end_turns()) return false;
            chunks[i]->join();
        }
        return true;
    } catch (const StreamError&) {
        return false;
    }
}

template bool decode_in_turn<Fp32>(Bytes, std::span<const ChunkJob<Fp32>>, const Parameters&,
                                   const TableSet&);
template bool decode_in_turn<Bf16>(Bytes, std::span<const ChunkJob<Bf16>>, const Parameters&,
                                   const TableSet&);

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
