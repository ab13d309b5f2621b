#include "lab/commands/gates_allreduce.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "lab/all_reduce_gates.hpp"
#include "lab/commands/options.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"

namespace whybits {
namespace gates_allreduce_command {
namespace {

struct Options {
  std::uint64_t ranks = 4, hidden = 4096;
  std::string batch = "1..256", type = "bf16", algorithm = "nccl", input = "uniform:1";
  bool json = false;
};

constexpr const char* examples =
    R"(A batch of B tokens is a message of B × hidden elements; token 0's are the first ones. ALGORITHM is
as for allreduce. --batch 1..256 is every batch from 1 to 256.

Examples:
  whybits gates allreduce --hidden 4096 --batch 1..256
  whybits gates allreduce --hidden 5120 --batch 1..2048 --algorithm vllm
  whybits gates allreduce --batch 1..4096 --algorithm nccl:2.28.3:NCCL_ALGO=allreduce:tree
Exit codes: 0 token 0's bits are the same in every batch, 1 they change, 2 bad input.)";

void run(const Options& o, CommandContext& context) {
  const auto [first, last] = range_option("--batch", o.batch);
  if (o.ranks < 2) throw UsageError(fmt::format("--ranks {}: two or more take part", o.ranks));
  if (o.hidden == 0) throw UsageError("--hidden 0: a token has elements", "as in --hidden 4096");
  checked_product("--batch × --hidden", last, o.hidden);
  const std::vector<BatchGate> gates = all_reduce_gates(
      {o.ranks, o.hidden, first, last, format_option("--type", o.type), o.algorithm, o.input});
  std::uint64_t changes = 0;
  bool differs = false;
  for (const BatchGate& gate : gates) {
    if (!gate.reasons.empty()) ++changes;
    differs = differs || gate.differ > 0;
  }
  if (differs) context.exit_code = 1;
  if (o.json) {
    nlohmann::ordered_json out{{"whybits_gates_allreduce", 1},
                               {"ranks", o.ranks},
                               {"hidden", o.hidden},
                               {"type", o.type},
                               {"algorithm", o.algorithm},
                               {"first", first},
                               {"last", last},
                               {"changes", nlohmann::ordered_json::array()}};
    for (const BatchGate& gate : gates)
      if (!gate.reasons.empty())
        out["changes"].push_back({{"batch", gate.batch},
                                  {"bytes", gate.bytes},
                                  {"reasons", gate.reasons},
                                  {"other_topology", gate.other_topology},
                                  {"differ", gate.differ},
                                  {"differ_from_first", gate.differ_from_first}});
    context.out << json_text(out);
    return;
  }
  using enum TextTable::Align;
  TextTable table({"batch", "bytes", "why token 0 is added otherwise", "elements", "of them differ",
                   "differ from batch " + std::to_string(first)},
                  {right, right, left, right, right, right});
  for (const BatchGate& gate : gates) {
    if (gate.reasons.empty()) continue;
    std::string why;
    for (const std::string& reason : gate.reasons) why += (why.empty() ? "" : ", ") + reason;
    table.row({grouped(gate.batch), grouped(gate.bytes), why, grouped(gate.other_topology),
               grouped(gate.differ), grouped(gate.differ_from_first)});
  }
  context.out << fmt::format("{} ranks, hidden {}, {}, {}\n", o.ranks, o.hidden, o.type,
                             printable(o.algorithm));
  if (changes > 0) context.out << "\n" << table.text() << "\n";
  context.out << (changes == 0 ? fmt::format("token 0 is added in one way from batch {} to {}\n",
                                             first, last)
                               : fmt::format("token 0 is added otherwise {} from batch {} to {}\n",
                                             counted(changes, "time"), first, last));
}

}  // namespace
}  // namespace gates_allreduce_command

void add_gates_allreduce(Command gates, CommandContext& context) {
  using namespace gates_allreduce_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command = gates.add_subcommand(
      "allreduce", "When do the bits of token 0 change with the batch, and why");
  add_count_option(command, "--ranks", o.ranks, 1024, "Ranks that take part")->default_str("4");
  add_count_option(command, "--hidden", o.hidden, std::uint64_t{1} << 20, "Elements of a token")
      ->default_str("4096");
  command->add_option("--batch", o.batch, "Batches, first to last")
      ->type_name("FIRST..LAST")
      ->capture_default_str();
  command->add_option("--type", o.type, "Format of the elements")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_option("--algorithm", o.algorithm, "How it is reduced")
      ->type_name("ALGORITHM")
      ->capture_default_str();
  command->add_option("--input", o.input, "Token 0 on every rank, the same in every batch")
      ->type_name("INPUT")
      ->capture_default_str();
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
