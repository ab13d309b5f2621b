// How long this project's kernels that are recipes take on this machine's GPU (docs/kernels.md).
//
//   whybits-recipe-times SUITE.json
//
// times every case of the suite's operations and prints a line for each: name, kernel, sizes and
// launch parameters, microseconds of a launch, separated by tabs. scripts/time_torch_ops.py puts
// PyTorch's own operations beside them.
// Exit codes: 0 all were timed, 2 bad usage or suite, 3 no GPU.
#include <fmt/format.h>

#include <iostream>

#include "gpu/not_available.hpp"
#include "lab/suite.hpp"
#include "lab/usage_error.hpp"

namespace {

using namespace whybits;

void print_times(const OperationRuns& request) {
  for (const OperationCase& one : request.cases) {
    std::string sizes;
    for (const auto& [name, size] : one.shape) sizes += fmt::format("{}={} ", name, size);
    std::cout << fmt::format("{}\t{}\t{}{}\t{:.2f}\n", request.name, request.kernel->name, sizes,
                             knobs_json(*request.kernel, one.launch).dump(),
                             time_case(*request.kernel, one))
              << std::flush;
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int bad = 2, missing = 3;
  try {
    if (argc != 2)
      throw UsageError("one suite file is needed",
                       "whybits-recipe-times tests/suites/llama-recipes.json");
    const Suite suite = read_suite(argv[1]);
    std::cout << "name\tkernel\trun\tus\n";
    for (const OperationRuns& request : suite.operations) print_times(request);
    return 0;
  } catch (const UsageError& error) {
    std::cerr << "whybits-recipe-times: " << error.what() << "\n  " << error.remedy << '\n';
    return bad;
  } catch (const std::exception& error) {
    std::cerr << "whybits-recipe-times: " << error.what() << '\n';
    return missing;
  }
}
