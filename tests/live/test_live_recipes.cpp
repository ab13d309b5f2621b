// Kernels that are recipes, on the GPU of this machine. Skipped, not failed, where there is none.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "gpu/run_kernel.hpp"
#include "lab/files.hpp"
#include "lab/operation_runs.hpp"
#include "lab/verify_operations.hpp"
#include "tests/live/on_gpu.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using test::on_gpu;

namespace {

OperationRuns request_of(const char* kernel, const std::vector<std::string>& cases) {
  std::string text = fmt::format(R"({{"name": "live", "kernel": "{}", "cases": [)", kernel);
  for (std::size_t i = 0; i < cases.size(); ++i) text += (i == 0 ? "" : ",") + cases[i];
  const nlohmann::json document = nlohmann::json::parse(text + "]}");
  const std::string file = "live";
  return read_operation_runs(JsonField(document, file));
}

void every_bit(const OperationRuns& request) {
  for (const Verification& v :
       verify_operations(record_operations(request, "test"), element_functions()[0], true)) {
    CAPTURE(request.kernel->name, v.file, v.first_wrong_place, v.recorded, v.predicted);
    CHECK(v.passed());
    std::uint64_t refuted = 0;
    for (const ControlCount& control : v.controls) refuted += control.wrong;
    CHECK((refuted > 0) == !v.file.ends_with("#z"));
  }
}

constexpr const char* rows = R"("shape": {"rows": 33, "columns": 1000})";

std::string attention(const std::string& launch) {
  return R"({"launch": {"block_k": 48, "vector": 4)" + launch + R"(}, "type": "bf16", "shape":
      {"heads": 4, "kv_heads": 2, "queries": 3, "keys": 500, "head_size": 100},
      "inputs": {"q": "uniform:1", "k": "uniform:2", "v": "uniform:3"},
      "parameters": {"scale": 0.1}})";
}

}  // namespace

TEST_CASE("this GPU adds rows as any block of threads claims", "[.gpu]") {
  on_gpu([] {
    std::vector<std::string> norms, adds, softmaxes;
    for (const unsigned threads : {1U, 31U, 32U, 33U, 125U, 256U, 1000U, 1024U})
      for (const char* type : {"bf16", "f16", "f32"})
        for (const char* order : {"up", "down"}) {
          const std::string begin = fmt::format(
              R"({{"launch": {{"threads": {}, "vector": 3, "instruction": "{}"}}, "type": "{}", {},)",
              threads, order, type, rows);
          norms.push_back(begin + R"("inputs": {"x": "wide:1", "w": "uniform:2"},
              "parameters": {"eps": 1e-5}})");
          adds.push_back(begin + R"("inputs": {"x": "uniform:1", "w": "uniform:2",
              "residual": "uniform:3"}, "parameters": {"eps": 1e-5}})");
          softmaxes.push_back(begin + R"("inputs": {"x": "wide:1"}, "parameters": {}})");
        }
    every_bit(request_of("rms.norm", norms));
    every_bit(request_of("add.rms.norm", adds));
    every_bit(request_of("row.softmax", softmaxes));
  });
}

TEST_CASE("this GPU attends as any splits and tiles claim", "[.gpu]") {
  on_gpu([] {
    std::vector<std::string> cases;
    for (const unsigned splits : {1U, 2U, 3U, 7U, 11U, 500U})
      for (const char* order : {"fma", "causal"})
        cases.push_back(
            attention(fmt::format(R"(, "splits": {}, "instruction": "{}")", splits, order)));
    every_bit(request_of("split.attention", cases));
  });
}

TEST_CASE("warps that share the work of a row are in no bit of this GPU's outputs", "[.gpu]") {
  on_gpu([] {
    std::vector<std::string> attentions, combines;
    for (unsigned warps = 1; warps <= 32; ++warps) {
      attentions.push_back(attention(fmt::format(R"(, "splits": 3, "warps": {})", warps)));
      combines.push_back(fmt::format(
          R"({{"launch": {{"warps": {}, "instruction": "chain"}}, "type": "bf16", "shape":
              {{"tokens": 3, "experts": 8, "columns": 1111}}, "inputs": {{"x": "uniform:1",
              "w": "uniform:2"}}, "parameters": {{}}}})",
          warps));
    }
    for (const OperationRuns& request :
         {request_of("split.attention", attentions), request_of("moe.combine", combines)}) {
      std::set<std::vector<std::uint8_t>> outputs;
      for (const OperationCase& one : record_operations(request, "test").cases) {
        const auto words = one.outputs.at("y").codes.words();
        outputs.insert({words.begin(), words.end()});
      }
      CHECK(outputs.size() == 1);
    }
  });
}

TEST_CASE("this GPU gives the recorded recipes again, and they are as claimed", "[.gpu]") {
  on_gpu([] {
    const std::filesystem::path folder = WHYBITS_SOURCE_DIR "/tests/recordings/operations";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("gpu-")) continue;
      const OperationRecording recorded =
          parse_operation_recording(read_text_file(entry.path(), largest_recording_bytes), name);
      const OperationRecording now = record_again(recorded);
      for (const Verification& v : verify_operations(now, element_functions()[0], false)) {
        CAPTURE(v.file, v.first_wrong_place);
        CHECK(v.passed());
      }
      if (now.source.at("compute_capability") == recorded.source.at("compute_capability"))
        CHECK(operation_recording_json(now)["cases"] ==
              operation_recording_json(recorded)["cases"]);
    }
  });
}
