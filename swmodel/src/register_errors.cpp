// SPDX-License-Identifier: Apache-2.0

#include <exception>

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

}  // namespace

void register_errors(py::module_& /*m*/) {
    py::register_local_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const StreamError& error) {
            const py::object type =
                py::module_::import("entrolith.errors").attr(class_of(error.cause()));
            const py::object raised = type(error.what(), error.field(), error.offset());
            PyErr_SetObject(type.ptr(), raised.ptr());
        }
    });
}

}  // namespace entrolith
