// What is said about numbers and operations: fields worked out by hand, and rules that hold for
// all.
#include "lab/decimal.hpp"
#include "lab/number_json.hpp"
#include "lab/number_text.hpp"
#include "lab/text_layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

NumberView view(const char* text, const Format& format) {
  return view_input(parse_number(text), format).number;
}

OperationView view(Arithmetic operation, std::initializer_list<const char*> operands,
                   const Format& format, RoundRule rule = {}) {
  OperationRequest request{.operation = operation,
                           .operands = {},
                           .format = format,
                           .result_format = format,
                           .rule = rule};
  for (const char* text : operands) request.operands.push_back(parse_number(text));
  return view_operation(request);
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0, begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    widest = std::max(widest, columns(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return widest;
}

/// Any word, or any decimal.
std::string any_number(Random& random, const Format& format) {
  if (random.coin()) return hex_float(format, random() & format.code_mask());
  if (random.below(8) == 0) return "0." + std::string(random.below(200), '7');
  return std::to_string(random.between(-99'999, 99'999)) + "e" +
         std::to_string(random.between(-40, 30));
}

}  // namespace

TEST_CASE("2049 in f16: fields, neighbours and the error of its rounding") {
  const InputNumber entry = view_input(parse_number("2049"), formats::f16);
  const NumberView& number = entry.number;
  CHECK(number.code_text == "0x6800");
  CHECK(number.sign_bits == "0");
  CHECK(number.exponent_bits == "11010");
  CHECK(number.fraction_bits == "0000000000");
  CHECK(number.class_name == "normal");
  CHECK(number.exponent == 11);
  CHECK(number.ulp == "2");
  CHECK(number.exact == "2048");
  CHECK(number.hex_float == "0x1p+11");
  REQUIRE(number.below);
  CHECK(number.below->shortest == "2047");
  CHECK(number.below->distance == "1");
  REQUIRE(number.above);
  CHECK(number.above->code == "0x6801");
  CHECK(number.above->distance == "2");
  CHECK(entry.input.rounded);
  CHECK(entry.input.tie);
  CHECK(entry.input.error == "-1");
  CHECK(entry.input.error_ulp == "-0.5");
}

TEST_CASE("neighbours at the ends: zero has two, infinity one, NaN none") {
  CHECK(view("0", formats::f16).below->code == "0x8001");
  CHECK(view("-0", formats::f16).above->code == "0x0001");
  CHECK(view("0x0001", formats::f16).below->code == "0x0000");
  CHECK(view("0x8001", formats::f16).above->code == "0x8000");
  CHECK(view("65504", formats::f16).above->shortest == "inf");
  CHECK(view("65504", formats::f16).above->distance.empty());
  CHECK(view("inf", formats::f16).below->shortest == "65500");
  CHECK_FALSE(view("inf", formats::f16).above);
  CHECK_FALSE(view("-inf", formats::f16).below);
  CHECK_FALSE(view("nan", formats::f16).below);
  CHECK_FALSE(view("448", formats::e4m3).above);
  CHECK_FALSE(view("-6", formats::e2m1).below);
}

TEST_CASE("in a sentence a number is exact if that is short, else the shortest that comes back") {
  CHECK(view("0.1", formats::f16).display == "0.0999755859375");
  CHECK(view("0.1", formats::f32).display == "0.1");
  CHECK(view("65504", formats::f16).display == "65504");
  CHECK(view("65504", formats::f16).shortest == "65500");
  CHECK(view("448", formats::e4m3).display == "448");
}

TEST_CASE("2048 + 1 in f16: exact sum, kept and dropped bits, error, and why") {
  const OperationView sum = view(Arithmetic::add, {"2048", "1"}, formats::f16);
  CHECK(sum.expression == "2048 + 1");
  CHECK(sum.exact == "2049");
  CHECK(sum.result.shortest == "2048");
  CHECK(sum.step.kept == "1.0000000000");
  CHECK(sum.step.exponent == 11);
  CHECK((sum.step.guard && !sum.step.round && !sum.step.sticky));
  CHECK(sum.step.inner == "2048");
  CHECK(sum.step.outer == "2050");
  CHECK(sum.step.position == 0.5);
  CHECK(sum.error == "-1");
  CHECK(sum.error_ulp == "-0.5");
  CHECK(sum.explanation ==
        "2049 lies between 2048 and 2050, exactly halfway. A tie goes to the even one, 2048, whose "
        "last bit is 0.");
}

TEST_CASE("explanations name the rule that decided") {
  const auto why = [](Arithmetic operation, std::initializer_list<const char*> operands,
                      const Format& format, RoundRule rule = {}) {
    return view(operation, operands, format, rule).explanation;
  };
  using enum Arithmetic;
  const Format& f16 = formats::f16;
  CHECK_THAT(why(add, {"2048", "1"}, f16, {.rounding = Rounding::nearest_away}),
             contains("the one farther from zero, 2050"));
  CHECK_THAT(why(add, {"-2048", "-1"}, f16, {.rounding = Rounding::down}),
             contains("between -2050 and -2048. Rounding down takes the smaller, -2050"));
  CHECK_THAT(why(add, {"2048", "1"}, f16, {.rounding = Rounding::odd}),
             contains("last bit is 1, 2050"));
  CHECK_THAT(why(add, {"2048", "1"}, f16, {.rounding = Rounding::zero}),
             contains("toward zero drops"));
  CHECK_THAT(why(div, {"1", "3"}, f16), contains("nearer to 0.333251953125 than to"));
  CHECK_THAT(why(add, {"1", "2"}, f16), contains("nothing is lost"));
  CHECK_THAT(why(sub, {"1", "1"}, f16), contains("cancel exactly. The zero is +0"));
  CHECK_THAT(why(mul, {"0", "-3"}, f16), contains("exactly zero"));
  CHECK_THAT(why(mul, {"60000", "-2"}, f16), contains("beyond -65504, where f16 ends"));
  CHECK_THAT(why(mul, {"60000", "2"}, f16, {.rounding = Rounding::zero}), contains("stops there"));
  CHECK_THAT(why(mul, {"400", "2"}, formats::e4m3), contains("NaN takes its place"));
  CHECK_THAT(why(mul, {"1e-4", "1e-4"}, f16), contains("Below the smallest normal number"));
  CHECK_THAT(why(div, {"1", "0"}, f16), contains("divided by zero is infinite"));
  CHECK_THAT(why(div, {"0", "0"}, f16), contains("0 / 0 has no value"));
  CHECK_THAT(why(sqrt, {"-2"}, f16), contains("no square root"));
  CHECK_THAT(why(add, {"inf", "-inf"}, f16), contains("has no value"));
  CHECK_THAT(why(add, {"inf", "1"}, f16), contains("infinite operand"));
  CHECK_THAT(why(add, {"nan", "1"}, f16), contains("NaN stays NaN"));
}

TEST_CASE("result − exact is the error, and both ends of the step enclose the exact value") {
  for_all(3'000, [](Random& random) {
    const Format format = random.pick(named_formats()).format;
    const Rounding rounding = random.pick(all_roundings);
    const Arithmetic operation =
        random.pick(std::array{Arithmetic::add, Arithmetic::sub, Arithmetic::mul});
    const std::string a = any_number(random, format), b = any_number(random, format);
    CAPTURE(format_name(format), rounding_name(rounding), a, b);
    const OperationView result =
        view(operation, {a.c_str(), b.c_str()}, format, {.rounding = rounding});
    if (result.error.empty()) return;
    REQUIRE(result.exact_ends);
    const mpq_class exact = parse_number(result.exact).value,
                    error = parse_number(result.error).value;
    const bool adds_up = exact + error == parse_number(result.result.exact).value;
    CHECK(adds_up);
    CHECK(result.flags.inexact == (error != 0));
    if (result.rounded) CHECK((result.step.position >= 0 && result.step.position <= 1));
  });
}

