// whybits compare A B: are two dumps of one tensor the same bits, and if not, how do they differ?
#include <memory>
#include <optional>
#include <string>

#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/compare_report.hpp"

namespace whybits {
namespace compare_command {
namespace {

constexpr int bits_differ = 1;
constexpr std::uint64_t most_listed = 1'000'000'000;

struct Options {
  std::string a, b, format;
  std::uint64_t first = 10;
  bool json = false, csv = false;
};

void run(const Options& options, CommandContext& context) {
  std::optional<Format> format;
  if (!options.format.empty()) format = format_option("--format", options.format);
  const Dump a = read_dump(options.a, format);  // in this order: the first fault is told
  const Dump b = read_dump(options.b, format);
  const DumpComparison compared = compare_dumps(a, b, options.first);
  context.out << (options.json  ? comparison_json(compared)
                  : options.csv ? comparison_csv(compared)
                                : comparison_text(compared));
  context.exit_code = compared.comparison.all_same() ? 0 : bits_differ;
}

}  // namespace
}  // namespace compare_command

void add_compare_command(Command app, CommandContext& context) {
  using namespace compare_command;
  const auto options = std::make_shared<Options>();
  const Command command =
      app.add_subcommand("compare", "Two dumps of one tensor: same bits, or how they differ");
  command
      ->add_option("A", options->a,
                   "FILE.npy, FILE.safetensors#NAME, a recording FILE.json, or raw words")
      ->type_name("DUMP")
      ->required();
  command->add_option("B", options->b, "The other dump")->type_name("DUMP")->required();
  command
      ->add_option("--format", options->format,
                   "Format of raw words and of integer arrays that hold them, as bf16")
      ->type_name("FORMAT");
  add_count_option(command, "--first", options->first, most_listed, "How many differences to list")
      ->default_str("10");
  const CommandOption json =
      command->add_flag("--json", options->json, "One JSON object on standard output");
  command->add_flag("--csv", options->csv, "The listed differences as CSV")->excludes(json);
  command->footer(
      "Words are compared, NaN and -0 included. Exit code 0: the same, 1: they differ, 2: bad "
      "input.\n"
      "Examples:\n"
      "  whybits compare batch1.npy batch128.npy --format bf16\n"
      "  whybits compare model.safetensors#lm_head.weight dump.bin --format bf16 --first 100 "
      "--csv\n"
      "  whybits compare tests/recordings/nccl-ring-f32-n4-count4096.json \\\n"
      "    tests/recordings/nccl-tree-f32-n4-count4096.json");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
