// SPDX-License-Identifier: Apache-2.0

#include "entrolith/matrix.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "entrolith/limits.hpp"

namespace entrolith {
namespace {

constexpr unsigned kLog2Amplification = 18;  // values for each byte of parameters and live value

/// The product; where a tensor has no values it may be huge, and stays at kHuge.
std::uint64_t product(std::span<const std::uint64_t> dimensions) noexcept {
    constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
    std::uint64_t count = 1;
    for (const std::uint64_t dimension : dimensions) {
        if (dimension == 0) return 0;
        count = count > kHuge / dimension ? kHuge : count * dimension;
    }
    return count;
}

LiveSet read_dead(Cursor& cursor, std::uint64_t size, const char* field) {
    const std::size_t start = cursor.at();
    const std::uint64_t dead = cursor.varint(field);
    if (dead == 0) return {size, nullptr};
    const std::size_t at = cursor.at();
    const std::uint64_t bytes = size / 8 + (size % 8 != 0);
    const std::uint8_t* bits = cursor.take(bytes, field);
    if (size % 8 != 0 && bits[bytes - 1] >> size % 8 != 0) {
        corrupt(field, at, "a bit beyond the last is set");
    }
    LiveSet found{size, bits};
    if (found.dead() != dead) {
        corrupt(field, start, std::to_string(found.dead()) + " bits are set");
    }
    return found;
}

template <class Value>
bool has_zero(const std::vector<Value>& values) noexcept {
    bool found = false;
    for (const Value value : values) found |= value == 0;
    return found;
}

void set_bit(std::vector<std::uint8_t>& bits, std::size_t i) noexcept {
    bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << i % 8);
}

}  // namespace

std::optional<Extent> extent(std::span<const std::uint64_t> shape, std::uint64_t view) noexcept {
    if (view == 0 && shape.size() >= 3) {
        const std::uint64_t taps = product(shape.subspan(2));
        return Extent{shape[0] * taps, shape[1], taps};
    }
    if (view == 0 || view >= shape.size()) return std::nullopt;
    const auto split = static_cast<std::size_t>(view);
    return Extent{product(shape.first(split)), product(shape.subspan(split)), 1};
}

Matrix::Matrix(std::uint8_t view, const Extent& extent, std::uint64_t strip, LiveSet rows,
               LiveSet columns)
    : view_{view},
      extent_{extent},
      strip_{strip},
      rows_{std::move(rows)},
      columns_{std::move(columns)} {}

Matrix Matrix::read(Cursor cursor, std::span<const std::uint64_t> shape, std::size_t full) {
    const std::size_t start = cursor.at();
    const auto view = cursor.integer<std::uint8_t>("view");
    const auto found = extent(shape, view);
    if (!found) corrupt("view", start, "no view of these dimensions");
    const std::uint64_t strip = cursor.varint("strip");
    if (strip == 0 || strip > full) {
        corrupt("strip", start + 1, "strips of " + std::to_string(strip) + " columns");
    }
    LiveSet rows = read_dead(cursor, found->rows, "dead_rows");
    LiveSet columns = read_dead(cursor, found->columns, "dead_columns");
    if (cursor.left() != 0) corrupt("parameter_bytes", cursor.at(), "the parameters end early");
    // Dead values take no room in chunks: what there are must be accounted for by the parameters.
    const std::uint64_t account = cursor.at() - start + rows.count() * columns.count();
    if (account < kMaxValues >> kLog2Amplification &&
        found->rows * found->columns > account << kLog2Amplification) {
        corrupt("view", start, "too many values for these parameters");
    }
    return {view, *found, strip, std::move(rows), std::move(columns)};
}

void Matrix::write(std::vector<std::uint8_t>& out) const {
    out.push_back(view_);
    put_varint(out, strip_);
    for (const LiveSet* set : {&rows_, &columns_}) {
        put_varint(out, set->dead());
        const std::vector<std::uint8_t> bits = set->dead_bits();
        out.insert(out.end(), bits.begin(), bits.end());
    }
}

std::optional<std::uint64_t> Matrix::in_one_piece(const Grid::Tile& tile) const noexcept {
    if (extent_.taps != 1 || (tile.rows != 1 && tile.columns != extent_.columns)) {
        return std::nullopt;
    }
    const LiveSet::Run rows = rows_.run(rows_.select(tile.row));
    const LiveSet::Run columns = columns_.run(columns_.select(tile.column));
    if (rows.end - rows.first < tile.rows || columns.end - columns.first < tile.columns) {
        return std::nullopt;
    }
    return rows.first * extent_.columns + columns.first;
}

/// Calls function(position, length, done) for the values of a tile in each run of live columns of a
/// row: they are extent_.taps apart in the tensor, and `done` of the tile came before.
template <class Function>
void Matrix::for_each_run(const Grid::Tile& tile, Function&& function) const {
    struct Piece {
        std::uint64_t column;
        std::size_t length;
    };
    std::vector<Piece> pieces;
    LiveSet::Run run = columns_.run(columns_.select(tile.column));
    for (std::size_t left = tile.columns; left != 0; run = columns_.run(run.end)) {
        const auto length =
            static_cast<std::size_t>(std::min<std::uint64_t>(left, run.end - run.first));
        pieces.push_back({run.first, length});
        left -= length;
    }
    LiveSet::Run rows = rows_.run(rows_.select(tile.row));
    std::size_t done = 0;
    for (std::uint64_t row = rows.first; done < tile.count(); ++row) {
        if (row == rows.end) {
            rows = rows_.run(row);
            row = rows.first;
        }
        const std::uint64_t line = row / extent_.taps * extent_.columns;
        for (const Piece& piece : pieces) {
            function((line + piece.column) * extent_.taps + row % extent_.taps, piece.length, done);
            done += piece.length;
        }
    }
}

