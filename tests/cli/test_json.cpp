// JSON documents as programs meet them: docs/json.md says in which order their keys come.
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using namespace whybits::test;

namespace {

nlohmann::ordered_json document(const std::string& arguments) {
  return nlohmann::ordered_json::parse(run_whybits(arguments).out);
}

std::vector<std::string> keys(const nlohmann::ordered_json& json) {
  std::vector<std::string> list;
  for (const auto& [key, value] : json.items()) list.push_back(key);
  return list;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("every JSON document begins with its command and version") {
  const std::string recordings = "'" WHYBITS_SOURCE_DIR "/tests/recordings/";
  for (const auto& [command, arguments] :
       {std::pair<std::string, std::string>{"bits", "1.5"},
        {"add", "1 2"},
        {"convert", "1 --to bf16"},
        {"show", "'fold(f32)' --n 4"},
        {"gemm", "--m 1 --n 1 --k 4 --topology 'fold(f32.fma)'"},
        {"sum", "--n 4 --topology 'fold(f32)'"},
        {"compare", recordings + "nccl-ring-f32-n4-count7.json' " + recordings +
                        "nccl-ring-f32-n4-count7.json'"},
        {"verify", "--no-controls " + recordings + "nccl-ring-f32-n4-count7.json'"},
        {"probe", "--list"},
        {"kernels", ""},
        {"claims", ""},
        {"info", ""}}) {
    CAPTURE(command);
    const auto json = document(command + " " + arguments + " --json");
    const Keys all = keys(json);
    REQUIRE(!all.empty());
    CHECK(all[0] == "whybits_" + command);
    CHECK(json[all[0]] == 1);
  }
}

TEST_CASE("keys come in the documented order: what was asked, the whole, then parts") {
  CHECK(keys(document("sum --n 4 --rows 2 --topology 'fold(f32)' --vs 'pairs(f32)' --json"))
            .front() == "whybits_sum");
  const auto gemm = document(
      "gemm --m 1 --n 4 --k 64 --type f32 --topology 'fold(f32.fma)' --vs 'fold(sm90.mma.tf32)' "
      "--json");
  CHECK(keys(gemm) == Keys{"whybits_gemm", "shape", "types", "inputs", "leaf", "outputs",
                           "topologies", "pairs", "output"});
  CHECK(keys(gemm["shape"]) == Keys{"m", "n", "k"});
  CHECK(document("kernels --json")["kernels"].size() > 1);
  CHECK(document("kernels mma.gemm --json")["kernels"].size() == 1);
  CHECK(keys(document("show 'fold(f32)' --n 4 --vs 'pairs(f32)' --json")["first_difference"]) ==
        Keys{"shared", "a", "b"});
}
