#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "lab/all_reduce_study.hpp"
#include "lab/code_text.hpp"
#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/files.hpp"
#include "lab/inputs.hpp"
#include "lab/map_json.hpp"
#include "lab/map_picture.hpp"
#include "lab/memory_limit.hpp"
#include "lab/output_text.hpp"
#include "lab/study.hpp"  // topology_letter
#include "lab/text_table.hpp"
#include "sim/message_passing/all_reduce.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace allreduce_command {
namespace {

struct Options {
  std::uint64_t ranks = 0, count = 0, per_node = 1;
  std::string type = "f32", input = "uniform:1", algorithm = "ring", op = "sum", average = "none",
              svg;
  std::vector<std::string> vs;
  bool map = false, messages = false, json = false;
};

constexpr const char* examples =
    R"(ALGORITHM is ring, tree, double-tree, recursive-doubling, recursive-halving, rabenseifner,
direct, linear, binomial, hierarchical, vllm, vllm-one-stage, vllm-two-stage, symmetric-one-shot,
symmetric-two-shot, nvls; nccl, nccl:2.23.4 or nccl:2.28.3:NCCL_ALGO=Tree:NCCL_MAX_NCHANNELS=1; a
topology or a map of the notation. +f32 keeps partial sums in f32, as in ring+f32.
INPUT is as for sum; rank r of uniform:S has stream S + r. max and min ignore NaN; no order of
theirs matters, and vllm and symmetric have none.

Examples:
  whybits allreduce --ranks 4 --count 4096 --type bf16 --algorithm ring --vs tree
  whybits allreduce --ranks 4 --count 100000 --algorithm nccl:2.28.3 --vs nccl:2.30.7 --map
  whybits allreduce --ranks 8 --count 65536 --type bf16 --algorithm vllm --vs nccl --svg map.svg
  whybits allreduce --ranks 12 --ranks-per-node 4 --count 999 --algorithm double-tree --messages
Exit codes: 0 as asked (with --vs: no element differs), 1 elements differ, 2 bad input.)";

Average average_option(const std::string& text) {
  if (text == "none") return Average::none;
  if (text == "pre") return Average::pre;
  if (text == "post") return Average::post;
  throw UsageError(fmt::format("--average: '{}' is not known", text),
                   "none (the sum), pre (inputs are multiplied first), post (the sum is divided)");
}

ReduceOp op_option(const std::string& text) {
  const auto found = std::ranges::find(reduce_op_names, text);
  if (found == reduce_op_names.end())
    throw UsageError(fmt::format("--op: '{}' is not known", text),
                     fmt::format("{}", fmt::join(reduce_op_names, ", ")));
  return static_cast<ReduceOp>(found - reduce_op_names.begin());
}

AllReduceRequest request_of(const Options& o) {
  if (o.ranks < 2)
    throw UsageError(fmt::format("--ranks {}: two or more take part", o.ranks), "as in --ranks 4");
  AllReduceRequest request;
  request.message = {o.ranks, o.count, format_option("--type", o.type), o.per_node,
                     op_option(o.op)};
  request.average = average_option(o.average);
  const bool sum = request.message.op == ReduceOp::sum;
  if (!sum && request.average != Average::none)
    throw UsageError(fmt::format("--average {}: a {} has no average", o.average, o.op),
                     "leave out --average, or --op");
  request.plans.push_back(all_reduce_plan("--algorithm", o.algorithm, request.message));
  for (const std::string& text : o.vs)
    request.plans.push_back(all_reduce_plan("--vs", text, request.message));
  request.inputs = open_messages("--input", o.input, request.message.type, o.ranks, o.count);
  constexpr std::uint64_t most_exact = 10'000'000;  // addends; the exact sum is slower
  request.with_exact = sum && checked_product("--ranks × --count", o.ranks, o.count) <= most_exact;
  return request;
}

