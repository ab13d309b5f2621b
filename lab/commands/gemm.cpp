#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/inputs.hpp"
#include "lab/output_text.hpp"
#include "lab/progress.hpp"
#include "lab/step_report.hpp"
#include "lab/story.hpp"
#include "lab/study_report.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"
#include "sim/plural.hpp"
#include "sim/schema_edit.hpp"

namespace whybits {
namespace gemm_command {
namespace {

struct Options {
  GemmShape shape;
  std::string type = "bf16", type_b, c_type = "f32", bias_type;
  std::string a = "uniform:1", b = "uniform:2", c, bias;
  std::string leaf = "product";
  std::string topology;
  std::vector<std::string> vs;
  std::string rows, columns, output, step;
  std::uint64_t threads = 0;
  bool json = false, csv = false, no_exact = false;
};

constexpr const char* examples =
    R"(INPUT is uniform:S, wide:S, bits:S (stream S), ones, linspace:A:B, hex:3f80,4000,…,
npy:FILE or safetensors:FILE#NAME. FORMAT is f64, f32, tf32, f16, bf16, e5m2, e4m3 or eXmY.
Errors against exact sums take most of the time of a large product: choose --rows and --columns,
or leave them out with --no-exact; --csv has none.

Examples:
  One row of a bf16 layer under the trees that cuBLAS takes at batch 1, 128 and 1024:
    whybits gemm --m 1 --n 4096 --k 14336 --a uniform:11 --b uniform:12 \
      --topology 'slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16' \
      --vs       'slices(7168, fold(sm90.wgmma.bf16), fold(f32)) > bf16' \
      --vs       'fold(sm90.wgmma.bf16) > bf16'
  f32 dot products as a chain of fma, and by Hopper's tf32 tensor cores:
    whybits gemm --m 1 --n 8 --k 1000 --type f32 \
      --topology 'fold(f32.fma)' --vs 'fold(sm90.mma.tf32)'
  f32 products rounded to f32 first, then added pairwise, and in index order:
    whybits gemm --m 4 --n 4 --k 100 --type f32 --leaf 'product > f32' \
      --topology 'pairs(f32)' --vs 'fold(f32)'
Exit codes: 0 as asked (with --vs: no output differs), 1 outputs differ, 2 bad input.)";

/// Operands by their options; sizes are checked before anything is allocated.
struct Operands {
  std::unique_ptr<CodeSource> a, b, c, bias;
  GemmOperands view;
};

Operands open_operands(const Options& o) {
  const Format type_a = format_option("--type", o.type);
  const Format type_b = o.type_b.empty() ? type_a : format_option("--type-b", o.type_b);
  const GemmShape& s = o.shape;
  Operands operands;
  operands.a = open_tensor("--a", o.a, type_a, {s.m, s.k});
  operands.b = open_tensor("--b", o.b, type_b, {s.k, s.n});
  if (!o.c.empty())
    operands.c = open_tensor("--c", o.c, format_option("--c-type", o.c_type), {s.m, s.n});
  if (!o.bias.empty())
    operands.bias = open_tensor(
        "--bias", o.bias, o.bias_type.empty() ? type_a : format_option("--bias-type", o.bias_type),
        {s.n});
  operands.view.shape = s;
  operands.view.a = operands.a.get();
  operands.view.b = operands.b.get();
  operands.view.c = operands.c.get();
  operands.view.bias = operands.bias.get();
  operands.view.product = leaf_option("--leaf", o.leaf);
  return operands;
}

/// A bias that nobody adds is a wrong answer, and so is c; for c the expansion says so.
void require_bias_added(const std::vector<SchemaPtr>& topologies) {
  for (const SchemaPtr& topology : topologies) {
    bool added = false;
    edit_schema(topology, [&](const Schema& s) -> SchemaPtr {
      added = added || std::holds_alternative<AddOperand>(s.form);
      return nullptr;
    });
    if (!added)
      throw UsageError("--bias is given, but '" + print(*topology) + "' does not add it",
                       "write + bias where it is added, as in fold(f32.fma) + bias > bf16");
  }
}

/// The output to tell about: asked for, else the first that differs.
std::optional<std::size_t> chosen_story(const Options& o, const Study& study,
                                        const ChosenOutputs& chosen) {
  if (o.output.empty()) return first_difference(study.pairs[0]);
  const std::size_t comma = o.output.find(',');
  if (comma == std::string::npos)
    throw UsageError("--output: '" + o.output + "' is not ROW,COLUMN", "as in --output 0,55");
  const std::string_view text = o.output;
  const auto place = [&](const std::vector<std::uint64_t>& list, std::uint64_t value) {
    const auto found = std::find(list.begin(), list.end(), value);
    if (found == list.end())
      throw UsageError("--output " + o.output + " is not among the chosen outputs",
                       "choose it with --rows and --columns");
    return static_cast<std::size_t>(found - list.begin());
  };
  const std::uint64_t row = index_option("--output", text.substr(0, comma), o.shape.m);
  const std::uint64_t column = index_option("--output", text.substr(comma + 1), o.shape.n);
  return place(chosen.rows, row) * chosen.columns.size() + place(chosen.columns, column);
}

nlohmann::ordered_json request_json(const Options& o, const GemmOperands& operands) {
  nlohmann::ordered_json out{
      {"whybits_gemm", 1},
      {"shape", {{"m", o.shape.m}, {"n", o.shape.n}, {"k", o.shape.k}}},
      {"types",
       {{"a", format_name(operands.a->format())}, {"b", format_name(operands.b->format())}}},
      {"inputs", {{"a", o.a}, {"b", o.b}}},
      {"leaf", o.leaf}};
  const auto optional_operand = [&](const char* name, const CodeSource* source,
                                    const std::string& input) {
    if (!source) return;
    out["types"][name] = format_name(source->format());
    out["inputs"][name] = input;
  };
  optional_operand("c", operands.c, o.c);
  optional_operand("bias", operands.bias, o.bias);
  return out;
}

std::string title_text(const Options& o, const GemmOperands& operands,
                       const ChosenOutputs& chosen) {
  std::string title = fmt::format(
      "{} × {} {} of a GEMM with m={} n={} k={}, {} × {}, a={} b={}", chosen.rows.size(),
      chosen.columns.size(), plural(chosen.size(), "output"), o.shape.m, o.shape.n, o.shape.k,
      format_name(operands.a->format()), format_name(operands.b->format()), o.a, o.b);
  if (operands.c) title += " c=" + o.c;
  if (operands.bias) title += " bias=" + o.bias;
  if (operands.product) title += ", products rounded to " + conversion_name(*operands.product);
  return printable(title);
}

void run(const Options& o, CommandContext& context) {
  if (o.json && o.csv) throw UsageError("--json and --csv exclude each other", "give one of them");
  const std::vector<SchemaPtr> topologies = topology_options(o.topology, o.vs);
  if (!o.output.empty() && o.vs.empty())
    throw UsageError("--output tells where two topologies part", "give the second with --vs");
  const std::optional<StepWish> wish = step_wish(o.step, o.vs.empty());
  const Operands operands = open_operands(o);
  // The types are checked before any list of outputs is made.
  require_runnable(topologies, o.shape.k, operands.view.types(),
                   "--c gives the operand c, --bias the operand bias");
  if (operands.bias) require_bias_added(topologies);
  const ChosenOutputs chosen{index_list_option("--rows", o.rows, o.shape.m),
                             index_list_option("--columns", o.columns, o.shape.n)};
  GemmOptions options;
  options.threads = static_cast<unsigned>(o.threads);
  std::optional<Study> study;
  {
    Progress progress("outputs", chosen.size());
    options.progress = [&](std::uint64_t done) { progress.update(done); };
    StudyRequest request = gemm_request(operands.view, chosen, options, topologies);
    request.with_exact = !o.csv && !o.no_exact;  // lines of CSV have no errors
    study = run_study(request);
  }
  const auto name = [&](std::size_t i) {
    return fmt::format("{},{}", chosen.rows[i / chosen.columns.size()],
                       chosen.columns[i % chosen.columns.size()]);
  };
  if (study->any_output_differs()) context.exit_code = 1;
  if (o.csv) {
    context.out << study_csv(*study, "row,column", name);
    return;
  }
  std::optional<OutputStory> story;
  std::optional<StepView> step;
  StoryPlan plan;
  if (const auto index = !study->pairs.empty() ? chosen_story(o, *study, chosen) : std::nullopt) {
    const std::size_t columns = chosen.columns.size();
    plan = plan_story(*study, fmt::format("Output [{}]", name(*index)));
    options.progress = nullptr;
    options.threads = 1;
    if (plan.affordable())
      for_each_output(
          operands.view, {{chosen.rows[*index / columns]}, {chosen.columns[*index % columns]}},
          options, [&](std::size_t, std::size_t, const Leaves& leaves) {
            story = tell_output(operands.view.types(), leaves, topologies[0], topologies[1]);
            if (wish) step = wished_step(*story, *wish, leaves);
          });
  }
  if (o.json) {
    nlohmann::ordered_json out = request_json(o, operands.view);
    out.update(study_json(*study, topologies));
    add_story_json(out, plan, story);
    if (step) out["output"]["step"] = step_view_json(*step, *wish);
    context.out << json_text(out);
    return;
  }
  context.out << title_text(o, operands.view, chosen) << "\n\n"
              << study_text(*study, topologies) << planned_story_text(plan, story)
              << (step ? step_view_text(*step, *wish) : "");
}

}  // namespace
}  // namespace gemm_command

