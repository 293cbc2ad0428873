// SPDX-License-Identifier: Apache-2.0
//
// The kernels that this library is built with, the fastest first.
#pragma once

#include <array>

#include "entrolith/kernels.hpp"

namespace entrolith {

extern const Kernel kPortableKernel;

inline constexpr std::array kInstances{&kPortableKernel};

}  // namespace entrolith
