// whybits add, sub, mul, fma, div, sqrt, convert: one operation, and why it rounded so.
#include <memory>
#include <ostream>

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
  bool saturate = false;
  bool json = false;
};

struct CommandText {
  Arithmetic operation;
  const char* operands;
  const char* description;
  const char* examples;
};

constexpr CommandText texts[] = {
    {Arithmetic::add, "A B", "A + B: what rounding keeps, drops, and why",
     "  whybits add 2048 1 --format f16\n"
     "  whybits add 0.1 0.2 --format f64\n"
     "  whybits add 0x6800 0x3C00 --format f16 --rounding up"},
    {Arithmetic::sub, "A B", "A − B: what rounding keeps, drops, and why",
     "  whybits sub 1 0.9999 --format bf16"},
    {Arithmetic::mul, "A B", "A × B: what rounding keeps, drops, and why",
     "  whybits mul 0.1 3 --format bf16"},
    {Arithmetic::fma, "A B C", "A × B + C with one rounding",
     "  whybits fma 1.0001 1.0001 -1.0002 --format f32"},
    {Arithmetic::div, "A B", "A / B: what rounding keeps, drops, and why",
     "  whybits div 1 3 --format f16"},
    {Arithmetic::sqrt, "A", "Square root: what rounding keeps, drops, and why",
     "  whybits sqrt 2 --format f32"},
    {Arithmetic::convert, "A", "A from one format to another with one rounding",
     "  whybits convert 3.14159265 --format f32 --to bf16\n"
     "  whybits convert 1000 --format f32 --to e4m3 --saturate"},
};

OperationRequest make_request(Arithmetic operation, const ArithmeticOptions& options,
                              std::vector<NumberInput> operands) {
  OperationRequest request;
  request.operation = operation;
  request.operands = std::move(operands);
  request.format = format_option("--format", options.format);
  request.result_format = request.format;
  if (operation == Arithmetic::convert) {
    if (options.to.empty())
      throw UsageError("whybits convert needs --to, the format to convert to",
                       "for example: whybits convert 3.14159 --format f32 --to bf16");
    request.result_format = format_option("--to", options.to);
  }
  request.rule.rounding = rounding_option("--rounding", options.rounding);
  if (options.saturate) request.rule.overflow = Overflow::saturate;
  return request;
}

void add_arithmetic_command(const CommandText& text, CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<ArithmeticOptions>();
  CLI::App* command = add_number_command(app, std::string(operation_name(text.operation)),
                                         text.description, text.operands);
  command->add_option("--format", options->format, "Format of the operands")
      ->type_name("FORMAT")
      ->capture_default_str();
  if (text.operation == Arithmetic::convert)
    command->add_option("--to", options->to, "Format of the result")->type_name("FORMAT");
  command
      ->add_option("--rounding", options->rounding,
                   "nearest-even, nearest-away, zero, up, down or odd")
      ->type_name("RULE")
      ->capture_default_str();
  command->add_flag("--saturate", options->saturate,
                    "Overflow stops at the largest finite number (cvt.satfinite)");
  command->add_flag("--json", options->json, "Everything, for programs");
  command->footer(
      std::string(
          "Operands are decimals (0.1, -1.5e-3), hexadecimal values (0x1.8p3), codes (0x3C00), "
          "inf or\nnan. A value that the format lacks is first rounded to nearest even.\n\n") +
      text.examples);
  command->callback([command, options, &context, operation = text.operation] {
    const auto count = static_cast<std::size_t>(operand_count(operation));
    const OperationView view =
        view_operation(make_request(operation, *options, read_operands(*command, count)));
    if (options->json)
      context.out << json_text(to_json(view));
    else
      context.out << operation_text(view, context.colour);
  });
}

}  // namespace

void add_arithmetic_commands(CLI::App& app, CommandContext& context) {
  for (const CommandText& text : texts) add_arithmetic_command(text, app, context);
}

}  // namespace whybits
