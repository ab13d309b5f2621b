// whybits tensor-parallel: one row-parallel layer over several numbers of ranks against one.
#include "lab/tensor_parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <nlohmann/json.hpp>

#include "lab/all_reduce_spec.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/inputs.hpp"
#include "lab/map_json.hpp"
#include "lab/output_text.hpp"
#include "lab/story.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/builders/tensor_parallel.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace tensor_parallel_command {
namespace {

struct Options {
  GemmShape shape;
  std::string ranks = "1,2,4,8", topology, all_reduce = "ring", type = "bf16", a = "uniform:1",
              b = "uniform:2", out_type;
  std::uint64_t threads = 0;
  bool invariant = false, json = false, no_exact = false;
};

constexpr const char* examples =
    R"(A row-parallel layer: each of R ranks has a part of K, multiplies it by TOPOLOGY, and an all-reduce
adds the partial outputs in the format that TOPOLOGY ends with. ALGORITHM is as for allreduce.
--invariant: a kernel for each of as many parts as the most ranks, without its last rounding, and
one binary tree over the parts, inside ranks and across them, rounded once.

Examples:
  whybits tensor-parallel --m 1 --n 4096 --k 14336 --topology 'fold(sm90.wgmma.bf16) > bf16'
  whybits tensor-parallel --m 1 --n 4096 --k 14336 --topology 'fold(sm90.wgmma.bf16) > bf16' \
    --invariant
  whybits tensor-parallel --m 4 --n 512 --k 4096 --topology 'fold(sm90.wgmma.bf16)' \
    --all-reduce tree --out-type bf16 --ranks 2,4
Exit codes: 0 no output differs from one rank's, 1 outputs differ, 2 bad input.)";

/// "1,2,4,8", ascending, one rank first whether given or not.
std::vector<std::uint64_t> ranks_option(const std::string& text) {
  constexpr std::uint64_t most = 1024;
  std::vector<std::uint64_t> ranks = index_list_option("--ranks", text, most + 1);
  if (text.empty() || std::ranges::find(ranks, 0U) != ranks.end())
    throw UsageError(fmt::format("--ranks {}: counts of ranks from 1 to {}", text, most),
                     "as in --ranks 1,2,4,8");
  ranks.push_back(1);
  std::ranges::sort(ranks);
  const auto repeats = std::ranges::unique(ranks);
  ranks.erase(repeats.begin(), repeats.end());
  return ranks;
}

std::vector<LayerPlan> plans_of(const Options& o, const SchemaPtr& kernel) {
  const std::vector<std::uint64_t> ranks = ranks_option(o.ranks);
  const std::uint64_t outputs = checked_product("--m × --n", o.shape.m, o.shape.n);
  std::optional<Conversion> last;
  if (!o.out_type.empty()) last = Conversion{format_option("--out-type", o.out_type), {}};
  const std::optional<Format> message = result_format(*kernel);
  if (!message)
    throw UsageError("--topology: the exact sum has no format that could be sent",
                     "write where it is rounded, as in 'fold(exact) > f32'");
  for (const std::uint64_t r : ranks) {
    if (o.shape.k % r != 0)
      throw UsageError(fmt::format("--ranks {}: --k {} does not part evenly", r, o.shape.k),
                       "choose divisors of --k");
    if (o.invariant && !std::has_single_bit(r))
      throw UsageError(fmt::format("--ranks {}: --invariant needs powers of two", r),
                       "as in --ranks 2,4,8");
  }
  std::vector<LayerPlan> plans;
  for (const std::uint64_t r : ranks) {
    if (o.invariant) {
      const SchemaPtr whole = invariant_row_parallel(kernel, r, ranks.back(), o.shape.k);
      plans.push_back({r, row_parallel_map(whole, 1, {}, outputs, last)});
      continue;
    }
    TopologyMap reduced;
    if (r > 1) reduced = all_reduce_plan("--all-reduce", o.all_reduce, {r, outputs, *message}).map;
    plans.push_back({r, row_parallel_map(kernel, r, reduced, outputs, last)});
  }
  return plans;
}

std::string title_text(const Options& o) {
  return printable(fmt::format(
      "row-parallel layer, m={} n={} k={}, {}, a={} b={}\n{}\n", o.shape.m, o.shape.n, o.shape.k,
      o.type, o.a, o.b,
      o.invariant ? "one binary tree over K and ranks, of parts by " + o.topology
                  : "every rank by " + o.topology + ", then all-reduce " + o.all_reduce));
}

std::string text_of(const LayerRequest& request, const LayerStudy& study) {
  using enum TextTable::Align;
  std::vector<std::string> header{"ranks", "outputs that differ", "", "largest difference",
                                  "other tree"};
  std::vector<TextTable::Align> align(5, right);
  if (study.with_exact) {
    header.emplace_back("rms error");
    align.push_back(right);
  }
  TextTable table(header, align);
  for (std::size_t p = 0; p < study.plans.size(); ++p) {
    const LayerOutputs& outputs = study.plans[p];
    const OutputComparison& c = outputs.against_first;
    std::vector<std::string> row{std::to_string(request.plans[p].ranks)};
    if (p == 0) {
      row.insert(row.end(), {"compared with", "", "", ""});
    } else {
      const double share = 100.0 * static_cast<double>(c.differ) /
                           static_cast<double>(std::max<std::size_t>(outputs.codes.size(), 1));
      row.insert(row.end(),
                 {grouped(c.differ), fmt::format("{:.2f} %", share),
                  c.differ == 0 ? "-" : fmt::format("{} ulp", grouped(c.ulp.largest())),
                  outputs.other_tree == 0 ? "none: cannot differ" : grouped(outputs.other_tree)});
    }
    if (study.with_exact) row.push_back(fmt::format("{:.4g}", outputs.error.rms()));
    table.row(row);
  }
  return table.text();
}

nlohmann::ordered_json json_of(const Options& o, const LayerRequest& request,
                               const LayerStudy& study) {
  using Json = nlohmann::ordered_json;
  Json out{{"whybits_tensor_parallel", 1},
           {"shape", {{"m", o.shape.m}, {"n", o.shape.n}, {"k", o.shape.k}}},
           {"type", o.type},
           {"inputs", {{"a", o.a}, {"b", o.b}}},
           {"topology", o.topology},
           {"all_reduce", o.invariant ? Json() : Json(o.all_reduce)},
           {"invariant", o.invariant},
           {"outputs", study.plans[0].codes.size()},
           {"plans", Json::array()}};
  for (std::size_t p = 0; p < study.plans.size(); ++p) {
    const LayerOutputs& outputs = study.plans[p];
    const OutputComparison& c = outputs.against_first;
    out["plans"].push_back({{"ranks", request.plans[p].ranks},
                            {"format", format_name(outputs.format)},
                            {"differ", c.differ},
                            {"largest_ulp", c.differ == 0 ? Json() : Json(c.ulp.largest())},
                            {"first", c.where.empty() ? Json() : Json(c.where[0])},
                            {"other_tree", outputs.other_tree},
                            {"rms_error", study.with_exact ? Json(outputs.error.rms()) : Json()},
                            {"map", map_json(request.plans[p].map)}});
  }
  return out;
}

void run(const Options& o, CommandContext& context) {
  if (o.shape.m == 0 || o.shape.n == 0 || o.shape.k == 0)
    throw UsageError("--m, --n and --k are at least 1", "as in --m 1 --n 4096 --k 14336");
  const SchemaPtr kernel = topology_option("--topology", o.topology);
  const Format type = format_option("--type", o.type);
  LayerRequest request;
  const auto a = open_tensor("--a", o.a, type, {o.shape.m, o.shape.k});
  const auto b = open_tensor("--b", o.b, type, {o.shape.k, o.shape.n});
  request.operands.shape = o.shape;
  request.operands.a = a.get();
  request.operands.b = b.get();
  request.options.threads = static_cast<unsigned>(o.threads);
  request.with_exact = !o.no_exact;
  require_runnable({kernel}, o.shape.k, request.operands.types(),
                   "a layer has no operands but A and B");
  request.plans = plans_of(o, kernel);
  const LayerStudy study = study_layer(request);
  const auto difference = study.first_difference();
  if (difference) context.exit_code = 1;
  StoryPlan plan;
  std::optional<OutputStory> story;
  if (difference) {
    plan.title = fmt::format("Output [{},{}], A of 1 rank, B of {}", difference->output / o.shape.n,
                             difference->output % o.shape.n, request.plans[difference->plan].ranks);
    plan.bytes = layer_story_bytes(request, *difference);
    if (plan.affordable()) story = tell_layer(request, *difference);
  }
  if (o.json) {
    nlohmann::ordered_json out = json_of(o, request, study);
    add_story_json(out, plan, story);
    context.out << json_text(out);
    return;
  }
  context.out << title_text(o) << "\n"
              << text_of(request, study) << planned_story_text(plan, story);
}

}  // namespace
}  // namespace tensor_parallel_command

