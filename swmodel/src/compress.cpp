// SPDX-License-Identifier: Apache-2.0

#include "entrolith/compress.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "entrolith/chunk.hpp"
#include "entrolith/crc32.hpp"
#include "entrolith/footer.hpp"
#include "entrolith/header.hpp"
#include "entrolith/workers.hpp"

namespace entrolith {
namespace {

std::size_t widest(std::span<const Part> parts) {
    std::size_t width = 0;
    for (const Part& part : parts) {
        width = std::max<std::size_t>(width, bytes_of(part.segment.dtype));
    }
    return width;
}

/// Encodes chunks of parts; what a thread needs to do so.
class ChunkEncoder {
public:
    ChunkEncoder(std::span<const Part> parts, const ChunkOrder& order, const Profile& profile,
                 const TableSet& tables)
        : parts_{parts},
          order_{order},
          profile_{profile},
          tables_{tables},
          work_{order.largest(), profile.parameters},
          gathered_{std::make_unique_for_overwrite<std::uint64_t[]>(
              (order.largest() * widest(parts) + 7) / 8)} {}

    /// Encodes chunk `k` to `out`, and returns its end.
    std::uint8_t* encode(std::uint64_t k, std::uint8_t* out) {
        const ChunkOrder::Place place = order_[k];
        const Part& part = parts_[place.segment];
        return with_dtype(part.segment.dtype, [&](auto f) {
            using F = decltype(f);
            auto* room = reinterpret_cast<typename F::Value*>(gathered_.get());
            const auto* values = chunk_values(part, place.tile, room);
            return encode_chunk<F>(values, place.count(), profile_, tables_, work_, out);
        });
    }

private:
    std::span<const Part> parts_;
    const ChunkOrder& order_;
    const Profile& profile_;
    const TableSet& tables_;
    Workspace work_;
    std::unique_ptr<std::uint64_t[]> gathered_;
};

/// Where the chunks go, and what the footer keeps of them.
class Output {
public:
    Output(std::uint8_t* out, std::uint64_t chunks, bool footer)
        : records_(footer ? static_cast<std::size_t>(chunks) : 0), end_{out} {}

    [[nodiscard]] std::uint8_t* end() const noexcept { return end_; }

    /// Appends the chunk k of `size` bytes that is at end() or will be copied there.
    std::uint8_t* append(std::size_t size) noexcept {
        std::uint8_t* const here = end_;
        end_ += size;
        return here;
    }

    void record(std::uint64_t k, const std::uint8_t* chunk, std::size_t size) {
        if (records_.empty()) return;
        records_[static_cast<std::size_t>(k)] = {static_cast<std::uint32_t>(size),
                                                 crc32(chunk, size)};
    }

    /// The end of the stream.
    std::uint8_t* finish(bool footer) {
        if (footer) write_footer(records_, append(footer_bytes(records_.size())));
        return end_;
    }

private:
    std::vector<ChunkRecord> records_;
    std::uint8_t* end_;
};

void encode_alone(ChunkEncoder& encoder, std::uint64_t chunks, Output& output) {
    for (std::uint64_t k = 0; k < chunks; ++k) {
        std::uint8_t* const chunk = output.end();
        const auto size = static_cast<std::size_t>(encoder.encode(k, chunk) - chunk);
        output.record(k, chunk, size);
        output.append(size);
    }
}

void encode_together(std::vector<ChunkEncoder>& encoders, std::uint64_t chunks, std::size_t bound,
                     Output& output) {
    const auto rooms = std::make_unique_for_overwrite<std::uint8_t[]>(bound * encoders.size());
    Counter counter{chunks};
    std::atomic<std::uint64_t> turn{0};
    run_workers(static_cast<unsigned>(encoders.size()), [&](unsigned worker) {
        std::uint8_t* const room = rooms.get() + bound * worker;
        for (std::uint64_t k = counter.take(); k != counter.end(); k = counter.take()) {
            std::size_t size = 0;
            try {
                size = static_cast<std::size_t>(encoders[worker].encode(k, room) - room);
                output.record(k, room, size);
            } catch (...) {
                counter.fail(k);
            }
            for (std::uint64_t now = turn.load(); now != k; now = turn.load()) turn.wait(now);
            std::uint8_t* const here = output.append(size);
            turn.store(k + 1);
            turn.notify_all();
            std::memcpy(here, room, size);
        }
    });
    counter.rethrow();
}

}  // namespace

std::uint64_t segment_size(const Part& part, const Profile& profile, const TableSet& tables) {
    const std::span parts{&part, 1};
    const Parameters& parameters = profile.parameters;
    const ChunkOrder order{parts, parameters.chunk()};
    ChunkEncoder encoder{parts, order, profile, tables};
    const auto room = std::make_unique_for_overwrite<std::uint8_t[]>(
        encode_chunk_bound(order.largest(), part.segment.dtype, parameters));
    std::uint64_t size = write_directory({&part.segment, 1}, true).size();
    for (std::uint64_t k = 0; k < order.size(); ++k) {
        size += static_cast<std::uint64_t>(encoder.encode(k, room.get()) - room.get());
    }
    return size;
}

std::size_t compress_bound(std::span<const Part> parts, std::size_t header_bytes,
                           const Profile& profile) {
    // A chunk is encoded where it will stay, so only one needs room for what stored chunks turn out
    // not to take.
    const Parameters& parameters = profile.parameters;
    std::size_t bytes = header_bytes + footer_bytes(0);
    std::size_t largest = 0;
    for (const Part& part : parts) {
        const Grid grid = part.grid(parameters.chunk());
        const Dtype dtype = part.segment.dtype;
        const auto chunks = static_cast<std::size_t>(grid.chunks());
        const std::size_t coded = encode_chunk_bound(grid.largest(), dtype, parameters);
        // What stored chunks take beyond their values, and the entry of the footer.
        const std::size_t beyond = 8 + parameters.check_bytes() + footer_bytes(1) - footer_bytes(0);
        bytes += profile.stored
                     ? static_cast<std::size_t>(grid.rows * grid.columns) * bytes_of(dtype) +
                           chunks * beyond
                     : chunks * (coded + beyond);
        largest = std::max(largest, coded);
    }
    return bytes + largest;
}

std::size_t compress(std::span<const Part> parts, Bytes header, const Profile& profile,
                     const TableSet& tables, unsigned threads, std::uint8_t* out) {
    const Parameters& parameters = profile.parameters;
    const ChunkOrder order{parts, parameters.chunk()};
    const std::uint64_t chunks = order.size();
    Output output{std::ranges::copy(header, out).out, chunks, has_footer(parameters)};
    const unsigned count = worker_count(threads, chunks);
    std::vector<ChunkEncoder> encoders;
    encoders.reserve(count);
    for (unsigned worker = 0; worker < count; ++worker) {
        encoders.emplace_back(parts, order, profile, tables);
    }
    if (count == 1) {
        encode_alone(encoders[0], chunks, output);
    } else {
        std::size_t bound = 0;
        for (const Part& part : parts) {
            bound = std::max(bound,
                             encode_chunk_bound(order.largest(), part.segment.dtype, parameters));
        }
        encode_together(encoders, chunks, bound, output);
    }
    return static_cast<std::size_t>(output.finish(has_footer(parameters)) - out);
}

}  // namespace entrolith
