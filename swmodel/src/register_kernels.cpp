// SPDX-License-Identifier: Apache-2.0

#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "entrolith/kernels.hpp"
#include "register.hpp"

namespace py = pybind11;

namespace entrolith {

void register_kernels(py::module_& m) {
    m.def("kernel", [] { return std::string{kernel().name}; });
    m.def("kernels", [] {
        std::vector<std::string> names;
        for (const Kernel* each : kernels()) names.emplace_back(each->name);
        return names;
    });
    m.def("set_kernel", [](const std::string& name) { set_kernel(name); }, py::arg("name"));
}

}  // namespace entrolith
