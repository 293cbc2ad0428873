// SPDX-License-Identifier: Apache-2.0
//
// The kernels that this library is built with. They are constants, so that nothing of them runs
// before the processor has been asked.
#pragma once

#include "entrolith/kernels.hpp"

namespace entrolith {

extern const Kernel kPortableKernel;
#ifdef ENTROLITH_X86
extern const Kernel kAvx2Kernel;
extern const Kernel kAvx512Kernel;
#endif

}  // namespace entrolith
