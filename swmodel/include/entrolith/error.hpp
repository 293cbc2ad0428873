// SPDX-License-Identifier: Apache-2.0
//
// entrolith/error.hpp - why a stream is refused.
//
// Scope     One exception for every refusal that FORMAT.md names, with field and byte offset.
// Read me   Thrown only by code that reads a stream; the Python classes are in errors.py.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace entrolith {

enum class Cause { kCorrupt, kTruncated, kVersion, kMode, kTable };

class StreamError : public std::runtime_error {
public:
    /// `field` is a name of FORMAT.md with static storage; `offset` counts bytes of the stream.
    StreamError(Cause cause, const char* field, std::size_t offset, const std::string& why)
        : std::runtime_error{std::string{field} + " at byte " + std::to_string(offset) + ": " +
                             why},
          cause_{cause},
          field_{field},
          offset_{offset},
          why_{why} {}

    /// The same fault in a stream of which `bytes` bytes came before.
    [[nodiscard]] StreamError behind(std::size_t bytes) const {
        return {cause_, field_, offset_ + bytes, why_};
    }

    [[nodiscard]] Cause cause() const noexcept { return cause_; }
    [[nodiscard]] const char* field() const noexcept { return field_; }
    [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

private:
    Cause cause_;
    const char* field_;
    std::size_t offset_;
    std::string why_;
};

/// Refuses a stream that FORMAT.md calls corrupt.
[[noreturn]] inline void corrupt(const char* field, std::size_t offset, const std::string& why) {
    throw StreamError{Cause::kCorrupt, field, offset, why};
}

/// Refuses what FORMAT.md reserves.
[[noreturn]] inline void reserved(const char* field, std::size_t offset, const std::string& why) {
    throw StreamError{Cause::kMode, field, offset, why};
}

}  // namespace entrolith
