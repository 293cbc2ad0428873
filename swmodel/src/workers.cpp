// SPDX-License-Identifier: Apache-2.0

#include "entrolith/workers.hpp"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace entrolith {
namespace {

constexpr std::uint64_t kChunksPerWorker = 4;  // some 50 us of work, against 20 to start a thread
constexpr unsigned kMostWorkers = 256;
constexpr std::uint64_t kMostAtOnce = 4;
constexpr std::uint64_t kTurns = 8;  // of a worker, at least, as chunks differ in size

}  // namespace

unsigned worker_count(unsigned asked, std::uint64_t chunks) {
    const std::uint64_t wanted = asked != 0 ? asked : std::thread::hardware_concurrency();
    const std::uint64_t useful = std::min<std::uint64_t>(kMostWorkers, chunks / kChunksPerWorker);
    return static_cast<unsigned>(std::max<std::uint64_t>(1, std::min(wanted, useful)));
}

std::uint64_t chunks_at_once(unsigned workers, std::uint64_t chunks) {
    return std::clamp<std::uint64_t>(chunks / (kTurns * workers), 1, kMostAtOnce);
}

void run_workers(unsigned count, const std::function<void(unsigned)>& work) {
    std::vector<std::jthread> others;
    others.reserve(count - 1);
    try {
        for (unsigned worker = 1; worker < count; ++worker) others.emplace_back(work, worker);
    } catch (const std::system_error&) {
        // No more threads: those that there are share the work.
    }
    work(0);
}

}  // namespace entrolith
