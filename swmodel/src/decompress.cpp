// SPDX-License-Identifier: Apache-2.0

#include "entrolith/decompress.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "entrolith/chunk.hpp"
#include "entrolith/crc32.hpp"
#include "entrolith/footer.hpp"
#include "entrolith/workers.hpp"

namespace entrolith {
namespace {

ChunkHead read_head(Bytes data, const Index& index, const ChunkOrder::Place& place,
                    std::size_t at) {
    const Dtype dtype = index.header.segments[place.segment].dtype;
    return read_chunk_head(data, at, place.count(), dtype, index.header.parameters);
}

std::size_t widest(const Header& header) {
    std::size_t width = 0;
    for (const Segment& segment : header.segments) {
        width = std::max<std::size_t>(width, bytes_of(segment.dtype));
    }
    return width;
}

/// Decodes chunks of a stream; what a thread needs to do so.
class alignas(kApart) ChunkDecoder {
public:
    /// For some of the stream's `chunks`.
    ChunkDecoder(Bytes data, const Index& index, const TableSet& tables,
                 std::span<const Destination> destinations, std::uint64_t chunks)
        : data_{data},
          index_{index},
          tables_{tables},
          destinations_{destinations},
          room_words_{(index.order.largest() * widest(index.header) + 7) / 8} {
        const bool turns = takes_turns(index.header.parameters);
        const auto count =
            static_cast<std::size_t>(std::clamp<std::uint64_t>(chunks, 1, turns ? kMostTurns : 1));
        works_.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            works_.emplace_back(index.order.largest(), index.header.parameters);
        }
        rooms_ = std::make_unique_for_overwrite<std::uint64_t[]>(count * room_words_);
    }

    /// Chunks that are decoded at once where they may be.
    [[nodiscard]] std::size_t at_once() const noexcept { return works_.size(); }

    /// Decodes up to at_once() chunks, and fills their records if there are any, unless they are of
    /// several segments or one has a fault: then it returns false.
    [[nodiscard]] bool decode(std::span<const std::uint64_t> chunks,
                              std::span<ChunkRecord> records) {
        const std::size_t segment = index_.order[chunks.front()].segment;
        if (chunks.size() == 1 || index_.order[chunks.back()].segment != segment) return false;
        switch (index_.header.segments[segment].dtype) {
            case Dtype::kFp32:
                return decode_segment<Fp32>(chunks, records);
            case Dtype::kBf16:
                return decode_segment<Bf16>(chunks, records);
            default:
                return false;
        }
    }

    /// Decodes chunk `k` to where its values are wanted. Without destinations, for its faults.
    ChunkRecord decode(std::uint64_t k) {
        const ChunkOrder::Place place = index_.order[k];
        const ChunkHead head =
            read_head(data_, index_, place, index_.starts[static_cast<std::size_t>(k)]);
        check_index(k, head);
        const ChunkRecord record = record_of(head);
        with_dtype(index_.header.segments[place.segment].dtype, [&](auto f) {
            using F = decltype(f);
            using Value = typename F::Value;
            Value* values = in_place<Value>(place);
            const bool copied = values == nullptr;
            if (copied) values = reinterpret_cast<Value*>(rooms_.get());
            decode_chunk<F>(data_, head, index_.header.parameters, tables_, works_[0], values);
            if (copied) distribute(values, place);
        });
        return record;
    }

private:
    /// What the footer must say of a chunk, if there is one.
    [[nodiscard]] ChunkRecord record_of(const ChunkHead& head) const {
        const std::size_t size = head.end - head.start;
        const bool recorded = index_.header.footer;
        return {static_cast<std::uint32_t>(size),
                recorded ? crc32(data_.data() + head.start, size) : 0};
    }

