// Why an operation rounded as it did, in the languages of the screen.
#include <set>
#include <string>
#include <vector>

#include "lab/decimal.hpp"
#include "lab/explain_rounding.hpp"
#include "lab/number_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/property.hpp"
#include "visualizer/model/reason_text.hpp"
#include "visualizer/text/text.hpp"

using namespace whybits;
using namespace whybits::viz;
using namespace whybits::test;

namespace {

/// Any word of the format, a small number, or one of the corners.
std::string any_number(Random& random, const Format& format) {
  static const std::vector<std::string> corners{"0", "-0", "inf", "-inf", "nan", "1", "-1", "2049"};
  switch (random.below(3)) {
    case 0:
      return hex_float(format, random() & format.code_mask());
    case 1:
      return std::to_string(random.between(-300, 300)) + "e" +
             std::to_string(random.between(-6, 5));
    default:
      return random.pick(corners);
  }
}

OperationRequest random_operation(Random& random) {
  OperationRequest request;
  request.operation = random.pick(all_arithmetic);
  request.format = request.result_format = random.pick(named_formats()).format;
  if (request.operation == Arithmetic::convert)
    request.result_format = random.pick(named_formats()).format;
  request.rule.rounding = random.pick(all_roundings);
  for (int i = 0; i < operand_count(request.operation); ++i)
    request.operands.push_back(parse_number(any_number(random, request.format)));
  return request;
}

}  // namespace

TEST_CASE("in English the screen gives the reasons that the command line gives") {
  std::set<std::string> met;
  for_all(20000, [&](Random& random) {
    const OperationView view = view_operation(random_operation(random));
    CAPTURE(view.expression);
    CHECK(reason_text(view) == view.explanation);
    for (const RoundingReason& reason : rounding_reasons(view)) met.insert(std::string(reason.key));
  });
  CHECK(met.size() > 20);
}

TEST_CASE("every reason, rounding and class of number has its words in both languages") {
  std::vector<std::string> keys;
  for (const std::string_view key : rounding_reason_keys())
    keys.push_back("reason." + std::string(key));
  for (const Rounding rounding : all_roundings)
    for (const char* prefix : {"rounding.", "rounding.phrase."})
      keys.push_back(prefix + std::string(rounding_name(rounding)));
  for (const char* name : {"normal", "subnormal", "zero", "infinity", "NaN"})
    keys.push_back(std::string("class.") + name);
  for (const std::string& key : keys) {
    INFO(key);
    CHECK(has_text(Language::english, key));
    CHECK(has_text(Language::chinese, key));
  }
}
