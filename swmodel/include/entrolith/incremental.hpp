// SPDX-License-Identifier: Apache-2.0
//
// entrolith/incremental.hpp - one array to a stream and back, a piece at a time.
//
// Spec      FORMAT.md section 1. No predictor: its parameters would need the whole array first.
// Read me   Memory is bounded by a chunk, beside eight bytes for each chunk that the footer needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "entrolith/bytes.hpp"
#include "entrolith/decompress.hpp"
#include "entrolith/footer.hpp"
#include "entrolith/profile.hpp"
#include "entrolith/workspace.hpp"

namespace entrolith {

class Compressor {
public:
    /// `tables` must live as long. Throws std::invalid_argument if the shape is beyond the format.
    Compressor(Dtype dtype, std::vector<std::uint64_t> shape, const Profile& profile,
               const TableSet& tables);

    [[nodiscard]] Dtype dtype() const noexcept { return segment_.dtype; }
    /// Values that are still to come.
    [[nodiscard]] std::uint64_t left() const noexcept { return left_; }

    /// Room that write() needs for `count` values.
    [[nodiscard]] std::size_t write_bound(std::size_t count) const;
    /// Takes `count` aligned bit patterns, at most left(), and writes what they complete of the
    /// stream. Returns its end.
    std::uint8_t* write(const void* values, std::size_t count, std::uint8_t* out);

    [[nodiscard]] std::size_t finish_bound() const;
    /// Writes the rest of the stream. For when left() is 0.
    std::uint8_t* finish(std::uint8_t* out);

private:
    std::uint8_t* write_pending_header(std::uint8_t* out);
    std::uint8_t* encode(const void* values, std::size_t count, std::uint8_t* out);

    Segment segment_;
    Profile profile_;
    const TableSet& tables_;
    std::uint64_t left_;
    std::vector<std::uint8_t> header_;  // until it is written
    Workspace work_;
    std::unique_ptr<std::uint64_t[]> pending_;  // values of a chunk that is not full yet
    std::size_t pending_count_ = 0;
    std::vector<ChunkRecord> records_;
};

class Decompressor {
public:
    /// `tables` must live as long.
    explicit Decompressor(const TableSet& tables) : tables_{tables} {}

    /// Takes bytes of the stream and returns how many values wait for drain(). Throws the
    /// StreamError of what has come, once the values before it have been drained.
    std::uint64_t feed(Bytes data);
    [[nodiscard]] std::uint64_t waiting() const noexcept;
    /// Writes the values that wait, aligned bit patterns. Throws StreamError.
    void drain(void* values);
    /// The stream ends here. Throws StreamError if it is cut.
    void finish();

    /// Of the stream, once enough of it has come.
    [[nodiscard]] const Segment* segment() const noexcept;

private:
    [[nodiscard]] Bytes pending() const noexcept { return Bytes{pending_}.subspan(taken_); }
    void take(std::size_t bytes) noexcept;
    void read_start();
    void walk();
    void read_footer();

    const TableSet& tables_;
    std::optional<Index> index_;  // its starts are unused
    std::vector<std::uint8_t> pending_;
    std::size_t taken_ = 0;   // bytes of pending_ that are done with
    std::size_t before_ = 0;  // bytes of the stream before pending()
    std::uint64_t done_ = 0;  // chunks
    std::vector<ChunkHead> ready_;
    std::vector<ChunkRecord> records_;
    std::unique_ptr<Workspace> work_;
    bool complete_ = false;
    std::exception_ptr fault_;
};

}  // namespace entrolith
