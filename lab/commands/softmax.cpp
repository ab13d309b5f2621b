// whybits softmax: the same rows by two kernels.
#include <fmt/format.h>

#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/commands/softmax_options.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"

namespace whybits {
namespace softmax_command {
namespace {

struct Options {
  SoftmaxOptions softmax;
  std::string kernel = "torch", vs, row;
  bool json = false, no_exact = false;
};

constexpr const char* examples =
    R"(KERNEL is NAME@ROWS, the number of rows in the launch (1 if left out), or a topology for the sum of
a row. Names (docs/norms.md): torch, composed (max, exp, torch.sum, division: the rows decide), and
for --log triton and triton-3.6.
--rows says how many rows are compared; it is no part of the launch.

Examples:
  whybits softmax --cols 151936 --rows 8 --kernel composed@1 --vs composed@64
  whybits softmax --cols 4096 --kernel torch@1 --vs torch@64
  whybits softmax --cols 4096 --kernel torch --vs 'fold(f32)'
  whybits softmax --log --cols 32000 --rows 8 --kernel torch --vs triton
Exit codes: 0 no output differs, 1 outputs differ, 2 bad input.)";

void run(const Options& o, CommandContext& context) {
  const SoftmaxOptions& s = o.softmax;
  const SoftmaxConfig plain = plain_softmax(s);
  SoftmaxRequest request = softmax_request(s, softmax_side("--kernel", o.kernel, plain));
  request.b = softmax_side("--vs", o.vs, plain);
  const std::optional<std::uint64_t> wished =
      o.row.empty() ? std::nullopt : std::optional(index_option("--row", o.row, s.rows));
  const SoftmaxStudy study = run_softmax_study(request, !o.no_exact);
  if (study.output().differ > 0) context.exit_code = 1;
  const std::optional<std::uint64_t> row = wished ? wished : study.stages[0].first_row;
  std::optional<OutputStory> story;
  if (row) story = tell_softmax_row(request, *row);
  if (o.json) {
    nlohmann::ordered_json out{{"whybits_softmax", 1}, {"rows", s.rows}, {"columns", s.columns},
                               {"type", s.type},       {"log", s.log},   {"x", s.x}};
    out.update(softmax_json(request, study));
    if (story) {
      out["row"] = *row;
      out["sum"] = story_json(*story);
    }
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format("{} of {} of {}, x={}\n\n", s.log ? "log_softmax" : "softmax",
                             counted(s.rows, "row"), counted(s.columns, s.type + " value"),
                             printable(s.x))
              << softmax_text(request, study);
  if (story) context.out << '\n' << story_text(*story, fmt::format("Sum of row {}", *row));
}

}  // namespace
}  // namespace softmax_command

void add_softmax_command(Command app, CommandContext& context) {
  using namespace softmax_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  const Command command = app.add_subcommand(
      "softmax", "softmax of the same rows by two kernels: what differs, stage by stage");
  command->add_option("--kernel", o.kernel, "How the rows are summed")
      ->type_name("KERNEL")
      ->capture_default_str();
  command->add_option("--vs", o.vs, "Another to compare with")->type_name("KERNEL")->required();
  add_count_option(command, "--rows", o.softmax.rows, most_addends, "Rows that are compared")
      ->default_str("64");
  add_softmax_options(command, o.softmax);
  command->add_option("--row", o.row, "The row to explain; the first that differs if not given")
      ->type_name("ROW");
  command->add_flag("--no-exact", o.no_exact, "No comparison with exact values");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
