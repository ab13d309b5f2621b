// Wrong neighbours of a topology. A check that a wrong model passes proves nothing, so every
// comparison with hardware also counts how many outputs each of these would get wrong.
#pragma once

#include <string>
#include <vector>

#include "sim/schema.hpp"

namespace whybits {

struct Control {
  std::string name;  ///< "one fraction bit less", "seams 64 later", …
  SchemaPtr topology;
};

/// The neighbours that make sense for this topology over n addends: one fraction bit more and
/// less, the other rounding of the conversion, half a step, other seams, another order of the
/// merge, and for a computation with an operand c: c added at the end instead of the start.
/// Neighbours that cannot be expanded or are the same tree are left out.
std::vector<Control> wrong_neighbours(const SchemaPtr& schema, std::uint64_t n, bool has_c);

}  // namespace whybits