void add_tensor_parallel_command(Command app, CommandContext& context) {
  using namespace tensor_parallel_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command = app.add_subcommand(
      "tensor-parallel", "A row-parallel layer over 1, 2, 4, … ranks: do its bits change?");
  add_count_option(command, "--m", o.shape.m, most_addends, "Rows of A and of the output")
      ->required();
  add_count_option(command, "--n", o.shape.n, most_addends, "Columns of B and of the output")
      ->required();
  add_count_option(command, "--k", o.shape.k, most_addends, "Addends of each output, of all ranks")
      ->required();
  command->add_value("--topology", o.topology, "TOPOLOGY", "How a rank adds its part of K")
      ->required();
  command->add_value("--ranks", o.ranks, "LIST",
                     "Numbers of ranks; they are compared with one rank");
  const CommandOption reduced = command->add_value("--all-reduce", o.all_reduce, "ALGORITHM",
                                                   "How partial outputs are added");
  command
      ->add_flag("--invariant", o.invariant,
                 "One binary tree over K and ranks, the same for every number of them")
      ->excludes(reduced);
  command->add_value("--out-type", o.out_type, "FORMAT", "Rounds the reduced outputs to this");
  command->add_value("--type", o.type, "FORMAT", "Format of A and B");
  command->add_value("--a", o.a, "INPUT", "A, m×k, row-major");
  command->add_value("--b", o.b, "INPUT", "B, k×n, row-major");
  add_count_option(command, "--threads", o.threads, 1024, "Threads; 0: as many as there are cores")
      ->default_str("0");
  command->add_flag("--no-exact", o.no_exact, "No exact sums, which take most of the time");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
