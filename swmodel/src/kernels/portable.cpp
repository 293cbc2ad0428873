// SPDX-License-Identifier: Apache-2.0
//
// The kernel that runs on every processor.

#include "portable.hpp"

#include "instances.hpp"

namespace entrolith {

constinit const Kernel kPortableKernel = portable_kernel("portable");

}  // namespace entrolith
