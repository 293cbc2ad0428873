// SPDX-License-Identifier: Apache-2.0

#include "entrolith/stream.hpp"

#include <algorithm>

#include "entrolith/chunk.hpp"

namespace entrolith {
namespace {

std::size_t next_count(const Header& header, std::uint64_t done) {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(header.parameters.chunk(), header.values - done));
}

Workspace workspace_for(const Header& header) {
    return Workspace{next_count(header, 0), header.parameters};
}

/// Decodes chunks from `at` to `stop` into one chunk's room, for the sake of their faults.
template <class F>
void verify_chunks(Bytes data, const Header& header, const TableSet& tables, std::size_t stop) {
    Workspace work = workspace_for(header);
    std::vector<typename F::Value> values(header.parameters.chunk());
    std::uint64_t done = 0;
    for (std::size_t at = header.bytes; at < stop && done < header.values;) {
        const ChunkHead head =
            read_chunk_head(data, at, next_count(header, done), header.dtype, header.parameters);
        decode_chunk<F>(data, head, header.parameters, tables, work, values.data());
        done += head.count;
        at = head.end;
    }
}

}  // namespace

std::size_t compress_bound(std::size_t values, std::size_t header_bytes, Dtype dtype,
                           const Profile& profile) {
    // A chunk is encoded where it will stay, so only the last needs room for what stored chunks
    // turn out not to take.
    const Parameters& parameters = profile.parameters;
    const std::size_t chunk = parameters.chunk();
    const std::size_t coded = encode_chunk_bound(chunk, dtype, parameters);
    const std::size_t stored = 8 + chunk * bytes_of(dtype) + parameters.check_bytes();
    const std::size_t chunks = values / chunk;
    const std::size_t last = encode_chunk_bound(values % chunk, dtype, parameters);
    if (chunks == 0) return header_bytes + last;
    return header_bytes + chunks * (profile.stored ? stored : coded) + std::max(last, coded);
}

std::size_t compress(const void* values, std::size_t count, const std::vector<std::uint8_t>& header,
                     Dtype dtype, const Profile& profile, const TableSet& tables,
                     std::uint8_t* out) {
    std::uint8_t* end = std::copy(header.begin(), header.end(), out);
    const std::size_t chunk = profile.parameters.chunk();
    Workspace work{std::min(chunk, count), profile.parameters};
    with_dtype(dtype, [&](auto f) {
        using F = decltype(f);
        const auto* patterns = static_cast<const typename F::Value*>(values);
        for (std::size_t first = 0; first < count; first += chunk) {
            end = encode_chunk<F>(patterns + first, std::min(chunk, count - first), profile, tables,
                                  work, end);
        }
    });
    return static_cast<std::size_t>(end - out);
}

void scan(Bytes data, const Header& header, const TableSet& tables) {
    std::size_t at = header.bytes;
    try {
        std::uint64_t done = 0;
        while (done < header.values) {
            const ChunkHead head = read_chunk_head(data, at, next_count(header, done), header.dtype,
                                                   header.parameters);
            if (head.form == Form::kCoded &&
                head.end - head.start < least_coded_size(head.count, header.parameters)) {
                throw StreamError{Cause::kCorrupt, "size", at + 1,
                                  "the chunk is too small for its values"};
            }
            done += head.count;
            at = head.end;
        }
        if (at != data.size()) {
            throw StreamError{Cause::kCorrupt, "trailing", at,
                              std::to_string(data.size() - at) + " bytes after the last chunk"};
        }
    } catch (const StreamError&) {
        // The first fault is the one to report, and it may be inside a chunk before this one or,
        // where this one is too small, within it.
        with_dtype(header.dtype, [&](auto f) {
            verify_chunks<decltype(f)>(data, header, tables, std::min(at + 1, data.size()));
        });
        throw;
    }
}

void decompress(Bytes data, const Header& header, const TableSet& tables, void* values) {
    with_dtype(header.dtype, [&](auto f) {
        using F = decltype(f);
        auto* patterns = static_cast<typename F::Value*>(values);
        Workspace work = workspace_for(header);
        std::uint64_t done = 0;
        for (std::size_t at = header.bytes; done < header.values;) {
            const ChunkHead head = read_chunk_head(data, at, next_count(header, done), header.dtype,
                                                   header.parameters);
            decode_chunk<F>(data, head, header.parameters, tables, work,
                            patterns + static_cast<std::size_t>(done));
            done += head.count;
            at = head.end;
        }
    });
}

}  // namespace entrolith
