#include <fmt/format.h>

#include <memory>
#include <tuple>

#include "lab/commands/attention_options.hpp"
#include "lab/commands/gates_rows.hpp"
#include "lab/commands/options.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "lab/tree_runs.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace gates_attention_command {
namespace {

struct Options {
  AttentionOptions attention;
  std::string kernel = "torch", vs, batches = "1..64", longest, keys;
  bool json = false;
};

constexpr const char* examples =
    R"(KERNEL is as `whybits attention --help` says. Along batches: the first sequence's rows by the launch
of one batch after the other. Along --longest: by a launch with a neighbour of so many queries. With
--keys A..B and --vs: the first and the second
launch at every number of keys, where their outputs begin to differ.

Examples:
  whybits gates attention --keys 4096 --batches 1..64
  whybits gates attention --head-size 64 --kernel fa3:block=192 --vs fa3:block=128 --keys 120..140
  whybits gates attention --kernel torch:splits=1 --keys 4096 --batches 1..64
  whybits gates attention --kernel vllm-fa3 --heads 14 --kv-heads 2 --head-size 64 --causal \
    --keys 1024 --longest 1..64
Exit codes: 0 no bit changes, 1 bits change, 2 bad input.)";

/// A run of batches with one plan, or of lengths that differ or do not.
struct Gate {
  std::uint64_t first = 0, last = 0;
  AttentionSide side;
  bool must_not = false;             ///< one computation on either side
  std::uint64_t differ = 0, of = 0;  ///< outputs; 0 of 0 where there is nothing to compare with
};

bool same_cut(const FlashPlan& a, const FlashPlan& b) {
  return std::tie(a.block, a.splits, a.split_keys) == std::tie(b.block, b.splits, b.split_keys);
}

/// One sequence's rows by launches with more batches, or with a longer neighbour.
std::vector<Gate> along_launches(const Options& o) {
  const bool longest = !o.longest.empty();
  const auto [first, last] =
      longest ? range_option("--longest", o.longest) : range_option("--batches", o.batches);
  AttentionOptions one = o.attention;
  one.batch = 1;
  AttentionRequest request = attention_request(one);
  std::vector<Gate> gates;
  for (std::uint64_t count = first; count <= last; ++count) {
    AttentionShape shape = request.shape;
    std::string kernel = o.kernel;
    if (longest)
      kernel += fmt::format("{}longest={}", kernel.find(':') == kernel.npos ? ":" : ",", count);
    else
      shape.batch = count;
    AttentionSide side = attention_side("--kernel", kernel, shape);
    if (!gates.empty() && same_cut(gates.back().side.plan, side.plan)) {
      gates.back().last = count;
      continue;
    }
    Gate gate{count, count, std::move(side), false, 0, 0};
    if (!gates.empty()) {
      request.a = gates.back().side;
      request.b = gate.side;
      const AttentionStudy study = run_attention_study(request);
      gate.differ = study.output().differ;
      gate.of = study.output().elements;
    }
    gates.push_back(std::move(gate));
  }
  return gates;
}

std::vector<Gate> along_keys(const Options& o, std::uint64_t first, std::uint64_t last) {
  if (o.vs.empty())
    throw UsageError(fmt::format("--keys {}: along keys two launches are compared", o.keys),
                     "name the second with --vs, or give one number of keys");
  std::vector<Gate> gates;
  for (std::uint64_t keys = first; keys <= last; ++keys) {
    AttentionOptions options = o.attention;
    options.keys = keys;
    AttentionRequest request = attention_request(options);
    request.a = attention_side("--kernel", o.kernel, request.shape);
    request.b = attention_side("--vs", o.vs, request.shape);
    const AttentionStudy study = run_attention_study(request);
    const std::uint64_t differ = study.output().differ;
    const bool joins = !gates.empty() && gates.back().must_not == study.same_plan &&
                       (gates.back().differ > 0) == (differ > 0);
    if (joins) {
      gates.back().last = keys;
      gates.back().differ += differ;
      gates.back().of += study.output().elements;
    } else {
      gates.push_back({keys, keys, request.a, study.same_plan, differ, study.output().elements});
    }
  }
  return gates;
}

