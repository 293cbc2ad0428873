// SPDX-License-Identifier: Apache-2.0
//
// Symbols into lanes and back. Lanes do not wait for each other, only for their place in the byte
// stream, and that place moves by a comparison: so the processor overlaps as many lanes as it has
// room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "entrolith/bytes.hpp"
#include "entrolith/codes.hpp"
#include "entrolith/lanes.hpp"
#include "entrolith/tables.hpp"

namespace entrolith {
namespace {

/// The same table for every symbol.
template <class Table>
struct OneTable {
    const Table& table;
    [[nodiscard]] const Table& of(std::size_t /*i*/) const noexcept { return table; }
};

/// One of two, by the bits of `which`.
template <class Table>
struct TwoTables {
    const Table* const* tables;
    const std::uint64_t* which;
    std::size_t lead;  // symbols that `which` counts before the stretch

    [[nodiscard]] const Table& of(std::size_t i) const noexcept {
        const std::size_t bit = lead + i;
        return *tables[which[bit / 64] >> (bit % 64) & 1];
    }
};

template <class Exponent>
std::uint8_t* put_symbol(std::uint8_t* at, std::uint16_t& state, EncodeTable::Entry entry,
                         std::uint16_t emax, Exponent difference) noexcept {
    if (entry & EncodeTable::kEscape) [[unlikely]] {
        at -= sizeof(Exponent);
        store(at, static_cast<Exponent>(emax - difference));
    }
    Lane lane{state};
    const std::uint32_t full = lane.has_byte(entry >> 16);
    at[-1] = lane.peek();  // overwritten if the lane keeps it
    at += static_cast<std::int32_t>(full);
    lane.give(full);
    lane.put(entry & 31, entry >> 8 & 255);
    state = static_cast<std::uint16_t>(lane.state());
    return at;
}

template <unsigned kLanes, class Tables, class Exponent>
void encode_stretch(CodeWriter& writer, const Tables& tables, const Stretch& stretch,
                    const Exponent* differences) noexcept {
    std::uint8_t* at = writer.at;
    std::uint16_t* states = writer.states.data();
    const std::uint16_t emax = stretch.emax;
    std::size_t i = stretch.count;
    const bool aligned = stretch.first % kLanes == 0;
    const auto put = [&](std::size_t lane) {
        at = put_symbol(at, states[lane], tables.of(i)[differences[i]], emax, differences[i]);
    };
    while (i > 0 && !(aligned && i % kLanes == 0)) {
        --i;
        put((stretch.first + i) % kLanes);
    }
    while (i > 0) {
#pragma GCC unroll 8
        for (unsigned k = kLanes; k > 0; --k) {
            --i;
            put(k - 1);
        }
    }
    writer.at = at;
}

template <class Tables, class Exponent>
class StretchDecoder {
public:
    StretchDecoder(CodeReader& reader, const Tables& tables, const Stretch& stretch) noexcept
        : reader_{reader},
          tables_{tables},
          stretch_{stretch},
          emax_{stretch.emax},
          at_{reader.at} {}
    ~StretchDecoder() { reader_.at = at_; }
    StretchDecoder(const StretchDecoder&) = delete;
    StretchDecoder& operator=(const StretchDecoder&) = delete;

    template <unsigned kLanes>
    bool decode(Exponent* differences) noexcept {
        // With all bits in use every exponent is possible, so a symbol above emax could go unseen:
        // such blocks, of the smallest numbers, go value by value.
        const bool checks_groups = stretch_.exponent_bits < 8 * sizeof(Exponent);
        std::size_t i = 0;
        if (stretch_.first % kLanes == 0 && (checks_groups || emax_ >= kEscape - 1)) {
            while (stretch_.count - i >= kLanes && left() >= kLanes * (1 + sizeof(Exponent))) {
                group<kLanes>(i, differences);
                if (checks_groups && !possible(kLanes, differences + i)) return false;
                i += kLanes;
            }
        }
        for (; i < stretch_.count; ++i) {
            if (!value(i, reader_.states[(stretch_.first + i) % kLanes], differences[i])) {
                return false;
            }
        }
        return true;
    }

private:
    [[nodiscard]] std::size_t left() const noexcept {
        return static_cast<std::size_t>(reader_.end - at_);
    }

    [[nodiscard]] bool possible(std::size_t count, const Exponent* differences) const noexcept {
        unsigned all = 0;
        for (std::size_t i = 0; i < count; ++i) {
            all |= static_cast<Exponent>(emax_ - differences[i]);
        }
        return all >> stretch_.exponent_bits == 0;
    }

