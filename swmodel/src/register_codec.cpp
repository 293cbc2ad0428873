// SPDX-License-Identifier: Apache-2.0

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "entrolith/composition.hpp"
#include "entrolith/compress.hpp"
#include "entrolith/decompress.hpp"
#include "register.hpp"

namespace py = pybind11;

namespace entrolith {
namespace {

const Profile& find_profile(const std::string& name) {
    const auto* found = std::ranges::find(kProfiles, name, &Profile::name);
    if (found == kProfiles.end()) throw py::key_error{name};
    return *found;
}

Profile make_level(int number, const std::optional<std::string>& mode, bool check) {
    constexpr std::array kModes{std::pair{"static", Mode::kStatic},
                                std::pair{"dynamic", Mode::kDynamic},
                                std::pair{"hybrid", Mode::kHybrid}};
    if (number < 1 || number > kMaxLevel) throw std::invalid_argument{"no such level"};
    if (!mode) return level(number, std::nullopt, check);
    const auto* found =
        std::ranges::find(kModes, *mode, [](const auto& row) { return std::string{row.first}; });
    if (found == kModes.end()) throw std::invalid_argument{"no such mode"};
    return level(number, found->second, check);
}

/// Values may be read as integers, one after the other, only where the processor may.
void check_values(const py::array& array, Dtype dtype) {
    if ((array.flags() & py::array::c_style) == 0 || array.itemsize() != bytes_of(dtype) ||
        reinterpret_cast<std::uintptr_t>(array.data()) % bytes_of(dtype) != 0) {
        throw std::invalid_argument{"not contiguous, aligned values of this size"};
    }
}

/// Where to write the values of a tensor.
void* room_for(py::array& array, std::uint64_t values, Dtype dtype) {
    check_values(array, dtype);
    if (static_cast<std::uint64_t>(array.size()) != values) {
        throw std::invalid_argument{"not as many values"};
    }
    return array.mutable_data();
}

/// Name, dtype, values in their shape.
using Row = std::tuple<std::string, unsigned, py::array>;

std::vector<Input> inputs_of(const std::vector<Row>& rows) {
    std::vector<Input> inputs;
    inputs.reserve(rows.size());
    for (const auto& [name, code, values] : rows) {
        const Dtype dtype = dtype_of(code);
        check_values(values, dtype);
        inputs.push_back(
            {name, dtype, {values.shape(), values.shape() + values.ndim()}, values.data()});
    }
    return inputs;
}

/// What is to be written, before it is known where to. The arrays must outlive it.
class Job {
public:
    Job(const std::vector<Row>& rows, const Profile& profile, bool mapping, const TableSet& tables,
        unsigned threads)
        : profile_{profile}, tables_{tables}, threads_{threads} {
        const std::vector<Input> inputs = inputs_of(rows);
        const py::gil_scoped_release release;
        parts_ = make_parts(inputs, profile, tables, threads);
        std::vector<Segment> segments;
        for (const Part& part : parts_) segments.push_back(part.segment);
        header_ = write_header(profile.parameters, mapping, segments, tables);
    }

