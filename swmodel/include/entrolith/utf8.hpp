// SPDX-License-Identifier: Apache-2.0
//
// entrolith/utf8.hpp - whether a name is well-formed UTF-8 (RFC 3629: shortest forms, no
// surrogates).
#pragma once

#include <cstddef>
#include <cstdint>

#include "entrolith/bytes.hpp"

namespace entrolith {

[[nodiscard]] constexpr bool is_utf8(Bytes text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const unsigned lead = text[at++];
        if (lead < 0x80) continue;
        if (lead < 0xC2 || lead > 0xF4) return false;
        const unsigned following = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
        // The second byte decides on overlong forms, surrogates and the end of the code space.
        unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        for (unsigned i = 0; i < following; ++i) {
            if (at == text.size() || text[at] < low || text[at] > high) return false;
            ++at;
            low = 0x80;
            high = 0xBF;
        }
    }
    return true;
}

}  // namespace entrolith