/// The second execution; what it did, or where it parts from the map.
std::string pass_messages(const AllReduceRequest& request) {
  const AllReducePlan& plan = request.plans[0];
  if (!plan.config)
    throw UsageError("--messages: no program of messages for " + plan.spec,
                     "take one of the plain algorithms, as ring");
  if (request.average != Average::none)
    throw UsageError("--messages: averages are not passed", "leave out --average");
  std::vector<const CodeSource*> sources;
  for (const auto& input : request.inputs) sources.push_back(input.get());
  require_memory(
      "--messages",
      saturating_product(saturating_product(request.message.ranks, request.message.count),
                         2 * sizeof(Bits)),
      "choose fewer ranks or a smaller message");
  try {
    const message_passing::Results results = message_passing::run_whole(
        message_passing::all_reduce_ranks(*plan.config, sources), request.message.count);
    const std::vector<Bits> mapped = evaluate_map(plan.map, request.inputs, request.message.count,
                                                  Average::none, request.message.op);
    std::uint64_t differ = 0;
    for (const auto& rank : results.codes) differ += count_differences(rank, mapped);
    std::string text = fmt::format(
        "\nmessages: {} in {} rounds, {} elements sent; of all ranks' results {} differ from the "
        "map's\n",
        grouped(results.traffic.messages), grouped(results.traffic.rounds),
        grouped(results.traffic.elements), grouped(differ));
    constexpr std::size_t shown = 4, most_ranks = 64;
    if (request.message.ranks <= most_ranks)
      for (std::size_t i = 0; i < results.pieces.size() && i < shown; ++i)
        text +=
            fmt::format("  elements [{}, {}) were added as {}\n", results.pieces[i].begin,
                        results.pieces[i].end(), message_passing::print(results.pieces[i].origin));
    return text;
  } catch (const ConfigurationError& error) {
    throw UsageError(std::string("--messages: ") + error.what());
  }
}

std::string text_of(const AllReduceRequest& request, const AllReduceStudy& study) {
  using enum TextTable::Align;
  TextTable plans({"", "all-reduce", "topologies", "not the nearest to the exact sum"},
                  {left, left, right, right});
  for (std::size_t i = 0; i < study.plans.size(); ++i) {
    const AllReduceOutputs& outputs = study.plans[i];
    const AllReducePlan& plan = request.plans[i];
    std::string name = plan.spec;
    if (plan.nccl) name += " (" + plan.nccl->rule + ")";
    if (outputs.order_undefined) name += " (order not defined by hardware: here that of the ranks)";
    plans.row({topology_letter(i), name, counted(plan.map.regions.size(), "region"),
               outputs.not_nearest ? grouped(*outputs.not_nearest) : "not counted"});
  }
  std::string out = plans.text();
  if (study.pairs.empty()) return out;
  TextTable pairs({"", "elements that differ", "", "largest difference", "other topology"},
                  {left, right, right, right, right});
  for (const AllReducePair& pair : study.pairs) {
    const std::uint64_t all = request.message.count;
    pairs.row({topology_letter(pair.a) + ", " + topology_letter(pair.b), grouped(pair.differ),
               all == 0 ? ""
                        : fmt::format("{:.2f} %", 100.0 * static_cast<double>(pair.differ) /
                                                      static_cast<double>(all)),
               pair.differ == 0 ? "-" : fmt::format("{} ulp", grouped(pair.ulp.largest())),
               grouped(pair.other_topology)});
  }
  out += "\n" + pairs.text();
  const AllReducePair& pair = study.pairs[0];
  if (pair.first) {
    const Format& type = request.message.type;
    out += fmt::format("\nfirst: element {}\n", pair.first->index);
    for (const auto& [p, code] : {std::pair{pair.a, pair.first->a}, {pair.b, pair.first->b}})
      out += fmt::format("  {}  {}  {}\n", topology_letter(p), hex_code(type, code),
                         print(*request.plans[p].map.find(pair.first->index)->topology));
  }
  return out;
}

using Json = nlohmann::ordered_json;