    template <class F>
    bool decode_segment(std::span<const std::uint64_t> chunks, std::span<ChunkRecord> records) {
        using Value = typename F::Value;
        std::array<ChunkJob<F>, kMostTurns> jobs{};
        std::array<ChunkRecord, kMostTurns> found{};
        try {
            for (std::size_t i = 0; i < chunks.size(); ++i) {
                const std::uint64_t k = chunks[i];
                const ChunkOrder::Place place = index_.order[k];
                ChunkJob<F>& job = jobs[i];
                job.head =
                    read_head(data_, index_, place, index_.starts[static_cast<std::size_t>(k)]);
                check_index(k, job.head);
                found[i] = record_of(job.head);
                job.work = &works_[i];
                job.values = in_place<Value>(place);
                if (job.values == nullptr) {
                    job.values = reinterpret_cast<Value*>(rooms_.get() + i * room_words_);
                }
            }
        } catch (const StreamError&) {
            return false;
        }
        if (!decode_in_turn<F>(data_, std::span{jobs}.first(chunks.size()),
                               index_.header.parameters, tables_)) {
            return false;
        }
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            const ChunkOrder::Place place = index_.order[chunks[i]];
            if (in_place<Value>(place) == nullptr) distribute(jobs[i].values, place);
            if (!records.empty()) records[static_cast<std::size_t>(chunks[i])] = found[i];
        }
        return true;
    }

    /// Where the chunks come from the footer, they must be what it says.
    void check_index(std::uint64_t k, const ChunkHead& head) const {
        const auto after = static_cast<std::size_t>(k) + 1;
        if (after < index_.starts.size() && head.end != index_.starts[after]) {
            throw StreamError{Cause::kCorrupt, "index",
                              index_.starts.back() + 3 * static_cast<std::size_t>(k),
                              "chunk " + std::to_string(k) + " has " +
                                  std::to_string(head.end - head.start) + " bytes"};
        }
    }

    /// The first tensor of a segment with values of a chunk.
    [[nodiscard]] const Tensor* first_tensor(const ChunkOrder::Place& place) const {
        const auto& tensors = index_.header.segments[place.segment].tensors;
        const auto after =
            std::ranges::upper_bound(tensors, place.tile.row, std::ranges::less{}, &Tensor::first);
        return &*(after - 1);
    }

    /// Where to decode a chunk to if it is wanted as it is, all in one tensor.
    template <class Value>
    [[nodiscard]] Value* in_place(const ChunkOrder::Place& place) const {
        const Segment& segment = index_.header.segments[place.segment];
        if (destinations_.empty()) return nullptr;
        const Tensor& tensor = segment.matrix ? segment.tensors[0] : *first_tensor(place);
        const auto first = segment.matrix ? segment.matrix->in_one_piece(place.tile)
                                          : std::optional{place.tile.row - tensor.first};
        const Destination& wanted = destinations_[static_cast<std::size_t>(tensor.rank)];
        if (!first || wanted.values == nullptr || *first < wanted.first ||
            *first + place.count() > wanted.end) {
            return nullptr;
        }
        return static_cast<Value*>(wanted.values) + static_cast<std::size_t>(*first - wanted.first);
    }

    template <class Value>
    void distribute(const Value* values, const ChunkOrder::Place& place) const {
        if (destinations_.empty()) return;
        const Segment& segment = index_.header.segments[place.segment];
        if (segment.matrix) {
            const Destination& wanted =
                destinations_[static_cast<std::size_t>(segment.tensors[0].rank)];
            if (wanted.values == nullptr) return;
            segment.matrix->scatter(values, place.tile, {wanted.first, wanted.end},
                                    static_cast<Value*>(wanted.values));
            return;
        }
        const std::uint64_t end = place.tile.row + place.tile.rows;
        const Tensor* const last = &segment.tensors.back();
        for (const Tensor* tensor = first_tensor(place); tensor <= last && tensor->first < end;
             ++tensor) {
            const Destination& wanted = destinations_[static_cast<std::size_t>(tensor->rank)];
            if (wanted.values == nullptr) continue;
            const std::uint64_t from = std::max(place.tile.row, tensor->first + wanted.first);
            const std::uint64_t to = std::min(end, tensor->first + wanted.end);
            if (from >= to) continue;
            std::memcpy(static_cast<Value*>(wanted.values) +
                            static_cast<std::size_t>(from - tensor->first - wanted.first),
                        values + static_cast<std::size_t>(from - place.tile.row),
                        static_cast<std::size_t>(to - from) * sizeof(Value));
        }
    }

