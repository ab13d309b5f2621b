// JSON documents as programs meet them: docs/json.md says which keys they have, in which order.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

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

/// What stands between backticks under each heading of docs/json.md.
std::map<std::string, std::set<std::string>> documented_keys() {
  std::map<std::string, std::set<std::string>> sections;
  std::ifstream page(WHYBITS_SOURCE_DIR "/docs/json.md");
  std::string heading;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) heading = line.substr(3);
    for (std::size_t at = line.find('`'); at != std::string::npos; at = line.find('`', at)) {
      const std::size_t end = line.find('`', at + 1);
      REQUIRE(end != std::string::npos);
      sections[heading].insert(line.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return sections;
}

/// All keys in a document, but for those inside of objects whose keys are not the program's own.
void collect_keys(const nlohmann::ordered_json& json, std::set<std::string>& all) {
  if (json.is_object())
    for (const auto& [key, value] : json.items()) {
      all.insert(key);
      if (key != "defaults" && key != "algorithm") collect_keys(value, all);
    }
  if (json.is_array())
    for (const auto& value : json) collect_keys(value, all);
}

}  // namespace

TEST_CASE("docs/json.md names every key that the commands print") {
  const auto sections = documented_keys();
  const std::string recordings = " '" WHYBITS_SOURCE_DIR "/tests/recordings/";
  const std::string two = " --topology 'fold(f32)' --vs 'pairs(f32)'";
  struct Case {
    std::string command, arguments, section;
  };
  const std::string shared = "Parts that several commands share";
  const std::string products = "`whybits gemm`, `whybits sum`";
  const std::string experts = "`whybits moe combine`, `whybits moe route`";
  const std::string arithmetic = "`whybits add`, `sub`, `mul`, `div`, `fma`, `sqrt`, `convert`";
  std::set<std::string> seen{"add", "sub", "mul", "sqrt"};  // as div
  for (const auto& [command, arguments, section] : std::vector<Case>{
           {"gemm",
            "--m 1 --n 4 --k 64 --topology 'fold(f32.fma)' --vs 'fold(sm90.mma.bf16) > bf16' "
            "--step B,2",
            products},
           {"gemm", "--m 1 --n 1 --k 4 --c ones --bias ones --topology 'fold(f32.fma) + bias'",
            products},
           {"sum", "--n 100 --type bf16" + two, products},
           {"sum", "--n 100 --type f32 --input linspace:1:1e38 --step A,3" + two, products},
           {"allreduce", "--ranks 4 --count 64 --algorithm nccl --vs tree --type bf16", ""},
           {"tensor-parallel", "--m 1 --n 16 --k 512 --topology 'fold(f32.fma) > bf16'", ""},
           {"decoder", "--invariant --keys 64", ""},
           {"gates gemm", "--layer down --columns 8", ""},
           {"rmsnorm", "--kernel vllm-fused-add@1 --vs vllm-fused-add@256 --rows 2", ""},
           {"layernorm", "--hidden 64 --rows 2 --vs 256x4", ""},
           {"softmax", "--cols 4096 --rows 4 --vs composed@64", ""},
           {"softmax", "--log --cols 64 --rows 2 --vs triton", ""},
           {"attention", "--keys 300 --heads 1 --vs torch:splits=1", ""},
           {"moe combine", "--tokens 4 --k 4 --vs chain", experts},
           {"moe route", "--tokens 32 --vs 'fold(f32.fma) > bf16'", experts},
           {"gates softmax", "--kernel composed --compared 1", ""},
           {"gates attention", "--heads 1 --keys 300 --batches 1..3", ""},
           {"gates rmsnorm", "--kernel vllm --hidden 4096", ""},
           {"gates sum", "--n 4096 --rows 1..64 --compared 1", ""},
           {"gates allreduce", "--hidden 256 --batch 1..8", ""},
           {"predict cublaslt", "--m 1 --layer down", ""},
           {"predict cublaslt",
            "--m 64 --n 64 --k 64 --algorithm 'id=66,split_k=2,reduction_scheme=2,tile=18'", ""},
           {"predict nccl", "--ranks 4 --count 1000", ""},
           {"explain", recordings + "gpu-mma-workspace3.json'", ""},
           {"explain",
            "--m 2 --n 3 --k 64 --type f32 --a uniform:1 --b uniform:2 --out" + recordings +
                "../lab/data/f32_2x3.npy' --vs" + recordings + "../lab/data/f32_2x3.npy'",
            ""},
           {"compare",
            recordings + "cublas-bf16-m1-n4096-k14336.json'" + recordings +
                "cublas-bf16-m128-n4096-k14336.json'",
            ""},
           {"verify", recordings + "nccl-ring-f32-n4-count7.json'", ""},
           {"special", "ex2 0.3", ""},
           {"show", "'fold(f32)' --n 4 --vs 'pairs(f32)'", ""},
           {"show", "'fold(f32)' --n 4 --plan --type bf16", ""},
           {"bits", "2049 --format f16", ""},
           {"div", "1 3 --format f16", arithmetic},
           {"convert", "1.2 --to bf16", arithmetic},
           {"fma", "1e38 1e38 1", arithmetic},
           {"probe", "--list", ""},
           {"kernels", "", ""},
           {"claims", "", "`whybits claims`, `whybits learn list`"},
           {"learn list", "", "`whybits claims`, `whybits learn list`"},
           {"info", "", ""}}) {
    CAPTURE(command, arguments);
    seen.insert(command.substr(0, command.find(' ')));
    const auto place = sections.find(section.empty() ? "`whybits " + command + "`" : section);
    REQUIRE(place != sections.end());
    std::set<std::string> all;
    collect_keys(document(command + " " + arguments + " --json"), all);
    CHECK(all.size() > 2);
    for (const std::string& key : all) {
      CAPTURE(key);
      CHECK((key.starts_with("whybits_") || place->second.contains(key) ||
             sections.at(shared).contains(key)));
    }
  }
  // No command that prints JSON is left out.
  std::istringstream help(run_whybits("--help").out);
  std::string line;
  while (std::getline(help, line) && line != "Subcommands:") {
  }
  while (std::getline(help, line) && line.starts_with("  ")) {
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    CAPTURE(name);
    if (!name.empty() && run_whybits(name + " --help").out.find("--json") != std::string::npos)
      CHECK(seen.contains(name));
  }
}

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