template <class Value>
void Matrix::gather(const Value* tensor, const Grid::Tile& tile, Value* values) const {
    const auto taps = static_cast<std::size_t>(extent_.taps);
    for_each_run(tile, [=](std::uint64_t position, std::size_t length, std::size_t done) {
        const Value* from = tensor + static_cast<std::size_t>(position);
        if (taps == 1) {
            std::memcpy(values + done, from, length * sizeof(Value));
        } else {
            for (std::size_t i = 0; i < length; ++i) values[done + i] = from[i * taps];
        }
    });
}

template <class Value>
void Matrix::scatter(const Value* values, const Grid::Tile& tile, const Range& wanted,
                     Value* tensor) const {
    const std::uint64_t taps = extent_.taps;
    const auto before = [taps](std::uint64_t from, std::uint64_t to) -> std::uint64_t {
        return from < to ? (to - from + taps - 1) / taps : 0;  // positions of from + i taps
    };
    for_each_run(tile, [=](std::uint64_t position, std::size_t length, std::size_t done) {
        const std::uint64_t low = before(position, wanted.first);
        const std::uint64_t high = std::min<std::uint64_t>(length, before(position, wanted.end));
        if (low >= high) return;
        const Value* from = values + done + static_cast<std::size_t>(low);
        Value* to = tensor + static_cast<std::size_t>(position + low * taps - wanted.first);
        const auto kept = static_cast<std::size_t>(high - low);
        if (taps == 1) {
            std::memcpy(to, from, kept * sizeof(Value));
        } else {
            const auto stride = static_cast<std::size_t>(taps);
            for (std::size_t i = 0; i < kept; ++i) to[i * stride] = from[i];
        }
    });
}

template <class Value>
Matrix find_dead(const Value* tensor, std::span<const std::uint64_t> shape, std::uint8_t view,
                 std::uint64_t widest) {
    constexpr std::size_t kStep = 256;  // values to look at before asking whether that was enough
    const Extent e = *extent(shape, view);
    const auto taps = static_cast<std::size_t>(e.taps);
    const std::size_t line = static_cast<std::size_t>(e.columns) * taps;  // rows side by side
    std::vector<std::uint8_t> dead_rows(static_cast<std::size_t>((e.rows + 7) / 8));
    std::vector<std::uint8_t> dead_columns(static_cast<std::size_t>((e.columns + 7) / 8));
    std::vector<Value> in_columns(line);  // the values of a column, or'ed
    std::vector<Value> in_rows(taps);
    bool looking = true;  // for columns that still seem dead
    for (std::size_t first = 0; first < e.rows; first += taps) {
        const Value* values = tensor + first / taps * line;
        if (looking) {
            for (std::size_t i = 0; i < line; ++i) {
                in_columns[i] = static_cast<Value>(in_columns[i] | values[i]);
            }
            looking = first / taps % 16 != 0 || has_zero(in_columns);
        }
        std::ranges::fill(in_rows, Value{0});
        for (std::size_t begin = 0, end = 0; begin < line && has_zero(in_rows); begin = end) {
            end = std::min(line, begin + kStep * taps);
            for (std::size_t t = 0; t < taps; ++t) {
                Value any = 0;
                for (std::size_t i = begin + t; i < end; i += taps) {
                    any = static_cast<Value>(any | values[i]);
                }
                in_rows[t] = static_cast<Value>(in_rows[t] | any);
            }
        }
        for (std::size_t t = 0; t < taps; ++t) {
            if (in_rows[t] == 0) set_bit(dead_rows, first + t);
        }
    }
    for (std::size_t j = 0; j < e.columns; ++j) {
        Value any = 0;
        for (std::size_t t = 0; t < taps; ++t) {
            any = static_cast<Value>(any | in_columns[j * taps + t]);
        }
        if (any == 0) set_bit(dead_columns, j);
    }
    LiveSet rows{e.rows, dead_rows.data()};
    LiveSet columns{e.columns, dead_columns.data()};
    const std::uint64_t live = columns.count();
    const std::uint64_t strips = live / widest + (live % widest != 0);
    const std::uint64_t strip = strips == 0 ? 1 : (live + strips - 1) / strips;
    return {view, e, strip, std::move(rows), std::move(columns)};
}

#define ENTROLITH_MATRIX(Value)                                                                 \
    template void Matrix::gather(const Value*, const Grid::Tile&, Value*) const;                \
    template void Matrix::scatter(const Value*, const Grid::Tile&, const Range&, Value*) const; \
    template Matrix find_dead(const Value*, std::span<const std::uint64_t>, std::uint8_t,       \
                              std::uint64_t);
ENTROLITH_MATRIX(std::uint8_t)
ENTROLITH_MATRIX(std::uint16_t)
ENTROLITH_MATRIX(std::uint32_t)
ENTROLITH_MATRIX(std::uint64_t)
#undef ENTROLITH_MATRIX

}  // namespace entrolith
