// SPDX-License-Identifier: Apache-2.0

#include <pybind11/stl.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "entrolith/composition.hpp"
#include "entrolith/stream.hpp"
#include "register.hpp"

namespace py = pybind11;

namespace entrolith {
namespace {

const Profile& find_profile(const std::string& name) {
    const auto* found = std::ranges::find(kProfiles, name, &Profile::name);
    if (found == kProfiles.end()) throw py::key_error{name};
    return *found;
}

/// Values may be read as integers only where the processor may.
void check_values(const BufferView& view, std::uint64_t values, Dtype dtype) {
    const unsigned width = bytes_of(dtype);
    if (view.size() / width != values || view.size() % width != 0) {
        throw std::invalid_argument{"the buffer does not hold the values of the shape"};
    }
    if (reinterpret_cast<std::uintptr_t>(view.data()) % width != 0) {
        throw std::invalid_argument{"the buffer is not aligned"};
    }
}

py::bytes compress_buffer(const py::buffer& values, unsigned dtype_code,
                          const std::vector<std::uint64_t>& shape, const std::string& profile_name,
                          const TableSet& tables) {
    const Profile& profile = find_profile(profile_name);
    const auto dtype = static_cast<Dtype>(dtype_code);
    if (dtype < Dtype::kFp32 || dtype > Dtype::kFp16) throw std::invalid_argument{"no such dtype"};
    const std::vector<std::uint8_t> header = write_header(profile, dtype, shape, tables);
    const BufferView view{values, PyBUF_SIMPLE};
    std::uint64_t count = 1;
    for (const std::uint64_t dimension : shape) count *= dimension;  // write_header() has checked
    check_values(view, count, dtype);

    // Pages that are not written take no memory, so the result is made at its largest, then cut.
    const std::size_t bound =
        compress_bound(view.size() / bytes_of(dtype), header.size(), dtype, profile);
    PyObject* result = PyBytes_FromStringAndSize(nullptr, static_cast<py::ssize_t>(bound));
    if (result == nullptr) throw py::error_already_set{};
    auto* out = reinterpret_cast<std::uint8_t*>(PyBytes_AS_STRING(result));
    std::size_t size = 0;
    try {
        const py::gil_scoped_release release;
        size = compress(view.data(), view.size() / bytes_of(dtype), header, dtype, profile, tables,
                        out);
    } catch (...) {
        Py_DECREF(result);
        throw;
    }
    if (_PyBytes_Resize(&result, static_cast<py::ssize_t>(size)) != 0) {
        throw py::error_already_set{};
    }
    return py::reinterpret_steal<py::bytes>(result);
}

Header scan_buffer(const py::buffer& data, const TableSet& tables) {
    const BufferView view{data, PyBUF_SIMPLE};
    const py::gil_scoped_release release;
    Header header = read_header(view.bytes(), &tables);
    scan(view.bytes(), header, tables);
    return header;
}

void decompress_buffer(const py::buffer& data, const Header& header, const TableSet& tables,
                       const py::buffer& values) {
    const BufferView view{data, PyBUF_SIMPLE};
    const BufferView out{values, PyBUF_WRITABLE};
    check_values(out, header.values, header.dtype);
    const py::gil_scoped_release release;
    decompress(view.bytes(), header, tables, out.data());
}

std::pair<Header, Composition> take_apart_buffer(const py::buffer& data) {
    const BufferView view{data, PyBUF_SIMPLE};
    const py::gil_scoped_release release;
    Header header = read_header(view.bytes(), nullptr);
    const Composition composition = take_apart(view.bytes(), header);
    return {std::move(header), composition};
}

py::bytes identity_bytes(const Header& header) {
    return {reinterpret_cast<const char*>(header.table_set.data()), header.table_set.size()};
}

py::tuple profile_row(const Profile& profile) {
    const Parameters& p = profile.parameters;
    return py::make_tuple(p.log2_chunk, p.log2_block, p.log2_lanes, p.check != 0);
}

}  // namespace

void register_codec(py::module_& m) {
    py::dict profiles;
    for (const Profile& profile : kProfiles) {
        profiles[py::str{profile.name.data(), profile.name.size()}] = profile_row(profile);
    }
    m.attr("PROFILES") = profiles;

    py::class_<Header>(m, "Header")
        .def_property_readonly("dtype", [](const Header& h) { return static_cast<int>(h.dtype); })
        .def_property_readonly("shape",
                               [](const Header& h) { return py::tuple{py::cast(h.shape)}; })
        .def_property_readonly("table_set", &identity_bytes)
        .def_property_readonly("parameters", [](const Header& h) {
            return profile_row({{}, h.parameters, false, false});
        });
    py::class_<Composition>(m, "Composition")
        .def_readonly("coded_chunks", &Composition::coded_chunks)
        .def_readonly("stored_chunks", &Composition::stored_chunks)
        .def_readonly("zero_chunks", &Composition::zero_chunks)
        .def_readonly("blocks_by_table", &Composition::blocks_by_table)
        .def_readonly("header", &Composition::header)
        .def_readonly("chunk_heads", &Composition::chunk_heads)
        .def_readonly("zeros", &Composition::zeros)
        .def_readonly("lanes", &Composition::lanes)
        .def_readonly("blocks", &Composition::blocks)
        .def_readonly("codes", &Composition::codes)
        .def_readonly("raw", &Composition::raw)
        .def_readonly("stored", &Composition::stored);

    m.def("compress", &compress_buffer, py::arg("values"), py::arg("dtype"), py::arg("shape"),
          py::arg("profile"), py::arg("tables"));
    m.def("scan", &scan_buffer, py::arg("data"), py::arg("tables"));
    m.def("decompress", &decompress_buffer, py::arg("data"), py::arg("header"), py::arg("tables"),
          py::arg("values"));
    m.def("take_apart", &take_apart_buffer, py::arg("data"));
}

}  // namespace entrolith
