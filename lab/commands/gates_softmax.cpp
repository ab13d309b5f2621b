#include <fmt/format.h>

#include <memory>

#include "lab/commands/gates_rows.hpp"
#include "lab/commands/options.hpp"
#include "lab/commands/softmax_options.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "lab/tree_runs.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace gates_softmax_command {
namespace {

struct Options {
  SoftmaxOptions softmax;
  std::string kernel = "torch", rows = "1..1024", lengths;
  bool json = false;
};

constexpr const char* examples =
    R"(KERNEL is a name of `whybits softmax --help`. Along rows the same rows are compared on either side
of a gate, whatever the launch; along lengths (multiples of 8) the first length of a run by its own
order and by the order of the run before.

Examples:
  whybits gates softmax --kernel composed --cols 4096
  whybits gates softmax --kernel torch --cols 151936
  whybits gates softmax --kernel torch --lengths 8..160000
Exit codes: 0 the bits of a row are the same throughout, 1 they change, 2 bad input.)";

struct Gate {
  std::uint64_t first = 0, last = 0;
  SoftmaxSide side;
  std::optional<SoftmaxStudy> change;  ///< from the run before
};

SoftmaxSide named(const Options& o, SoftmaxConfig config) {
  config.kernel = softmax_side("--kernel", o.kernel, plain_softmax(o.softmax)).config.kernel;
  SoftmaxSide side{fmt::format("{}@{}", o.kernel, config.rows), config, {}};
  try {
    side.order = softmax_order(config);
  } catch (const ConfigurationError& error) {
    throw UsageError(fmt::format("--kernel {}: {}", o.kernel, error.what()));
  }
  return side;
}

std::vector<Gate> along_rows(const Options& o) {
  const auto [first, last] = range_option("--rows", o.rows);
  const auto at = [&](std::uint64_t rows) {
    SoftmaxConfig config = plain_softmax(o.softmax);
    config.rows = rows;
    return named(o, config);
  };
  std::vector<Gate> gates;
  for (const TreeRun& run : tree_runs(first, last, o.softmax.columns, {.a = formats::f32},
                                      [&](std::uint64_t rows) { return at(rows).order.sum; })) {
    Gate gate{run.first, run.last, at(run.first), {}};
    if (!gates.empty()) {
      SoftmaxRequest request = softmax_request(o.softmax, gates.back().side);
      request.b = gate.side;
      gate.change = run_softmax_study(request, false);
    }
    gates.push_back(std::move(gate));
  }
  return gates;
}

std::vector<Gate> along_lengths(const Options& o) {
  constexpr std::uint64_t step = 8;  // a vector of 16-bit values, two of f32
  const auto [begin, last] = range_option("--lengths", o.lengths);
  std::vector<Gate> gates;
  for (std::uint64_t n = (begin + step - 1) / step * step; n <= last; n += step) {
    SoftmaxOptions options = o.softmax;
    options.columns = n;
    SoftmaxSide side = named(o, plain_softmax(options));
    if (!gates.empty() && print(*gates.back().side.order.sum) == print(*side.order.sum)) {
      gates.back().last = n;
      continue;
    }
    Gate gate{n, n, std::move(side), {}};
    if (!gates.empty()) {
      SoftmaxSide before = gate.side;
      before.order.sum = gates.back().side.order.sum;
      SoftmaxRequest request = softmax_request(options, before);
      request.b = gate.side;
      gate.change = run_softmax_study(request, false);
    }
    gates.push_back(std::move(gate));
  }
  if (gates.empty())
    throw UsageError(fmt::format("--lengths {}: no multiple of {} lies there", o.lengths, step),
                     "as in --lengths 8..160000");
  return gates;
}

nlohmann::ordered_json gate_json(const Gate& gate) {
  nlohmann::ordered_json out{{"first", gate.first},
                             {"last", gate.last},
                             {"regime", gate.side.order.regime},
                             {"threads", gate.side.order.threads},
                             {"topology", print(*gate.side.order.sum)},
                             {"sums_differ", nullptr},
                             {"outputs_differ", nullptr}};
  if (!gate.change) return out;
  out["sums_differ"] = gate.change->stages[0].differ;
  out["outputs_differ"] = gate.change->output().differ;
  return out;
}

std::string gates_table(const std::vector<Gate>& gates, const char* along) {
  using enum TextTable::Align;
  TextTable table({along, "order", "threads", "sums differ", "outputs differ", "topology"},
                  {right, left, right, right, right, left});
  for (const Gate& gate : gates) {
    const auto counts = [](const Stage& stage) {
      return fmt::format("{} of {}", grouped(stage.differ), grouped(stage.elements));
    };
    table.row({run_text({gate.first, gate.last, {}}), std::string(gate.side.order.regime),
               grouped(gate.side.order.threads), gate.change ? counts(gate.change->stages[0]) : "",
               gate.change ? counts(gate.change->output()) : "", print(*gate.side.order.sum)});
  }
  return table.text();
}

void run(const Options& o, CommandContext& context) {
  const bool lengths = !o.lengths.empty();
  const std::vector<Gate> gates = lengths ? along_lengths(o) : along_rows(o);
  for (const Gate& gate : gates)
    if (gate.change && gate.change->output().differ > 0) context.exit_code = 1;
  if (o.json) {
    nlohmann::ordered_json out{{"whybits_gates_softmax", 1},
                               {"kernel", o.kernel},
                               {"log", o.softmax.log},
                               {"type", o.softmax.type},
                               {"along", lengths ? "lengths" : "rows"},
                               {"columns", nullptr},
                               {"compared", o.softmax.rows},
                               {"runs", nlohmann::ordered_json::array()}};
    if (!lengths) out["columns"] = o.softmax.columns;
    for (const Gate& gate : gates) out["runs"].push_back(gate_json(gate));
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format("{} by {}, rows of {}; {} compared\n\n",
                             o.softmax.log ? "log_softmax" : "softmax", o.kernel,
                             lengths ? o.lengths + " " + o.softmax.type + " values"
                                     : counted(o.softmax.columns, o.softmax.type + " value"),
                             counted(o.softmax.rows, "row"))
              << gates_table(gates, lengths ? "length" : "rows");
  if (gates.size() == 1)
    context.out << one_way_text({gates[0].first, gates[0].last, {}}, lengths ? "element" : "row");
}

}  // namespace
}  // namespace gates_softmax_command

void add_gates_softmax(Command gates, CommandContext& context) {
  using namespace gates_softmax_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  o.softmax.rows = 8;
  const Command command = gates.add_subcommand(
      "softmax", "At how many rows, or which length, does the order of a softmax change?");
  command->add_option("--kernel", o.kernel, "How the rows are summed")
      ->type_name("KERNEL")
      ->capture_default_str();
  const CommandOption rows =
      command->add_option("--rows", o.rows, "Rows of the launch, first to last")
          ->type_name("FIRST..LAST")
          ->capture_default_str();
  command->add_option("--lengths", o.lengths, "Lengths of a row instead, first to last")
      ->type_name("FIRST..LAST")
      ->excludes(rows);
  add_count_option(command, "--compared", o.softmax.rows, most_addends,
                   "Rows that are compared on either side of a gate")
      ->default_str("8");
  add_softmax_options(command, o.softmax);
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
