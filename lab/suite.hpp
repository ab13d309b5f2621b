// A suite file: which kernels to run, with what, and what to look at. docs/kernels.md has the form.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "lab/arrivals.hpp"
#include "lab/kernel_request.hpp"
#include "lab/operation_runs.hpp"
#include "lab/sweep.hpp"

namespace whybits {

struct Suite {
  std::vector<KernelRequest> runs;        ///< become recordings
  std::vector<SweepRequest> sweeps;       ///< many settings, same operands
  std::vector<ArrivalRequest> arrivals;   ///< undefined orders, many times
  std::vector<OperationRuns> operations;  ///< kernels that are recipes; become recordings
};

/// Errors: UsageError "FILE: PATH: …", also for a name that is given twice.
Suite parse_suite(std::string_view text, const std::string& file);
Suite read_suite(const std::filesystem::path& path);

}  // namespace whybits
