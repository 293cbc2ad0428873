// SPDX-License-Identifier: Apache-2.0
//
// The areas of the extension module, and the one type that they share.
#pragma once

#include <pybind11/pybind11.h>

#include "entrolith/bytes.hpp"

namespace entrolith {

void register_errors(pybind11::module_& m);
void register_tables(pybind11::module_& m);
void register_codec(pybind11::module_& m);
void register_kernels(pybind11::module_& m);

/// A contiguous buffer of a Python object, held for as long as this lives.
class BufferView {
public:
    BufferView(const pybind11::buffer& object, int flags) {
        if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) {
            throw pybind11::error_already_set{};
        }
    }
    ~BufferView() { PyBuffer_Release(&view_); }
    BufferView(const BufferView&) = delete;
    BufferView& operator=(const BufferView&) = delete;

    [[nodiscard]] void* data() const noexcept { return view_.buf; }
    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }
    [[nodiscard]] Bytes bytes() const noexcept {
        return {static_cast<const std::uint8_t*>(view_.buf), size()};
    }

private:
    Py_buffer view_{};
};

}  // namespace entrolith
