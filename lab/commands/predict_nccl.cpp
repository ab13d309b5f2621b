#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "lab/all_reduce_spec.hpp"
#include "lab/commands/options.hpp"
#include "lab/commands/predict_libraries.hpp"
#include "lab/files.hpp"
#include "lab/map_json.hpp"
#include "lab/map_picture.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace predict_nccl_command {
namespace {

struct Options {
  std::uint64_t ranks = 0, count = 0, nodes = 1;
  std::string version = std::string(default_nccl_version), type = "f32", svg;
  std::vector<std::string> set;
  bool in_place = false, graph = false, registered = false, json = false;
};

constexpr const char* examples =
    R"(GPUs of compute capability 9.0, one all-reduce alone in its group: one host with an NVSwitch, or
nodes with one GPU each (--nodes), where NCCL_ALGO and NCCL_PROTO must be named.
Times are those that NCCL's own model expects, as its log prints them with
NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING.

Examples:
  whybits predict nccl --ranks 4 --count 1000 --type bf16
  whybits predict nccl --ranks 4 --count 4194304 --set NCCL_ALGO=Tree --set NCCL_PROTO=Simple
  whybits predict nccl --ranks 5 --nodes 5 --count 65541 --set NCCL_ALGO=Tree --set NCCL_PROTO=LL
  whybits predict nccl --ranks 4 --count 16777216 --graph --version 2.30.7
Exit codes: 0, 2 for a release, number of ranks or setting whose rules are not known.)";

struct Expected {
  std::string algorithm, protocol;
  float time;
};

std::vector<Expected> expected_times(const nccl::Request& request, std::uint64_t bytes) {
  std::vector<Expected> times;
  const nccl::TuningRow& row = nccl::rules_of(request.version).tuning;
  if (!row.known || request.machine.nodes > 1) return times;
  for (std::size_t a = 0; a < nccl::algorithms; ++a)
    for (std::size_t p = 0; p < nccl::protocols; ++p) {
      if (!request.settings.algorithm[a] || !request.settings.protocol[p]) continue;
      times.push_back(
          {nccl::algorithm_names[a], nccl::protocol_names[p],
           nccl::expected_time(static_cast<nccl::Algorithm>(a), static_cast<nccl::Protocol>(p),
                               bytes, request.machine, row)});
    }
  return times;
}

nlohmann::ordered_json json_of(const Options& o, const nccl::Prediction& made,
                               const std::vector<Expected>& times) {
  nlohmann::ordered_json out{
      {"whybits_predict_nccl", 1},
      {"library", {{"name", "nccl"}, {"version", o.version}}},
      {"ranks", o.ranks},
      {"nodes", o.nodes},
      {"count", o.count},
      {"type", o.type},
      {"algorithm", nccl::algorithm_names[static_cast<std::size_t>(made.choice.algorithm)]},
      {"protocol", nccl::protocol_names[static_cast<std::size_t>(made.choice.protocol)]},
      {"channels", made.choice.channels},
      {"evidence", made.rules->seen},
      {"rule", made.rule},
      {"expected_us", nlohmann::ordered_json::array()},
      {"parts", nlohmann::ordered_json::array()}};
  for (const Expected& e : times)
    out["expected_us"].push_back(
        {{"algorithm", e.algorithm}, {"protocol", e.protocol}, {"us", e.time}});
  for (const nccl::Part& part : made.parts)
    out["parts"].push_back({{"channel", part.channel}, {"begin", part.begin}, {"end", part.end}});
  out["map"] = map_json(made.map);
  return out;
}

void run(const Options& o, CommandContext& context) {
  std::map<std::string, std::string> environment;
  for (const std::string& text : o.set) environment.insert(variable_option("--set", text));
  const AllReduceMessage message{o.ranks, o.count,       format_option("--type", o.type),
                                 1,       ReduceOp::sum, o.nodes};
  nccl::Request request = nccl_request("--version", o.version, environment, message);
  request.context = {o.in_place, o.graph, o.registered};
  AllReducePlan plan{"nccl " + o.version, {}, {}, {}};
  try {
    plan.nccl = nccl::predict_all_reduce(request);
  } catch (const ConfigurationError& error) {
    throw UsageError(error.what());
  }
  plan.map = plan.nccl->map;
  const std::uint64_t bytes = o.count * message.type.word_bytes();
  const std::vector<Expected> times = expected_times(request, bytes);
  if (!o.svg.empty()) write_file_atomically(o.svg, map_svg(plan, message));
  if (o.json) {
    context.out << json_text(json_of(o, *plan.nccl, times));
    return;
  }
  context.out << fmt::format("NCCL {}, {} ranks{}, {}, {}\n{}\nrules: {}\n\n", o.version, o.ranks,
                             o.nodes == 1 ? "" : fmt::format(" on {} nodes", o.nodes),
                             counted(o.count, o.type + " element"), counted(bytes, "byte"),
                             plan.nccl->rule, plan.nccl->rules->seen);
  using enum TextTable::Align;
  TextTable table({"algorithm", "protocol", "expected µs"}, {left, left, right});
  for (const Expected& e : times)
    table.row({e.algorithm, e.protocol, fmt::format("{:.2f}", e.time)});
  if (!times.empty()) context.out << table.text() << "\n";
  context.out << map_table(plan, message);
}

}  // namespace
}  // namespace predict_nccl_command

void add_predict_nccl(Command predict, CommandContext& context) {
  using namespace predict_nccl_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      predict.add_subcommand("nccl", "An all-reduce: algorithm, protocol, channels, and the map");
  add_count_option(command, "--ranks", o.ranks, 1024, "GPUs of the communicator")->required();
  add_count_option(command, "--count", o.count, most_addends, "Elements of the message")
      ->required();
  add_count_option(command, "--nodes", o.nodes, 1024, "Hosts that the ranks are dealt to")
      ->default_str("1");
  command->add_option("--type", o.type, "f32, f64, f16, bf16, e4m3 or e5m2")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_option("--version", o.version, "Release of NCCL, 2.18.0 to 2.30.7")
      ->type_name("X.Y.Z")
      ->capture_default_str();
  command->add_option("--set", o.set, "A variable of NCCL's environment; may be repeated")
      ->type_name("NCCL_X=Y");
  command->add_flag("--in-place", o.in_place, "Send and receive buffer are one");
  command->add_flag("--graph", o.graph, "The call is captured in a CUDA graph");
  command->add_flag("--registered", o.registered, "Both buffers are registered by the user");
  command->add_option("--svg", o.svg, "Draw the map into this file")->type_name("FILE");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
