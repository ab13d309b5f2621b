#include "visualizer/model/waterfall.hpp"

#include <algorithm>

namespace whybits::viz {
namespace {

/// Ribbons in a row that make a bar of their own.
struct Part {
  std::uint32_t first, last;
  std::uint32_t first_top;  ///< of the neighbours that it holds the first; `last` is the last
};

/// The result's inputs, each with all below it, then the result's own steps; a part that is no leaf
/// ribbon is opened as long as there is room.
std::vector<Part> parts(const Ribbons& ribbons, std::size_t most) {
  std::vector<Part> out;
  if (ribbons.size() == 0) return out;
  const auto root = static_cast<std::uint32_t>(ribbons.size() - 1);
  out.push_back({0, root, root});
  for (std::size_t i = 0; i < out.size();) {
    const Part part = out[i];
    const Ribbon& top = ribbons.ribbons[part.last];
    const auto inputs = ribbons.inputs(part.last);
    const bool whole = top.first_below == part.first;
    if (!whole || inputs.empty() || out.size() + inputs.size() > most) {
      ++i;
      continue;
    }
    std::vector<Part> opened;
    for (const std::uint32_t input : inputs)
      opened.push_back({ribbons.ribbons[input].first_below, input, input});
    opened.push_back({part.last, part.last, part.last});
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(i), opened.begin(), opened.end());
  }
  return out;
}

/// Too many inputs to open: as many groups of neighbours as there is room for.
std::vector<Part> grouped(const Ribbons& ribbons, std::size_t most) {
  std::vector<Part> out = parts(ribbons, most);
  if (out.size() != 1 || most < 3) return out;
  const std::uint32_t top = out[0].last;
  const auto inputs = ribbons.inputs(top);
  if (inputs.empty()) return out;
  out.clear();
  const std::size_t groups = std::min(most - 1, inputs.size());
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint32_t from = inputs[inputs.size() * g / groups];
    const std::uint32_t to = inputs[inputs.size() * (g + 1) / groups - 1];
    out.push_back({ribbons.ribbons[from].first_below, to, from});
  }
  out.push_back({top, top, top});
  return out;
}

WaterfallBar bar(const Ribbons& ribbons, const Part& part) {
  const Ribbon& top = ribbons.ribbons[part.last];
  WaterfallBar out;
  if (part.first != part.last)
    out.kind = WaterfallBar::Kind::group;
  else
    out.kind = top.takes_leaves ? WaterfallBar::Kind::ribbon : WaterfallBar::Kind::merge;
  out.first_ribbon = part.first;
  out.last_ribbon = part.last;
  out.amount = ribbons.discarded(part.first, part.last);
  out.marks = ribbons.marks(part.first, part.last);
  const std::int64_t first =
      std::max<std::int64_t>(ribbons.ribbons[part.first_top].leaves.first, 0);
  out.first = static_cast<double>(first);
  out.last = static_cast<double>(top.leaves.last + 1);
  return out;
}

constexpr std::size_t most_pieces = 8;

/// A ribbon's steps as computed, cut into pieces of about the same length; and where it jumps along
/// K (a ring that begins in the middle), if it does so seldom.
std::vector<WaterfallBar> pieces(const AxisSide& side, const Trace& trace,
                                 const WaterfallBar& whole, std::size_t most) {
  const auto steps = side.ribbons.steps(whole.last_ribbon);
  const auto place = [&](std::size_t i) {
    return static_cast<std::size_t>(side.place_of[static_cast<std::size_t>(steps[i])]);
  };
  const auto jumps = [&](std::size_t i) {
    return side.from[place(i)] != side.to[place(i - 1)] &&
           side.to[place(i)] != side.from[place(i - 1)];
  };
  std::size_t jumping = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) jumping += jumps(i) ? 1U : 0U;
  const bool at_jumps = jumping > 0 && jumping < most / 2;
  const std::size_t even = most - (at_jumps ? jumping : 0);
  const std::size_t count = std::min(even, steps.size());
  std::vector<WaterfallBar> out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t p = place(i);
    const bool begins = i == 0 || i * count / steps.size() != (i - 1) * count / steps.size();
    if (begins || (at_jumps && jumps(i))) {
      out.push_back({});
      out.back().first_ribbon = out.back().last_ribbon = whole.last_ribbon;
      out.back().first = side.from[p];
      out.back().last = side.to[p];
    }
    WaterfallBar& piece = out.back();
    piece.first = std::min(piece.first, side.from[p]);
    piece.last = std::max(piece.last, side.to[p]);
    piece.amount += trace.node(steps[i]).discarded;
    const std::uint64_t other = side.other_until[p + 1] - side.other_until[p];
    const std::uint64_t none = side.none_until[p + 1] - side.none_until[p];
    piece.marks += {1 - other - none, other, none};
  }
  return out;
}

}  // namespace

Waterfall make_waterfall(const AxisSide& side, const Trace& trace,
                         const std::optional<Dyadic>& rounding, std::size_t most_bars) {
  Waterfall out;
  const auto end_with = [&](WaterfallBar next) {
    next.start = out.total;
    out.total += next.amount;
    next.end = out.total;
    out.bars.push_back(std::move(next));
  };
  const std::vector<Part> all = grouped(side.ribbons, most_bars);
  for (const Part& part : all) {
    WaterfallBar whole = bar(side.ribbons, part);
    if (all.size() > 1 || whole.kind != WaterfallBar::Kind::ribbon)
      end_with(std::move(whole));
    else
      for (WaterfallBar& piece : pieces(side, trace, whole, std::min(most_pieces, most_bars)))
        end_with(std::move(piece));
  }
  out.before_last_rounding = out.total;
  if (rounding) {
    WaterfallBar last;
    last.kind = WaterfallBar::Kind::last_rounding;
    last.amount = *rounding;
    if (!out.bars.empty()) last.first = last.last = out.bars.back().last;
    end_with(std::move(last));
  }
  return out;
}

}  // namespace whybits::viz
