// Every order of a matrix product that is known from a library or a kernel, for one k and types:
// what `explain` searches.
//
// Units of an architecture, k in one piece, in slices of every length that a library or kernel
// would choose, dealt to lanes, or cut for some tiles; partials kept, rounded or in a running
// total.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/leaves.hpp"
#include "sim/schema.hpp"

namespace whybits {

struct Hypothesis {
  std::string family;  ///< "split-K, 4 slices", …
  SchemaPtr topology;
  std::optional<Conversion> operands;  ///< both operands are rounded so first
  int rank = 0;                        ///< how unusual it is: 0 is the most usual
};

struct HypothesisRequest {
  std::uint64_t k = 0;
  Format a, b, out;
  bool bias = false;
  std::string architecture = "sm90";
};

/// Distinct trees, the usual ones first.
std::vector<Hypothesis> known_orders(const HypothesisRequest& request);

/// Orders in which the last products are missing; tried when no order explains the outputs.
std::vector<Hypothesis> orders_without_tail(const HypothesisRequest& request);

}  // namespace whybits
