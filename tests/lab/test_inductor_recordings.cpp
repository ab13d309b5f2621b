// Recordings of torch.compile: by which order they are predicted, and what is not modelled.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <sstream>

#include "lab/base64.hpp"
#include "lab/files.hpp"
#include "lab/option_values.hpp"
#include "lab/verify_operations.hpp"
#include "sim/libraries/inductor/row_sum.hpp"
#include "tests/lab/recordings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

constexpr std::uint64_t columns = 2048;

/// Word i of stream 5 as the value in [−1, 1), from the definition of the inputs.
float uniform(std::uint64_t i) {
  const auto mix = [](std::uint64_t z) {
    z += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  };
  const std::uint64_t h = mix(mix(5) + i);
  return static_cast<float>(static_cast<double>(h >> 40) * 0x1p-23 - 1);
}

/// 2048 elements are 512 threads of four neighbours; threads far apart meet first, in a warp and
/// then among the warps.
float block_sum_of(std::vector<float> x) {
  for (std::size_t t = 0; t < 512; ++t)
    x[t] = ((x[4 * t] + x[4 * t + 1]) + x[4 * t + 2]) + x[4 * t + 3];
  for (const std::size_t half : {16U, 8U, 4U, 2U, 1U})
    for (std::size_t warp = 0; warp < 512; warp += 32)
      for (std::size_t lane = 0; lane < half; ++lane) x[warp + lane] += x[warp + lane + half];
  for (const std::size_t half : {8U, 4U, 2U, 1U})
    for (std::size_t warp = 0; warp < half; ++warp) x[32 * warp] += x[32 * (warp + half)];
  return x[0];
}

OperationRecording recorded(const std::string& library, const std::string& operation,
                            const std::string& output, bool squares) {
  std::vector<Bits> codes;
  for (std::uint64_t row = 0; row < 2; ++row) {
    std::vector<float> x;
    for (std::uint64_t i = 0; i < columns; ++i) {
      const float value = uniform(columns * row + i);
      x.push_back(squares ? value * value : value);
    }
    codes.push_back(to_code(block_sum_of(std::move(x))));
  }
  return parse_operation_recording(
      fmt::format(
          R"({{"whybits_operations": 1, "source": {{"device": "test", "date": "today"}},
          "library": {{"name": "{}", "version": "2.11.0"}}, "guarantee": "run_to_run",
          "operation": "{}", "cases": [{{"shape": {{"rows": 2, "columns": 2048}}, "type": "f32",
          "inputs": {{"x": "uniform:5"}}, "parameters": {{}}, "outputs": {{"{}": {{"type": "f32",
          "rows": [0, 1], "column_stride": 1, "bits": {{"base64": "{}"}}}}}}}}]}})",
          library, operation, output, base64_encode(words_from_codes(formats::f32, codes))),
      "made.json");
}

Verification verified(const OperationRecording& recording) {
  return verify_operations(recording, element_functions()[0], true).at(0);
}

}  // namespace

TEST_CASE("What torch.compile summed is predicted by TorchInductor's order and not by PyTorch's") {
  const Verification v = verified(recorded("torch.compile", "sum", "y", false));
  CHECK(v.compared == 2);
  CHECK(v.wrong == 0);
  CHECK(verified(recorded("torch", "sum", "y", false)).wrong > 0);
}

TEST_CASE("recorded sums of torch.compile on an H200 gave the bits predicted from their shape") {
  std::size_t outputs = 0;
  for (const auto& file : test::recordings("inductor-", "/operations")) {
    const OperationRecording recording = test::read_operations(file);
    for (const Verification& v : verify_operations(recording, element_functions()[0], true)) {
      CAPTURE(v.file, v.first_wrong_place);
      CHECK(v.wrong == 0);
      CHECK(v.controls.at(0).wrong > 0);
      outputs += v.compared;
    }
  }
  CHECK(outputs == 4297);
}

TEST_CASE(
    "Of torch.compile a mean is not modelled, and of PyTorch's own kernels no sum of squares") {
  CHECK_THAT(verified(recorded("torch.compile", "mean", "y", false)).unsupported.value(),
             contains("of torch.compile known are sum and sum_of_squares"));
  CHECK_THAT(verified(recorded("torch", "sum_of_squares", "f32", true)).unsupported.value(),
             contains("known of torch.compile only"));
}

TEST_CASE("torch.compile cut rows over as many blocks as the rule says, in every kernel it wrote") {
  std::istringstream rows(
      read_text_file(WHYBITS_SOURCE_DIR "/tests/recordings/inductor/blocks-2.11.tsv", 1U << 20));
  std::string line;
  std::getline(rows, line);
  CHECK(line == "rows\tlength\ttype\toperation\tblocks");
  std::map<std::uint64_t, std::uint64_t> cases;  // by blocks of a row
  while (std::getline(rows, line)) {
    CAPTURE(line);
    std::istringstream fields(line);
    std::uint64_t count = 0, length = 0, blocks = 0;
    std::string type, operation;
    fields >> count >> length >> type >> operation >> blocks;
    REQUIRE(fields);
    CHECK(inductor_splits({count, length, format_option("type", type)}) == blocks);
    ++cases[blocks];
  }
  CHECK((cases == std::map<std::uint64_t, std::uint64_t>{{1, 142}, {2, 85}, {4, 15}, {8, 9}}));
}
