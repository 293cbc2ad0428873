// SPDX-License-Identifier: Apache-2.0
//
// Which kernel is in use.

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "entrolith/kernels.hpp"
#include "instances.hpp"

namespace entrolith {
namespace {

std::vector<const Kernel*> find_kernels() {
    std::vector<const Kernel*> found;
#ifdef ENTROLITH_X86
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                      __builtin_cpu_supports("pclmul");
    const bool avx512 =
        avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
        __builtin_cpu_supports("vpclmulqdq");
    if (avx512) found.push_back(&kAvx512Kernel);
    if (avx2) found.push_back(&kAvx2Kernel);
#endif
    found.push_back(&kPortableKernel);
    return found;
}

const Kernel* find_kernel(std::string_view name) {
    std::string names;
    for (const Kernel* kernel : kernels()) {
        if (kernel->name == name) return kernel;
        names.append(names.empty() ? "" : ", ").append(kernel->name);
    }
    throw KernelError{"no kernel '" + std::string{name} + "' here; this processor runs " + names};
}

const Kernel* first_choice() {
    const char* name = std::getenv("ENTROLITH_KERNEL");
    return name == nullptr || *name == '\0' ? kernels().front() : find_kernel(name);
}

std::atomic<const Kernel*> in_use{nullptr};

}  // namespace

std::span<const Kernel* const> kernels() {
    static const std::vector<const Kernel*> found = find_kernels();
    return found;
}

const Kernel& kernel() {
    const Kernel* found = in_use.load(std::memory_order_relaxed);
    if (found == nullptr) [[unlikely]] {
        found = first_choice();
        const Kernel* none = nullptr;  // unless set_kernel() was faster
        if (!in_use.compare_exchange_strong(none, found)) found = none;
    }
    return *found;
}

void set_kernel(std::string_view name) { in_use = find_kernel(name); }

}  // namespace entrolith