    [[nodiscard]] std::size_t bound() const {
        return compress_bound(parts_, header_.size(), profile_);
    }
    std::size_t run(std::span<std::uint8_t> out) const {
        const py::gil_scoped_release release;
        return compress(parts_, header_, profile_, tables_, threads_, out);
    }
    [[nodiscard]] py::bytes run() const {
        const std::size_t size = bound();
        return make_bytes(size, [&](std::uint8_t* out) { return out + run({out, size}); });
    }

private:
    const Profile& profile_;
    const TableSet& tables_;
    unsigned threads_;
    std::vector<Part> parts_;
    std::vector<std::uint8_t> header_;
};

py::bytes compress_tensors(const std::vector<Row>& rows, const Profile& profile, bool mapping,
                           const TableSet& tables, unsigned threads) {
    return Job{rows, profile, mapping, tables, threads}.run();
}

/// The size of the stream, which is in `target` if there was room for it.
std::size_t compress_into(const std::vector<Row>& rows, const Profile& profile, bool mapping,
                          const TableSet& tables, unsigned threads, const py::buffer& target) {
    const BufferView view{target, PyBUF_WRITABLE};
    const std::span out{static_cast<std::uint8_t*>(view.data()), view.size()};
    const Job job{rows, profile, mapping, tables, threads};
    if (out.size() >= job.bound()) return job.run(out);
    // Perhaps too small: nothing is written unless all of it can be.
    const py::bytes stream = job.run();
    const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(stream.ptr()));
    if (size <= out.size()) std::memcpy(out.data(), PyBytes_AS_STRING(stream.ptr()), size);
    return size;
}

Bytes indexed(const BufferView& view, const Index& index) {
    if (view.size() != index.stream_bytes) throw std::invalid_argument{"another stream"};
    return view.bytes();
}

Index scan_buffer(const py::buffer& data, const TableSet& tables) {
    const BufferView view{data, PyBUF_SIMPLE};
    const py::gil_scoped_release release;
    return scan(view.bytes(), tables);
}

Index look_up_buffer(const py::buffer& data, const TableSet& tables) {
    const BufferView view{data, PyBUF_SIMPLE};
    const py::gil_scoped_release release;
    return look_up(view.bytes(), tables);
}

std::size_t tensor_count(const Header& header) {
    std::size_t count = 0;
    for (const Segment& segment : header.segments) count += segment.tensors.size();
    return count;
}

void decompress_buffer(const py::buffer& data, const Index& index, const TableSet& tables,
                       std::vector<py::array> arrays, unsigned threads) {
    const BufferView view{data, PyBUF_SIMPLE};
    const Bytes stream = indexed(view, index);
    if (arrays.size() != tensor_count(index.header)) {
        throw std::invalid_argument{"not an array for each tensor"};
    }
    std::vector<Destination> destinations(arrays.size());
    for (const Segment& segment : index.header.segments) {
        for (const Tensor& tensor : segment.tensors) {
            const auto rank = static_cast<std::size_t>(tensor.rank);
            void* const values = room_for(arrays[rank], tensor.values, segment.dtype);
            destinations[rank] = {values, 0, tensor.values};
        }
    }
    const py::gil_scoped_release release;
    decompress(stream, index, tables, destinations, threads);
}

/// Values first .. end - 1 of a tensor, after a check that they are there.
struct Selection {
    std::vector<std::uint64_t> chunks;
    const Tensor* tensor;
    Dtype dtype;
};

Selection select(const Index& index, std::uint64_t rank, std::uint64_t first, std::uint64_t end) {
    const auto& segments = index.header.segments;
    for (std::size_t s = 0; s < segments.size(); ++s) {
        for (std::size_t t = 0; t < segments[s].tensors.size(); ++t) {
            const Tensor& tensor = segments[s].tensors[t];
            if (tensor.rank != rank) continue;
            if (first > end || end > tensor.values) throw std::invalid_argument{"no such values"};
            return {chunks_of(index, s, t, first, end), &tensor, segments[s].dtype};
        }
    }
    throw std::invalid_argument{"no such tensor"};
}

void justify_values(const py::buffer& data, const Index& index, std::uint64_t rank,
                    std::uint64_t first, std::uint64_t end) {
    const BufferView view{data, PyBUF_SIMPLE};
    const Bytes stream = indexed(view, index);
    const py::gil_scoped_release release;
    justify(stream, index, select(index, rank, first, end).chunks);
}

void read_values(const py::buffer& data, const Index& index, const TableSet& tables,
                 std::uint64_t rank, std::uint64_t first, std::uint64_t end, py::array values,
                 unsigned threads) {
    const BufferView view{data, PyBUF_SIMPLE};
    const Bytes stream = indexed(view, index);
    const Selection selection = select(index, rank, first, end);
    void* const out = room_for(values, end - first, selection.dtype);
    const py::gil_scoped_release release;
    std::vector<Destination> destinations(tensor_count(index.header));
    destinations[static_cast<std::size_t>(rank)] = {out, first, end};
    decompress(stream, index, tables, selection.chunks, destinations, threads);
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

py::tuple parameters_row(const Parameters& p) {
    return py::make_tuple(p.version, p.log2_chunk, p.log2_block, p.log2_lanes, p.check != 0);
}

/// Name, dtype, shape and predictor of each tensor, in the mapping's order.
py::list tensor_rows(const Header& header) {
    std::vector<py::tuple> rows(tensor_count(header));
    for (const Segment& segment : header.segments) {
        for (const Tensor& tensor : segment.tensors) {
            rows[static_cast<std::size_t>(tensor.rank)] =
                py::make_tuple(tensor.name, static_cast<int>(segment.dtype),
                               py::tuple{py::cast(tensor.shape)}, segment.predictor());
        }
    }
    return py::cast(rows);
}

/// The codes of the types that there are.
std::set<int> dtype_codes(const Header& header) {
    std::set<int> codes;
    for (const Segment& segment : header.segments) codes.insert(static_cast<int>(segment.dtype));
    return codes;
}

/// What pybind11 multiplies to strides, unchecked, before NumPy looks at the shape.
/// Raises ValueError, as NumPy would.
void check_strides(const std::vector<py::ssize_t>& shape, py::ssize_t stride) {
    for (std::size_t i = shape.size(); i > 1; --i) {
        if (__builtin_mul_overflow(stride, shape[i - 1], &stride)) {
            throw py::value_error{"the dimensions are too large"};
        }
    }
}

/// By name, in the mapping's order, arrays for the values. NumPy raises a ValueError if it has none
/// of a shape.
py::dict new_arrays(const Header& header, const std::map<int, py::dtype>& kinds) {
    std::vector<std::pair<const Tensor*, const py::dtype*>> order(tensor_count(header));
    for (const Segment& segment : header.segments) {
        const py::dtype& kind = kinds.at(static_cast<int>(segment.dtype));
        for (const Tensor& tensor : segment.tensors) {
            order[static_cast<std::size_t>(tensor.rank)] = {&tensor, &kind};
        }
    }
    py::dict arrays;
    std::vector<py::ssize_t> shape;
    for (const auto& [tensor, kind] : order) {
        shape.assign(tensor->shape.begin(), tensor->shape.end());
        check_strides(shape, kind->itemsize());
        arrays[py::str{tensor->name}] = py::array{*kind, shape};
    }
    return arrays;
}

}  // namespace

Dtype dtype_of(unsigned code) {
    const auto dtype = static_cast<Dtype>(code);
    if (code == 0 || code > static_cast<unsigned>(Dtype::kFp8E5M2)) {
        throw std::invalid_argument{"no such dtype"};
    }
    return dtype;
}

void register_codec(py::module_& m) {
    py::dict profiles;
    for (const Profile& profile : kProfiles) {
        profiles[py::str{profile.name.data(), profile.name.size()}] =
            parameters_row(profile.parameters);
    }
    m.attr("PROFILES") = profiles;
    m.attr("MAX_LEVEL") = kMaxLevel;
    py::class_<Profile>(m, "Profile");
    m.def("profile", &find_profile, py::arg("name"));
    m.def("level", &make_level, py::arg("number"), py::arg("mode"), py::arg("check"));

    py::class_<Header>(m, "Header")
        .def_readonly("mapping", &Header::mapping)
        .def_readonly("footer", &Header::footer)
        .def_property_readonly("dtypes", &dtype_codes)
        .def_property_readonly("tensors", &tensor_rows)
        .def_property_readonly("table_set", &identity_bytes)
        .def_property_readonly("parameters",
                               [](const Header& h) { return parameters_row(h.parameters); });
    py::class_<Index>(m, "Index").def_readonly("header", &Index::header);
    py::class_<Composition>(m, "Composition")
        .def_readonly("coded_chunks", &Composition::coded_chunks)
        .def_readonly("scaled_chunks", &Composition::scaled_chunks)
        .def_readonly("signed_chunks", &Composition::signed_chunks)
        .def_readonly("stored_chunks", &Composition::stored_chunks)
        .def_readonly("zero_chunks", &Composition::zero_chunks)
        .def_readonly("blocks_by_table", &Composition::blocks_by_table)
        .def_readonly("zero_runs", &Composition::zero_runs)
        .def_readonly("dynamic_tables", &Composition::dynamic_tables)
        .def_readonly("header", &Composition::header)
        .def_readonly("chunk_heads", &Composition::chunk_heads)
        .def_readonly("zeros", &Composition::zeros)
        .def_readonly("runs", &Composition::runs)
        .def_readonly("lanes", &Composition::lanes)
        .def_readonly("tables", &Composition::tables)
        .def_readonly("blocks", &Composition::blocks)
        .def_readonly("scales", &Composition::scales)
        .def_readonly("codes", &Composition::codes)
        .def_readonly("raw", &Composition::raw)
        .def_readonly("stored", &Composition::stored)
        .def_readonly("footer", &Composition::footer);

    m.def("compress", &compress_tensors, py::arg("tensors"), py::arg("profile"), py::arg("mapping"),
          py::arg("tables"), py::arg("threads"));
    m.def("compress_into", &compress_into, py::arg("tensors"), py::arg("profile"),
          py::arg("mapping"), py::arg("tables"), py::arg("threads"), py::arg("out"));
    m.def("new_arrays", &new_arrays, py::arg("header"), py::arg("kinds"));
    m.def("scan", &scan_buffer, py::arg("data"), py::arg("tables"));
    m.def("look_up", &look_up_buffer, py::arg("data"), py::arg("tables"));
    m.def("decompress", &decompress_buffer, py::arg("data"), py::arg("index"), py::arg("tables"),
          py::arg("arrays"), py::arg("threads"));
    m.def("justify", &justify_values, py::arg("data"), py::arg("index"), py::arg("tensor"),
          py::arg("first"), py::arg("end"));
    m.def("read", &read_values, py::arg("data"), py::arg("index"), py::arg("tables"),
          py::arg("tensor"), py::arg("first"), py::arg("end"), py::arg("values"),
          py::arg("threads"));
    m.def("take_apart", &take_apart_buffer, py::arg("data"));
}

}  // namespace entrolith
