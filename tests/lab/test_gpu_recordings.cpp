// Every recording of this project's own kernels, replayed without a GPU; and what each control gets
// wrong on it, as counted when it was recorded.
#include <map>

#include "lab/replay.hpp"
#include "lab/verify.hpp"
#include "tests/lab/recordings.hpp"
#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

TEST_CASE("every recorded kernel gave the emulator's bits") {
  std::uint64_t outputs = 0;
  for (const auto& file : test::recordings("gpu-")) {
    CAPTURE(file.string());
    const Verification v = verify(read_recording(file), false);
    CHECK(v.passed());
    outputs += v.compared;
  }
  CHECK(outputs > 100'000);
}

TEST_CASE("wrong neighbours of every recorded kernel fail in the counts that were approved",
          "[.full]") {
  std::map<std::string, std::string> families;  // "mma": counts
  for (const auto& file : test::recordings("gpu-")) {
    const Verification v = verify(read_recording(file), true);
    const std::string name = file.stem().string();  // "gpu-mma-…"
    families[name.substr(4, name.find('-', 4) - 4)] += test::counts_text(file.stem().string(), v);
  }
  for (const auto& [family, counts] : families)
    CHECK(counts == test::approved("gpu_controls_" + family + ".txt", counts));
  CHECK(families.size() == 6);
}
