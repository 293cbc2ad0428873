// SPDX-License-Identifier: Apache-2.0
//
// tensors: tensors of every shape and dtype, with dead rows and columns, through whole streams: the
// same bytes from any number of threads, and back; no changed bit or missing byte goes unseen.

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "fuzzed_data.hpp"
#include "promise.hpp"
#include "streams.hpp"
#include "values.hpp"

namespace entrolith::fuzz {
namespace {

constexpr std::size_t kMostInTensor = 1u << 15;

struct Owned {
    Input tensor;  // its values are those below
    std::size_t bytes;
    std::vector<std::uint64_t> values;
};

std::vector<std::uint64_t> read_shape(FuzzedData& input) {
    std::vector<std::uint64_t> shape(input.below(5));
    std::size_t left = kMostInTensor;
    for (std::uint64_t& dimension : shape) {
        dimension =
            std::min(left, input.below(16) == 0 ? input.integer<std::uint16_t>() : input.below(97));
        left /= std::max<std::size_t>(1, static_cast<std::size_t>(dimension));
    }
    return shape;
}

/// Clears rows and columns of the tensor seen as a matrix with its last dimension as columns.
template <class Value>
void kill(FuzzedData& input, const std::vector<std::uint64_t>& shape, std::vector<Value>& values) {
    const unsigned rows = input.integer<std::uint8_t>();
    const unsigned columns = input.integer<std::uint8_t>();
    const std::size_t width = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
    const auto dead = [](std::size_t i, unsigned of_256) {
        return (i * 0x9E37u >> 3 & 255) < of_256;
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (dead(i / width, rows) || dead(i % width, columns)) values[i] = 0;
    }
}

Owned read_tensor(FuzzedData& input, std::string name, std::uint8_t version) {
    Owned owned{{std::move(name), read_dtype(input, version), read_shape(input), nullptr}, 0, {}};
    with_dtype(owned.tensor.dtype, [&](auto f) {
        using F = decltype(f);
        const auto count = *count_values(owned.tensor.shape);
        const bool deads = input.flag();
        auto values = read_values<F>(input, static_cast<std::size_t>(count));
        if (deads) kill(input, owned.tensor.shape, values);
        owned.bytes = values.size() * sizeof values[0];
        owned.values.resize((owned.bytes + 7) / 8);
        if (owned.bytes != 0) std::memcpy(owned.values.data(), values.data(), owned.bytes);
    });
    owned.tensor.values = owned.values.data();
    return owned;
}

void round_trip(FuzzedData& input) {
    const Profile profile = read_profile(input);
    const bool mapping = profile.parameters.version >= 2 && input.flag();
    const auto damage = input.integer<std::uint32_t>();
    std::vector<Owned> owned;
    owned.push_back(read_tensor(input, "", profile.parameters.version));
    while (mapping && owned.size() < 6 && input.flag()) {
        owned.push_back(
            read_tensor(input, std::string(owned.size(), 'x'), profile.parameters.version));
    }
    std::vector<Input> tensors;
    for (const Owned& one : owned) tensors.push_back(one.tensor);
    const auto stream = encode(tensors, mapping, profile);
    promise(stream == encode(tensors, mapping, profile, 3), "threads do not change a stream");

    const auto back = outcome_of([&] { return decode(stream); });
    promise(accepted(back), "a stream is accepted");
    const auto& values = std::get<Tensors>(back);
    promise(
        values.size() == owned.size() && std::ranges::equal(values, owned, std::ranges::equal_to{},
                                                            std::identity{}, &Owned::values),
        "tensors come back");

    const Bytes cut = Bytes{stream}.first(damage % stream.size());
    promise(!accepted(outcome_of([&] { return decode(guarded(cut)); })), "a cut stream is refused");
    if (!has_footer(profile.parameters)) return;
    auto flipped = stream;
    flipped[damage / 8 % stream.size()] ^= static_cast<std::uint8_t>(1u << damage % 8);
    promise(!accepted(outcome_of([&] { return decode(flipped); })), "a flipped bit is seen");
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    entrolith::fuzz::FuzzedData input{{data, size}};
    entrolith::fuzz::round_trip(input);
    return 0;
}