TEST_CASE("text stays within 80 columns, whatever the numbers") {
  for_all(2'000, [](Random& random) {
    const Format format = random.pick(named_formats()).format;
    const Arithmetic operation = random.pick(all_arithmetic);
    OperationRequest request{.operation = operation,
                             .operands = {},
                             .format = format,
                             .result_format = format,
                             .rule = {.rounding = random.pick(all_roundings)}};
    if (operation == Arithmetic::convert)
      request.result_format = random.pick(named_formats()).format;
    std::vector<InputNumber> entries;
    for (int i = 0; i < operand_count(operation); ++i)
      request.operands.push_back(parse_number(any_number(random, format)));
    const std::string block = number_block(view_input(request.operands[0], format), false);
    const std::string text = operation_text(view_operation(request), false);
    CAPTURE(block, text);
    CHECK(widest_line(block) <= 80);
    CHECK(widest_line(text) <= 80);
  });
}

TEST_CASE("colour adds only escape codes: without them the text is the same") {
  const OperationView sum = view(Arithmetic::add, {"2048", "1"}, formats::f16);
  std::string coloured = operation_text(sum, true);
  CHECK(coloured != operation_text(sum, false));
  for (std::size_t escape; (escape = coloured.find('\x1b')) != std::string::npos;)
    coloured.erase(escape, coloured.find('m', escape) - escape + 1);
  CHECK(coloured == operation_text(sum, false));
}

TEST_CASE("JSON has bits and exact decimals as strings, and null for what is not there") {
  const nlohmann::ordered_json json = to_json(view(Arithmetic::add, {"2048", "1"}, formats::f16));
  CHECK(json["operation"] == "add");
  CHECK(json["operands"][0]["code"] == "0x6800");
  CHECK(json["exact"]["decimal"] == "2049");
  CHECK(json["step"]["guard"] == 1);
  CHECK(json["error"]["decimal"] == "-1");
  CHECK(json["result"]["above"]["distance"] == "2");
  const nlohmann::ordered_json infinite = to_json(view(Arithmetic::div, {"1", "0"}, formats::f16));
  CHECK(infinite["step"].is_null());
  CHECK(infinite["exact"]["decimal"].is_null());
  CHECK(infinite["result"]["exact"].is_null());
  CHECK(infinite["result"]["above"].is_null());
}
