// SPDX-License-Identifier: Apache-2.0
//
// entrolith/workers.hpp - the same work on several threads, and the first failure of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

namespace entrolith {

/// What one thread writes should be that many bytes from what others do: cache lines that are
/// neighbours are often fetched together.
inline constexpr std::size_t kApart = 128;

/// Threads that are worth their start for so many chunks; `asked` 0 is one for each core.
[[nodiscard]] unsigned worker_count(unsigned asked, std::uint64_t chunks);

/// Chunks for a worker to take at once, so that what it reads and writes goes on for a while, but
/// all are done at about the same time.
[[nodiscard]] std::uint64_t chunks_at_once(unsigned workers, std::uint64_t chunks);

/// Calls work(0) .. work(count - 1), the first on the calling thread; back when all are done. The
/// work does not throw. Where the system has no more threads, fewer do it, but always work(0).
void run_workers(unsigned count, const std::function<void(unsigned)>& work);

/// Hands out numbers 0 .. end - 1 in order, `step` at once, until one of them fails.
class Counter {
public:
    explicit Counter(std::uint64_t end, std::uint64_t step = 1) : end_{end}, step_{step} {}

    /// Numbers first .. end - 1; none if there are no more.
    struct Range {
        std::uint64_t first;
        std::uint64_t end;
        explicit operator bool() const noexcept { return first != end; }
    };
    [[nodiscard]] Range take() noexcept {
        if (failed_.load(std::memory_order_relaxed)) return {end_, end_};
        const std::uint64_t first =
            std::min(end_, next_.fetch_add(step_, std::memory_order_relaxed));
        return {first, std::min(end_, first + step_)};
    }

    /// Keeps the exception that is being handled if none of a lower number was kept. All lower
    /// numbers have been taken, so when the workers are done the one kept is that of the first
    /// failure, whatever the number of workers.
    void fail(std::uint64_t number) noexcept {
        const std::lock_guard lock{mutex_};
        if (!failed_.load(std::memory_order_relaxed) || number < failure_) {
            failure_ = number;
            exception_ = std::current_exception();
        }
        failed_.store(true, std::memory_order_relaxed);
    }
    [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

    /// Throws what was kept. For when all workers are done.
    void rethrow() const {
        if (exception_) std::rethrow_exception(exception_);
    }

private:
    std::atomic<std::uint64_t> next_{0};
    std::uint64_t end_;
    std::uint64_t step_;
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    std::uint64_t failure_ = 0;
    std::exception_ptr exception_;
};

}  // namespace entrolith
