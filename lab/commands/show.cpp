#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "lab/commands/commands.hpp"
#include "lab/commands/options.hpp"
#include "lab/files.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "lab/tree_difference.hpp"
#include "lab/tree_outline.hpp"
#include "lab/usage_error.hpp"
#include "sim/device_table.hpp"
#include "sim/fast/plan.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "sim/schema_edit.hpp"

namespace whybits {
namespace show_command {
namespace {

struct Options {
  std::string topology, vs, type, type_b, leaf, svg, dot;
  std::uint64_t n = 0;
  bool has_c = false, json = false, plan = false;
};

constexpr const char* examples =
    R"(Examples:
  whybits show 'pairs(f32)' --n 6
  whybits show 'slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16' --n 14336 --svg tree.svg
  whybits show 'slices(64, fold(sm90.mma.f16), chain)' --n 4096 --vs 'fold(sm90.mma.f16)'
  whybits show 'fold(sm90.wgmma.bf16)' --n 64 --type bf16 --leaf product --c
  whybits show 'slices(512, fold(f32.fma), pairs(f32)) > bf16' --n 4096 --type bf16 \
    --leaf product --plan
Steps of matrix units are in braces, { }, in the list. With --type formats are checked: values go to
IEEE adds, products (--leaf product) to fma, matrix units and exact.
Exit codes: 0 as asked (with --vs: the same tree), 1 another tree, 2 bad input.)";

std::optional<LeafTypes> leaf_types(const Options& o) {
  if (o.type.empty()) {
    if (!o.leaf.empty() || !o.type_b.empty())
      throw UsageError("--leaf and --type-b need --type", "as in --leaf product --type bf16");
    return std::nullopt;
  }
  LeafTypes types;
  types.a = format_option("--type", o.type);
  if (!o.leaf.empty() && o.leaf != "value") {
    types.b = o.type_b.empty() ? types.a : format_option("--type-b", o.type_b);
    types.product = leaf_option("--leaf", o.leaf);
  }
  if (o.has_c) types.c = formats::f32;
  types.operands = {{"bias", formats::f32}};
  return types;
}

/// Units of a schema, each once, with what is known of them.
std::vector<std::pair<std::string, std::string>> units_of(const SchemaPtr& schema) {
  std::vector<std::pair<std::string, std::string>> units;
  edit_units(schema, [&](const Unit& unit) {
    const bool known = std::any_of(units.begin(), units.end(),
                                   [&](const auto& entry) { return entry.first == unit.name; });
    if (known) return unit;
    std::string text;
    if (const DeviceRow* row = find_device_row(unit.name))
      text = fmt::format(
          "{}: {}", row->evidence == Evidence::measured ? "measured" : "literature, not measured",
          row->source);
    else if (unit.kind == Unit::Kind::exact)
      text = "no rounding";
    else
      text = unit.kind == Unit::Kind::aligned ? "as written" : "IEEE 754";
    units.emplace_back(unit.name, text);
    return unit;
  });
  return units;
}

/// What the command line lacks, if that is why a topology does not fit its leaves.
std::string remedy_for(std::string_view message) {
  if (message.find("leaves of this computation are values") != std::string_view::npos)
    return "or give it products: --leaf product";
  if (message.find("no operand c") != std::string_view::npos) return "give it one: --c";
  return "";
}

Tree tree_of(const SchemaPtr& schema, const Options& o, const std::optional<LeafTypes>& types) {
  try {
    if (types) return make_reduction(schema, o.n, *types).tree;
    return expand(*schema, o.n, {.has_c = o.has_c});
  } catch (const TopologyError& error) {
    throw UsageError(fmt::format("'{}': {}", print(*schema), error.what()),
                     remedy_for(error.what()));
  }
}

nlohmann::ordered_json as_json(const SchemaPtr& schema, const Tree& tree) {
  const TreeStatistics s = tree.statistics();
  const auto format = result_format(*schema);
  nlohmann::ordered_json out{
      {"whybits_show", 1},
      {"topology", print(*schema)},
      {"n", tree.addends()},
      {"result", format ? nlohmann::ordered_json(format_name(*format)) : nullptr},
      {"hash", fmt::format("{:016x}", tree.hash())},
      {"addends", s.leaves},
      {"steps", s.steps},
      {"depth", s.depth},
      {"shapes", s.shapes},
      {"bytes", s.bytes},
      {"list", nested_list(tree)},
      {"units", nlohmann::ordered_json::array()},
      {"outline", nlohmann::ordered_json::array()}};
  for (const auto& [name, text] : units_of(schema))
    out["units"].push_back({{"name", name}, {"evidence", text}});
  for (const OutlineEntry& entry : outline(tree).entries) {
    nlohmann::ordered_json e{{"head", entry.head},
                             {"note", entry.note},
                             {"leaves", entry.leaves},
                             {"parts", nlohmann::ordered_json::array()}};
    for (const OutlinePart& part : entry.parts)
      e["parts"].push_back({{"text", part.text},
                            {"entry", part.entry < 0 ? nlohmann::ordered_json()
                                                     : nlohmann::ordered_json(part.entry)},
                            {"count", part.count}});
    out["outline"].push_back(std::move(e));
  }
  return out;
}

std::string as_text(const SchemaPtr& schema, const Tree& tree) {
  const TreeStatistics s = tree.statistics();
  std::string out = fmt::format("{}\n\n{}", print(*schema), outline_text(outline(tree)));
  const std::string list = nested_list(tree);
  if (!list.empty()) out += "\nas a list  " + list + "\n";
  TextTable table({});
  const std::uint64_t lost = tree.addends() - s.leaves;
  table.row({"addends",
             grouped(s.leaves) + (lost > 0 ? fmt::format(" of {}: {} do not take part",
                                                         grouped(tree.addends()), grouped(lost))
                                           : "")});
  table.row({"steps", grouped(s.steps)});
  table.row({"depth", counted(s.depth, "step") + " between the deepest addend and the result"});
  table.row({"memory",
             fmt::format("{}, {}", counted(s.shapes, "distinct shape"), counted(s.bytes, "byte"))});
  const auto format = result_format(*schema);
  table.row({"result", format ? format_name(*format) : "exact: not rounded yet"});
  for (const auto& [name, text] : units_of(schema))
    table.row({"unit", fmt::format("{}: {}", name, text)});
  return out + "\n" + table.text();
}

/// The short program over lane registers that gemm and sum run for this topology.
std::string plan_text(const SchemaPtr& schema, const Options& o,
                      const std::optional<LeafTypes>& types) {
  if (!types)
    throw UsageError("--plan needs --type", "a plan depends on the leaves' formats: --type bf16");
  return print(fast::compile(make_reduction(schema, o.n, *types), *types));
}

std::string versus_text(std::uint64_t n, const std::optional<TreeDifference>& difference) {
  if (!difference)
    return fmt::format("Equal: the same tree for {}; no data can tell them apart.\n",
                       counted(n, "addend"));
  return fmt::format("Not equal for {}. From the result down, the trees first part here:\n{}",
                     counted(n, "addend"), difference_text(*difference));
}

void run(const Options& o, CommandContext& context) {
  const SchemaPtr schema = topology_option("TOPOLOGY", o.topology);
  const std::optional<LeafTypes> types = leaf_types(o);
  const Tree tree = tree_of(schema, o, types);
  if (!o.svg.empty())
    write_file_atomically(
        o.svg, outline_svg(outline(tree), fmt::format("{}, n = {}", print(*schema), grouped(o.n))));
  if (!o.dot.empty()) write_file_atomically(o.dot, outline_dot(outline(tree)));
  nlohmann::ordered_json json = o.json ? as_json(schema, tree) : nlohmann::ordered_json();
  std::string text = o.json ? "" : as_text(schema, tree);
  if (o.plan) {
    const std::string plan = plan_text(schema, o, types);
    if (o.json)
      json["plan"] = plan;
    else
      text += "\nplan of the optimized evaluator: " + plan;
  }
  if (!o.vs.empty()) {
    const SchemaPtr other = topology_option("--vs", o.vs);
    const Tree second = tree_of(other, o, types);
    const std::optional<TreeDifference> difference = first_difference(tree, second);
    if (difference) context.exit_code = 1;
    if (o.json) {
      json["vs"] = as_json(other, second);
      json["same_tree"] = !difference;
      if (difference)
        json["first_difference"] = {
            {"shared", difference->shared}, {"a", difference->a}, {"b", difference->b}};
    } else {
      text = "A  " + text + "\nB  " + as_text(other, second) + "\n" + versus_text(o.n, difference);
    }
  }
  context.out << (o.json ? json_text(json) : text);
}

}  // namespace
}  // namespace show_command

