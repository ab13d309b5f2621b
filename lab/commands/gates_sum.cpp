#include <fmt/format.h>

#include <memory>

#include "lab/commands/gates_rows.hpp"
#include "lab/commands/options.hpp"
#include "lab/inputs.hpp"
#include "lab/output_text.hpp"
#include "lab/study.hpp"
#include "lab/text_table.hpp"
#include "lab/tree_runs.hpp"
#include "sim/builders/torch_sum.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace gates_sum_command {
namespace {

struct Options {
  std::uint64_t n = 151936, compared = 64;
  std::string type = "f32", rows = "1..1024", input = "uniform:1";
  bool json = false;
};

constexpr const char* examples =
    R"(The order is that of torch.sum over the last, contiguous dimension, as PyTorch 2.11 runs it on an
H200 (docs/norms.md); the softmax that is composed of max, exp, sum and division has it too.

Examples:
  whybits gates sum --n 151936 --rows 1..1024
  whybits gates sum --n 4096 --rows 1..256 --type bf16
Exit codes: 0 the bits of a row are the same for every number of rows, 1 they change, 2 bad input.)";

struct Gate {
  TreeRun run;
  TorchSumLaunch launch;
  std::optional<std::uint64_t> differ;  ///< of the compared rows, from the run before
};

TorchSum sum_of(const Options& o, const Format& type, std::uint64_t rows) {
  return {.rows = rows, .length = o.n, .type = type};
}

std::vector<Gate> gates_of(const Options& o, std::uint64_t first, std::uint64_t last) {
  const Format type = format_option("--type", o.type);
  const auto values = open_tensor("--input", o.input, type, {o.compared, o.n});
  const auto rule = [&](std::uint64_t rows) { return torch_row_sum(sum_of(o, type, rows)); };
  std::vector<Gate> gates;
  for (TreeRun& run : tree_runs(first, last, o.n, {.a = type}, rule)) {
    Gate gate{std::move(run), {}, {}};
    gate.launch = torch_sum_launch(sum_of(o, type, gate.run.first));
    if (!gates.empty()) {
      StudyRequest request = sum_request(
          *values, o.compared, o.n, {gates.back().run.reduction.schema, gate.run.reduction.schema});
      request.with_exact = false;
      gate.differ = run_study(request).pairs.at(0).after.differ;
    }
    gates.push_back(std::move(gate));
  }
  return gates;
}

std::string gates_table(const Options& o, const std::vector<Gate>& gates) {
  using enum TextTable::Align;
  TextTable table({"rows", "threads along the row", "blocks a row", "sums differ", "topology"},
                  {right, right, right, right, left});
  for (const Gate& gate : gates)
    table.row(
        {run_text(gate.run),
         gate.launch.split_height ? fmt::format("{}·{}", gate.launch.width, gate.launch.height)
                                  : std::to_string(gate.launch.width),
         grouped(gate.launch.ctas),
         gate.differ ? fmt::format("{} of {}", grouped(*gate.differ), grouped(o.compared)) : "",
         print(*gate.run.reduction.schema)});
  return table.text();
}

void run(const Options& o, CommandContext& context) {
  const auto [first, last] = range_option("--rows", o.rows);
  const std::vector<Gate> gates = gates_of(o, first, last);
  for (const Gate& gate : gates)
    if (gate.differ.value_or(0) > 0) context.exit_code = 1;
  if (o.json) {
    nlohmann::ordered_json out{{"whybits_gates_sum", 1},
                               {"n", o.n},
                               {"type", o.type},
                               {"first", first},
                               {"last", last},
                               {"compared", o.compared},
                               {"runs", nlohmann::ordered_json::array()}};
    for (const Gate& gate : gates)
      out["runs"].push_back(
          {{"first", gate.run.first},
           {"last", gate.run.last},
           {"width", gate.launch.width},
           {"height", gate.launch.height},
           {"blocks", gate.launch.ctas},
           {"topology", print(*gate.run.reduction.schema)},
           {"differ", gate.differ ? nlohmann::ordered_json(*gate.differ) : nullptr}});
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format("torch.sum of rows of {}, {} compared\n\n",
                             counted(o.n, o.type + " value"), counted(o.compared, "row"))
              << gates_table(o, gates);
  if (gates.size() == 1) context.out << one_way_text(gates[0].run, "row");
}

}  // namespace
}  // namespace gates_sum_command

void add_gates_sum(Command gates, CommandContext& context) {
  using namespace gates_sum_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      gates.add_subcommand("sum", "At how many rows does the order of torch.sum change?");
  add_count_option(command, "--n", o.n, most_addends, "Addends of a row")->default_str("151936");
  command->add_option("--rows", o.rows, "Rows of the launch, first to last")
      ->type_name("FIRST..LAST")
      ->capture_default_str();
  add_count_option(command, "--compared", o.compared, most_addends,
                   "Rows that are compared on either side of a gate")
      ->default_str("64");
  command->add_option("--type", o.type, "Format of the values: f32, f16 or bf16")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_option("--input", o.input, "The values, compared × n")
      ->type_name("INPUT")
      ->capture_default_str();
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
