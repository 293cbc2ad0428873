// SPDX-License-Identifier: Apache-2.0

#include "inputs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "decode_target.hpp"
#include "entrolith/compress.hpp"
#include "entrolith/header.hpp"

namespace entrolith::fuzz {
namespace {

template <class F>
void fill(Random& random, typename F::Value* values, std::size_t count) {
    using Value = typename F::Value;
    std::size_t i = 0;
    while (i < count) {  // a stretch of one kind after the other
        const std::size_t end = std::min(count, i + 1 + below(random, 2000));
        const std::size_t kind = below(random, 7);
        const auto top = static_cast<unsigned>(below(random, F::kMaxExponent + 1));
        const auto mask = static_cast<Value>(
            below(random, 2) == 0 ? ~Value{0} : ~Value{0} << below(random, F::kMantissaBits + 1));
        for (; i < end; ++i) {
            const std::uint64_t bits = random();
            unsigned exponent = top;
            switch (kind) {
                case 0:  // zero
                    values[i] = 0;
                    continue;
                case 1:  // any bits
                    values[i] = static_cast<Value>(bits);
                    continue;
                case 2:  // any exponent up to the top
                    exponent = static_cast<unsigned>((bits >> 32) % (top + 1));
                    break;
                case 3:  // half of them zero
                    if ((bits >> 40 & 1) != 0) {
                        values[i] = 0;
                        continue;
                    }
                    [[fallthrough]];
                default:  // as in a gradient, now and then far below
                    exponent -= std::min(
                        top, static_cast<unsigned>(std::countr_zero(bits >> 32 | 1u << 30)));
                    break;
            }
            const auto part = static_cast<Value>((bits & (F::kSign | F::kMantissa)) & mask);
            values[i] = F::join(static_cast<typename F::Exponent>(exponent), part);
        }
    }
}

}  // namespace

std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

Values random_values(Random& random, Dtype dtype, std::size_t count) {
    Values made{dtype, count, std::vector<std::uint8_t>(count * bytes_of(dtype))};
    with_dtype(dtype, [&](auto f) {
        using F = decltype(f);
        std::vector<typename F::Value> values(count);
        fill<F>(random, values.data(), count);
        if (count != 0) std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
    });
    return made;
}

std::uint8_t version_of(Dtype dtype) { return dtype > Dtype::kFp16 ? 2 : 1; }

Profile random_profile(Random& random, Dtype dtype) {
    const auto coin = [&random] { return below(random, 2) == 0; };
    if (version_of(dtype) == 1 && coin()) return kProfiles[below(random, kProfiles.size())];
    const std::size_t log2_chunk = 9 + below(random, 7);
    const std::size_t log2_block = 5 + below(random, log2_chunk - 4);
    const bool old = version_of(dtype) == 1 && coin();
    const Parameters parameters{
        static_cast<std::uint8_t>(old ? 1 : 2), static_cast<std::uint8_t>(log2_chunk),
        static_cast<std::uint8_t>(log2_block), static_cast<std::uint8_t>(3 + below(random, 4)),
        static_cast<std::uint8_t>(below(random, 2))};
    const auto mode = static_cast<Mode>(old ? 0 : below(random, 3));
    return {"any", parameters, coin(), coin(), !old && coin(), mode};
}

std::vector<std::uint8_t> compressed(const Values& values, const Profile& profile) {
    const Input input{{}, values.dtype, {values.count}, values.bytes.data()};
    const std::vector<Part> parts = make_parts({&input, 1}, profile, tables());
    const auto header = write_header(profile.parameters, false, {&parts[0].segment, 1}, tables());
    std::vector<std::uint8_t> out(compress_bound(parts, header.size(), profile));
    out.resize(compress(parts, header, profile, tables(), 1, out));
    return out;
}

std::vector<std::uint8_t> damaged(Random& random, std::vector<std::uint8_t> stream,
                                  std::size_t behind) {
    constexpr std::uint8_t kTelling[] = {0, 1, 2, 127, 128, 254, 255};
    for (std::size_t left = 1 + below(random, 4); left > 0; --left) {
        behind = std::min(behind, stream.size());
        const std::size_t at = behind + below(random, stream.size() - behind + 1);
        const auto here = stream.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t choice = below(random, std::size(kTelling) + 3);
        const std::uint8_t byte =
            choice < std::size(kTelling) ? kTelling[choice] : static_cast<std::uint8_t>(random());
        switch (below(random, 4)) {
            case 0:
                stream.insert(here, byte);
                break;
            case 1:
                if (at < stream.size()) stream.erase(here);
                break;
            default:
                if (at < stream.size()) *here = byte;
        }
    }
    return stream;
}

}  // namespace entrolith::fuzz