void add_show_command(Command app, CommandContext& context) {
  using namespace show_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      app.add_subcommand("show", "A topology as a tree: what is added to what, in which order");
  command->add_option("TOPOLOGY", o.topology, "The topology (docs/notation.md)")
      ->type_name("")
      ->required();
  add_count_option(command, "--n", o.n, most_addends, "Number of addends")->required();
  command
      ->add_option("--vs", o.vs, "Another topology: is it the same tree, and where do they part?")
      ->type_name("TOPOLOGY");
  command
      ->add_option("--type", o.type,
                   "Format of the addends or operands; then formats are checked too")
      ->type_name("FORMAT");
  command
      ->add_option("--type-b", o.type_b, "Format of the second operand of products, if it differs")
      ->type_name("FORMAT");
  command
      ->add_option("--leaf", o.leaf,
                   "With --type: value, product, or 'product > FORMAT'; value if not given")
      ->type_name("LEAF");
  command->add_flag("--c", o.has_c, "The computation has an accumulator c to start from");
  command->add_option("--svg", o.svg, "Write a picture to this file")->type_name("FILE");
  command->add_option("--dot", o.dot, "Write a Graphviz file")->type_name("FILE");
  command->add_flag("--plan", o.plan,
                    "Also its program for vector lanes (docs/fast.md); needs --type");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
