// Suite files: what they refuse, and that those of this project can be run.
#include "lab/replay.hpp"
#include "lab/suite.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

namespace {

std::string with_run(const std::string& entry) {
  return R"({"whybits_suite": 1, "runs": [)" + entry + "]}";
}

constexpr const char* good =
    R"({"name": "x", "kernel": "mma.gemm", "params": {"instruction": "bf16", "splits": 2},
        "shape": {"m": 8, "n": 8, "k": 256}, "inputs": {"a": "uniform:1", "b": "ones"}})";

std::string refused(const std::string& text) {
  try {
    parse_suite(text, "s.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = good;
  text.replace(text.find(from), from.size(), to);
  return with_run(text);
}

/// Its topology fits its operands.
void check_runnable(const KernelRequest& request) {
  CAPTURE(request.name);
  const Recording recording = blank_recording(request, "sm90");
  const Model model(parse_notation(*recording.topology), recording.shape.k, leaf_types(recording),
                    recording.shape.m * recording.shape.n);
  CHECK((model.result() == recording.types.out ||
         widens_exactly(model.result(), recording.types.out)));
  for (const std::uint64_t row : request.rows) CHECK(row < request.shape.m);
}

}  // namespace

TEST_CASE("a suite entry sets exactly the knobs that it names") {
  const Suite suite = parse_suite(with_run(good), "s.json");
  REQUIRE(suite.runs.size() == 1);
  const KernelRequest& run = suite.runs[0];
  CHECK(run.kernel->name == "mma.gemm");
  CHECK(run.params.splits == 2);
  CHECK(run.params.instruction == "bf16");
  CHECK(run.params.block_m == gpu::LaunchParams{}.block_m);
  CHECK(*blank_recording(run, "sm90").topology == "slices(128, fold(sm90.mma.bf16), fold(f32))");
}

TEST_CASE("a suite refuses what it does not know, and says where") {
  CHECK_THAT(refused(changed("\"splits\"", "\"split_count\"")),
             contains("runs[0].params.split_count: mma.gemm has no parameter"));
  CHECK_THAT(refused(changed("mma.gemm", "mma.gem")), contains("'mma.gem' is not known"));
  CHECK_THAT(refused(changed("\"name\": \"x\"", "\"name\": \"../x\"")),
             contains("cannot be a file's name"));
  CHECK_THAT(refused(changed("\"k\": 256", "\"k\": 256, \"l\": 1")), contains("'l'"));
  CHECK_THAT(refused(changed("\"ones\"", "\"one\"")), contains("runs[0].inputs.b"));
  CHECK_THAT(refused(with_run(std::string(good) + "," + good)), contains("given twice"));
  CHECK_THAT(refused(R"({"whybits_suite": 2})"), contains("version 1"));
}

TEST_CASE("parameters that the kernel refuses are named with what is allowed") {
  const Suite suite = parse_suite(changed("\"splits\": 2", "\"block_m\": 24"), "s.json");
  try {
    blank_recording(suite.runs[0], "sm90");
    FAIL("accepted");
  } catch (const UsageError& error) {
    CHECK_THAT(error.what(), contains("block_m = 24: must be a multiple of 16"));
  }
}

TEST_CASE("every entry of the suites in tests/suites can be run") {
  // Operations are checked when they are read.
  for (const char* file :
       {"h200.json", "sanitizer.json", "h200-recipes.json", "llama-recipes.json"}) {
    const Suite suite = read_suite(std::string(WHYBITS_SOURCE_DIR "/tests/suites/") + file);
    for (const KernelRequest& run : suite.runs) check_runnable(run);
    for (const SweepRequest& sweep : suite.sweeps)
      for (const SweepSetting& setting : sweep.settings) {
        KernelRequest run = sweep.base;
        run.kernel = setting.kernel;
        run.params = setting.params;
        check_runnable(run);
      }
    for (const ArrivalRequest& arrival : suite.arrivals) check_runnable(arrival.base);
  }
}
