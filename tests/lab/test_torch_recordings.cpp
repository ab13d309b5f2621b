// PyTorch's row operations and attention on an H200, predicted from shape, type and version alone;
// and what wrong models get wrong.
#include <algorithm>

#include "lab/verify_operations.hpp"
#include "tests/lab/recordings.hpp"
#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

/// Elements that a prediction of a case goes through, about.
std::uint64_t work(const OperationCase& one) {
  std::uint64_t rows = 0;
  for (const auto& [name, tensor] : one.outputs)
    rows = std::max<std::uint64_t>(rows, tensor.rows.size());
  const auto size = [&](const char* name) {
    const auto found = one.shape.find(name);
    return found == one.shape.end() ? 1 : found->second;
  };
  return rows * size("columns") * size("keys") * size("head_size");
}

/// "FILE#OUTPUT: 12 outputs, 0 wrong", what was left out, and a line for each control.
std::string counts_of(const OperationRecording& recording) {
  std::string text;
  const auto list = verify_operations(recording, element_functions("", "mufu"), true);
  const auto correct = verify_operations(recording, element_functions("", "correct"), false);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Verification& v = list[i];
    text += v.file + ": " + std::to_string(v.compared) + " outputs, " + std::to_string(v.wrong) +
            " wrong\n  " + v.controls.at(0).name + ": " + std::to_string(v.controls[0].wrong) +
            "\n  functions rounded correctly: " + std::to_string(correct[i].wrong) + "\n  " +
            v.rule + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("short recorded rows of PyTorch gave the bits predicted from their configuration") {
  constexpr std::uint64_t most_work = std::uint64_t{1} << 19;
  std::size_t operations = 0, outputs = 0;
  for (const auto& file : test::recordings("torch-", "/operations")) {
    OperationRecording recording = test::read_operations(file);
    CHECK(recording.cases.size() >= 40);
    std::erase_if(recording.cases, [](const OperationCase& one) { return work(one) > most_work; });
    ++operations;
    for (const Verification& v : verify_operations(recording, element_functions()[0], false)) {
      CAPTURE(v.file, v.first_wrong_place);
      CHECK(v.basis == Basis::from_configuration);
      CHECK(v.passed());
      outputs += v.compared;
    }
  }
  CHECK(operations == 8);
  CHECK(outputs > 20000);
}

TEST_CASE("every recorded row of PyTorch gave the predicted bits, wrong models did not",
          "[.full]") {
  std::string counts;
  for (const auto& file : test::recordings("torch-", "/operations"))
    counts += counts_of(test::read_operations(file));
  CHECK(counts == test::approved("torch_controls.txt", counts));
}
