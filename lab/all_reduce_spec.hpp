// What `--algorithm` and `--vs` of an all-reduce say: "ring", "tree+f32", "nccl:2.28.3",
// "nccl:2.28.3:NCCL_ALGO=Tree", or a topology or map in the notation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/usage_error.hpp"
#include "sim/builders/all_reduce.hpp"
#include "sim/libraries/nccl/all_reduce.hpp"

namespace whybits {

/// The message, and how its ranks are placed.
struct AllReduceMessage {
  std::uint64_t ranks = 2, count = 0;
  Format type = formats::f32;
  std::uint64_t ranks_per_node = 1;
  ReduceOp op = ReduceOp::sum;
  std::uint64_t nodes = 1;  ///< NCCL's: hosts that the ranks are dealt to
};

struct AllReducePlan {
  std::string spec;  ///< as given
  TopologyMap map;
  std::optional<nccl::Prediction> nccl;  ///< of a spec that names it
  /// What the plain algorithms were asked for, for message passing.
  std::optional<AllReduceConfig> config;
};

/// The release that recordings of this project were made with.
inline constexpr std::string_view default_nccl_version = "2.28.3";

/// "NCCL_ALGO=Tree" as name and value. Errors: UsageError naming `option`.
std::pair<std::string, std::string> variable_option(const std::string& option,
                                                    const std::string& text);

/// A request of NCCL on Hopper GPUs of one NVSwitch host, or of nodes with one each. Errors:
/// UsageError.
nccl::Request nccl_request(const std::string& option, const std::string& version,
                           const std::map<std::string, std::string>& environment,
                           const AllReduceMessage& message);

/// Errors: UsageError that names the option, with the nearest algorithm.
AllReducePlan all_reduce_plan(const std::string& option, const std::string& spec,
                              const AllReduceMessage& message);

}  // namespace whybits
