// SPDX-License-Identifier: Apache-2.0
//
// What must hold for every input, and the comparison of all kernels.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "entrolith/error.hpp"
#include "entrolith/kernels.hpp"

namespace entrolith::fuzz {

/// Ends the process, which is how an engine sees a finding, unless the promise is kept.
inline void promise(bool kept, const char* what) {
    if (kept) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

/// A refusal, without its wording.
struct Fault {
    Cause cause;
    std::string field;
    std::size_t offset;

    bool operator==(const Fault&) const = default;
};

template <class Result>
using Outcome = std::variant<Result, Fault>;

/// What a call that reads a stream returns, or why it refuses to.
template <class Function>
[[nodiscard]] Outcome<std::invoke_result_t<Function>> outcome_of(Function&& function) {
    try {
        return function();
    } catch (const StreamError& error) {
        return Fault{error.cause(), error.field(), error.offset()};
    }
}

template <class Result>
[[nodiscard]] bool accepted(const Outcome<Result>& outcome) noexcept {
    return std::holds_alternative<Result>(outcome);
}

/// What a call returns, which must be the same under every kernel that this processor runs.
template <class Function>
[[nodiscard]] std::invoke_result_t<Function> under_every_kernel(Function&& function) {
    std::optional<std::invoke_result_t<Function>> first;
    for (const Kernel* kernel : kernels()) {
        set_kernel(kernel->name);
        auto found = function();
        if (first) {
            promise(found == *first, "all kernels do the same");
        } else {
            first = std::move(found);
        }
    }
    return *std::move(first);
}

}  // namespace entrolith::fuzz
