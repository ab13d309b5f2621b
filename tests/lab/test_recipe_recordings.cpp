// This project's kernels that are recipes on an H200, replayed without a GPU from their parameters
// alone; and what each control gets wrong on what was kept of their outputs.
#include "lab/verify_operations.hpp"
#include "tests/lab/recordings.hpp"
#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

TEST_CASE("every recorded launch of a kernel that is a recipe gave what it claims") {
  std::uint64_t files = 0, launches = 0, outputs = 0;
  for (const auto& file : test::recordings("gpu-", "/operations")) {
    const OperationRecording recording = test::read_operations(file);
    ++files;
    launches += recording.cases.size();
    for (const Verification& v : verify_operations(recording, element_functions()[0], false)) {
      CAPTURE(v.file, v.first_wrong_place);
      CHECK(v.basis == Basis::from_configuration);
      CHECK(v.passed());
      outputs += v.compared;
    }
  }
  CHECK(files == gpu::recipe_kernels().size() + 1);  // split.attention also under a causal mask
  CHECK(launches == 358);
  CHECK(outputs == 96'845);
}

TEST_CASE("wrong neighbours of kernels that are recipes fail in the counts that were approved",
          "[.full]") {
  std::string counts;
  for (const auto& file : test::recordings("gpu-", "/operations"))
    for (const Verification& v :
         verify_operations(test::read_operations(file), element_functions()[0], true))
      counts += test::counts_text(v.file, v);
  CHECK(counts == test::approved("gpu_controls_recipes.txt", counts));
}
