// SPDX-License-Identifier: Apache-2.0

#include "entrolith/incremental.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "entrolith/chunk.hpp"
#include "entrolith/crc32.hpp"

namespace entrolith {
namespace {

Segment one_tensor(Dtype dtype, std::vector<std::uint64_t> shape) {
    const auto values = count_values(shape);
    if (!values) throw std::invalid_argument{"more than 2^48 values"};
    return {dtype, std::nullopt, {{{}, std::move(shape), *values, 0, 0}}};
}

std::size_t largest_chunk(std::uint64_t values, const Parameters& parameters) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(values, parameters.chunk()));
}

}  // namespace

Compressor::Compressor(Dtype dtype, std::vector<std::uint64_t> shape, const Profile& profile,
                       const TableSet& tables)
    : segment_{one_tensor(dtype, std::move(shape))},
      profile_{profile},
      tables_{tables},
      left_{segment_.values()},
      header_{write_header(profile.parameters, false, {&segment_, 1}, tables)},
      work_{largest_chunk(left_, profile.parameters), profile.parameters},
      pending_{std::make_unique_for_overwrite<std::uint64_t[]>(
          (largest_chunk(left_, profile.parameters) * bytes_of(dtype) + 7) / 8)} {}

std::size_t Compressor::write_bound(std::size_t count) const {
    const std::size_t chunk = profile_.parameters.chunk();
    const std::size_t chunks = (pending_count_ + count) / chunk + 1;
    return header_.size() + chunks * encode_chunk_bound(chunk, dtype(), profile_);
}

std::uint8_t* Compressor::write(const void* values, std::size_t count, std::uint8_t* out) {
    out = write_pending_header(out);
    const auto* from = static_cast<const std::uint8_t*>(values);
    const std::size_t width = bytes_of(dtype());
    auto* const pending = reinterpret_cast<std::uint8_t*>(pending_.get());
    while (count != 0) {
        const std::size_t full = pending_count_ + largest_chunk(left_, profile_.parameters);
        const std::size_t chunk = std::min(full, profile_.parameters.chunk());
        const std::size_t taken = std::min(count, chunk - pending_count_);
        const bool whole = taken == chunk;  // which goes without a copy
        if (!whole) std::memcpy(pending + pending_count_ * width, from, taken * width);
        pending_count_ += taken;
        left_ -= taken;
        if (pending_count_ == chunk) {
            out = encode(whole ? static_cast<const void*>(from) : pending, chunk, out);
            pending_count_ = 0;
        }
        from += taken * width;
        count -= taken;
    }
    return out;
}

std::size_t Compressor::finish_bound() const {
    return header_.size() + footer_bytes(records_.size());
}

std::uint8_t* Compressor::finish(std::uint8_t* out) {
    out = write_pending_header(out);
    if (!has_footer(profile_.parameters)) return out;
    write_footer(records_, out);
    return out + footer_bytes(records_.size());
}

std::uint8_t* Compressor::write_pending_header(std::uint8_t* out) {
    out = std::ranges::copy(header_, out).out;
    header_.clear();
    return out;
}

std::uint8_t* Compressor::encode(const void* values, std::size_t count, std::uint8_t* out) {
    std::uint8_t* const end = with_dtype(dtype(), [&](auto f) {
        using F = decltype(f);
        return encode_chunk<F>(static_cast<const typename F::Value*>(values), count, 0, profile_,
                               tables_, work_, out);
    });
    const auto size = static_cast<std::size_t>(end - out);
    if (has_footer(profile_.parameters)) {
        records_.push_back({static_cast<std::uint32_t>(size), crc32(out, size)});
    }
    return end;
}

const Segment* Decompressor::segment() const noexcept {
    return index_ ? &index_->header.segments[0] : nullptr;
}

void Decompressor::take(std::size_t bytes) noexcept {
    taken_ += bytes;
    before_ += bytes;
}

std::uint64_t Decompressor::feed(Bytes data) {
    if (fault_) std::rethrow_exception(fault_);
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
    pending_.insert(pending_.end(), data.begin(), data.end());
    try {
        read_start();
        if (index_) walk();
    } catch (const StreamError& error) {
        if (error.cause() != Cause::kTruncated) {
            fault_ = std::make_exception_ptr(error.behind(before_));
            if (ready_.empty()) std::rethrow_exception(fault_);
        }
    }
    return waiting();
}

std::uint64_t Decompressor::waiting() const noexcept {
    std::uint64_t values = 0;
    for (const ChunkHead& head : ready_) values += head.count;
    return values;
}

void Decompressor::read_start() {
    if (index_) return;
    Header header = read_header(pending(), &tables_);
    if (header.mapping || header.segments[0].matrix) {
        throw StreamError{Cause::kMode, header.mapping ? "flags" : "predictor",
                          header.mapping ? std::size_t{10} : std::size_t{26},
                          "needs the whole stream at once"};
    }
    take(header.bytes);
    index_.emplace(std::move(header), 0);
    work_ = std::make_unique<Workspace>(index_->order.largest(), index_->header.parameters);
}

void Decompressor::walk() {
    std::size_t at = 0;
    for (const ChunkHead& head : ready_) at = head.end;
    const Header& header = index_->header;
    while (done_ + ready_.size() < index_->order.size()) {
        const ChunkOrder::Place place = index_->order[done_ + ready_.size()];
        const ChunkHead head = read_chunk_head(pending(), at, place.count(),
                                               header.segments[0].dtype, header.parameters);
        check_room(head, header.parameters);
        ready_.push_back(head);
        at = head.end;
    }
    if (ready_.empty()) read_footer();
}

void Decompressor::read_footer() {
    const Header& header = index_->header;
    if (!complete_) {
        Cursor cursor{pending(), 0, pending().size(), Cause::kTruncated};
        if (header.footer) {
            skip_footer(cursor, records_.size());
            check_footer(pending(), 0, records_);
        }
        complete_ = true;
        take(cursor.at());
    }
    if (!pending().empty()) {
        throw StreamError{Cause::kCorrupt, "trailing", 0,
                          std::to_string(pending().size()) + " bytes after the end"};
    }
}

void Decompressor::drain(void* values) {
    auto* out = static_cast<std::uint8_t*>(values);
    const Header& header = index_->header;
    std::size_t drained = 0;
    try {
        for (const ChunkHead& head : ready_) {
            with_dtype(header.segments[0].dtype, [&](auto f) {
                using F = decltype(f);
                decode_chunk<F>(pending(), head, header.parameters, tables_, *work_,
                                reinterpret_cast<typename F::Value*>(out));
            });
            out += head.count * bytes_of(header.segments[0].dtype);
            const std::size_t size = head.end - head.start;
            if (header.footer) {
                records_.push_back(
                    {static_cast<std::uint32_t>(size), crc32(pending().data() + head.start, size)});
            }
            drained = head.end;
        }
    } catch (const StreamError& error) {
        fault_ = std::make_exception_ptr(error.behind(before_));
        std::rethrow_exception(fault_);
    }
    done_ += ready_.size();
    ready_.clear();
    take(drained);
}

void Decompressor::finish() {
    if (fault_) std::rethrow_exception(fault_);
    try {
        read_start();
        walk();
    } catch (const StreamError& error) {
        throw error.behind(before_);
    }
}

}  // namespace entrolith
