// SPDX-License-Identifier: Apache-2.0

#include <pybind11/stl.h>

#include <stdexcept>

#include "entrolith/incremental.hpp"
#include "register.hpp"

namespace py = pybind11;

namespace entrolith {
namespace {

py::bytes write_values(Compressor& compressor, const py::buffer& values) {
    const BufferView view{values, PyBUF_SIMPLE};
    const std::size_t count = view.size() / bytes_of(compressor.dtype());
    if (view.size() % bytes_of(compressor.dtype()) != 0 || count > compressor.left()) {
        throw std::invalid_argument{"not so many values"};
    }
    return make_bytes(compressor.write_bound(count),
                      [&](std::uint8_t* out) { return compressor.write(view.data(), count, out); });
}

py::bytes finish_stream(Compressor& compressor) {
    if (compressor.left() != 0) throw std::invalid_argument{"values are missing"};
    return make_bytes(compressor.finish_bound(),
                      [&](std::uint8_t* out) { return compressor.finish(out); });
}

/// A Python object is used by one thread at a time, by a lock of its own: the interpreter's.
std::uint64_t feed_bytes(Decompressor& decompressor, const py::buffer& data) {
    const BufferView view{data, PyBUF_SIMPLE};
    return decompressor.feed(view.bytes());
}

void drain_values(Decompressor& decompressor, const py::buffer& values, std::uint64_t count) {
    const BufferView view{values, PyBUF_WRITABLE};
    const Segment* segment = decompressor.segment();
    if (segment == nullptr || view.size() != count * bytes_of(segment->dtype) ||
        count != decompressor.waiting()) {
        throw std::invalid_argument{"not so many values"};
    }
    decompressor.drain(view.data());
}

py::object described(const Decompressor& decompressor) {
    const Segment* segment = decompressor.segment();
    if (segment == nullptr) return py::none();
    return py::make_tuple(static_cast<int>(segment->dtype),
                          py::tuple{py::cast(segment->tensors[0].shape)});
}

}  // namespace

void register_incremental(py::module_& m) {
    py::class_<Compressor>(m, "Compressor")
        .def(py::init([](unsigned dtype, const std::vector<std::uint64_t>& shape,
                         const Profile& profile, const TableSet& tables) {
                 return Compressor{dtype_of(dtype), shape, profile, tables};
             }),
             py::arg("dtype"), py::arg("shape"), py::arg("profile"), py::arg("tables"),
             py::keep_alive<1, 5>())
        .def_property_readonly("left", &Compressor::left)
        .def("write", &write_values, py::arg("values"))
        .def("finish", &finish_stream);
    py::class_<Decompressor>(m, "Decompressor")
        .def(py::init<const TableSet&>(), py::arg("tables"), py::keep_alive<1, 2>())
        .def_property_readonly("array", &described)
        .def("feed", &feed_bytes, py::arg("data"))
        .def("drain", &drain_values, py::arg("values"), py::arg("count"))
        .def("finish", &Decompressor::finish);
}

}  // namespace entrolith
