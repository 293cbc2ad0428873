// SPDX-License-Identifier: Apache-2.0
//
// entrolith_fuzz SECONDS SEED: damaged streams into the decoder, random values through the codec.
//
// First every truncation and every flip of a bit of small streams, then damage at random, headers
// forged with a right check, random bytes and round trips until the time is over. It is meant to be
// built with sanitizers; run.py does both.

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include "decode_target.hpp"
#include "entrolith/kernels.hpp"
#include "inputs.hpp"

namespace entrolith::fuzz {
namespace {

constexpr std::array kDtypes{Dtype::kFp32, Dtype::kBf16,    Dtype::kFp16,
                             Dtype::kFp64, Dtype::kFp8E4M3, Dtype::kFp8E5M2};
constexpr std::array kNamed{kProfiles[0], kProfiles[1], level(1, std::nullopt, true),
                            level(5, Mode::kDynamic, true), level(5, Mode::kHybrid, true)};

void require(bool good, const char* what) {
    if (good) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

struct Counts {
    std::size_t truncations = 0;
    std::size_t flips = 0;
    std::size_t damaged = 0;
    std::size_t forged = 0;
    std::size_t random = 0;
    std::size_t accepted = 0;
    std::size_t round_trips = 0;
    std::size_t values = 0;
};

void truncate_and_flip(Random& random, Counts& counts) {
    for (const Profile& named : kNamed) {
        for (const Dtype dtype : kDtypes) {
            if (named.parameters.version < version_of(dtype)) continue;
            const auto stream =
                compressed(random_values(random, dtype, 300 + below(random, 300)), named);
            for (std::size_t end = 0; end < stream.size(); ++end) {
                require(!decodes(Bytes{stream}.first(end)), "a truncated stream is refused");
                ++counts.truncations;
            }
            auto flipped = stream;
            for (std::size_t bit = 0; bit < 8 * stream.size(); ++bit) {
                const auto mask = static_cast<std::uint8_t>(1u << bit % 8);
                flipped[bit / 8] ^= mask;
                require(!decodes(flipped), "a flipped bit is seen");
                flipped[bit / 8] ^= mask;
                ++counts.flips;
            }
        }
    }
}

void round_trip(Random& random, Counts& counts) {
    const Dtype dtype = kDtypes[below(random, kDtypes.size())];
    const std::size_t count = below(random, 4) == 0 ? below(random, 70000) : below(random, 3000);
    const Values values = random_values(random, dtype, count);
    const Profile profile = random_profile(random, dtype);
    const auto stream = compressed(values, profile);
    for (const Kernel* each : kernels()) {
        set_kernel(each->name);
        require(compressed(values, profile) == stream, "kernels write the same bytes");
        const auto back = decoded(stream, scan(stream, tables()));
        require(std::memcmp(back[0].data(), values.bytes.data(), values.bytes.size()) == 0,
                "values come back");
    }
    require(decodes(stream), "a stream is accepted");
    ++counts.round_trips;
    counts.values += count;
}

void damage(Random& random, Counts& counts) {
    const Dtype dtype = kDtypes[below(random, kDtypes.size())];
    const Values values = random_values(random, dtype, 1 + below(random, 2500));
    const auto stream = compressed(values, random_profile(random, dtype));
    const std::size_t header = read_header(stream, &tables()).bytes;
    for (int i = 0; i < 100; ++i) {
        counts.accepted += decodes(damaged(random, stream, header));
        ++counts.damaged;
    }
    for (int i = 0; i < 20; ++i) {
        auto forged = damaged(
            random, {stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(header)}, 0);
        forged.insert(forged.end(), stream.begin() + static_cast<std::ptrdiff_t>(header),
                      stream.end());
        counts.accepted += decodes(resealed(forged));
        ++counts.forged;
    }
    std::vector<std::uint8_t> body(stream.begin(),
                                   stream.begin() + static_cast<std::ptrdiff_t>(header));
    for (std::size_t left = below(random, 3000); left > 0; --left) {
        body.push_back(static_cast<std::uint8_t>(random()));
    }
    counts.accepted += decodes(body);
    counts.accepted += decodes(Bytes{body}.subspan(header));
    counts.random += 2;
}

int run(double seconds, std::uint64_t seed) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>{seconds};
    Random random{seed};
    Counts counts;
    truncate_and_flip(random, counts);
    do {
        round_trip(random, counts);
        for (const Kernel* each : kernels()) {
            set_kernel(each->name);
            damage(random, counts);
        }
    } while (Clock::now() < end);
    std::printf(
        "%zu truncations, %zu flips, %zu damaged, %zu forged headers, %zu random; of the last "
        "three kinds %zu were valid\n%zu round trips of %zu values\n",
        counts.truncations, counts.flips, counts.damaged, counts.forged, counts.random,
        counts.accepted, counts.round_trips, counts.values);
    return 0;
}

}  // namespace
}  // namespace entrolith::fuzz

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s SECONDS SEED\n", argv[0]);
        return 2;
    }
    try {
        return entrolith::fuzz::run(std::stod(argv[1]), std::stoull(argv[2]));
    } catch (const std::logic_error& error) {  // of the arguments, or the codec's own
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        return 2;
    }
}