    Bytes data_;
    const Index& index_;
    const TableSet& tables_;
    std::span<const Destination> destinations_;
    std::size_t room_words_;
    std::vector<Workspace> works_;
    std::unique_ptr<std::uint64_t[]> rooms_;  // one for each, where a chunk's values are copied
};

/// Decodes chunks `chunk(0)` .. `chunk(count - 1)`; `records`, if not empty, has one for each of
/// the stream.
template <class Chunk>
void decode_chunks(Bytes data, const Index& index, const TableSet& tables, std::uint64_t chunks,
                   Chunk&& chunk, std::span<const Destination> destinations,
                   std::span<ChunkRecord> records, unsigned threads) {
    const unsigned count = worker_count(threads, chunks);
    std::vector<ChunkDecoder> decoders;
    decoders.reserve(count);
    for (unsigned worker = 0; worker < count; ++worker) {
        decoders.emplace_back(data, index, tables, destinations, chunks);
    }
    const std::size_t at_once = decoders[0].at_once();
    Counter counter{chunks, std::max<std::uint64_t>(at_once, chunks_at_once(count, chunks))};
    run_workers(count, [&](unsigned worker) {
        ChunkDecoder& decoder = decoders[worker];
        std::array<std::uint64_t, kMostTurns> numbers{};
        while (const auto batch = counter.take()) {
            std::uint64_t i = batch.first;
            try {
                if (at_once > 1) {
                    const auto length = static_cast<std::size_t>(batch.end - i);
                    for (std::size_t j = 0; j < length; ++j) numbers[j] = chunk(i + j);
                    if (decoder.decode(std::span{numbers}.first(length), records)) continue;
                }
                for (; i < batch.end; ++i) {
                    const std::uint64_t k = chunk(i);
                    const ChunkRecord record = decoder.decode(k);
                    if (!records.empty()) records[static_cast<std::size_t>(k)] = record;
                }
            } catch (...) {
                counter.fail(i);
            }
        }
    });
    counter.rethrow();
}

/// Values in dead rows and columns are in no chunk.
void clear_dead(const Index& index, std::span<const Destination> destinations) {
    for (const Segment& segment : index.header.segments) {
        if (!segment.matrix || segment.matrix->all_live()) continue;
        const Destination& wanted = destinations[static_cast<std::size_t>(segment.tensors[0].rank)];
        if (wanted.values == nullptr) continue;
        std::memset(wanted.values, 0,
                    static_cast<std::size_t>(wanted.end - wanted.first) * bytes_of(segment.dtype));
    }
}

/// Takes index.starts from the footer, if that has what a walk would find: the heads of chunks that
/// are where they are expected need not wait for each other.
bool take_starts(Bytes data, Index& index) {
    if (!index.header.footer) return false;
    try {
        index.starts = read_index(data, index.header.bytes, index.order.size());
        for (std::uint64_t k = 0; k < index.order.size(); ++k) {
            const auto here = static_cast<std::size_t>(k);
            const ChunkHead head = read_head(data, index, index.order[k], index.starts[here]);
            check_room(head, index.header.parameters);
            if (head.end != index.starts[here + 1]) return false;
        }
        return true;
    } catch (const StreamError&) {
        return false;  // a walk reports the first fault
    }
}

