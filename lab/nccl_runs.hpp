// Real NCCL on this machine's GPUs: recordings with provenance, and the trees that masked pairs
// reveal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/nccl/group.hpp"
#include "lab/recording.hpp"
#include "lab/reveal/pair_mask.hpp"

namespace whybits {

struct NcclRun {
  gpu::NcclCall call;
  std::string input = "uniform:1";  ///< rank r of uniform:S has stream S + r
};

struct NcclOutcome {
  Recording recording;  ///< of rank 0, inputs as specs, settings from the environment
  bool ranks_equal = true;
  bool repeats_equal = true;
};

/// NCCL_* variables of this process but those that only write logs.
nlohmann::json nccl_settings();

/// Runs the call `repeats` times. Errors: UsageError, gpu::NotAvailable, gpu::CudaError.
NcclOutcome record_nccl(gpu::NcclGroup& group, int ranks, const NcclRun& run, int repeats,
                        const std::string& command);

/// Trees of elements by masked pairs: runs of elements with the same tree.
struct RevealedRegion {
  std::uint64_t begin = 0, end = 0;
  std::optional<Nested> tree;  ///< none: no tree gives what came out
};
std::vector<RevealedRegion> reveal_nccl(gpu::NcclGroup& group, int ranks,
                                        const gpu::NcclCall& call);

/// What NCCL's log says of its calls: "AllReduce: 4000 Bytes -> Algo RING proto LL
/// channel{Lo..Hi}={0..0}".
struct LoggedChoice {
  std::uint64_t bytes = 0, channels = 0;
  std::string algorithm, protocol;  ///< as written there
};
std::vector<LoggedChoice> read_nccl_log(const std::string& text);

}  // namespace whybits
