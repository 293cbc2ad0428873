// SPDX-License-Identifier: Apache-2.0
//
// Header and directory. FORMAT.md sections 1 and 2.

#include "entrolith/header.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "entrolith/crc32.hpp"
#include "entrolith/utf8.hpp"

namespace entrolith {
namespace {

constexpr std::uint32_t kMagic = 0x5A4C458F;  // bytes 8f 45 4c 5a
constexpr std::uint8_t kGradientStream = 1;
constexpr std::size_t kTableSetAt = 12;
constexpr std::size_t kDirectoryBytesAt = 20;
constexpr std::size_t kDirectoryAt = 24;
constexpr unsigned kDtypes = 6;
constexpr unsigned kPredictors = 4;

[[noreturn]] void corrupt(const char* field, std::size_t offset, const std::string& why) {
    throw StreamError{Cause::kCorrupt, field, offset, why};
}

[[noreturn]] void reserved(const char* field, std::size_t offset, const std::string& why) {
    throw StreamError{Cause::kMode, field, offset, why};
}

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

/// The product, or nothing if it is above kMaxValues.
std::optional<std::uint64_t> product(std::vector<std::uint64_t> shape) {
    std::ranges::sort(shape);  // a zero first: a product of huge dimensions may still be 0
    std::uint64_t count = 1;
    for (const std::uint64_t dimension : shape) {
        if (dimension != 0 && count > kMaxValues / dimension) return std::nullopt;
        count *= dimension;
    }
    return count;
}

void read_directory(Cursor& cursor, Header& header) {
    if (cursor.varint("segment_count") != 1) {
        reserved("segment_count", cursor.at(), "more or less than one segment");
    }
    const auto code = cursor.integer<std::uint8_t>("dtype");
    if (code == 0 || code > kDtypes) {
        corrupt("dtype", cursor.at() - 1, std::to_string(code) + " is no type");
    }
    if (code > static_cast<std::uint8_t>(Dtype::kFp16)) {
        reserved("dtype", cursor.at() - 1, std::to_string(code) + " is reserved");
    }
    header.dtype = static_cast<Dtype>(code);
    const auto predictor = cursor.integer<std::uint8_t>("predictor");
    if (predictor > kPredictors) {
        corrupt("predictor", cursor.at() - 1, std::to_string(predictor) + " is no predictor");
    }
    if (predictor != 0) {
        reserved("predictor", cursor.at() - 1, std::to_string(predictor) + " is reserved");
    }
    if (cursor.varint("parameter_bytes") != 0) {
        corrupt("parameter_bytes", cursor.at(), "predictor 0 has no parameters");
    }
    if (cursor.varint("tensor_count") != 1) {
        reserved("tensor_count", cursor.at(), "more or less than one tensor");
    }
    const std::uint64_t name_bytes = cursor.varint("name_bytes");
    const std::uint8_t* name = cursor.take(name_bytes, "name");
    if (!is_utf8({name, static_cast<std::size_t>(name_bytes)})) {
        corrupt("name", cursor.at(), "not UTF-8");
    }
    if (name_bytes != 0) reserved("name", cursor.at(), "named tensors");
    const std::uint64_t ndim = cursor.varint("ndim");
    if (ndim > kMaxDimensions) {
        corrupt("ndim", cursor.at(), std::to_string(ndim) + " is above 32");
    }
    for (std::uint64_t i = 0; i < ndim; ++i) header.shape.push_back(cursor.varint("dimension"));
    const auto values = product(header.shape);
    if (!values) corrupt("dimension", cursor.at(), "more than 2^48 values");
    header.values = *values;
    if (cursor.left() != 0) {
        corrupt("directory_bytes", cursor.at(), "the directory ends early");
    }
}

void put_varint(std::vector<std::uint8_t>& out, std::uint64_t value) {
    for (; value > 127; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 128));
    out.push_back(static_cast<std::uint8_t>(value));
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
    if (version != kFormatVersion) {
        throw StreamError{Cause::kVersion, "version", 4,
                          "version " + std::to_string(version) + "; this decoder reads 1"};
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
    header.parameters.log2_chunk = ranged(fields, "log2_chunk", 9, 15);
    header.parameters.log2_block = ranged(fields, "log2_block", 5, header.parameters.log2_chunk);
    header.parameters.log2_lanes = ranged(fields, "log2_lanes", 3, 6);
    header.parameters.check = only(fields, "check", 0, 1);
    only(fields, "flags", 0, 0);
    only(fields, "flags2", 0, 0);
    std::copy_n(fields.take(8, "table_set"), 8, header.table_set.begin());
    if (tables != nullptr && header.table_set != tables->identity()) {
        throw StreamError{Cause::kTable, "table_set", kTableSetAt,
                          "names a table set that is not at hand"};
    }
    Cursor directory{data, kDirectoryAt, end, Cause::kCorrupt};
    read_directory(directory, header);
    return header;
}

std::vector<std::uint8_t> write_header(const Profile& profile, Dtype dtype,
                                       const std::vector<std::uint64_t>& shape,
                                       const TableSet& tables) {
    if (shape.size() > kMaxDimensions) throw std::invalid_argument{"more than 32 dimensions"};
    if (!product(shape)) throw std::invalid_argument{"more than 2^48 values"};
    std::vector<std::uint8_t> directory;
    put_varint(directory, 1);  // segment_count
    directory.push_back(static_cast<std::uint8_t>(dtype));
    directory.push_back(0);    // predictor
    put_varint(directory, 0);  // parameter_bytes
    put_varint(directory, 1);  // tensor_count
    put_varint(directory, 0);  // name_bytes
    put_varint(directory, shape.size());
    for (const std::uint64_t dimension : shape) put_varint(directory, dimension);

    const Parameters& p = profile.parameters;
    std::vector<std::uint8_t> out;
    put_u32(out, kMagic);
    const std::array<std::uint8_t, 8> fields{
        kFormatVersion, kGradientStream, p.log2_chunk, p.log2_block, p.log2_lanes, p.check, 0, 0};
    std::ranges::copy(fields, std::back_inserter(out));
    std::ranges::copy(tables.identity(), std::back_inserter(out));
    put_u32(out, directory.size());
    std::ranges::copy(directory, std::back_inserter(out));
    put_u32(out, crc32(out.data(), out.size()));
    return out;
}

}  // namespace entrolith
