// SPDX-License-Identifier: Apache-2.0
//
// The structure of a chunk, as far as it can be read without decoding.

#include "entrolith/chunk.hpp"
#include "entrolith/raw_parts.hpp"
#include "entrolith/zeros.hpp"

namespace entrolith {
namespace {

struct Bits {
    unsigned exponent;
    unsigned mantissa;
};

Bits bits_of(Dtype dtype) {
    return with_dtype(
        dtype, [](auto f) { return Bits{decltype(f)::kExponentBits, decltype(f)::kMantissaBits}; });
}

/// Section 4.3.
void read_dynamic_tables(Cursor& cursor, std::vector<Lengths>& tables) {
    const std::size_t count = cursor.integer<std::uint8_t>("table_count");
    if (count == 0 || count > kMaxDynamicTables) {
        corrupt("table_count", cursor.at() - 1, std::to_string(count) + " tables");
    }
    for (std::size_t t = 0; t < count; ++t) tables.push_back(read_table(cursor, "tables"));
}

/// Section 5. `tables` of the set, if it is at hand, and `dynamic` ones of the chunk.
void read_block_headers(Cursor& cursor, std::size_t nonzeros, bool trailing, Bits bits,
                        const Parameters& parameters, std::optional<std::size_t> tables,
                        std::size_t dynamic, std::vector<Block>& blocks) {
    blocks.clear();
    const std::size_t exponent_bytes = (bits.exponent + 7) / 8;
    for (std::size_t first = 0; first < nonzeros; first += parameters.block()) {
        const std::size_t at = cursor.at();
        Block block{};
        block.count = static_cast<std::uint32_t>(std::min(parameters.block(), nonzeros - first));
        block.emax = exponent_bytes == 1 ? cursor.integer<std::uint8_t>("emax")
                                         : cursor.integer<std::uint16_t>("emax");
        block.table = cursor.integer<std::uint8_t>("table");
        block.trailing = trailing ? cursor.integer<std::uint8_t>("trailing") : std::uint8_t{0};
        const std::size_t after = at + exponent_bytes;
        const bool raw = block.table == kRawTable;
        const bool is_dynamic = block.table >= kDynamicTable && !raw;
        if (is_dynamic && parameters.version == 1) {
            reserved("table", after, "dynamic tables are reserved");
        }
        const bool known = is_dynamic ? block.table < kDynamicTable + dynamic
                                      : raw || !tables || block.table < *tables;
        if (!known) corrupt("table", after, "there is no table " + std::to_string(block.table));
        if (block.emax >> bits.exponent != 0 || (raw && block.emax != 0)) {
            corrupt("emax", at, std::to_string(block.emax) + " cannot be");
        }
        if (block.trailing > bits.mantissa) {
            corrupt("trailing", after + 1,
                    std::to_string(block.trailing) + " bits of " + std::to_string(bits.mantissa));
        }
        blocks.push_back(block);
    }
}

}  // namespace

ChunkHead read_chunk_head(Bytes data, std::size_t at, std::size_t expected, Dtype dtype,
                          const Parameters& parameters) {
    Cursor outer{data, at, data.size(), Cause::kTruncated};
    const unsigned mode = outer.integer<std::uint8_t>("mode");
    const std::uint8_t* field = outer.take(3, "size");
    const std::size_t size = field[0] | std::size_t{field[1]} << 8 | std::size_t{field[2]} << 16;
    if (size < 4) {
        corrupt("size", at + 1, std::to_string(size) + " is less than the chunk's own header");
    }
    if (size > data.size() - at) {
        throw StreamError{Cause::kTruncated, "size", at + 1,
                          "the chunk has " + std::to_string(size) + " bytes, " +
                              std::to_string(data.size() - at) + " are left"};
    }
    Cursor body{data, outer.at(), at + size, Cause::kCorrupt};

    const unsigned form = mode & 3;
    const unsigned zeros = mode >> 2 & 7;
    if (parameters.version == 1 && form > 1)
        reserved("mode", at, "form " + std::to_string(form) + " is reserved");
    if (form == 0 && (mode & 0x7Cu) != 0) {
        corrupt("mode", at, "a stored chunk has no other mode bits");
    }
    if (zeros > (parameters.version == 1 ? 2u : 5u)) {
        reserved("mode", at, "zeros " + std::to_string(zeros) + " is reserved");
    }
    if (zeros == 1 && (form != 1 || (mode & (kTrailingBit | kDynamicBit)) != 0)) {
        corrupt("mode", at, "an all-zero chunk has no other mode bits");
    }
    if (form >= 2 && ((mode & (kTrailingBit | kDynamicBit)) != 0 || bits_of(dtype).exponent != 8)) {
        corrupt("mode", at, "a scaled or signed chunk of this kind cannot be");
    }
    if ((mode & kDynamicBit) != 0 && parameters.version == 1) {
        reserved("mode", at, "dynamic tables are reserved");
    }

    std::size_t count = parameters.chunk();
    if (mode & kShortBit) {
        count = body.integer<std::uint32_t>("count");
        if (count == 0 || count >= parameters.chunk()) {
            corrupt("count", body.at() - 4, std::to_string(count) + " values in a short chunk");
        }
    }
    if (count != expected) {
        corrupt("count", at,
                std::to_string(count) + " values where the directory implies " +
                    std::to_string(expected));
    }
    const Form kind = form == 0    ? Form::kStored
                      : zeros == 1 ? Form::kAllZero
                      : form == 2  ? Form::kScaled
                      : form == 3  ? Form::kSigned
                                   : Form::kCoded;
    if (kind == Form::kStored &&
        body.left() != count * bytes_of(dtype) + parameters.check_bytes()) {
        corrupt("size", at + 1, "a stored chunk of another size");
    }
    if (kind == Form::kAllZero && body.left() != 0) {
        corrupt("size", at + 1, "an all-zero chunk with a body");
    }
    return {at,
            body.at(),
            at + size,
            count,
            kind,
            zeros < 2 ? Zeros::kNone : static_cast<Zeros>(zeros - 1),
            (mode & kTrailingBit) != 0,
            (mode & kDynamicBit) != 0};
}

std::size_t least_coded_size(const ChunkHead& head, const Parameters& parameters) {
    const std::size_t fixed = 4 + 2 * parameters.lanes() + 2;
    if (head.zeros >= Zeros::kRuns) return fixed + runs_head_bytes(head.zeros);
    const std::size_t in_bits = head.count / 8;
    return fixed + in_bits - std::min(in_bits, parameters.tail());
}

ChunkLayout read_chunk_layout(Bytes data, const ChunkHead& head, Dtype dtype,
                              const Parameters& parameters, std::optional<std::size_t> tables,
                              Workspace& work) {
    const Bits bits = bits_of(dtype);
    Cursor cursor{data, head.body, head.end, Cause::kCorrupt};
    ChunkLayout layout{};
    layout.zeros = cursor.at();
    layout.nonzeros = head.count;
    if (head.zeros == Zeros::kBitmap) {
        layout.nonzeros -= read_zeros(cursor, head.count, work.zeros.data());
    } else if (head.zeros >= Zeros::kRuns) {
        layout.runs = read_runs(cursor, head.count, parameters.chunk(), head.zeros);
        layout.nonzeros = layout.runs->nonzeros;
    }

    layout.lanes = cursor.at();
    for (std::size_t k = 0; k < parameters.lanes(); ++k) cursor.take(2, "lanes");
    for (std::size_t k = 0; k < parameters.lanes(); ++k) {
        const std::size_t at = layout.lanes + 2 * k;
        const auto state = load<std::uint16_t>(data.data() + at);
        if (state < 256) {
            corrupt("lanes", at, "state " + std::to_string(state) + " is below 256");
        }
    }

    layout.tables = cursor.at();
    work.tables.clear();
    if (head.dynamic) read_dynamic_tables(cursor, work.tables);

    layout.blocks = cursor.at();
    if (head.form == Form::kScaled) {
        layout.scale = read_scale(cursor, bits.mantissa, parameters.chunk());
        cut_raw_parts(layout.nonzeros, layout.scale->trailing, kHighestHalf, parameters.block(),
                      work.blocks);
        layout.raw_bytes = raw_bytes(layout.nonzeros, bits.mantissa - layout.scale->trailing);
    } else if (head.form == Form::kSigned) {
        layout.signs = read_signed_scale(cursor, bits.mantissa, parameters.chunk());
        cut_raw_parts(layout.nonzeros, layout.signs->trailing, kHighestSignedHalf,
                      parameters.block(), work.blocks);
        layout.raw_bytes = raw_bytes(layout.nonzeros, bits.mantissa - 1 - layout.signs->trailing);
    } else {
        read_block_headers(cursor, layout.nonzeros, head.trailing, bits, parameters, tables,
                           work.tables.size(), work.blocks);
        for (const Block& block : work.blocks) {
            layout.raw_bytes += raw_bytes(block.count, bits.mantissa + 1 - block.trailing);
        }
    }
    layout.codes = cursor.at();
    const std::size_t in_lanes = std::min(layout.raw_bytes, parameters.tail());
    if (layout.raw_bytes - in_lanes > cursor.left()) {
        corrupt("size", cursor.at(), "the chunk is too small for its raw parts");
    }
    layout.raw = head.end - (layout.raw_bytes - in_lanes);
    layout.end = head.end;
    return layout;
}

}  // namespace entrolith
