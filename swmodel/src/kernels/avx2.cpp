// SPDX-License-Identifier: Apache-2.0
//
// AVX2, BMI2 and PCLMULQDQ: x86-64 processors since about 2013.

#include "folding_crc32.hpp"
#include "instances.hpp"
#include "portable.hpp"

namespace entrolith {

constinit const Kernel kAvx2Kernel = [] {
    Kernel kernel = portable_kernel("avx2");
    kernel.crc32 = &crc32_by_folding;
    return kernel;
}();

}  // namespace entrolith
