// SPDX-License-Identifier: Apache-2.0
//
// The areas of the extension module, and what they share.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>

#include "entrolith/bytes.hpp"
#include "entrolith/dtype.hpp"

namespace entrolith {

void register_errors(pybind11::module_& m);
void register_tables(pybind11::module_& m);
void register_codec(pybind11::module_& m);
void register_kernels(pybind11::module_& m);
void register_incremental(pybind11::module_& m);
void register_dlpack(pybind11::module_& m);

/// Throws std::invalid_argument if there is no such dtype.
[[nodiscard]] Dtype dtype_of(unsigned code);

/// Asks the system to map large new memory in large pieces: to touch it page by page takes longer
/// than to code it.
void ask_for_huge_pages(void* memory, std::size_t size) noexcept;

/// New bytes of at most `bound`: write(out) fills them and returns their end. Pages that are not
/// written take no memory, so the object is made at its largest, then cut.
template <class Write>
pybind11::bytes make_bytes(std::size_t bound, Write&& write) {
    PyObject* result = PyBytes_FromStringAndSize(nullptr, static_cast<pybind11::ssize_t>(bound));
    if (result == nullptr) throw pybind11::error_already_set{};
    auto* const out = reinterpret_cast<std::uint8_t*>(PyBytes_AS_STRING(result));
    ask_for_huge_pages(out, bound);
    std::uint8_t* end = nullptr;
    try {
        end = write(out);
    } catch (...) {
        Py_DECREF(result);
        throw;
    }
    if (_PyBytes_Resize(&result, end - out) != 0) throw pybind11::error_already_set{};
    return pybind11::reinterpret_steal<pybind11::bytes>(result);
}

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
