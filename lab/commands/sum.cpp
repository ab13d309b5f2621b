#include <fmt/format.h>

#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/inputs.hpp"
#include "lab/output_text.hpp"
#include "lab/step_report.hpp"
#include "lab/story.hpp"
#include "lab/study_report.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace sum_command {
namespace {

struct Options {
  std::uint64_t n = 0, rows = 1;
  std::string type = "f32", input = "uniform:1";
  std::string topology;
  std::vector<std::string> vs;
  std::string row, step;
  bool json = false, csv = false, no_exact = false;
};

constexpr const char* examples =
    R"(INPUT is uniform:S, wide:S, bits:S (stream S), ones, linspace:A:B, hex:3f80,4000,…,
npy:FILE or safetensors:FILE#NAME. FORMAT is f64, f32, tf32, f16, bf16, e5m2, e4m3 or eXmY.

Examples:
  whybits sum --n 1000 --rows 16 --topology 'fold(f32)' --vs 'pairs(f32)'
  whybits sum --n 4096 --rows 64 --type bf16 --topology 'halves(f32) > bf16' --vs 'fold(bf16)'
Exit codes: 0 as asked (with --vs: no sum differs), 1 sums differ, 2 bad input.)";

void run(const Options& o, CommandContext& context) {
  if (o.json && o.csv) throw UsageError("--json and --csv exclude each other", "give one of them");
  const std::vector<SchemaPtr> topologies = topology_options(o.topology, o.vs);
  if (!o.row.empty() && o.vs.empty())
    throw UsageError("--row tells where two topologies part", "give the second with --vs");
  const std::optional<StepWish> wish = step_wish(o.step, o.vs.empty());
  const Format format = format_option("--type", o.type);
  const std::uint64_t count = checked_product("--rows × --n", o.rows, o.n);
  const auto values = open_operand("--input", o.input, format, {count, {}});
  StudyRequest request = sum_request(*values, o.rows, o.n, topologies);
  require_runnable(topologies, o.n, request.types, "a sum has no operands but its addends");
  request.with_exact = !o.csv && !o.no_exact;  // lines of CSV have no errors
  const Study study = run_study(request);
  if (study.any_output_differs()) context.exit_code = 1;
  if (o.csv) {
    context.out << study_csv(study, "row", [](std::size_t i) { return std::to_string(i); });
    return;
  }
  std::optional<std::size_t> chosen;
  if (!o.row.empty()) {
    chosen = index_option("--row", o.row, o.rows);
  } else if (!study.pairs.empty()) {
    chosen = first_difference(study.pairs[0]);
  }
  std::optional<OutputStory> story;
  std::optional<StepView> step;
  StoryPlan plan;
  if (chosen) {
    plan = plan_story(study, fmt::format("Sum of row {}", *chosen));
    if (plan.affordable())
      request.for_each([&](std::size_t row, const Leaves& leaves) {
        if (row != *chosen) return;
        story = tell_output(request.types, leaves, topologies[0], topologies[1]);
        if (wish) step = wished_step(*story, *wish, leaves);
      });
  }
  if (o.json) {
    nlohmann::ordered_json out{{"whybits_sum", 1},
                               {"n", o.n},
                               {"rows", o.rows},
                               {"type", format_name(values->format())},
                               {"input", o.input}};
    out.update(study_json(study, topologies));
    add_story_json(out, plan, story);
    if (step) out["output"]["step"] = step_view_json(*step, *wish);
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format("{} of {}, {}\n\n", counted(o.rows, "sum"),
                             counted(o.n, format_name(values->format()) + " value"),
                             printable(o.input))
              << study_text(study, topologies) << planned_story_text(plan, story)
              << (step ? step_view_text(*step, *wish) : "");
}

}  // namespace
}  // namespace sum_command

void add_sum_command(Command app, CommandContext& context) {
  using namespace sum_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      app.add_subcommand("sum", "Sums of rows under one or more topologies: what differs, and why");
  add_count_option(command, "--n", o.n, most_addends, "Addends of each sum")->required();
  add_count_option(command, "--rows", o.rows, most_addends, "How many sums")->default_str("1");
  command->add_option("--topology", o.topology, "How each sum is added (docs/notation.md)")
      ->type_name("TOPOLOGY")
      ->required();
  command->add_option("--vs", o.vs, "Another to compare with; may be repeated")
      ->type_name("TOPOLOGY");
  command->add_option("--type", o.type, "Format of the values")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_option("--input", o.input, "The values, rows × n")
      ->type_name("INPUT")
      ->capture_default_str();
  command->add_option("--row", o.row, "The sum to explain; the first that differs if not given")
      ->type_name("ROW");
  command->add_option("--step", o.step, "A step of A or B as rows of bits")
      ->type_name("SIDE,NUMBER");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->add_flag("--csv", o.csv, "One line a sum, without errors");
  command->add_flag("--no-exact", o.no_exact,
                    "No exact sums, and no errors against them, which take most of the time");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
