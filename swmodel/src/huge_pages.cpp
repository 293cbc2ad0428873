// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "register.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace entrolith {

void ask_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) noexcept {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t kPage = 4096;
    constexpr std::size_t kWorthwhile = std::size_t{4} << 20;
    if (size < kWorthwhile) return;
    const std::uintptr_t first =
        (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) & ~(kPage - 1);
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + size) & ~(kPage - 1);
    // Where the system has none, or other pages, it refuses, and nothing is lost.
    madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

}  // namespace entrolith
