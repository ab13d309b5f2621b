// whybits verify as a person meets it: exit codes and totals.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/temporary_folder.hpp"

using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::run_whybits;

namespace {

std::string file(const std::string& name) {
  return "'" WHYBITS_SOURCE_DIR "/tests/recordings/" + name + ".json' ";
}

}  // namespace

TEST_CASE("verify leaves 0 for every bit and counts given topologies apart") {
  const CommandResult result = run_whybits("verify --json " + file("mma-bf16-steps1-dist0") +
                                           file("wgmma-e4m3-steps1-dist1"));
  CHECK(result.exit_code == 0);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json["totals"]["given"]["files"] == 2);
  CHECK(json["totals"]["given"]["outputs"] == 12288);
  CHECK(json["totals"]["given"]["wrong"] == 0);
  CHECK(json["totals"]["from fields"]["files"] == 0);
  CHECK(json["totals"]["from configuration"]["files"] == 0);
}

TEST_CASE("verify prints files, controls and totals of what there was, not rows of zeros") {
  const CommandResult text =
      run_whybits("verify " + file("mma-bf16-steps2-dist1") + file("wgmma-f16-steps2-dist0") +
                  file("nccl-ring-f32-n4-count7"));
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, !contains("from fields") && !contains("not checked"));
  CHECK(text.out == whybits::test::approved("verify.txt", text.out));
}

TEST_CASE("verify leaves 3 where a model is missing, also beside files that pass") {
  const whybits::test::TemporaryFolder folder;
  const std::string unknown = (folder.path() / "unknown.json").string();
  std::ostringstream text;
  text
      << std::ifstream(WHYBITS_SOURCE_DIR "/tests/recordings/nccl-tree-f32-n4-count7.json").rdbuf();
  std::string changed = text.str();
  const std::string version = "\"2.28.3\"";
  changed.replace(changed.find(version), version.size(), "\"9.9.9\"");
  std::ofstream(unknown) << changed;
  const CommandResult result =
      run_whybits("verify " + file("mma-bf16-steps1-dist0") + unknown, true);
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.out, contains("not checked") && contains("9.9.9"));
}

TEST_CASE("verify leaves 2 for what is no recording") {
  for (const char* bad :
       {"/dev/null", "/does/not/exist.json", "'" WHYBITS_SOURCE_DIR "/README.md'"}) {
    INFO(bad);
    CHECK(run_whybits(std::string("verify ") + bad, true).exit_code == 2);
  }
}
