// SPDX-License-Identifier: Apache-2.0
//
// entrolith/taps.hpp - the order in which a signed chunk takes its values.
//
// Spec      FORMAT.md section 4.5: values of a convolution, `taps` for each of its inputs, in rows
//           of one tap.
#pragma once

#include <algorithm>
#include <cstddef>

namespace entrolith {

/// Calls function(place, value) with the numbers of every value in the chunk's order and in
/// memory's, as far as groups of `taps` rows of `width` go, and returns where those end.
template <class Function>
std::size_t for_each_tap(std::size_t count, std::size_t width, std::size_t taps,
                         Function&& function) noexcept {
    const std::size_t group = taps * width;
    std::size_t first = 0;
    for (; group <= count - first; first += group) {
        for (std::size_t t = 0; t < taps; ++t) {
            for (std::size_t j = 0; j < width; ++j) {
                function(first + t * width + j, first + j * taps + t);
            }
        }
    }
    return first;
}

/// Puts values in memory into the chunk's order.
template <class Value>
void gather_taps(const Value* values, std::size_t count, std::size_t width, std::size_t taps,
                 Value* places) noexcept {
    const std::size_t end = for_each_tap(
        count, width, taps,
        [=](std::size_t place, std::size_t value) noexcept { places[place] = values[value]; });
    std::copy(values + end, values + count, places + end);
}

/// Undoes gather_taps().
template <class Value>
void scatter_taps(const Value* places, std::size_t count, std::size_t width, std::size_t taps,
                  Value* values) noexcept {
    const std::size_t end = for_each_tap(
        count, width, taps,
        [=](std::size_t place, std::size_t value) noexcept { values[value] = places[place]; });
    std::copy(places + end, places + count, values + end);
}

}  // namespace entrolith
