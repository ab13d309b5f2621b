// One token's elements in ever larger batches: at which batch size does an all-reduce add them in
// another order, why, and how many of their bits change with it.
#pragma once

#include "lab/all_reduce_study.hpp"

namespace whybits {

struct BatchGate {
  std::uint64_t batch = 0;
  std::uint64_t bytes = 0;
  std::optional<nccl::Choice> choice;   ///< of NCCL
  std::vector<std::string> reasons;     ///< "protocol LL → LL128", "chunk borders"; first: none
  std::uint64_t other_topology = 0;     ///< of token 0's elements, against the batch before
  std::uint64_t differ = 0;             ///< of token 0's results, against the batch before
  std::uint64_t differ_from_first = 0;  ///< against the first batch
};

struct GatesRequest {
  std::uint64_t ranks = 2, hidden = 4096, first = 1, last = 256;  ///< batches first … last
  Format type = formats::bf16;
  std::string algorithm;  ///< a spec (all_reduce_spec.hpp)
  std::string input;      ///< of token 0, the same in every batch
};

/// Every batch; unchanged ones have no reasons. Errors: UsageError.
std::vector<BatchGate> all_reduce_gates(const GatesRequest& request);

}  // namespace whybits
