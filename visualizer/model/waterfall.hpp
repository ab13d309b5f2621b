// The ledger as a waterfall: who discarded how much, from the exact sum to the result. Bars are
// exact; many ribbons share one, none is left out, and the last bar ends at result − exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/model/k_axis.hpp"

namespace whybits::viz {

struct WaterfallBar {
  enum class Kind : std::uint8_t {
    ribbon,        ///< one that takes leaves, or a piece of the only one
    merge,         ///< adds and roundings of ribbons' results
    group,         ///< several ribbons in a row
    last_rounding  ///< the output's
  };
  Kind kind = Kind::ribbon;
  std::uint32_t first_ribbon = 0, last_ribbon = 0;  ///< not of a last rounding
  double first = 0, last = 0;                       ///< leaves, half open
  Dyadic amount;                                    ///< discarded
  Dyadic start, end;                                ///< running total before and after
  MarkCounts marks;
};

struct Waterfall {
  std::vector<WaterfallBar> bars;
  Dyadic before_last_rounding;  ///< sum − exact
  Dyadic total;                 ///< result − exact
};

/// Of the trace that the side was made from. A chain, which has no parts, is told piece by piece:
/// its steps, or up to eight runs of them, one after another as they are computed.
/// `rounding`: what the last rounding discarded, where there is one. Precondition: ledger_valid.
Waterfall make_waterfall(const AxisSide& side, const Trace& trace,
                         const std::optional<Dyadic>& rounding, std::size_t most_bars = 24);

}  // namespace whybits::viz
