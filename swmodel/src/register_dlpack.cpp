// SPDX-License-Identifier: Apache-2.0
//
// Tensors of other libraries, without a copy and without those libraries: what a DLPack capsule
// points at as a buffer of unsigned integers. NumPy's own reader knows no bf16 and no fp8.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "register.hpp"

namespace py = pybind11;

namespace entrolith {
namespace {

// The structures of DLPack's C interface, as capsules named "dltensor" hold them.
struct DlTensor {
    void* data;
    std::int32_t device_type;
    std::int32_t device_id;
    std::int32_t ndim;
    std::uint8_t type_code;
    std::uint8_t type_bits;
    std::uint16_t type_lanes;
    std::int64_t* shape;
    std::int64_t* strides;  // in elements; null if contiguous
    std::uint64_t byte_offset;
};

struct DlManagedTensor {
    DlTensor tensor;
    void* context;
    void (*deleter)(DlManagedTensor*);
};

constexpr std::array kHostDevices{1, 3, 11};  // CPU, and host memory of CUDA and ROCm

/// The NumPy name of an element type, as far as values of it may be coded or refused by name.
std::string type_name(const DlTensor& tensor) {
    static constexpr std::array<const char*, 6> kFamilies{"int",   "uint",   "float",
                                                          nullptr, "bfloat", "complex"};
    const unsigned code = tensor.type_code;
    if (tensor.type_lanes != 1) return "vectors";
    if (code == 4 && tensor.type_bits == 16) return "bfloat16";
    if (code == 6) return "bool";
    if (code == 10 && tensor.type_bits == 8) return "float8_e4m3fn";
    if (code == 12 && tensor.type_bits == 8) return "float8_e5m2";
    if (code < kFamilies.size() && kFamilies[code] != nullptr) {
        return kFamilies[code] + std::to_string(tensor.type_bits);
    }
    return "DLPack type " + std::to_string(code) + " of " + std::to_string(tensor.type_bits) +
           " bits";
}

/// A tensor that a capsule has handed over.
class Taken {
public:
    explicit Taken(const py::capsule& capsule) {
        if (!PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
            throw std::invalid_argument{"not a DLPack capsule, or a used one"};
        }
        managed_.reset(
            static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor")));
        if (PyCapsule_SetName(capsule.ptr(), "used_dltensor") != 0) {
            throw py::error_already_set{};
        }
    }

    [[nodiscard]] const DlTensor& tensor() const noexcept { return managed_->tensor; }
    [[nodiscard]] std::string name() const { return type_name(tensor()); }

    [[nodiscard]] py::buffer_info buffer() const {
        static constexpr std::array<const char*, 4> kFormats{"B", "H", "I", "Q"};
        const DlTensor& t = tensor();
        const unsigned width = t.type_bits / 8u;
        const std::size_t log2 = width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3;
        const auto dimensions = static_cast<std::size_t>(t.ndim);
        std::vector<py::ssize_t> shape(t.shape, t.shape + dimensions);
        std::vector<py::ssize_t> strides(dimensions);
        py::ssize_t step = width;
        for (std::size_t i = dimensions; i-- > 0; step *= shape[i]) {
            strides[i] = t.strides == nullptr ? step : t.strides[i] * width;
        }
        auto* data = static_cast<std::uint8_t*>(t.data) + t.byte_offset;
        return {data, width, kFormats[log2], t.ndim, std::move(shape), std::move(strides)};
    }

private:
    struct Release {
        void operator()(DlManagedTensor* managed) const {
            if (managed->deleter != nullptr) managed->deleter(managed);
        }
    };
    std::unique_ptr<DlManagedTensor, Release> managed_;
};

std::unique_ptr<Taken> take(const py::capsule& capsule) {
    auto taken = std::make_unique<Taken>(capsule);
    const DlTensor& t = taken->tensor();
    if (std::ranges::find(kHostDevices, t.device_type) == kHostDevices.end()) {
        throw std::invalid_argument{"not in memory that this process can read"};
    }
    const unsigned bits = t.type_bits;
    if (t.type_lanes != 1 || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) {
        throw py::type_error{taken->name() + " is not supported"};
    }
    return taken;
}

}  // namespace

void register_dlpack(py::module_& m) {
    py::class_<Taken>(m, "DlpackTensor", py::buffer_protocol())
        .def_property_readonly("type_name", &Taken::name)
        .def_buffer(&Taken::buffer);
    m.def("take_dlpack", &take, py::arg("capsule"));
}

}  // namespace entrolith
