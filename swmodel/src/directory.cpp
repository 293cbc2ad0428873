// SPDX-License-Identifier: Apache-2.0

#include "entrolith/directory.hpp"

#include <algorithm>
#include <compare>
#include <functional>
#include <stdexcept>
#include <string_view>

#include "entrolith/utf8.hpp"

namespace entrolith {
namespace {

constexpr unsigned kDtypes = 6;
constexpr unsigned kDtypesOfVersion1 = 3;
constexpr unsigned kPredictors = 4;

class DirectoryReader {
public:
    DirectoryReader(Bytes data, Cursor cursor, std::uint8_t version, bool mapping, std::size_t full)
        : data_{data}, cursor_{cursor}, version_{version}, mapping_{mapping}, full_{full} {}

    std::vector<Segment> read() {
        std::vector<Segment> segments;
        try {
            segments = read_fields();
        } catch (const StreamError&) {
            check_names();  // a name that occurs twice comes before the fault
            throw;
        }
        check_names();
        return segments;
    }

private:
    std::vector<Segment> read_fields() {
        const std::uint64_t segment_count = cursor_.varint("segment_count");
        if (!mapping_ && segment_count != 1) {
            needs_mapping("segment_count", "more or less than one segment");
        }
        std::vector<Segment> segments;
        std::uint64_t total = 0;
        for (std::uint64_t i = 0; i < segment_count; ++i) {
            segments.push_back(read_segment());
            for (const Tensor& tensor : segments.back().tensors) total += tensor.values;
            check_total(total);
        }
        if (mapping_) read_ranks(segments);
        if (cursor_.left() != 0) {
            corrupt("directory_bytes", cursor_.at(), "the directory ends early");
        }
        return segments;
    }

    /// A mapping may have what a single array must not; version 1 has no mappings.
    [[noreturn]] void needs_mapping(const char* field, const char* why) const {
        throw StreamError{version_ == 1 ? Cause::kMode : Cause::kCorrupt, field, cursor_.at(), why};
    }

    void check_total(std::uint64_t values) const {
        if (values > kMaxValues) corrupt("dimension", cursor_.at(), "more than 2^48 values");
    }

    Segment read_segment() {
        const auto code = cursor_.integer<std::uint8_t>("dtype");
        if (code == 0 || code > kDtypes) {
            corrupt("dtype", cursor_.at() - 1, std::to_string(code) + " is no type");
        }
        if (version_ == 1 && code > kDtypesOfVersion1) {
            reserved("dtype", cursor_.at() - 1, std::to_string(code) + " is reserved");
        }
        const auto predictor = cursor_.integer<std::uint8_t>("predictor");
        if (predictor > kPredictors) {
            corrupt("predictor", cursor_.at() - 1, std::to_string(predictor) + " is no predictor");
        }
        if ((predictor != kNoPredictor && predictor != kMatrixPredictor) ||
            (version_ == 1 && predictor != kNoPredictor)) {
            reserved("predictor", cursor_.at() - 1, std::to_string(predictor) + " is reserved");
        }
        const std::uint64_t parameter_bytes = cursor_.varint("parameter_bytes");
        if (predictor == kNoPredictor && parameter_bytes != 0) {
            corrupt("parameter_bytes", cursor_.at(), "predictor 0 has no parameters");
        }
        const std::size_t start = cursor_.at();
        cursor_.take(parameter_bytes, "parameters");
        const Cursor parameters{data_, start, cursor_.at(), Cause::kCorrupt};
        const std::uint64_t tensor_count = cursor_.varint("tensor_count");
        if (tensor_count != 1 && (predictor != kNoPredictor || !mapping_)) {
            needs_mapping("tensor_count", "more or less than one tensor");
        }
        Segment segment{static_cast<Dtype>(code), std::nullopt, {}};
        std::uint64_t total = 0;
        for (std::uint64_t i = 0; i < tensor_count; ++i) {
            segment.tensors.push_back(read_tensor(total));
            total += segment.tensors.back().values;
            check_total(total);
        }
        if (predictor != kNoPredictor) {
            segment.matrix = Matrix::read(parameters, segment.tensors[0].shape, full_);
        }
        return segment;
    }