Json json_of(const Options& o, const AllReduceRequest& request, const AllReduceStudy& study) {
  Json out{{"whybits_allreduce", 1}, {"ranks", o.ranks},
           {"count", o.count},       {"type", format_name(request.message.type)},
           {"input", o.input},       {"op", o.op},
           {"average", o.average},   {"plans", Json::array()},
           {"pairs", Json::array()}};
  for (std::size_t i = 0; i < study.plans.size(); ++i) {
    const AllReducePlan& plan = request.plans[i];
    const AllReduceOutputs& outputs = study.plans[i];
    out["plans"].push_back(
        {{"algorithm", plan.spec},
         {"rule", plan.nccl ? Json(plan.nccl->rule) : Json()},
         {"order_undefined", outputs.order_undefined},
         {"not_nearest", outputs.not_nearest ? Json(*outputs.not_nearest) : Json()},
         {"map", map_json(plan.map)}});
  }
  for (const AllReducePair& pair : study.pairs) {
    out["pairs"].push_back({{"a", topology_letter(pair.a)},
                            {"b", topology_letter(pair.b)},
                            {"differ", pair.differ},
                            {"other_topology", pair.other_topology},
                            {"first", pair.first ? Json(pair.first->index) : Json()}});
  }
  return out;
}

void run(const Options& o, CommandContext& context) {
  const AllReduceRequest request = request_of(o);
  const AllReduceStudy study = study_all_reduce(request);
  const std::string messages = o.messages ? pass_messages(request) : "";
  if (study.any_differs()) context.exit_code = 1;
  if (!o.svg.empty()) write_file_atomically(o.svg, map_svg(request.plans[0], request.message));
  if (o.json) {
    context.out << json_text(json_of(o, request, study));
    return;
  }
  context.out << fmt::format("{} ranks, {}, {}{}\n\n", grouped(o.ranks),
                             counted(o.count, format_name(request.message.type) + " element"),
                             printable(o.input), o.op == "sum" ? "" : ", " + o.op)
              << text_of(request, study) << messages;
  if (!o.map) return;
  for (std::size_t i = 0; i < request.plans.size(); ++i)
    context.out << "\n"
                << topology_letter(i) << "  " << request.plans[i].spec << "\n"
                << map_table(request.plans[i], request.message);
}

}  // namespace
}  // namespace allreduce_command

void add_allreduce_command(Command app, CommandContext& context) {
  using namespace allreduce_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command = app.add_subcommand(
      "allreduce", "Sums over ranks, by algorithms or libraries: what differs, and where");
  add_count_option(command, "--ranks", o.ranks, std::uint64_t{1} << 20, "Ranks that take part")
      ->required();
  add_count_option(command, "--count", o.count, most_addends, "Elements of the message")
      ->required();
  command->add_option("--algorithm", o.algorithm, "How it is reduced")
      ->type_name("ALGORITHM")
      ->capture_default_str();
  command->add_option("--vs", o.vs, "Another to compare with; may be repeated")
      ->type_name("ALGORITHM");
  command->add_option("--type", o.type, "Format of the elements")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_option("--input", o.input, "Every rank's message")
      ->type_name("INPUT")
      ->capture_default_str();
  add_count_option(command, "--ranks-per-node", o.per_node, std::uint64_t{1} << 20,
                   "Of tree, double-tree and hierarchical")
      ->default_str("1");
  command->add_option("--op", o.op, "What is made of the ranks' values")
      ->type_name("sum|max|min")
      ->capture_default_str();
  command->add_option("--average", o.average, "Where 1/ranks enters: before the sum or after it")
      ->type_name("none|pre|post")
      ->capture_default_str();
  command->add_flag("--map", o.map, "List which elements have which topology");
  command->add_option("--svg", o.svg, "Draw the map of the first one into this file")
      ->type_name("FILE");
  command->add_flag("--messages", o.messages,
                    "Run the first one by ranks that pass messages, too, and compare");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
