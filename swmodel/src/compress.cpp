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
class alignas(kApart) ChunkEncoder {
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
            const std::size_t strip = part.segment.matrix ? place.tile.columns : 0;
            return encode_chunk<F>(values, place.count(), strip, profile_, tables_, work_, out);
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

/// Room for any chunk, more than it takes once it is written.
std::size_t chunk_room(std::span<const Part> parts, const Profile& profile) {
    std::size_t most = 0;
    for (const Part& part : parts) {
        const std::size_t values = part.grid(profile.parameters.chunk()).largest();
        most = std::max(most, encode_chunk_bound(values, part.segment.dtype, profile));
    }
    return most;
}

/// Where the chunks go, and what the footer keeps of them.
class Output {
public:
    Output(std::span<std::uint8_t> room, std::uint64_t chunks, bool footer)
        : records_(footer ? static_cast<std::size_t>(chunks) : 0),
          end_{room.data()},
          limit_{room.data() + room.size()} {}

    [[nodiscard]] std::uint8_t* end() const noexcept { return end_; }
    [[nodiscard]] std::size_t left() const noexcept {
        return static_cast<std::size_t>(limit_ - end_);
    }

    /// Appends `size` bytes that are at end() or will be copied there: where they begin.
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
    std::uint8_t* limit_;
};

/// Encodes chunks where they stay, but for the last, which might need more room on the way.
void encode_alone(ChunkEncoder& encoder, std::uint64_t chunks, std::size_t room, Output& output) {
    std::unique_ptr<std::uint8_t[]> apart;
    for (std::uint64_t k = 0; k < chunks; ++k) {
        const bool fits = output.left() >= room;
        if (!fits && !apart) apart = std::make_unique_for_overwrite<std::uint8_t[]>(room);
        std::uint8_t* const chunk = fits ? output.end() : apart.get();
        const auto size = static_cast<std::size_t>(encoder.encode(k, chunk) - chunk);
        output.record(k, chunk, size);
        std::uint8_t* const here = output.append(size);
        if (!fits) std::memcpy(here, chunk, size);
    }
}

/// Threads wait for each other where their chunks meet in the stream.
void encode_together(std::vector<ChunkEncoder>& encoders, std::uint64_t chunks, std::size_t room,
                     Output& output) {
    const auto workers = static_cast<unsigned>(encoders.size());
    const std::uint64_t at_once = chunks_at_once(workers, chunks);
    const std::size_t batch_room = room * static_cast<std::size_t>(at_once);
    const auto rooms = std::make_unique_for_overwrite<std::uint8_t[]>(batch_room * workers);
    Counter counter{chunks, at_once};
    std::atomic<std::uint64_t> turn{0};
    run_workers(workers, [&](unsigned worker) {
        std::uint8_t* const coded = rooms.get() + batch_room * worker;
        while (const auto batch = counter.take()) {
            std::uint8_t* end = coded;
            std::uint64_t k = batch.first;
            try {
                for (; k < batch.end; ++k) {
                    std::uint8_t* const chunk = end;
                    end = encoders[worker].encode(k, chunk);
                    output.record(k, chunk, static_cast<std::size_t>(end - chunk));
                }
            } catch (...) {
                counter.fail(k);
            }
            for (auto now = turn.load(); now != batch.first; now = turn.load()) turn.wait(now);
            const auto size = static_cast<std::size_t>(end - coded);
            std::uint8_t* const here = output.append(size);
            turn.store(batch.end);
            turn.notify_all();
            std::memcpy(here, coded, size);
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
        encode_chunk_bound(order.largest(), part.segment.dtype, profile));
    std::uint64_t size = write_directory({&part.segment, 1}, true).size();
    for (std::uint64_t k = 0; k < order.size(); ++k) {
        size += static_cast<std::uint64_t>(encoder.encode(k, room.get()) - room.get());
    }
    return size;
}

std::size_t compress_bound(std::span<const Part> parts, std::size_t header_bytes,
                           const Profile& profile) {
    const Parameters& parameters = profile.parameters;
    std::size_t bytes = header_bytes + footer_bytes(0);
    for (const Part& part : parts) {
        const Grid grid = part.grid(parameters.chunk());
        const Dtype dtype = part.segment.dtype;
        const auto chunks = static_cast<std::size_t>(grid.chunks());
        const auto values = static_cast<std::size_t>(grid.rows * grid.columns);
        bytes += chunks * (footer_bytes(1) - footer_bytes(0));
        bytes += profile.stored ? values * bytes_of(dtype) + chunks * (8 + parameters.check_bytes())
                                : chunks * encode_chunk_bound(grid.largest(), dtype, profile);
    }
    return bytes;
}

std::size_t compress(std::span<const Part> parts, Bytes header, const Profile& profile,
                     const TableSet& tables, unsigned threads, std::span<std::uint8_t> out) {
    const Parameters& parameters = profile.parameters;
    const ChunkOrder order{parts, parameters.chunk()};
    const std::uint64_t chunks = order.size();
    Output output{out, chunks, has_footer(parameters)};
    std::ranges::copy(header, output.append(header.size()));
    const unsigned count = worker_count(threads, chunks);
    std::vector<ChunkEncoder> encoders;
    encoders.reserve(count);
    for (unsigned worker = 0; worker < count; ++worker) {
        encoders.emplace_back(parts, order, profile, tables);
    }
    const std::size_t room = chunk_room(parts, profile);
    if (count == 1) {
        encode_alone(encoders[0], chunks, room, output);
    } else {
        encode_together(encoders, chunks, room, output);
    }
    return static_cast<std::size_t>(output.finish(has_footer(parameters)) - out.data());
}

}  // namespace entrolith