    /// One symbol from each lane: the caller has seen that the bytes are there.
    template <unsigned kLanes>
    void group(std::size_t first, Exponent* differences) noexcept {
        const std::uint8_t* at = at_;
        std::uint16_t* states = reader_.states.data();
#pragma GCC unroll 8
        for (unsigned k = 0; k < kLanes; ++k) {
            Lane lane{states[k]};
            const unsigned entry = tables_.of(first + k)[lane.peek()];
            lane.drop(entry & 31);
            const std::uint32_t wanted = lane.wants_byte();
            lane.take(*at, wanted);
            at -= static_cast<std::int32_t>(wanted);
            states[k] = static_cast<std::uint16_t>(lane.state());
            auto difference = static_cast<Exponent>(entry >> 8);
            if (difference == kEscape) [[unlikely]] {
                difference = static_cast<Exponent>(emax_ - load<Exponent>(at));
                at += sizeof(Exponent);
            }
            differences[first + k] = difference;
        }
        at_ = at;
    }

    /// One symbol with every check.
    [[nodiscard]] bool value(std::size_t i, std::uint16_t& state, Exponent& difference) noexcept {
        Lane lane{state};
        const unsigned entry = tables_.of(i)[lane.peek()];
        lane.drop(entry & 31);
        if (lane.wants_byte() != 0) {
            if (at_ == reader_.end) return false;
            lane.take(*at_++, ~0u);
        }
        state = static_cast<std::uint16_t>(lane.state());
        difference = static_cast<Exponent>(entry >> 8);
        if (difference != kEscape) return difference <= emax_;
        if (left() < sizeof(Exponent)) return false;
        const auto exponent = load<Exponent>(at_);
        at_ += sizeof(Exponent);
        difference = static_cast<Exponent>(emax_ - exponent);
        return exponent >> stretch_.exponent_bits == 0;
    }

    CodeReader& reader_;
    const Tables& tables_;
    const Stretch& stretch_;
    const std::uint16_t emax_;
    const std::uint8_t* at_;
};

template <class Tables, class Exponent>
void encode_in_lanes(CodeWriter& writer, const Tables& tables, const Stretch& stretch,
                     const Exponent* differences) noexcept {
    switch (writer.lanes) {
        case 8:
            return encode_stretch<8>(writer, tables, stretch, differences);
        case 16:
            return encode_stretch<16>(writer, tables, stretch, differences);
        case 32:
            return encode_stretch<32>(writer, tables, stretch, differences);
        default:
            return encode_stretch<64>(writer, tables, stretch, differences);
    }
}

template <class Tables, class Exponent>
bool decode_in_lanes(CodeReader& reader, const Tables& tables, const Stretch& stretch,
                     Exponent* differences) noexcept {
    StretchDecoder<Tables, Exponent> decoder{reader, tables, stretch};
    switch (reader.lanes) {
        case 8:
            return decoder.template decode<8>(differences);
        case 16:
            return decoder.template decode<16>(differences);
        case 32:
            return decoder.template decode<32>(differences);
        default:
            return decoder.template decode<64>(differences);
    }
}

/// As CodeKernel says.
template <class Exponent>
void encode(CodeWriter& writer, const EncodeTable& table, const Stretch& stretch,
            const Exponent* differences) noexcept {
    encode_in_lanes(writer, OneTable<EncodeTable>{table}, stretch, differences);
}

template <class Exponent>
bool decode(CodeReader& reader, const DecodeTable& table, const Stretch& stretch,
            Exponent* differences) noexcept {
    return decode_in_lanes(reader, OneTable<DecodeTable>{table}, stretch, differences);
}

/// As Kernel::decode_turns says.
bool decode_turns(std::span<const Turn> turns) noexcept {
    for (const auto& [reader, table, stretch, differences] : turns) {
        if (!decode(*reader, *table, stretch, differences)) return false;
    }
    return true;
}

template <class Exponent>
void encode_mixed(CodeWriter& writer, const EncodeTable* const tables[2],
                  const std::uint64_t* which, const Stretch& stretch,
                  const Exponent* differences) noexcept {
    const TwoTables<EncodeTable> both{tables, which, stretch.first % 64};
    encode_in_lanes(writer, both, stretch, differences);
}

template <class Exponent>
bool decode_mixed(CodeReader& reader, const DecodeTable* const tables[2],
                  const std::uint64_t* which, const Stretch& stretch,
                  Exponent* differences) noexcept {
    const TwoTables<DecodeTable> both{tables, which, stretch.first % 64};
    return decode_in_lanes(reader, both, stretch, differences);
}

}  // namespace
}  // namespace entrolith
