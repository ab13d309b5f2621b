// Replays a recording on the reference evaluator and counts the bits that differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/recording.hpp"
#include "sim/gemm.hpp"

namespace whybits {

/// What the topology was taken from. Only the last two are predictions.
enum class Basis : std::uint8_t {
  given,              ///< the file states it
  from_fields,        ///< algorithm fields that the library reported
  from_configuration  ///< shape, version and settings alone
};
std::string_view basis_name(Basis basis);

struct ControlCount {
  std::string name;
  std::string topology;
  std::uint64_t wrong = 0;  ///< outputs that this wrong neighbour gets wrong
};

struct Verification {
  std::string file;
  Basis basis = Basis::given;
  /// Set if nothing could be checked: which model is missing. Never counts as a pass.
  std::optional<std::string> unsupported;
  std::string topology;
  std::string rule;  ///< what derived it, or empty
  std::string device;
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  std::uint64_t not_finite = 0;              ///< of the recorded outputs: NaN and infinities
  std::optional<std::uint64_t> first_wrong;  ///< index among the recorded outputs
  std::string first_wrong_place;             ///< "[0,55]", "tile 2, [3,5]"
  Bits recorded = 0, predicted = 0;          ///< at first_wrong
  Format format;
  bool hash_only = false;  ///< the recording keeps no bits: compared as a whole, wrong is 0 or all
  std::vector<ControlCount> controls;
  /// Set if the outputs are not the recorded ones but of a run just now: are they those recorded?
  std::optional<bool> as_recorded;

  bool passed() const {
    return !unsupported && compared > 0 && wrong == 0 && as_recorded.value_or(true);
  }
};

/// Where the topology is taken from.
enum class TopologyFrom : std::uint8_t {
  file,  ///< what the file states; derived if it states none
  model  ///< derived, whatever the file states
};

/// Errors: UsageError for a topology that cannot be parsed or run on these operands, for a
/// recording without outputs, and for one that would need more than memory_limit, before
/// allocating.
Verification verify(const Recording& recording, bool with_controls, const GemmOptions& options = {},
                    TopologyFrom from = TopologyFrom::file);

}  // namespace whybits