    Tensor read_tensor(std::uint64_t first) {
        const std::uint64_t name_bytes = cursor_.varint("name_bytes");
        const std::uint8_t* text = cursor_.take(name_bytes, "name");
        std::string name(text, text + name_bytes);
        if (!is_utf8({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()})) {
            corrupt("name", cursor_.at(), "not UTF-8");
        }
        if (!name.empty() && !mapping_) needs_mapping("name", "named tensors");
        const auto* const characters = reinterpret_cast<const char*>(text);
        const std::string_view found{characters, static_cast<std::size_t>(name_bytes)};
        names_.push_back({std::hash<std::string_view>{}(found), found, cursor_.at()});
        const std::uint64_t ndim = cursor_.varint("ndim");
        if (ndim > kMaxDimensions) {
            corrupt("ndim", cursor_.at(), std::to_string(ndim) + " is above 32");
        }
        std::vector<std::uint64_t> shape;
        shape.reserve(static_cast<std::size_t>(ndim));
        for (std::uint64_t i = 0; i < ndim; ++i) shape.push_back(cursor_.varint("dimension"));
        const auto values = count_values(shape);
        if (!values) corrupt("dimension", cursor_.at(), "more than 2^48 values");
        return {std::move(name), std::move(shape), *values, first, 0};
    }

    /// Throws for the first name that was there before.
    void check_names() {
        std::ranges::sort(names_);
        const Name* first = nullptr;
        for (std::size_t i = 1; i < names_.size(); ++i) {
            const bool twice = names_[i].text == names_[i - 1].text;
            if (twice && (first == nullptr || names_[i].end < first->end)) first = &names_[i];
        }
        if (first != nullptr) {
            corrupt("name", first->end, "'" + std::string{first->text} + "' occurs twice");
        }
    }

    void read_ranks(std::vector<Segment>& segments) {
        std::uint64_t total = 0;
        for (const Segment& segment : segments) total += segment.tensors.size();
        std::vector<bool> seen(static_cast<std::size_t>(total));
        for (Segment& segment : segments) {
            for (Tensor& tensor : segment.tensors) {
                tensor.rank = cursor_.varint("rank");
                if (tensor.rank >= total || seen[static_cast<std::size_t>(tensor.rank)]) {
                    corrupt("rank", cursor_.at(), "the ranks are not a permutation");
                }
                seen[static_cast<std::size_t>(tensor.rank)] = true;
            }
        }
    }

    Bytes data_;
    Cursor cursor_;
    std::uint8_t version_;
    bool mapping_;
    std::size_t full_;  // values of a full chunk

    /// Hashes differ sooner than names; equal ones are no harm.
    struct Name {
        std::size_t hash;
        std::string_view text;  // in the directory's bytes
        std::size_t end;
        auto operator<=>(const Name&) const = default;
    };
    std::vector<Name> names_;
};

}  // namespace

std::optional<std::uint64_t> count_values(std::span<const std::uint64_t> shape) {
    // Of none there may be any number.
    if (std::ranges::find(shape, std::uint64_t{0}) != shape.end()) return 0;
    std::uint64_t count = 1;
    for (const std::uint64_t dimension : shape) {
        if (count > kMaxValues / dimension) return std::nullopt;
        count *= dimension;
    }
    return count;
}

std::vector<Segment> read_directory(Bytes data, Cursor cursor, std::uint8_t version, bool mapping,
                                    std::size_t full) {
    return DirectoryReader{data, cursor, version, mapping, full}.read();
}

std::vector<std::uint8_t> write_directory(std::span<const Segment> segments, bool mapping) {
    std::vector<std::uint8_t> out;
    std::uint64_t total = 0;
    put_varint(out, segments.size());
    for (const Segment& segment : segments) {
        out.push_back(static_cast<std::uint8_t>(segment.dtype));
        out.push_back(segment.predictor());
        std::vector<std::uint8_t> parameters;
        if (segment.matrix) segment.matrix->write(parameters);
        put_varint(out, parameters.size());
        out.insert(out.end(), parameters.begin(), parameters.end());
        put_varint(out, segment.tensors.size());
        for (const Tensor& tensor : segment.tensors) {
            put_varint(out, tensor.name.size());
            out.insert(out.end(), tensor.name.begin(), tensor.name.end());
            if (tensor.shape.size() > kMaxDimensions) {
                throw std::invalid_argument{"more than 32 dimensions"};
            }
            put_varint(out, tensor.shape.size());
            for (const std::uint64_t dimension : tensor.shape) put_varint(out, dimension);
            total += tensor.values;
            if (tensor.values > kMaxValues || total > kMaxValues) {
                throw std::invalid_argument{"more than 2^48 values"};
            }
        }
    }
    if (mapping) {
        for (const Segment& segment : segments) {
            for (const Tensor& tensor : segment.tensors) put_varint(out, tensor.rank);
        }
    }
    return out;
}

}  // namespace entrolith
