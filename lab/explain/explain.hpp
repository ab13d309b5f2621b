// Which known order gives exactly these outputs? If none does: which comes nearest, what is the
// nature of the difference, and could any order at all explain it?
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lab/explain/damage.hpp"
#include "lab/explain/hypotheses.hpp"
#include "sim/gemm.hpp"

namespace whybits {

/// Outputs that somebody wrote down: codes of `out`, in the order of the chosen rows, then columns.
struct Observed {
  GemmOperands operands;  ///< borrowed
  ChosenOutputs chosen;
  Format out;
  std::vector<Bits> codes;
};

/// An order and how many of all outputs it gets wrong.
struct Candidate {
  Hypothesis hypothesis;
  std::uint64_t wrong = 0;
};

/// Whether any order of additions could give an output: a bound, not a search.
struct OrderBound {
  Format accumulator;  ///< that the additions are in
  std::uint64_t looked_at = 0;
  std::uint64_t beyond = 0;     ///< outputs farther from exact than any order can be
  double largest = 0;           ///< |output − exact| over the bound, the largest
  double largest_of_known = 0;  ///< the same of the nearest known order
};

struct Explanation {
  std::uint64_t compared = 0;        ///< outputs
  std::uint64_t tried = 0;           ///< orders
  std::vector<Candidate> exact;      ///< 0 wrong: these outputs cannot tell them apart
  std::optional<Candidate> nearest;  ///< the best of the others
  std::vector<Damage> damage;        ///< of the nearest, if none is exact
  std::optional<OrderBound> bound;   ///< if none is exact

  bool explained() const { return !exact.empty(); }
};

struct ExplainOptions {
  std::string architecture = "sm90";
  GemmOptions gemm;
};

/// Searches by ever more outputs, so that most orders are given up after a few. Errors: UsageError
/// for no outputs, or more than memory allows.
Explanation explain(const Observed& observed, const ExplainOptions& options = {});

}  // namespace whybits
