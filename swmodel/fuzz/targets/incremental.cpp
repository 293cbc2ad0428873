// SPDX-License-Identifier: Apache-2.0
//
// incremental: a stream written and read in pieces: the bytes and the outcome of doing it at once.
//
// Input     which, sizes of the pieces, then a profile and values, or a stream (streams.hpp).

#include "entrolith/incremental.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "fuzzed_data.hpp"
#include "promise.hpp"
#include "streams.hpp"
#include "values.hpp"

namespace entrolith::fuzz {
namespace {

/// Sizes of pieces, over and over; none is more than `left`, or so small that it takes for ever.
class Pieces {
public:
    explicit Pieces(FuzzedData& input) {
        do {
            sizes_.push_back(input.skewed());
        } while (sizes_.size() < 4 && input.flag());
        if (std::ranges::all_of(sizes_, [](std::size_t size) { return size == 0; })) {
            sizes_.push_back(1);
        }
    }
    std::size_t next(std::size_t left) {
        return std::min(left, std::max(sizes_[at_++ % sizes_.size()], left / 64));
    }

private:
    std::vector<std::size_t> sizes_;
    std::size_t at_ = 0;
};

template <class F>
void write(FuzzedData& input, Pieces pieces, const Profile& profile) {
    const std::size_t count = input.skewed();
    const auto values = read_values<F>(input, count);

    Compressor compressor{F::kDtype, {count}, profile, tables()};
    std::vector<std::uint8_t> stream;
    const auto append = [&](std::size_t bound, auto&& put) {
        const auto room = std::make_unique_for_overwrite<std::uint8_t[]>(bound);
        const std::uint8_t* end = put(room.get());
        stream.insert(stream.end(), static_cast<const std::uint8_t*>(room.get()), end);
    };
    for (std::size_t first = 0; first < count;) {
        const std::size_t piece = pieces.next(count - first);
        append(compressor.write_bound(piece), [&](std::uint8_t* out) {
            return compressor.write(values.data() + first, piece, out);
        });
        first += piece;
        promise(compressor.left() == count - first, "what is left is known");
    }
    append(compressor.finish_bound(), [&](std::uint8_t* out) { return compressor.finish(out); });

    const Input tensor{{}, F::kDtype, {count}, values.data()};
    promise(stream == encode({&tensor, 1}, false, profile), "pieces give the bytes of the whole");
}

/// What a stream's only tensor holds, as bytes.
using Values = std::vector<std::uint8_t>;

Values read_in_pieces(Bytes stream, Pieces pieces) {
    Decompressor decompressor{tables()};
    Values values;
    const auto drain = [&] {
        const std::uint64_t waiting = decompressor.waiting();
        if (waiting == 0) return;
        const auto size =
            static_cast<std::size_t>(waiting) * bytes_of(decompressor.segment()->dtype);
        std::vector<std::uint64_t> room((size + 7) / 8);
        decompressor.drain(room.data());
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(room.data());
        values.insert(values.end(), bytes, bytes + size);
    };
    while (!stream.empty()) {
        const std::size_t piece = pieces.next(stream.size());
        decompressor.feed(stream.first(piece));
        stream = stream.subspan(piece);
        drain();
        if (values.size() > 8 * kMostValues) return {};
    }
    decompressor.finish();
    return values;
}

Values read_at_once(Bytes stream) {
    const Header header = read_header(stream, &tables());
    if (header.mapping || header.segments[0].matrix) {
        throw StreamError{Cause::kMode, "", 0, "only as a whole"};
    }
    const Tensors tensors = decode(stream);
    if (tensors.empty()) return {};
    const auto size =
        static_cast<std::size_t>(header.segments[0].values()) * bytes_of(header.segments[0].dtype);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(tensors[0].data());
    return {bytes, bytes + size};
}

void read(FuzzedData& input, const Pieces& pieces) {
    const auto stream = read_stream(input);
    const auto whole = outcome_of([&] { return read_at_once(stream); });
    const auto parts = outcome_of([&] { return read_in_pieces(stream, pieces); });
    promise(accepted(whole) == accepted(parts), "pieces are refused as the whole is");
    if (accepted(whole)) promise(whole == parts, "pieces give the values of the whole");
}

}  // namespace
}  // namespace entrolith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace entrolith;
    fuzz::FuzzedData input{{data, size}};
    const fuzz::Pieces pieces{input};
    if (input.flag()) {
        Profile profile = fuzz::read_profile(input);
        profile.matrices = Matrices::kNever;
        with_dtype(fuzz::read_dtype(input, profile.parameters.version),
                   [&](auto f) { fuzz::write<decltype(f)>(input, pieces, profile); });
    } else {
        fuzz::read(input, pieces);
    }
    return 0;
}
