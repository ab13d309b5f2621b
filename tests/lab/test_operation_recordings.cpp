// Recordings of operations: what is read, what is refused, and what a prediction is worth.
#include <fmt/format.h>

#include "lab/base64.hpp"
#include "lab/usage_error.hpp"
#include "lab/verify_operations.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

/// Word i of a stream as the value in [−1, 1), from the definition of the inputs.
float uniform(std::uint64_t stream, std::uint64_t i) {
  const auto mix = [](std::uint64_t z) {
    z += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  };
  const std::uint64_t h = mix(mix(stream) + i);
  return static_cast<float>(static_cast<double>(h >> 40) * 0x1p-23 - 1);
}

std::string words(const std::vector<float>& values) {
  std::vector<Bits> codes;
  for (const float value : values) codes.push_back(to_code(value));
  return base64_encode(words_from_codes(formats::f32, codes));
}

/// A sum of two rows of three values each: a thread an element, far lanes first.
std::string sums(const std::vector<float>& recorded, const std::string& extra = "") {
  return fmt::format(
      R"({{"whybits_operations": 1, "source": {{"device": "test", "date": "today"}},
          "library": {{"name": "torch", "version": "2.11.0"}}, "guarantee": "run_to_run",
          "operation": "sum", "cases": [{{"shape": {{"rows": 2, "columns": 3}}, "type": "f32",
          "inputs": {{"x": "uniform:5"}}, "parameters": {{}}{}, "outputs": {{"y": {{"type": "f32",
          "rows": [0, 1], "column_stride": 1, "bits": {{"base64": "{}"}}}}}}}}]}})",
      extra, words(recorded));
}

std::vector<float> right() {
  std::vector<float> out;
  for (std::uint64_t row = 0; row < 2; ++row) {
    const auto x = [&](std::uint64_t i) { return uniform(5, 3 * row + i); };
    out.push_back((x(0) + x(2)) + x(1));  // two threads: 0 and 2, then 1
  }
  return out;
}

}  // namespace

TEST_CASE("A recorded sum is predicted from rows, columns and version") {
  const OperationRecording recording = parse_operation_recording(sums(right()), "sum.json");
  const std::vector<Verification> list = verify_operations(recording, element_functions()[0], true);
  REQUIRE(list.size() == 1);
  CHECK(list[0].file == "sum.json#y");
  CHECK(list[0].basis == Basis::from_configuration);
  CHECK(list[0].compared == 2);
  CHECK(list[0].wrong == 0);
  CHECK(list[0].controls.size() == 1);
}

TEST_CASE("A bit that is not the predicted one is found, with its place") {
  std::vector<float> recorded = right();
  recorded[1] = std::nextafter(recorded[1], 2.0f);
  const std::vector<Verification> list = verify_operations(
      parse_operation_recording(sums(recorded), "sum.json"), element_functions()[0], false);
  CHECK(list[0].wrong == 1);
  CHECK_THAT(list[0].first_wrong_place, contains("[1,0]"));
  CHECK_FALSE(list[0].passed());
}

TEST_CASE("What is no recording of operations, or a damaged one, is refused by place") {
  CHECK(is_operation_recording(sums(right())));
  CHECK_FALSE(is_operation_recording(R"({"whybits_recording": 1})"));
  const auto refused = [](std::string text, const std::string& from, const std::string& to,
                          const char* with) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    CHECK_THROWS_WITH(parse_operation_recording(text, "f.json"), contains(with));
  };
  const std::string good = sums(right());
  refused(good, "\"sum\"", "\"median\"", "'median' is not known");
  refused(good, "\"columns\": 3", "\"colums\": 3", "'colums' is no size");
  refused(good, "uniform:5", "ones", "generated stream");
  refused(good, "[0, 1]", "[1, 0]", "ascend");
  refused(good, "[0, 1]", "[0, 2]", "cases[0].outputs.y.rows[1]");
  refused(good, "[0, 1]", "[0]", "bytes given");
  refused(good, "\"rows\": 2,", "\"rows\": 4294967296, ", "cases[0].shape.rows");
  refused(good, "\"type\": \"f32\"", "\"type\": \"f33\"", "f33");
}

TEST_CASE("Correct functions agree with the oracle in every bit") {
  for_all(3000, [](Random& random) {
    const auto x = static_cast<Bits>(random() & 0xffffffff);
    for (const exact::Function f : {exact::Function::exp, exact::Function::exp2,
                                    exact::Function::log, exact::Function::rsqrt}) {
      CAPTURE(x, static_cast<int>(f));
      REQUIRE(correct_function(f, x) == exact::oracle_function(f, formats::f32, x, formats::f32));
    }
    const Bits near = to_code(8 * uniform_float(random));
    REQUIRE(correct_function(exact::Function::exp, near) ==
            exact::oracle_function(exact::Function::exp, formats::f32, near, formats::f32));
  });
}
