#include <fmt/format.h>

#include <memory>

#include "lab/commands/gates_rows.hpp"
#include "lab/commands/norm_options.hpp"
#include "lab/commands/options.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "lab/tree_runs.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace gates_rmsnorm_command {
namespace {

struct Options {
  NormOptions norm;
  std::string kernel = "vllm", tokens = "1..4096";
  bool json = false;
};

constexpr const char* examples =
    R"(KERNEL is a name of `whybits rmsnorm --help`. --rows says how many rows are compared on either side
of a gate; they are the same rows, whatever the launch.

Examples:
  whybits gates rmsnorm --kernel vllm --hidden 4096
  whybits gates rmsnorm --kernel vllm --hidden 2048
  whybits gates rmsnorm --kernel vllm-fused-add-scalar --tokens 200..300 --rows 4096
Exit codes: 0 the bits of a row are the same for every number of tokens, 1 they change, 2 bad input.)";

/// What changes from one run to the next.
struct Gate {
  TreeRun run;
  std::uint64_t threads = 0;
  std::optional<NormStudy> change;  ///< none of the first run
};

std::vector<Gate> gates_of(const Options& o, std::uint64_t first, std::uint64_t last) {
  const NormSide side = norm_side("--kernel", o.kernel, plain_norm(o.norm));
  if (side.own_topology || o.kernel.find('@') != std::string::npos)
    throw UsageError(
        fmt::format("--kernel {}: a kernel's name alone, the tokens are what varies", o.kernel),
        "as in --kernel vllm");
  const auto at = [&](std::uint64_t tokens) {
    NormSide one = side;
    one.config.tokens = tokens;
    one.order = rms_norm_order(one.config);
    one.spec = fmt::format("{}@{}", o.kernel, tokens);
    return one;
  };
  std::vector<Gate> gates;
  for (TreeRun& run : tree_runs(first, last, o.norm.hidden, square_types(side),
                                [&](std::uint64_t tokens) { return at(tokens).order.sum; })) {
    Gate gate{std::move(run), 0, {}};
    gate.threads = at(gate.run.first).order.threads;
    if (!gates.empty()) {
      NormRequest request = norm_request(o.norm, at(gates.back().run.first));
      request.b = at(gate.run.first);
      gate.change = run_norm_study(request);
    }
    gates.push_back(std::move(gate));
  }
  return gates;
}

nlohmann::ordered_json gate_json(const Gate& gate) {
  nlohmann::ordered_json out{
      {"first", gate.run.first}, {"last", gate.run.last},
      {"threads", gate.threads}, {"topology", print(*gate.run.reduction.schema)},
      {"sums_differ", nullptr},  {"outputs_differ", nullptr},
      {"rows_differ", nullptr}};
  if (!gate.change) return out;
  out["sums_differ"] = gate.change->stage("sum").differ;
  out["outputs_differ"] = gate.change->output().differ;
  out["rows_differ"] = gate.change->output().rows_differ;
  return out;
}

std::string gates_table(const std::vector<Gate>& gates) {
  using enum TextTable::Align;
  TextTable table({"tokens", "threads", "sums differ", "outputs differ", "in rows", "topology"},
                  {right, right, right, right, right, left});
  for (const Gate& gate : gates) {
    std::string sums, outputs, rows;
    if (gate.change) {
      const auto counts = [](const Stage& stage) {
        return fmt::format("{} of {}", grouped(stage.differ), grouped(stage.elements));
      };
      sums = counts(gate.change->stage("sum"));
      outputs = counts(gate.change->output());
      rows = grouped(gate.change->output().rows_differ);
    }
    table.row({run_text(gate.run), grouped(gate.threads), sums, outputs, rows,
               print(*gate.run.reduction.schema)});
  }
  return table.text();
}

void run(const Options& o, CommandContext& context) {
  const auto [first, last] = range_option("--tokens", o.tokens);
  const std::vector<Gate> gates = gates_of(o, first, last);
  for (const Gate& gate : gates)
    if (gate.change && gate.change->output().differ > 0) context.exit_code = 1;
  if (o.json) {
    nlohmann::ordered_json out{{"whybits_gates_rmsnorm", 1},
                               {"kernel", o.kernel},
                               {"hidden", o.norm.hidden},
                               {"type", o.norm.type},
                               {"first", first},
                               {"last", last},
                               {"rows", o.norm.rows},
                               {"runs", nlohmann::ordered_json::array()}};
    for (const Gate& gate : gates) out["runs"].push_back(gate_json(gate));
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format("RMSNorm by {}, hidden {}, {}; {} compared\n\n", o.kernel,
                             o.norm.hidden, o.norm.type, counted(o.norm.rows, "row"))
              << gates_table(gates);
  if (gates.size() == 1) context.out << one_way_text(gates[0].run, "token");
}

}  // namespace
}  // namespace gates_rmsnorm_command

void add_gates_rmsnorm(Command gates, CommandContext& context) {
  using namespace gates_rmsnorm_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command = gates.add_subcommand(
      "rmsnorm", "At how many tokens does the order of a row's squares change?");
  command->add_option("--kernel", o.kernel, "How the rows are normalised")
      ->type_name("KERNEL")
      ->capture_default_str();
  command->add_option("--tokens", o.tokens, "Rows of the launch, first to last")
      ->type_name("FIRST..LAST")
      ->capture_default_str();
  add_norm_options(command, o.norm);
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