std::string gates_table(const std::vector<Gate>& gates, const std::string& count) {
  using enum TextTable::Align;
  const bool along_keys = count == "keys";
  TextTable table({count, "outputs differ", along_keys ? "" : "launch"}, {right, right, left});
  for (const Gate& gate : gates) {
    table.row({run_text({gate.first, gate.last, {}}),
               gate.of == 0 ? "" : fmt::format("{} of {}", grouped(gate.differ), grouped(gate.of)),
               along_keys ? (gate.must_not ? "one computation: must not differ" : "")
                          : plan_text(gate.side.plan)});
  }
  return table.text();
}

nlohmann::ordered_json gate_json(const Gate& gate) {
  return {{"first", gate.first},
          {"last", gate.last},
          {"block", gate.side.plan.block},
          {"splits", gate.side.plan.splits},
          {"split_keys", gate.side.plan.split_keys},
          {"must_not_differ", gate.must_not},
          {"outputs", gate.of},
          {"outputs_differ", gate.differ}};
}

void run(const Options& given, CommandContext& context) {
  Options o = given;
  const bool range = o.keys.find("..") != std::string::npos;
  std::vector<Gate> gates;
  if (range) {
    const auto [first, last] = range_option("--keys", o.keys);
    gates = along_keys(o, first, last);
  } else {
    if (!o.vs.empty())
      throw UsageError("--vs compares along keys", "give them as a range, as in --keys 1..300");
    constexpr std::uint64_t most = std::uint64_t{1} << 24;
    if (!o.keys.empty()) o.attention.keys = index_option("--keys", o.keys, most);
    gates = along_launches(o);
  }
  for (const Gate& gate : gates)
    if (gate.differ > 0) context.exit_code = 1;
  if (o.json) {
    nlohmann::ordered_json out{{"whybits_gates_attention", 1},
                               {"kernel", o.kernel},
                               {"vs", nullptr},
                               {"along", range               ? "keys"
                                         : o.longest.empty() ? "batches"
                                                             : "longest"},
                               {"heads", o.attention.heads},
                               {"queries", o.attention.queries},
                               {"keys", nullptr},
                               {"head_size", o.attention.head_size},
                               {"runs", nlohmann::ordered_json::array()}};
    if (!range) out["keys"] = o.attention.keys;
    if (!o.vs.empty()) out["vs"] = o.vs;
    for (const Gate& gate : gates) out["runs"].push_back(gate_json(gate));
    context.out << json_text(out);
    return;
  }
  context.out << fmt::format("Attention by {}{}, {}, head size {}, {}{}\n\n", o.kernel,
                             o.vs.empty() ? "" : " and " + o.vs, counted(o.attention.heads, "head"),
                             o.attention.head_size,
                             o.attention.queries == 1 ? "1 query"
                                                      : grouped(o.attention.queries) + " queries",
                             range ? "" : ", " + counted(o.attention.keys, "key"))
              << gates_table(gates, range               ? "keys"
                                    : o.longest.empty() ? "batch"
                                                        : "longest");
  if (!range && gates.size() == 1)
    context.out << fmt::format(
        "\nThe keys are cut in one way from {} to {}: the bits of a row must not differ, whatever "
        "the data.\n",
        grouped(gates[0].first),
        o.longest.empty() ? counted(gates[0].last, "sequence")
                          : grouped(gates[0].last) + " queries of the longest sequence");
}

}  // namespace
}  // namespace gates_attention_command

void add_gates_attention(Command gates, CommandContext& context) {
  using namespace gates_attention_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  const Command command = gates.add_subcommand(
      "attention", "At which batch, or how many keys, do the bits of attention change?");
  command->add_option("--kernel", o.kernel, "How the keys are cut")
      ->type_name("KERNEL")
      ->capture_default_str();
  command->add_option("--vs", o.vs, "Another to compare with, along keys")->type_name("KERNEL");
  const CommandOption batches =
      command->add_option("--batches", o.batches, "Sequences of the launch, first to last");
  batches->type_name("FIRST..LAST")->capture_default_str();
  const CommandOption longest =
      command->add_option("--longest", o.longest, "Queries of the launch's longest sequence");
  longest->type_name("FIRST..LAST")->excludes(batches);
  command->add_option("--keys", o.keys, "Keys of a sequence, or first to last")
      ->type_name("KEYS|FIRST..LAST");
  add_attention_options(command, o.attention);
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
