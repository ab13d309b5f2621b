// Kernels that are recipes, without a GPU: their claims against loops written like the kernels, and
// against the recipes of libraries that describe the same order.
#include <fmt/format.h>

#include "lab/suite.hpp"
#include "lab/usage_error.hpp"
#include "lab/verify_operations.hpp"
#include "sim/libraries/norms/rms_norm.hpp"
#include "sim/special/operation.hpp"
#include "tests/lab/naive_kernels.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

namespace {

/// A recording of the loops' outputs, whole.
OperationRecording recorded_loops(const gpu::RecipeKernel& kernel,
                                  const std::vector<OperationCase>& cases) {
  OperationRecording recording;
  recording.name = "loops.json";
  recording.source = {{"device", "loops"}, {"date", "today"}};
  recording.library = "whybits";
  recording.version = "test";
  recording.operation = kernel.operation;
  recording.kernel = &kernel;
  for (OperationCase one : cases) {
    const auto outputs = test::run_naively(kernel, one);
    for (const gpu::KernelTensor& t : kernel.outputs(run_of(kernel, one))) {
      std::vector<std::uint64_t> rows(t.groups * t.rows);
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
      one.outputs.emplace(t.name,
                          RecordedTensor{t.format, rows, 1,
                                         VectorSource::from_codes(t.format, outputs.at(t.name))});
    }
    recording.cases.push_back(std::move(one));
  }
  return recording;
}

Suite recipes_suite() {
  return read_suite(WHYBITS_SOURCE_DIR "/tests/suites/h200-recipes.json");
}

std::uint64_t elements(const OperationCase& one) {
  std::uint64_t product = 1;
  for (const auto& [name, size] : one.shape) product *= size;
  return product;
}

void check_claims(std::uint64_t most_elements) {
  for (OperationRuns& request : recipes_suite().operations) {
    CAPTURE(request.name);
    std::erase_if(request.cases,
                  [&](const OperationCase& one) { return elements(one) > most_elements; });
    CHECK(request.cases.size() >= 10);
    const auto list = verify_operations(recorded_loops(*request.kernel, request.cases),
                                        element_functions()[0], true);
    for (const Verification& v : list) {
      CAPTURE(v.file, v.first_wrong_place, v.recorded, v.predicted);
      CHECK(v.wrong == 0);
      CHECK(v.compared > 1000);
      CHECK(v.controls.size() >= 3);
      // The residual is stored before anything is added up: no order can be wrong there.
      for (const ControlCount& control : v.controls) {
        CAPTURE(control.name);
        CHECK((control.wrong > 0) == !v.file.ends_with("#z"));
      }
    }
  }
}

OperationCase one_case(const char* kernel, const std::string& json) {
  const nlohmann::json document = nlohmann::json::parse(json);
  const std::string file = "case";
  return read_planned_case(JsonField(document, file), recipe_kernel_named(kernel));
}

std::vector<Bits> outputs_of(const char* kernel, const OperationCase& one) {
  OperationCase whole = recorded_loops(recipe_kernel_named(kernel), {one}).cases[0];
  const auto run = run_of(recipe_kernel_named(kernel), one);
  return predict_claim(recipe_kernel_named(kernel), whole, recipe_kernel_named(kernel).claim(run))
      .at("y");
}

}  // namespace

TEST_CASE("small runs of every kernel that is a recipe give what it claims, as plain loops") {
  check_claims(1 << 15);
}

TEST_CASE("every run of the suite gives what it claims, as plain loops", "[.full]") {
  check_claims(std::uint64_t{1} << 40);
}

TEST_CASE("RMSNorm in vLLM's block of threads claims vLLM's tree") {
  for (const std::uint64_t hidden : {1000U, 2048U, 4096U, 8192U, 16384U})
    for (const std::uint64_t tokens : {1U, 255U, 256U, 4096U}) {
      CAPTURE(hidden, tokens);
      const RmsNormConfig vllm{*find_rms_norm_kernel("vllm"), tokens, hidden, formats::bf16};
      const RmsNormOrder order = rms_norm_order(vllm);
      const gpu::RecipeKernel& kernel = recipe_kernel_named("rms.norm");
      gpu::RecipeRun run{kernel.usual, {{"rows", tokens}, {"columns", hidden}}, formats::bf16, 0};
      run.params.threads = order.threads;
      run.params.vector = order.vector;
      const Recipe recipe = kernel.claim(run).recipe;
      CHECK(print(recipe) == print(rms_norm_recipe(vllm, order, 0, special::operation("rsqrtf"))));
      run.params.threads -= 1;
      CHECK(print(kernel.claim(run).recipe) != print(recipe));
    }
}

