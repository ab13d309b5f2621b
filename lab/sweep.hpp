// Many settings of a kernel on the same operands: which of them give the same bits?
//
// Equal claims must give equal bits, and every claim must be what the emulator computes. That a
// setting was in force is checked by what the kernel logged (gpu/probe.hpp).
#pragma once

#include <string>
#include <vector>

#include "lab/kernel_request.hpp"

namespace whybits {

struct SweepSetting {
  const gpu::Kernel* kernel;
  gpu::LaunchParams params;
};
struct SweepRequest {
  KernelRequest base;  ///< its rows are compared with the emulator
  std::vector<SweepSetting> settings;
};

/// Settings with one claim.
struct SweepGroup {
  std::string topology;
  std::string first;  ///< its first setting, for people
  std::uint64_t settings = 0;
  std::uint64_t hashes = 0;  ///< different outputs among them: must be 1
  std::string hash;          ///< XXH3-128 of the first whole output
  std::uint64_t wrong = 0;   ///< outputs of the kept rows that the emulator does not predict
  std::uint64_t compared = 0;
  std::uint64_t differ = 0;  ///< outputs of the whole that differ from the first group's
};
struct SweepResult {
  std::string name;
  std::uint64_t outputs = 0;
  std::vector<SweepGroup> groups;

  bool as_claimed() const;
};

/// Entries of a suite file, under "sweeps". An entry is a run (kernel_request.hpp) with either
/// "knob" and "values" or "settings": a list of {kernel, params} that change the run's own. Errors:
/// UsageError.
std::vector<SweepRequest> read_sweeps(const JsonField& list);

/// Errors: as LiveKernel.
SweepResult run_sweep(const SweepRequest& request);

std::string sweeps_text(const std::vector<SweepResult>& results);
nlohmann::json sweeps_json(const std::vector<SweepResult>& results);

}  // namespace whybits
