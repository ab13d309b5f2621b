// whybits compare A B: are two dumps of one tensor the same bits, and if not, how do they differ?
#include <fmt/format.h>

#include <memory>
#include <string>

#include "lab/commands/commands.hpp"
#include "lab/compare_report.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace {

constexpr int bits_differ = 1;

struct Options {
  std::string a, b, format;
  std::size_t first = 10;
  bool json = false, csv = false;
};

std::optional<Format> chosen_format(const std::string& name) {
  if (name.empty()) return std::nullopt;
  const auto format = parse_format(name);
  if (format) return format;
  std::string names;
  for (const NamedFormat& named : named_formats()) names += std::string(named.name) + " ";
  throw UsageError(fmt::format("--format {}: not a number format", name),
                   "allowed: " + names + "or eXmY");
}

void run(const Options& options, CommandContext& context) {
  const auto format = chosen_format(options.format);
  const DumpComparison compared =
      compare_dumps(read_dump(options.a, format), read_dump(options.b, format), options.first);
  context.out << (options.json  ? comparison_json(compared)
                  : options.csv ? comparison_csv(compared)
                                : comparison_text(compared));
  context.exit_code = compared.comparison.all_same() ? 0 : bits_differ;
}

}  // namespace

void add_compare_command(CLI::App& app, CommandContext& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("compare", "Two dumps of one tensor: same bits, or how they differ");
  command
      ->add_option("A", options->a,
                   "FILE.npy, FILE.safetensors#NAME, a recording FILE.json, or raw words")
      ->required();
  command->add_option("B", options->b, "The other dump")->required();
  command->add_option("--format", options->format,
                      "Number format of raw words and of integer arrays that hold them, as bf16");
  command->add_option("--first", options->first, "How many differences to list (default 10)");
  auto* const json =
      command->add_flag("--json", options->json, "One JSON object on standard output");
  command->add_flag("--csv", options->csv, "The listed differences as CSV")->excludes(json);
  command->footer(
      "Words are compared, NaN and -0 included. Exit code 0: the same, 1: they differ, 2: bad "
      "input.\n"
      "Examples:\n"
      "  whybits compare batch1.npy batch128.npy --format bf16\n"
      "  whybits compare model.safetensors#lm_head.weight dump.bin --format bf16 --first 100 "
      "--csv\n"
      "  whybits compare tests/recordings/nccl-ring-f32-n4-count4096.json "
      "tests/recordings/nccl-tree-f32-n4-count4096.json");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
