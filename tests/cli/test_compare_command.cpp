// whybits compare as a person meets it: exit codes, streams, messages.
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::CommandResult;
using whybits::test::contains;

namespace {

const std::string recordings = "'" WHYBITS_SOURCE_DIR "/tests/recordings/";
const std::string ring = recordings + "nccl-ring-f32-n4-count4096.json' ";
const std::string tree = recordings + "nccl-tree-f32-n4-count4096.json' ";
const std::string arrays = "'" WHYBITS_SOURCE_DIR "/tests/lab/data/";

CommandResult compare(const std::string& arguments, bool with_errors = false) {
  return whybits::test::run_whybits("compare " + arguments, with_errors);
}

}  // namespace

TEST_CASE("compare leaves 0 for the same bits, 1 for others") {
  const CommandResult same = compare(ring + ring);
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.out, contains("SAME: all 4,096 words are equal."));
  const CommandResult different = compare(ring + tree + "--first 2");
  CHECK(different.exit_code == 1);
  CHECK_THAT(different.out, contains("DIFFERENT: 1,260 of 4,096 words (30.8 %); 2,836 equal."));
  CHECK_THAT(different.out, contains("first 2 of 1,260 differences"));
}

TEST_CASE("compare writes JSON and CSV for programs") {
  const CommandResult result = compare("--json " + ring + tree);
  CHECK(result.exit_code == 1);
  CHECK(nlohmann::json::parse(result.out)["differ"] == 1260);
  const CommandResult csv = compare("--csv --first 1 " + ring + tree);
  CHECK(csv.out == "index,a,b,kind,ulp\n10,0xBFAC1B96,0xBFAC1B94,ulp,2\n");
}

TEST_CASE("compare refuses bad input with exit code 2 and says what to do") {
  const auto refused = [](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const CommandResult result = compare(arguments, true);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(message));
  };
  refused(ring, "B is required");
  refused(ring + "/nowhere.npy", "/nowhere.npy: no such file");
  refused(ring + arrays + "f16_2x3.npy'", "cannot compare f32 with f16");
  refused(arrays + "bf16_as_u16.npy' " + arrays + "bf16_as_u16.npy'", "--format bf16");
  refused(arrays + "fortran_2x3.npy' " + ring, "Fortran order");
  refused(ring + tree + "--format bf61", "unknown format 'bf61'");
  refused(ring + tree + "--json --csv", "--json excludes --csv");
  CHECK(compare(arrays + "bf16_as_u16.npy' " + arrays + "bf16_as_void.npy' --format bf16")
            .exit_code == 0);
}