TEST_CASE("one key is the value itself, whatever the splits and the tile") {
  const auto out = outputs_of("split.attention", one_case("split.attention", R"({
      "launch": {"splits": 7, "block_k": 64}, "type": "f32",
      "shape": {"heads": 1, "kv_heads": 1, "queries": 1, "keys": 1, "head_size": 3},
      "inputs": {"q": "uniform:1", "k": "uniform:2", "v": "hex:3f800000,c0490fdb,00000001"},
      "parameters": {"scale": 1}})"));
  CHECK(out == std::vector<Bits>{0x3f800000, 0xc0490fdb, 0x00000001});
}

TEST_CASE("scores that are all minus infinity give zeros, a NaN in a query its row alone") {
  const std::string shape = R"("shape": {"heads": 1, "kv_heads": 1, "queries": 2, "keys": 3,
      "head_size": 1}, "type": "bf16", "parameters": {"scale": 1}, "launch": {"splits": 2})";
  CHECK(outputs_of("split.attention",
                   one_case("split.attention", "{" + shape + R"(, "inputs": {"q": "hex:3f80,4000",
                       "k": "hex:ff80,ff80,ff80", "v": "ones"}})")) == std::vector<Bits>{0, 0});
  CHECK(outputs_of("split.attention",
                   one_case("split.attention", "{" + shape + R"(, "inputs": {"q": "hex:3f80,7fc0",
                       "k": "ones", "v": "ones"}})")) == std::vector<Bits>{0x3f80, 0x7fff});
}

TEST_CASE("a row of minus infinities or with a NaN has no softmax") {
  const auto out = outputs_of("row.softmax", one_case("row.softmax", R"({
      "launch": {"threads": 3, "vector": 1}, "type": "f32", "shape": {"rows": 3, "columns": 2},
      "inputs": {"x": "hex:ff800000,ff800000,7fc00000,3f800000,ff800000,3f800000"},
      "parameters": {}})"));
  CHECK(out == std::vector<Bits>{0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0, 0x3f800000});
}

TEST_CASE("what a kernel cannot be launched with is refused with what is allowed") {
  const auto refused = [](const char* kernel, const std::string& json, const char* message) {
    CAPTURE(json);
    CHECK_THROWS_WITH(one_case(kernel, json), contains(message));
  };
  const auto norm = [](const std::string& launch, const std::string& type,
                       const std::string& columns) {
    return fmt::format(R"({{"launch": {{{}}}, "type": "{}", "shape": {{"rows": 1, "columns": {}}},
        "inputs": {{"x": "ones", "w": "ones"}}, "parameters": {{"eps": 0}}}})",
                       launch, type, columns);
  };
  refused("rms.norm", norm(R"("threads": 1025)", "f32", "4"), "threads = 1025: must be from 1 to");
  refused("rms.norm", norm(R"("threads": 0)", "f32", "4"), "threads = 0");
  refused("rms.norm", norm(R"("vector": 17)", "f32", "4"), "vector = 17");
  refused("rms.norm", norm(R"("warps": 4)", "f32", "4"), "has no parameter 'warps'");
  refused("rms.norm", norm(R"("instruction": "left")", "f32", "4"), "rms.norm has up, down");
  refused("rms.norm", norm("", "e4m3", "4"), "type = e4m3");
  refused("rms.norm", norm("", "bf16", "0"), "columns = 0");
  const auto attention = [](const std::string& launch, int heads, int head_size) {
    return fmt::format(R"({{"launch": {{{}}}, "type": "bf16", "shape": {{"heads": {},
        "kv_heads": 2, "queries": 1, "keys": 8, "head_size": {}}}, "inputs": {{"q": "ones",
        "k": "ones", "v": "ones"}}, "parameters": {{"scale": 1}}}})",
                       launch, heads, head_size);
  };
  refused("split.attention", attention("", 3, 64), "kv_heads = 2: must divide heads = 3");
  refused("split.attention", attention("", 2, 1025), "head_size = 1025: must be from 1 to 1024");
  refused("split.attention", attention(R"("splits": 0)", 2, 64), "splits = 0");
  refused("split.attention", attention(R"("block_k": 0)", 2, 64), "block_k = 0");
  CHECK_THROWS_WITH(recipe_kernel_named("flash"), contains("kernel 'flash' is not known"));
}

TEST_CASE("a written recording of a kernel reads back the same") {
  std::vector<OperationCase> cases;
  for (OperationRuns& request : recipes_suite().operations) {
    const OperationRecording recording = recorded_loops(*request.kernel, {request.cases.front()});
    const std::string text = operation_recording_json(recording).dump();
    CHECK(is_operation_recording(text));
    const OperationRecording read = parse_operation_recording(text, recording.name);
    CHECK(operation_recording_json(read).dump() == text);
    CHECK(verify_operations(read, element_functions()[0], false).front().passed());
  }
}
