// Atomics: the same kernel many times, every result asked for membership in the set of `any`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/kernel_request.hpp"

namespace whybits {

struct ArrivalRequest {
  KernelRequest base;  ///< its rows are looked at
  std::uint64_t runs = 100;
};

struct ArrivalResult {
  std::string name, topology;
  std::uint64_t runs = 0, outputs = 0;
  std::uint64_t distinct_wholes = 0;  ///< different outputs as a whole among the runs
  /// Outputs by how many different results they showed.
  std::map<std::uint64_t, std::uint64_t> by_results;
  std::uint64_t results = 0;        ///< different results, summed over outputs
  std::uint64_t members = 0;        ///< of these, in the set that orders can give
  std::uint64_t possible = 0;       ///< sizes of the sets, summed
  std::uint64_t moved = 0;          ///< results moved up or down by one code
  std::uint64_t moved_outside = 0;  ///< of these, not in the set

  bool as_claimed() const { return results > 0 && members == results && moved_outside > 0; }
};

/// Entries of a suite file, under "arrivals": runs with "times". Errors: UsageError.
std::vector<ArrivalRequest> read_arrivals(const JsonField& list);

/// Errors: as LiveKernel; UsageError if the claim defines the order.
ArrivalResult run_arrivals(const ArrivalRequest& request);

std::string arrivals_text(const std::vector<ArrivalResult>& results);
nlohmann::json arrivals_json(const std::vector<ArrivalResult>& results);

}  // namespace whybits
