// SPDX-License-Identifier: Apache-2.0
//
// Header. FORMAT.md section 1.

#include "entrolith/header.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "entrolith/crc32.hpp"

namespace entrolith {
namespace {

constexpr std::uint32_t kMagic = 0x5A4C458F;  // bytes 8f 45 4c 5a
constexpr std::uint8_t kGradientStream = 1;
constexpr std::size_t kTableSetAt = 12;
constexpr std::size_t kDirectoryBytesAt = 20;
constexpr std::size_t kDirectoryAt = 24;
constexpr unsigned kFooter = 1;
constexpr unsigned kMapping = 2;

std::uint8_t ranged(Cursor& cursor, const char* field, unsigned low, unsigned high) {
    const auto value = cursor.integer<std::uint8_t>(field);
    if (value < low || value > high) {
        corrupt(field, cursor.at() - 1,
                std::to_string(value) + " is outside " + std::to_string(low) + ".." +
                    std::to_string(high));
    }
    return value;
}

std::uint8_t only(Cursor& cursor, const char* field, unsigned low, unsigned high) {
    const auto value = cursor.integer<std::uint8_t>(field);
    if (value < low || value > high) {
        reserved(field, cursor.at() - 1, std::to_string(value) + " is reserved");
    }
    return value;
}

void put_u32(std::vector<std::uint8_t>& out, std::size_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        out.push_back(static_cast<std::uint8_t>(value >> shift));
    }
}

}  // namespace

Header read_header(Bytes data, const TableSet* tables) {
    Cursor cursor{data, 0, data.size(), Cause::kTruncated};
    if (cursor.integer<std::uint32_t>("magic") != kMagic) {
        corrupt("magic", 0, "not an Entrolith stream");
    }
    const auto version = cursor.integer<std::uint8_t>("version");
    if (version == 0 || version > kFormatVersion) {
        throw StreamError{Cause::kVersion, "version", 4,
                          "version " + std::to_string(version) + "; this decoder reads 1 and 2"};
    }
    // The header is verified before any other field is believed.
    const std::size_t fixed = std::min(data.size(), kDirectoryBytesAt);
    cursor.take(fixed - cursor.at(), "directory_bytes");
    if (fixed < kDirectoryBytesAt) {
        throw StreamError{Cause::kTruncated, "directory_bytes", kDirectoryBytesAt,
                          "the stream has " + std::to_string(data.size()) + " bytes"};
    }
    const auto directory_bytes = cursor.integer<std::uint32_t>("directory_bytes");
    cursor.take(directory_bytes, "directory");
    const std::size_t end = cursor.at();
    if (cursor.integer<std::uint32_t>("header_check") != crc32(data.data(), end)) {
        corrupt("header_check", end, "does not match the header");
    }

    Header header{};
    header.bytes = cursor.at();
    Cursor fields{data, 5, end, Cause::kTruncated};
    only(fields, "kind", kGradientStream, kGradientStream);
    header.parameters.version = version;
    header.parameters.log2_chunk = ranged(fields, "log2_chunk", 9, version == 1 ? 15 : 16);
    header.parameters.log2_block = ranged(fields, "log2_block", 5, header.parameters.log2_chunk);
    header.parameters.log2_lanes = ranged(fields, "log2_lanes", 3, 6);
    header.parameters.check = only(fields, "check", 0, 1);
    const unsigned flags = only(fields, "flags", 0, version == 1 ? 0 : kFooter | kMapping);
    header.footer = (flags & kFooter) != 0;
    header.mapping = (flags & kMapping) != 0;
    only(fields, "flags2", 0, 0);
    std::copy_n(fields.take(8, "table_set"), 8, header.table_set.begin());
    if (tables != nullptr && header.table_set != tables->identity()) {
        throw StreamError{Cause::kTable, "table_set", kTableSetAt,
                          "names a table set that is not at hand"};
    }
    const Cursor directory{data, kDirectoryAt, end, Cause::kCorrupt};
    header.segments =
        read_directory(data, directory, version, header.mapping, header.parameters.chunk());
    return header;
}

std::vector<std::uint8_t> write_header(const Parameters& parameters, bool mapping,
                                       std::span<const Segment> segments, const TableSet& tables) {
    const std::vector<std::uint8_t> directory = write_directory(segments, mapping);
    if (directory.size() > UINT32_MAX) throw std::invalid_argument{"more than 2^32 bytes of names"};
    const unsigned flags = (has_footer(parameters) ? kFooter : 0) | (mapping ? kMapping : 0);
    std::vector<std::uint8_t> out;
    put_u32(out, kMagic);
    const std::array<std::uint8_t, 8> fields{parameters.version,
                                             kGradientStream,
                                             parameters.log2_chunk,
                                             parameters.log2_block,
                                             parameters.log2_lanes,
                                             parameters.check,
                                             static_cast<std::uint8_t>(flags),
                                             0};
    std::ranges::copy(fields, std::back_inserter(out));
    std::ranges::copy(tables.identity(), std::back_inserter(out));
    put_u32(out, directory.size());
    std::ranges::copy(directory, std::back_inserter(out));
    put_u32(out, crc32(out.data(), out.size()));
    return out;
}

}  // namespace entrolith