/// Walks past chunks and footer, and fills index.starts as far as it comes.
void walk(Bytes data, Index& index) {
    std::size_t at = index.header.bytes;
    index.starts.push_back(at);
    for (std::uint64_t k = 0; k < index.order.size(); ++k) {
        const ChunkHead head = read_head(data, index, index.order[k], at);
        check_room(head, index.header.parameters);
        at = head.end;
        index.starts.push_back(at);
    }
    Cursor cursor{data, at, data.size(), Cause::kTruncated};
    if (index.header.footer) skip_footer(cursor, index.starts.size() - 1);
    if (cursor.left() != 0) {
        throw StreamError{Cause::kCorrupt, "trailing", cursor.at(),
                          std::to_string(cursor.left()) + " bytes after the end"};
    }
}

}  // namespace

void check_room(const ChunkHead& head, const Parameters& parameters) {
    const bool coded = head.form != Form::kStored && head.form != Form::kAllZero;
    if (coded && head.end - head.start < least_coded_size(head, parameters)) {
        throw StreamError{Cause::kCorrupt, "size", head.start + 1,
                          "the chunk is too small for its values"};
    }
}

Index scan(Bytes data, const TableSet& tables) {
    Index index{read_header(data, &tables), data.size()};
    if (take_starts(data, index)) return index;
    index.starts.clear();
    try {
        walk(data, index);
    } catch (const StreamError& fault) {
        // The first fault is the one to report. It may be inside a chunk before this one or, where
        // this one is too small, within it; bytes too many come after the footer.
        const std::uint64_t walked = index.starts.size() - 1;
        std::vector<ChunkRecord> records(static_cast<std::size_t>(walked) + 1);
        decode_chunks(data, index, tables, std::min(index.order.size(), walked + 1),
                      std::identity{}, {}, records, 1);
        if (index.header.footer && fault.field() == std::string_view{"trailing"}) {
            records.pop_back();
            check_footer(data, index.starts.back(), records);
        }
        throw;
    }
    return index;
}

Index look_up(Bytes data, const TableSet& tables) {
    Index index{read_header(data, &tables), data.size()};
    if (index.header.footer) {
        index.starts = read_index(data, index.header.bytes, index.order.size());
    } else {
        walk(data, index);
    }
    return index;
}

void decompress(Bytes data, const Index& index, const TableSet& tables,
                std::span<const Destination> destinations, unsigned threads) {
    const std::size_t chunks = index.starts.size() - 1;
    std::vector<ChunkRecord> records(index.header.footer ? chunks : 0);
    clear_dead(index, destinations);
    decode_chunks(data, index, tables, chunks, std::identity{}, destinations, records, threads);
    if (index.header.footer) check_footer(data, index.starts.back(), records);
}

std::vector<std::uint64_t> chunks_of(const Index& index, std::size_t segment, std::size_t tensor,
                                     std::uint64_t first, std::uint64_t end) {
    const Segment& found = index.header.segments[segment];
    const Grid& grid = index.order.grid(segment);
    std::vector<std::uint64_t> chunks;
    const auto add = [&](std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t k = from; k < to; ++k) chunks.push_back(index.order.first(segment) + k);
    };
    if (found.matrix) {
        found.matrix->for_each_stretch(grid, {first, end}, add);
    } else {
        const std::uint64_t before = found.tensors[tensor].first;
        grid.for_each_stretch(before + first, before + end, 0, 1, add);
    }
    return chunks;
}

void justify(Bytes data, const Index& index, std::span<const std::uint64_t> chunks) {
    for (const std::uint64_t k : chunks) {
        const std::size_t at = index.starts[static_cast<std::size_t>(k)];
        check_room(read_head(data, index, index.order[k], at), index.header.parameters);
    }
}

void decompress(Bytes data, const Index& index, const TableSet& tables,
                std::span<const std::uint64_t> chunks, std::span<const Destination> destinations,
                unsigned threads) {
    clear_dead(index, destinations);
    const auto chunk = [chunks](std::uint64_t i) { return chunks[static_cast<std::size_t>(i)]; };
    decode_chunks(data, index, tables, chunks.size(), chunk, destinations, {}, threads);
}

}  // namespace entrolith
