// What an H200's matrix instructions answered (docs/measured-h200.md), replayed: every bit, and how
// many of them wrong neighbours of each unit would get wrong.
#include <filesystem>
#include <map>

#include "lab/verify.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

std::vector<std::filesystem::path> recordings(const std::string& kind) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(WHYBITS_SOURCE_DIR "/tests/recordings")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("instructions-") && name.ends_with("-" + kind + ".json"))
      found.push_back(entry.path());
  }
  return found;
}

struct Totals {
  std::size_t files = 0;
  std::uint64_t outputs = 0;
  std::map<std::string, std::uint64_t> controls;
};

Totals replay(const std::string& kind) {
  Totals totals;
  for (const auto& path : recordings(kind)) {
    INFO(path.filename().string());
    const Verification v = verify(read_recording(path), true);
    CHECK(v.wrong == 0);
    CHECK(v.passed());
    std::uint64_t wrong = 0;
    for (const ControlCount& control : v.controls) {
      totals.controls[control.name] += control.wrong;
      wrong += control.wrong;
    }
    CHECK(wrong > 0);  // some neighbour fails on every file
    ++totals.files;
    totals.outputs += v.compared;
  }
  return totals;
}

}  // namespace

TEST_CASE("Hand-built vectors gave an H200 what the units say, and the neighbours fail") {
  const Totals totals = replay("vectors");
  CHECK(totals.files == 46);
  CHECK(totals.outputs == 28125);
  const std::map<std::string, std::uint64_t> wrong{{"a seam in the middle", 1298},
                                                   {"c added last instead of first", 409},
                                                   {"c in the f16 steps", 272},
                                                   {"f16 steps with one fraction bit less", 14},
                                                   {"f16 steps with one fraction bit more", 2},
                                                   {"one fraction bit less", 198},
                                                   {"one fraction bit more", 277},
                                                   {"products even and odd", 472},
                                                   {"products in first and second half", 301},
                                                   {"steps half as wide", 333},
                                                   {"the other rounding of a step", 824}};
  CHECK(totals.controls == wrong);
}

TEST_CASE("Any bit pattern gave an H200 what the units say, and the neighbours fail") {
  const Totals totals = replay("bits");
  CHECK(totals.files == 46);
  CHECK(totals.outputs == 47104);
  const std::map<std::string, std::uint64_t> wrong{{"a seam in the middle", 2802},
                                                   {"c added last instead of first", 899},
                                                   {"c in the f16 steps", 628},
                                                   {"f16 steps with one fraction bit less", 438},
                                                   {"f16 steps with one fraction bit more", 227},
                                                   {"one fraction bit less", 1136},
                                                   {"one fraction bit more", 663},
                                                   {"products even and odd", 1438},
                                                   {"products in first and second half", 1396},
                                                   {"steps half as wide", 1334},
                                                   {"the other rounding of a step", 1054}};
  CHECK(totals.controls == wrong);
}

TEST_CASE("Wide data gave an H200 what the units say, and the neighbours fail") {
  const Totals totals = replay("wide");
  CHECK(totals.files == 35);
  CHECK(totals.outputs == 35840);
  const std::map<std::string, std::uint64_t> wrong{{"a seam in the middle", 777},
                                                   {"c added last instead of first", 8172},
                                                   {"c in the f16 steps", 3424},
                                                   {"f16 steps with one fraction bit less", 1201},
                                                   {"f16 steps with one fraction bit more", 479},
                                                   {"one fraction bit less", 6568},
                                                   {"one fraction bit more", 4457},
                                                   {"products even and odd", 3222},
                                                   {"products in first and second half", 3269},
                                                   {"steps half as wide", 6287},
                                                   {"the other rounding of a step", 7230}};
  CHECK(totals.controls == wrong);
}
