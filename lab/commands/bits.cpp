// whybits bits: one number in one or all formats.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "lab/commands/commands.hpp"
#include "lab/commands/operands.hpp"
#include "lab/commands/options.hpp"
#include "lab/explain_rounding.hpp"
#include "lab/number_json.hpp"
#include "lab/number_text.hpp"
#include "lab/output_text.hpp"
#include "lab/usage_error.hpp"

namespace whybits {

namespace {

struct BitsOptions {
  std::vector<std::string> formats;
  std::string rounding = "nearest-even";
  bool json = false;
};

/// All named formats; of a code those whose words have as many digits.
std::vector<Format> default_formats(const NumberInput& input) {
  std::vector<Format> formats;
  for (const NamedFormat& named : named_formats()) {
    const Format& format = named.format;
    const int bits = format.code_bits() + format.word_shift();
    const bool fits =
        input.hex_digits == format.word_bits() / 4 && (bits == 64 || input.code >> bits == 0);
    if (input.kind != NumberInput::Kind::code || fits) formats.push_back(format);
  }
  if (formats.empty())
    throw UsageError(fmt::format("the code {} has {} digits: no named format has such codes",
                                 input.text, input.hex_digits),
                     "codes have 2, 4 (f16 bf16), 8 (f32 tf32) or 16 (f64) digits; "
                     "or name the format: --format f16");
  return formats;
}

void run_bits(const BitsOptions& options, const NumberInput& input, CommandContext& context) {
  std::vector<Format> formats;
  for (const std::string& name : options.formats)
    formats.push_back(format_option("--format", name));
  const bool chosen = !formats.empty();
  if (!chosen) formats = default_formats(input);

  const RoundRule rule{.rounding = rounding_option("--rounding", options.rounding)};
  std::vector<InputNumber> entries;
  for (const Format& format : formats) entries.push_back(view_input(input, format, rule));

  if (options.json) {
    nlohmann::ordered_json json = {
        {"whybits_bits", 1}, {"input", input.text}, {"numbers", nlohmann::ordered_json::array()}};
    for (const InputNumber& entry : entries) json["numbers"].push_back(to_json(entry));
    context.out << json_text(json);
  } else if (chosen) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      context.out << (i > 0 ? "\n" : "") << number_block(entries[i], context.colour);
  } else {
    const bool any_rounded = std::any_of(entries.begin(), entries.end(),
                                         [](const InputNumber& e) { return e.input.rounded; });
    context.out << entries.front().input.label;
    if (any_rounded) context.out << ", rounded " << rounding_phrase(rule.rounding);
    context.out << "\n\n"
                << number_table(entries, context.colour)
                << "\nExact digits and neighbours: --format "
                << entries[entries.size() > 3 ? 3 : 0].number.format_name << '\n';
  }
}

}  // namespace

void add_bits_command(Command app, CommandContext& context) {
  auto options = std::make_shared<BitsOptions>();
  Command command = add_number_command(
      app, "bits", "A value or a code: fields, neighbours, last place, exact decimal",
      "VALUE|CODE");
  command->add_option("--format", options->formats, "Show these formats in full; repeatable")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FORMAT");
  command->add_option("--rounding", options->rounding, "How a value meets its format")
      ->type_name("RULE")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Everything, for programs");
  command->footer(
      "VALUE is a decimal (0.1, -1.5e-3), a hexadecimal value (0x1.8p3), inf or nan. It is\n"
      "rounded once, straight into each format. CODE is 0x and the digits of the word.\n\n"
      "  whybits bits 0.1                      in every format\n"
      "  whybits bits 2049 --format f16\n"
      "  whybits bits 0x3C00                   the code, in f16 and bf16\n"
      "  whybits bits 0x7F --format e4m3 --format e5m2");
  command->callback([command, options, &context] {
    run_bits(*options, read_operands(command, 1).front(), context);
  });
}

}  // namespace whybits
