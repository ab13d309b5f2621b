// How slices, parts, cut and lanes cut a sequence of addends.
#pragma once

#include <vector>

#include "sim/items.hpp"
#include "sim/schema.hpp"

namespace whybits {

/// `count` translated copies of a sequence of addends, `move` leaves apart.
struct Piece {
  Items items;
  std::uint64_t count = 1;
  std::int64_t move = 0;

  Items at(std::uint64_t i) const { return items.moved(static_cast<std::int64_t>(i) * move); }
};
using Pieces = std::vector<Piece>;

/// Pieces in order; equal ones side by side are grouped as far as the sequence is regular, so that
/// a regular sequence makes a handful. Errors: TopologyError (borders beyond the addends, more
/// pieces than 2²⁴, budget exhausted).
Pieces cut_pieces(const Slices& form, const Items& items, WorkBudget& budget);
Pieces cut_pieces(const Parts& form, const Items& items, WorkBudget& budget);
Pieces cut_pieces(const Cut& form, const Items& items, WorkBudget& budget);
Pieces cut_pieces(const Lanes& form, const Items& items, WorkBudget& budget);

}  // namespace whybits
