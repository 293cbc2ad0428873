// SPDX-License-Identifier: Apache-2.0
//
// The extension module entrolith._core. The public interface is in python/entrolith.

#include "entrolith/header.hpp"
#include "register.hpp"

PYBIND11_MODULE(_core, m) {
    m.doc() = "Compiled core of the entrolith package.";
    m.attr("FORMAT_VERSION") = entrolith::kFormatVersion;
    entrolith::register_errors(m);
    entrolith::register_tables(m);
    entrolith::register_codec(m);
    entrolith::register_kernels(m);
    entrolith::register_incremental(m);
    entrolith::register_dlpack(m);
}
