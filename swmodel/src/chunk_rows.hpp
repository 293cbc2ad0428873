// SPDX-License-Identifier: Apache-2.0
//
// Scaled and signed chunks, chosen and written. FORMAT.md section 8, rules 8 and 9.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "entrolith/chunk.hpp"
#include "entrolith/kernels.hpp"
#include "entrolith/raw_parts.hpp"
#include "entrolith/scale.hpp"
#include "entrolith/signs.hpp"
#include "entrolith/taps.hpp"
#include "write_parts.hpp"

namespace entrolith {

/// Form 2 or form 3, if either.
struct RowsPlan {
    std::optional<Scale> scale;
    std::optional<SignedScale> signs;
};

/// Looks at the rows of a chunk in different widths; those in work.rows() and work.signs() are of
/// the last. F is the values' type.
template <class F>
class RowsPlanner {
public:
    RowsPlanner(const Kernel& kernel, const ChunkValues<typename F::Value>& chunk,
                Workspace& work) noexcept
        : kernel_{kernel}, chunk_{chunk}, buffers_{work.rows()}, signs_{work.signs()} {}

    void look(std::size_t width, bool with_signs) noexcept {
        rows_ = chunk_.rows(width);
        with_signs_ = with_signs;
        if (with_signs) {
            survey_ =
                kernel_.signed_rows.survey.template of<F>()(chunk_.values, rows_, buffers_, signs_);
        } else {
            survey_.scale = kernel_.rows.survey.template of<F>()(chunk_.values, rows_, buffers_);
        }
        moves_ = settle_offsets({buffers_.offsets, rows_.count()});
    }
    /// The same for rows that a plan was made of, unless the last look was at them.
    void look_again(std::size_t width, bool with_signs) noexcept {
        if (rows_.width == width && with_signs_ >= with_signs) return;
        look(width, with_signs);
    }

    /// Of the last look: the part `scale`, if it costs less than `cost`, which it then lowers.
    [[nodiscard]] std::optional<Scale> scale_below(std::uint64_t& cost) const noexcept {
        if (!survey_.scale.possible) return std::nullopt;
        const ScalePlan plan = plan_scale(rows_.width, survey_.scale, buffers_.offsets[0], moves_);
        const unsigned part_bits = HalfOctaves<F>::kPartBits - plan.scale.trailing;
        if (!lowers(cost, plan.bits, part_bits)) return std::nullopt;
        return plan.scale;
    }
    [[nodiscard]] std::optional<SignedScale> signs_below(std::uint64_t& cost,
                                                         unsigned taps) const noexcept {
        if (!survey_.possible) return std::nullopt;
        const SignedPlan plan =
            plan_signed(rows_.width, taps, F::kMantissaBits, survey_, buffers_.offsets[0], moves_,
                        {signs_.senses, rows_.count()});
        const unsigned part_bits = SignedHalves<F>::kPartBits - plan.scale.trailing;
        if (!lowers(cost, plan.bits, part_bits)) return std::nullopt;
        return plan.scale;
    }

private:
    [[nodiscard]] bool lowers(std::uint64_t& cost, std::uint64_t bits,
                              unsigned part_bits) const noexcept {
        bits += 8 * raw_bytes(chunk_.nonzero_count, part_bits);
        if (bits >= cost) return false;
        cost = bits;
        return true;
    }

