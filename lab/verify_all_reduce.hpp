// Replays the recording of an all-reduce: every element by the topology of its place in the map.
#pragma once

#include "lab/verify.hpp"

namespace whybits {

/// The map is the file's own, else what the library's model gives for version, settings and shape.
/// Inputs are read block by block. Errors: as verify().
Verification verify_all_reduce(const Recording& recording, bool with_controls,
                               const GemmOptions& options, TopologyFrom from);

}  // namespace whybits
