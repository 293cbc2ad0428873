// SPDX-License-Identifier: Apache-2.0

#include "streams.hpp"

#include <algorithm>

#include "default_tables.hpp"
#include "entrolith/compress.hpp"
#include "entrolith/crc32.hpp"
#include "entrolith/footer.hpp"
#include "entrolith/header.hpp"

namespace entrolith::fuzz {
namespace {

constexpr std::size_t kTableSetAt = 12;
constexpr std::size_t kDirectoryBytesAt = 20;
constexpr std::size_t kDirectoryAt = 24;

void seal_header(std::vector<std::uint8_t>& stream) {
    if (stream.size() < kDirectoryAt + 4) return;
    const auto directory = load<std::uint32_t>(stream.data() + kDirectoryBytesAt);
    if (directory > stream.size() - kDirectoryAt - 4) return;
    std::ranges::copy(tables().identity(), stream.data() + kTableSetAt);
    const std::size_t end = kDirectoryAt + directory;
    store(stream.data() + end, crc32(stream.data(), end));
}

/// Sizes of the chunks of the first `end` bytes, as far as there are chunks.
std::vector<std::size_t> sizes_of_chunks(Bytes data, const Header& header, const ChunkOrder& order,
                                         std::size_t end) {
    std::vector<std::size_t> sizes;
    try {
        for (std::size_t at = header.bytes; sizes.size() < order.size();) {
            const auto place = order[sizes.size()];
            const ChunkHead head =
                read_chunk_head(data.first(end), at, place.count(),
                                header.segments[place.segment].dtype, header.parameters);
            sizes.push_back(head.end - head.start);
            at = head.end;
        }
    } catch (const StreamError&) {  // damaged: the others keep what they have
    }
    return sizes;
}

void seal_footer(std::vector<std::uint8_t>& stream, bool index) {
    try {
        const Header header = read_header(stream, nullptr);
        const ChunkOrder order{header.segments, header.parameters.chunk()};
        const std::size_t room = stream.size() - header.bytes;
        if (!header.footer || order.size() > room) return;
        const auto chunks = static_cast<std::size_t>(order.size());
        if (footer_bytes(chunks) > room) return;
        const std::size_t at = stream.size() - footer_bytes(chunks);
        std::uint8_t* entry = stream.data() + at;
        if (index) {
            for (const std::size_t size : sizes_of_chunks(stream, header, order, at)) {
                for (unsigned i = 0; i < 3; ++i) {
                    *entry++ = static_cast<std::uint8_t>(size >> 8 * i);
                }
            }
        }
        std::uint8_t* const checks = stream.data() + stream.size() - 8;
        store(checks, crc32(stream.data() + header.bytes, at - header.bytes));
        store(checks + 4, crc32(stream.data() + at, footer_bytes(chunks) - 4));
    } catch (const StreamError&) {  // no header, no footer
    }
}

}  // namespace

const TableSet& tables() {
    static const TableSet set{kDefaultTables, kDefaultTablesIdentity};
    return set;
}

std::vector<std::uint8_t> read_stream(FuzzedData& input) {
    const auto what = input.integer<std::uint8_t>();
    std::vector<std::uint8_t> stream = guarded(input.rest());
    if ((what & 1) != 0) seal_header(stream);
    if ((what & 2) != 0) seal_footer(stream, (what & 4) != 0);
    return stream;
}

Room::Room(const std::vector<Segment>& segments) {
    std::size_t count = 0;
    for (const Segment& segment : segments) count += segment.tensors.size();
    tensors.resize(count);
    destinations.resize(count);
    for (const Segment& segment : segments) {
        for (const Tensor& tensor : segment.tensors) {
            const auto rank = static_cast<std::size_t>(tensor.rank);
            tensors[rank].resize(
                (static_cast<std::size_t>(tensor.values) * bytes_of(segment.dtype) + 7) / 8);
            destinations[rank] = {tensors[rank].data(), 0, tensor.values};
        }
    }
}

std::uint64_t values_of(const std::vector<Segment>& segments) {
    std::uint64_t values = 0;
    for (const Segment& segment : segments) values += segment.values();
    return values;
}

Tensors decode(Bytes data, unsigned threads) {
    const Index index = scan(data, tables());
    if (values_of(index.header.segments) > kMostValues) return {};
    Room room{index.header.segments};
    decompress(data, index, tables(), room.destinations, threads);
    return std::move(room.tensors);
}

std::vector<std::uint8_t> encode(std::span<const Input> inputs, bool mapping,
                                 const Profile& profile, unsigned threads) {
    const std::vector<Part> parts = make_parts(inputs, profile, tables(), 1);
    std::vector<Segment> segments;
    for (const Part& part : parts) segments.push_back(part.segment);
    const auto header = write_header(profile.parameters, mapping, segments, tables());
    std::vector<std::uint8_t> room(compress_bound(parts, header.size(), profile));
    room.resize(compress(parts, header, profile, tables(), threads, room));
    return guarded(room);
}

}  // namespace entrolith::fuzz