void add_gemm_command(Command app, CommandContext& context) {
  using namespace gemm_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command = app.add_subcommand(
      "gemm", "A matrix product under one or more topologies: what differs, and why");
  add_count_option(command, "--m", o.shape.m, most_addends, "Rows of A and of the output")
      ->required();
  add_count_option(command, "--n", o.shape.n, most_addends, "Columns of B and of the output")
      ->required();
  add_count_option(command, "--k", o.shape.k, most_addends, "Addends of each output")->required();
  command
      ->add_value("--topology", o.topology, "TOPOLOGY",
                  "How each output is added (docs/notation.md)")
      ->required();
  command->add_option("--vs", o.vs, "Another to compare with; may be repeated")
      ->type_name("TOPOLOGY");
  command->add_value("--type", o.type, "FORMAT", "Format of A and B");
  command->add_value("--type-b", o.type_b, "FORMAT", "Format of B, if it is another");
  command->add_value("--a", o.a, "INPUT", "A, m×k, row-major");
  command->add_value("--b", o.b, "INPUT", "B, k×n, row-major");
  const CommandOption c =
      command->add_value("--c", o.c, "INPUT", "C, m×n: the accumulator that each sum starts from");
  command->add_value("--c-type", o.c_type, "FORMAT", "Format of C")->needs(c);
  const CommandOption bias =
      command->add_value("--bias", o.bias, "INPUT", "The operand of '+ bias', n elements");
  command
      ->add_value("--bias-type", o.bias_type, "FORMAT",
                  "Format of the bias; that of A if not given")
      ->needs(bias);
  command->add_value("--leaf", o.leaf, "LEAF",
                     "product, or 'product > FORMAT': rounded before it is added");
  command->add_value("--rows", o.rows, "LIST",
                     "Rows to compute, as in 0,5,7..9 (0, 5, 7, 8); all if not given");
  command->add_value("--columns", o.columns, "LIST", "Columns to compute; all if not given");
  command->add_value("--output", o.output, "ROW,COLUMN",
                     "The output to explain; the first that differs if not given");
  command->add_option("--step", o.step, "A step of A or B as rows of bits")
      ->type_name("SIDE,NUMBER");
  add_count_option(command, "--threads", o.threads, 1024, "Threads; 0: as many as there are cores")
      ->default_str("0");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->add_flag("--csv", o.csv, "One line an output, without errors");
  command->add_flag("--no-exact", o.no_exact,
                    "No exact sums, and no errors against them, which take most of the time");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
