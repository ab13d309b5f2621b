// whybits add, sub, mul, fma, div, sqrt, convert: one operation, and why it rounded so.
#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <memory>

#include "lab/case_stream.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/operands.hpp"
#include "lab/commands/options.hpp"
#include "lab/number_json.hpp"
#include "lab/number_text.hpp"
#include "lab/output_text.hpp"
#include "lab/usage_error.hpp"

namespace whybits {

namespace {

struct ArithmeticOptions {
  std::string format = "f32";
  std::string to;
  std::string rounding = "nearest-even";
  std::string random;
  std::string tininess = "before";
  bool saturate = false;
  bool json = false;
  bool from_stdin = false;
};

struct CommandText {
  Arithmetic operation;
  const char* operands;
  const char* description;
  const char* examples;
  const char* testfloat;  ///< its function in Berkeley TestFloat
};

constexpr CommandText texts[] = {
    {Arithmetic::add, "A B", "A + B: what rounding keeps, drops, and why",
     "  whybits add 2048 1 --format f16\n"
     "  whybits add 0.1 0.2 --format f64\n"
     "  whybits add 0x6800 0x3C00 --format f16 --rounding up",
     "f32_add"},
    {Arithmetic::sub, "A B", "A − B: what rounding keeps, drops, and why",
     "  whybits sub 1 0.99 --format bf16", "f32_sub"},
    {Arithmetic::mul, "A B", "A × B: what rounding keeps, drops, and why",
     "  whybits mul 0.1 3 --format bf16", "f32_mul"},
    {Arithmetic::fma, "A B C", "A × B + C with one rounding",
     "  whybits fma 1.0001 1.0001 -1.0002 --format f32", "f32_mulAdd"},
    {Arithmetic::div, "A B", "A / B: what rounding keeps, drops, and why",
     "  whybits div 1 3 --format f16", "f32_div"},
    {Arithmetic::sqrt, "A", "Square root: what rounding keeps, drops, and why",
     "  whybits sqrt 2 --format f32", "f32_sqrt"},
    {Arithmetic::convert, "A", "A from one format to another with one rounding",
     "  whybits convert 3.14159265 --format f32 --to bf16\n"
     "  whybits convert 1000 --format f32 --to e4m3 --saturate",
     "f32_to_f16"},
};

/// "0x1A2:13": a value and how many bits it has.
RandomBits random_option(const std::string& text) {
  RandomBits random;
  const std::string_view hex = std::string_view(text).substr(text.starts_with("0x") ? 2 : 0);
  const char* end = hex.data() + hex.size();
  const auto value = std::from_chars(hex.data(), end, random.value, 16);
  if (value.ec == std::errc() && value.ptr != end && *value.ptr == ':') {
    const auto count = std::from_chars(value.ptr + 1, end, random.count);
    const bool fits = count.ec == std::errc() && count.ptr == end && random.count >= 1 &&
                      random.count <= 32 && std::uint64_t{random.value} >> random.count == 0;
    if (fits) return random;
  }
  throw UsageError("--random: '" + text + "' is not a number of random bits",
                   "write the bits in hexadecimal and how many there are, 1 to 32: 0x1A2:13");
}

RoundRule rule_of(const ArithmeticOptions& options) {
  RoundRule rule;
  if (options.rounding == "stochastic" || options.rounding == "rs") {
    if (options.random.empty())
      throw UsageError("--rounding stochastic needs --random, the bits that decide",
                       "for example --random 0x1A2:13, as cvt.rs takes for f16");
    rule.rounding = Rounding::stochastic;
    rule.random = random_option(options.random);
  } else {
    rule.rounding = rounding_option("--rounding", options.rounding);
    if (!options.random.empty())
      throw UsageError("--random goes with --rounding stochastic only", "leave one of them out");
  }
  if (options.saturate) rule.overflow = Overflow::saturate;
  const std::optional<Tininess> tininess = parse_tininess(options.tininess);
  if (!tininess)
    throw UsageError("--tininess: '" + options.tininess + "' is neither before nor after",
                     "before rounding (ARM) or after it (x86)");
  rule.tininess = *tininess;
  return rule;
}

CaseStream stream_of(Arithmetic operation, const ArithmeticOptions& options) {
  CaseStream cases;
  cases.operation = operation;
  cases.format = format_option("--format", options.format);
  cases.result_format = cases.format;
  cases.rule = rule_of(options);
  if (operation == Arithmetic::convert) {
    if (options.to.empty())
      throw UsageError("whybits convert needs --to, the format to convert to",
                       "for example: whybits convert 3.14159 --format f32 --to bf16");
    cases.result_format = format_option("--to", options.to);
  }
  return cases;
}

void run_stream(const CaseStream& cases, const ArithmeticOptions& options,
                CommandContext& context) {
  if (options.json)
    throw UsageError("--json shows one operation; --stdin has its own text",
                     "leave one of them out");
  std::ios::sync_with_stdio(false);  // else every character of the input is locked for
  answer_cases(cases, std::cin, context.out);
}

void add_arithmetic_command(const CommandText& text, Command app, CommandContext& context) {
  auto options = std::make_shared<ArithmeticOptions>();
  Command command = add_number_command(app, std::string(operation_name(text.operation)),
                                       text.description, text.operands);
  command->add_option("--format", options->format, "Format of the operands")
      ->type_name("FORMAT")
      ->capture_default_str();
  if (text.operation == Arithmetic::convert)
    command->add_option("--to", options->to, "Format of the result")->type_name("FORMAT");
  command
      ->add_option("--rounding", options->rounding,
                   "nearest-even, nearest-away, zero, up, down, odd or stochastic")
      ->type_name("RULE")
      ->capture_default_str();
  command->add_option("--random", options->random, "Bits for stochastic rounding: 0x1A2:13")
      ->type_name("HEX:COUNT");
  command
      ->add_option("--tininess", options->tininess,
                   "Underflow looks at the result before or after rounding")
      ->type_name("before|after")
      ->capture_default_str();
  command->add_flag("--saturate", options->saturate,
                    "Overflow stops at the largest finite number (cvt.satfinite)");
  command->add_flag("--json", options->json, "Everything, for programs");
  command->add_flag("--stdin", options->from_stdin,
                    "Answer cases in Berkeley TestFloat's text form, one a line");
  command->footer(
      std::string(
          "Operands are decimals (0.1, -1.5e-3), hexadecimal values (0x1.8p3), codes (0x3C00), "
          "inf or\nnan. A value that the format lacks is first rounded to nearest even.\n\n") +
      text.examples +
      "\n\nWith --stdin a line has the operands as hexadecimal words, and the answer adds the "
      "result\n"
      "and the flags: 1 inexact, 2 underflow, 4 overflow, 8 divide by zero, 16 invalid.\n" +
      fmt::format("  testfloat_gen {0} | whybits {1} --stdin {2} | testfloat_ver {0}",
                  text.testfloat, operation_name(text.operation),
                  text.operation == Arithmetic::convert ? "--to f16" : "--format f32"));
  command->callback([command, options, &context, operation = text.operation] {
    const CaseStream stream = stream_of(operation, *options);
    if (options->from_stdin) {
      read_operands(command, 0);
      return run_stream(stream, *options, context);
    }
    const auto count = static_cast<std::size_t>(operand_count(operation));
    const OperationView view = view_operation({.operation = operation,
                                               .operands = read_operands(command, count),
                                               .format = stream.format,
                                               .result_format = stream.result_format,
                                               .rule = stream.rule});
    if (options->json) {
      nlohmann::ordered_json json{{fmt::format("whybits_{}", operation_name(operation)), 1}};
      json.update(to_json(view));
      context.out << json_text(json);
    } else {
      context.out << operation_text(view, context.colour);
    }
  });
}

}  // namespace

void add_arithmetic_commands(Command app, CommandContext& context) {
  for (const CommandText& text : texts) add_arithmetic_command(text, app, context);
}

}  // namespace whybits
