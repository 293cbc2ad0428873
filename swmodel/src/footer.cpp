// SPDX-License-Identifier: Apache-2.0

#include "entrolith/footer.hpp"

#include "entrolith/crc32.hpp"

namespace entrolith {
namespace {

constexpr std::size_t kEntry = 3;

std::uint32_t load_entry(const std::uint8_t* at) noexcept {
    return at[0] | std::uint32_t{at[1]} << 8 | std::uint32_t{at[2]} << 16;
}

std::uint32_t join(std::span<const ChunkRecord> chunks) noexcept {
    std::uint32_t check = 0;  // of nothing
    for (const ChunkRecord& chunk : chunks) check = crc32_join(check, chunk.check, chunk.size);
    return check;
}

/// The footer's check, which comes before all else in it is believed.
void check_footer_itself(Bytes data, std::size_t at, std::size_t chunks) {
    const std::size_t end = at + kEntry * chunks + 4;
    if (load<std::uint32_t>(data.data() + end) != crc32(data.data() + at, end - at)) {
        corrupt("footer_check", end, "does not match the footer");
    }
}

}  // namespace

void write_footer(std::span<const ChunkRecord> chunks, std::uint8_t* out) {
    std::uint8_t* const start = out;
    for (const ChunkRecord& chunk : chunks) {
        for (unsigned byte = 0; byte < kEntry; ++byte) {
            *out++ = static_cast<std::uint8_t>(chunk.size >> 8 * byte);
        }
    }
    store(out, join(chunks));
    out += 4;
    store(out, crc32(start, static_cast<std::size_t>(out - start)));
}

std::size_t skip_footer(Cursor& cursor, std::size_t chunks) {
    const std::size_t at = cursor.at();
    for (std::size_t k = 0; k < chunks; ++k) cursor.take(kEntry, "index");
    cursor.take(4, "stream_check");
    cursor.take(4, "footer_check");
    return at;
}

void check_footer(Bytes data, std::size_t at, std::span<const ChunkRecord> chunks) {
    check_footer_itself(data, at, chunks.size());
    const std::uint8_t* entry = data.data() + at;
    for (std::size_t k = 0; k < chunks.size(); ++k, entry += kEntry) {
        if (load_entry(entry) != chunks[k].size) {
            corrupt(
                "index", at + kEntry * k,
                "chunk " + std::to_string(k) + " has " + std::to_string(chunks[k].size) + " bytes");
        }
    }
    if (load<std::uint32_t>(entry) != join(chunks)) {
        corrupt("stream_check", at + kEntry * chunks.size(), "does not match the chunks");
    }
}

std::vector<std::size_t> read_index(Bytes data, std::size_t first, std::uint64_t chunks) {
    const std::size_t left = data.size() - first;
    if (chunks > left / kEntry || footer_bytes(static_cast<std::size_t>(chunks)) > left) {
        throw StreamError{Cause::kTruncated, "index", data.size(),
                          "the footer of " + std::to_string(chunks) + " chunks is not there"};
    }
    const auto count = static_cast<std::size_t>(chunks);
    const std::size_t at = data.size() - footer_bytes(count);
    check_footer_itself(data, at, count);
    std::vector<std::size_t> starts{first};
    starts.reserve(count + 1);
    for (std::size_t k = 0; k < count; ++k) {
        starts.push_back(starts.back() + load_entry(data.data() + at + kEntry * k));
    }
    if (starts.back() != at) {
        corrupt("index", at, "the sizes do not add up to the chunks' bytes");
    }
    return starts;
}

}  // namespace entrolith
