// SPDX-License-Identifier: Apache-2.0

#include "decode_target.hpp"

#include <cstdio>
#include <cstdlib>

#include "default_tables.hpp"
#include "entrolith/composition.hpp"
#include "entrolith/crc32.hpp"
#include "entrolith/decompress.hpp"

namespace entrolith::fuzz {
namespace {

constexpr std::size_t kDirectoryBytesAt = 20;
constexpr std::size_t kDirectoryAt = 24;
constexpr std::uint64_t kMostValues = 1u << 24;  // all-zero chunks justify any number: skip those

[[noreturn]] void broken(const char* promise) {
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

bool apart(Bytes data) {
    try {
        const Composition found = take_apart(data, read_header(data, nullptr));
        const std::uint64_t sum = found.header + found.chunk_heads + found.zeros + found.lanes +
                                  found.runs + found.tables + found.blocks + found.scales +
                                  found.codes + found.raw + found.stored + found.footer;
        if (sum != data.size()) broken("info accounts for every byte");
        return true;
    } catch (const StreamError& error) {
        if (error.offset() > data.size() && error.offset() > kDirectoryAt) {
            broken("an offset lies in the stream");
        }
        return false;
    }
}

}  // namespace

const TableSet& tables() {
    static const TableSet set{kDefaultTables, kDefaultTablesIdentity};
    return set;
}

std::vector<std::vector<std::uint64_t>> decoded(Bytes data, const Index& index) {
    std::vector<std::vector<std::uint64_t>> arrays;
    for (const Segment& segment : index.header.segments)
        arrays.resize(arrays.size() + segment.tensors.size());
    std::vector<Destination> destinations(arrays.size());
    for (const Segment& segment : index.header.segments) {
        for (const Tensor& tensor : segment.tensors) {
            const auto rank = static_cast<std::size_t>(tensor.rank);
            arrays[rank].resize(
                static_cast<std::size_t>(tensor.values) * bytes_of(segment.dtype) / 8 + 1);
            destinations[rank] = {arrays[rank].data(), 0, tensor.values};
        }
    }
    decompress(data, index, tables(), destinations, 1);
    return arrays;
}

bool decodes(Bytes data) {
    const std::vector<std::uint8_t> copy(data.begin(), data.end());
    const bool structured = apart(copy);
    try {
        const Index index = scan(copy, tables());
        std::uint64_t values = 0;
        for (const Segment& segment : index.header.segments) values += segment.values();
        if (values <= kMostValues) decoded(copy, index);
    } catch (const StreamError&) {
        return false;
    }
    if (!structured) broken("info reads what the decoder reads");
    return true;
}

std::vector<std::uint8_t> resealed(Bytes data) {
    std::vector<std::uint8_t> copy(data.begin(), data.end());
    if (copy.size() < kDirectoryAt + 4) return copy;
    const auto directory = load<std::uint32_t>(copy.data() + kDirectoryBytesAt);
    if (directory > copy.size() - kDirectoryAt - 4) return copy;
    const std::size_t end = kDirectoryAt + directory;
    store(copy.data() + end, crc32(copy.data(), end));
    return copy;
}

}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace entrolith::fuzz;
    decodes({data, size});
    decodes(resealed({data, size}));  // past the header's check
    return 0;
}
