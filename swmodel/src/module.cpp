// SPDX-License-Identifier: Apache-2.0
//
// The extension module entrolith._core.

#include <pybind11/pybind11.h>

PYBIND11_MODULE(_core, m) {
    m.doc() = "Compiled core of the entrolith package.";
    m.attr("FORMAT_VERSION") = 1;
}
