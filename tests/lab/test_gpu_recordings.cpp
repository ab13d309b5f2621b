// Every recording of this project's own kernels, replayed without a GPU; and what each control gets
// wrong on it, as counted when it was recorded.
#include <filesystem>
#include <map>
#include <set>

#include "lab/replay.hpp"
#include "lab/verify.hpp"
#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

/// Sorted by name.
std::set<std::filesystem::path> recordings() {
  std::set<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(WHYBITS_SOURCE_DIR "/tests/recordings"))
    if (entry.path().filename().string().starts_with("gpu-")) files.insert(entry.path());
  return files;
}

}  // namespace

TEST_CASE("every recorded kernel gave the emulator's bits") {
  std::uint64_t outputs = 0;
  for (const auto& file : recordings()) {
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
  for (const auto& file : recordings()) {
    const Verification v = verify(read_recording(file), true);
    const std::string name = file.stem().string();  // "gpu-mma-…"
    std::string& counts = families[name.substr(4, name.find('-', 4) - 4)];
    counts += file.stem().string() + ": " + std::to_string(v.compared) + " outputs, " +
              std::to_string(v.wrong) + " wrong\n";
    for (const ControlCount& control : v.controls)
      counts += "  " + control.name + ": " + std::to_string(control.wrong) + "\n";
  }
  for (const auto& [family, counts] : families)
    CHECK(counts == test::approved("gpu_controls_" + family + ".txt", counts));
  CHECK(families.size() == 5);
}
