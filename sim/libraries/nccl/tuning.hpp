// Which algorithm and protocol NCCL's time model finds fastest, and on how many channels.
#pragma once

#include "sim/libraries/nccl/machine.hpp"
#include "sim/libraries/nccl/settings.hpp"
#include "sim/libraries/nccl/version.hpp"

namespace whybits::nccl {

struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  std::uint64_t channels = 1;  ///< nc; the parts may be one more
  std::uint64_t threads = 0;   ///< a channel; decides the partition up to 2.21 only
};

/// µs that the model expects, in f32 as NCCL computes it.
float expected_time(Algorithm algorithm, Protocol protocol, std::uint64_t bytes,
                    const Machine& machine, const TuningRow& row);

/// Of one all-reduce alone in its group. Errors: ConfigurationError if NVLink multicast might be
/// chosen, or the release's model is not known and the settings leave a choice.
Choice choose(std::uint64_t bytes, const Machine& machine, const Settings& settings,
              const Rules& rules);

/// Channels and threads for a given algorithm and protocol.
Choice size_choice(Algorithm algorithm, Protocol protocol, std::uint64_t bytes,
                   const Machine& machine, const Settings& settings);

}  // namespace whybits::nccl
