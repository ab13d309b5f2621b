// Which product is missing from one output? Its sum under the order is made again without each
// product, and without each tail of products: k + k columns of a matrix product of one row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/explain/hypotheses.hpp"
#include "sim/gemm.hpp"

namespace whybits {

struct Observed;

struct LostProducts {
  std::uint64_t k = 0;
  std::vector<std::uint64_t> products;  ///< without this one alone the output is as observed
  std::vector<std::uint64_t> tails;     ///< without this one and all behind it

  std::string product_text() const;
  std::string tail_text() const;
};

/// O(k²). Products of zero are not looked for: nothing shows their loss.
LostProducts find_lost_products(const Observed& observed, const Hypothesis& hypothesis,
                                std::size_t output, const GemmOptions& options);

}  // namespace whybits
