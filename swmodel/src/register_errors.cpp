// SPDX-License-Identifier: Apache-2.0

#include <exception>

#include "entrolith/kernels.hpp"
#include "register.hpp"

namespace py = pybind11;

namespace entrolith {
namespace {

const char* class_of(Cause cause) {
    switch (cause) {
        case Cause::kTruncated:
            return "TruncatedStreamError";
        case Cause::kVersion:
            return "UnsupportedVersionError";
        case Cause::kMode:
            return "UnsupportedModeError";
        case Cause::kTable:
            return "TableMismatchError";
        case Cause::kCorrupt:
            break;
    }
    return "CorruptStreamError";
}

template <class... Arguments>
void raise(const char* name, const Arguments&... arguments) {
    const py::object type = py::module_::import("entrolith.errors").attr(name);
    const py::object raised = type(arguments...);
    PyErr_SetObject(type.ptr(), raised.ptr());
}

}  // namespace

void register_errors(py::module_& /*m*/) {
    py::register_local_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const StreamError& error) {
            raise(class_of(error.cause()), error.what(), error.field(), error.offset());
        } catch (const KernelError& error) {
            raise("KernelError", error.what(), "ENTROLITH_KERNEL");
        }
    });
}

}  // namespace entrolith