    const Kernel& kernel_;
    const ChunkValues<typename F::Value>& chunk_;
    const RowBuffers buffers_;
    const SignBuffers signs_;
    Rows rows_{};
    bool with_signs_ = false;
    SignedSurvey survey_{};
    Histogram moves_{};
};

/// Rules 8 and 9: form 2 or 3, if cheaper than `cost`. Widths are ascending.
template <class F>
RowsPlan choose_rows(const Kernel& kernel, const ChunkValues<typename F::Value>& chunk,
                     std::span<const std::size_t> widths,
                     std::span<const std::size_t> signed_widths, std::uint64_t cost,
                     Workspace& work) {
    RowsPlanner<F> planner{kernel, chunk, work};
    RowsPlan best;
    std::uint64_t signed_cost = cost;
    while (!widths.empty() || !signed_widths.empty()) {
        const bool scaled =
            !widths.empty() && (signed_widths.empty() || widths.front() <= signed_widths.front());
        const std::size_t width = scaled ? widths.front() : signed_widths.front();
        const bool with_signs = !signed_widths.empty() && signed_widths.front() == width;
        planner.look(width, with_signs);
        if (scaled) {
            if (const auto found = planner.scale_below(cost)) best.scale = found;
            widths = widths.subspan(1);
        }
        if (with_signs) {
            if (const auto found = planner.signs_below(signed_cost, 1)) best.signs = found;
            signed_widths = signed_widths.subspan(1);
        }
    }
    if (signed_cost < cost) {
        best.scale.reset();
    } else {
        best.signs.reset();
    }
    if (best.scale) planner.look_again(best.scale->width, false);
    if (best.signs) planner.look_again(best.signs->width, true);
    return best;
}

inline void encode_offsets(const Kernel& kernel, CodeWriter& writer, const Lengths& table,
                           std::size_t count, const RowBuffers& buffers) {
    offset_differences(table, {buffers.offsets, count}, buffers.halves);
    kernel.codes16.encode(writer, make_encode_table(table), {0, count - 1, kOffsetEmax, 16},
                          buffers.halves);
}

/// The parts of a scaled chunk whose rows are in work.rows().
template <class F>
std::uint8_t* write_scaled(const Kernel& kernel, const ChunkValues<typename F::Value>& chunk,
                           const Scale& scale, const Parameters& parameters,
                           const std::optional<Tokens>& tokens, Workspace& work,
                           std::uint8_t* out) {
    const Rows rows = chunk.rows(scale.width);
    const RowBuffers buffers = work.rows();
    cut_raw_parts(chunk.nonzero_count, scale.trailing, kHighestHalf, parameters.block(),
                  work.blocks);
    return write_parts<HalfOctaves<F>>(
        kernel, chunk, parameters, tokens, work,
        [&](CodeWriter& writer) {
            const std::array tables{make_encode_table(scale.tables[0]),
                                    make_encode_table(scale.tables[1])};
            const EncodeTable* const both[]{&tables[0], &tables[1]};
            kernel.rows.encode(writer, both, rows, buffers);
            encode_offsets(kernel, writer, scale.offset_table, rows.count(), buffers);
        },
        [&](std::uint8_t* head) { return write_scale(scale, head); }, out);
}

/// The parts of a signed chunk whose rows are in work.rows() and work.signs().
template <class F>
std::uint8_t* write_signed(const Kernel& kernel, const ChunkValues<typename F::Value>& chunk,
                           const SignedScale& scale, const Parameters& parameters,
                           const std::optional<Tokens>& tokens, Workspace& work,
                           std::uint8_t* out) {
    const Rows rows = chunk.rows(scale.width);
    const RowBuffers buffers = work.rows();
    const SignBuffers signs = work.signs();
    cut_raw_parts(chunk.nonzero_count, scale.trailing, kHighestSignedHalf, parameters.block(),
                  work.blocks);
    return write_parts<SignedHalves<F>>(
        kernel, chunk, parameters, tokens, work,
        [&](CodeWriter& writer) {
            std::array<EncodeTable, kSignedTables> tables;
            std::ranges::transform(scale.tables, tables.begin(), make_signed_encode_table);
            kernel.signed_rows.encode(writer, tables.data(), rows, signs);
            std::uint8_t* differences = buffers.differences;  // which a signed chunk has no use for
            sense_differences(scale.sense_table, {signs.senses, rows.count()}, differences);
            kernel.codes8.encode(writer, make_encode_table(scale.sense_table),
                                 {0, rows.count(), kSenseEmax, 8}, differences);
            encode_offsets(kernel, writer, scale.offset_table, rows.count(), buffers);
        },
        [&](std::uint8_t* head) { return write_signed_scale(scale, head); }, out);
}

/// Rule 9: writes the chunk at `out` .. `end` with taps instead, if that is smaller, and returns
/// its end. `widths` are those of crosses, `body` is where its parts begin, and `bound` the room
/// that other forms need.
template <class F>
std::uint8_t* choose_taps(const Kernel& kernel, const ChunkValues<typename F::Value>& plain,
                          const Profile& profile, std::span<const std::size_t> widths,
                          std::size_t bound, Workspace& work, std::uint8_t* out, std::uint8_t* body,
                          std::uint8_t* end) {
    using Value = typename F::Value;
    const auto head = static_cast<std::size_t>(body - out);
    const unsigned is_short = out[0] & kShortBit;
    for (const std::size_t& width : kTriedTapsWidths) {
        if (kTriedTaps * width > plain.count) break;
        Value* places = work.reordered<Value>(plain.count);
        gather_taps(plain.values, plain.count, width, kTriedTaps, places);
        const auto chunk =
            part_zeros<F>(kernel, places, plain.count, plain.zeros != nullptr, plain.check, work);
        RowsPlanner<F> planner{kernel, chunk, work};
        planner.look(width, true);
        // Lanes give back less than they take, so that no chunk is smaller than its cost says.
        std::uint64_t least = 8 * static_cast<std::uint64_t>(end - out);
        const auto scale = planner.signs_below(least, kTriedTaps);
        if (!scale) continue;
        // Its cost fits in `bound`, and so does what the cost leaves out.
        std::uint8_t* attempt = work.attempt(2 * bound);
        std::optional<Tokens> tokens;
        unsigned mode = kSignedForm | is_short;
        std::uint8_t* at = attempt + head;
        at = choose_zeros(kernel.runs, profile, chunk, widths, work, tokens, mode, at);
        at = write_signed<F>(kernel, chunk, *scale, profile.parameters, tokens, work, at);
        const auto size = static_cast<std::size_t>(at - attempt);
        if (size >= static_cast<std::size_t>(end - out)) continue;
        write_chunk_head(out, mode, size);
        std::memcpy(body, attempt + head, size - head);
        end = out + size;
    }
    return end;
}

}  // namespace entrolith
