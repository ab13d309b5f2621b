// Every number that a scene shows is what the built `whybits` prints for the command line that the
// scene gives to copy.
#include <nlohmann/json.hpp>

#include "lab/code_text.hpp"
#include "lab/number_view.hpp"
#include "tests/support/command.hpp"
#include "tests/support/property.hpp"
#include "visualizer/model/export_data.hpp"
#include "visualizer/model/session.hpp"
#include "visualizer/model/view_json.hpp"
#include "visualizer/scenes/bits/bits_model.hpp"
#include "visualizer/scenes/gemm/gemm_model.hpp"
#include "visualizer/scenes/sum/sum_model.hpp"

using namespace whybits;
using namespace whybits::viz;
using namespace whybits::test;
using nlohmann::json;

namespace {

json printed(const std::string& line) {
  const CommandResult result = run_line(line + " --json 2>/dev/null");
  INFO(line);
  REQUIRE((result.exit_code == 0 || result.exit_code == 1));
  return json::parse(result.out);
}

void check_code(const json& said, const CodeRow& row) {
  CHECK(said["format"] == format_name(row.format));
  CHECK(said["code"] == row.number.code_text);
  CHECK(said["value"] == row.number.display);
  std::string fields;
  for (const BitCell& cell : row.cells) {
    const bool begins = !fields.empty() && (cell.bit == row.format.fraction_bits - 1 ||
                                            cell.bit + 2 == row.format.code_bits());
    fields += (begins ? " " : "") + std::string(cell.one ? "1" : "0");
  }
  CHECK(said["fields"] == fields);
}

void check_buckets(const json& said, const std::vector<MapSummary::Bucket>& shown) {
  REQUIRE(said.size() == shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    CHECK(said[i]["from"] == shown[i].low);
    CHECK(said[i]["to"] == shown[i].high);
    CHECK(said[i]["count"] == shown[i].count);
  }
}

void check_study(const json& said, const PairResult& shown) {
  CHECK(said["outputs"] == shown.summary.outputs);
  const json& pair = said["pairs"][0];
  CHECK(pair["same_tree"] == shown.summary.same_tree);
  CHECK(pair["after_last_rounding"]["differ"] == shown.summary.differ_after);
  CHECK(pair["before_last_rounding"]["differ"] == shown.summary.differ_before);
  check_buckets(pair["after_last_rounding"]["ulp_histogram"], shown.summary.ulp_after);
  check_buckets(pair["before_last_rounding"]["ulp_histogram"], shown.summary.ulp_before);
  for (std::size_t t = 0; t < 2; ++t) {
    const json& topology = said["topologies"][t];
    const TopologyOutputs& outputs = shown.study->topologies[t];
    const SideText& side = t == 0 ? shown.a : shown.b;
    CHECK(topology["topology"] == side.topology);
    CHECK(topology["steps"] == side.tree.steps);
    CHECK(topology["depth"] == side.tree.depth);
    CHECK(topology["error_before"]["rms"] == outputs.error_before.rms());
    CHECK(topology["error_before"]["max"] == outputs.error_before.max());
    CHECK(topology["error"]["rms"] == outputs.error_after.rms());
    CHECK(topology["error"]["max"] == outputs.error_after.max());
  }
}

void check_ribbons(const json& said, const AxisSide& side, const std::vector<AxisItem>& items) {
  REQUIRE(said.size() == side.ribbons.size());
  for (std::size_t r = 0; r < said.size(); ++r) {
    const Ribbon& ribbon = side.ribbons.ribbons[r];
    CHECK(said[r]["leaves"] == ribbon.leaves.count);
    CHECK(said[r]["first_leaf"] == ribbon.leaves.first);
    CHECK(said[r]["steps"] == ribbon.steps());
    CHECK(said[r]["discarded"] == side.ribbons.discarded(r, r).to_decimal());
  }
  // What is drawn: items of one ribbon as printed, folds as sums of what is printed.
  for (const AxisItem& item : items) {
    const std::size_t first = item.kind == AxisItem::Kind::folded ? item.first_ribbon : item.ribbon;
    MarkCounts marks;
    for (std::size_t r = first; r <= item.ribbon; ++r)
      marks += {said[r]["same"], said[r]["other"], said[r]["no_counterpart"]};
    CHECK(item.marks == marks);
  }
}

void check_story(const json& said, const StoryModel& shown) {
  check_code(said["a"], shown.bits.a);
  check_code(said["b"], shown.bits.b);
  if (shown.bits.before_a) check_code(said["a_before"], *shown.bits.before_a);
  if (shown.bits.before_b) check_code(said["b_before"], *shown.bits.before_b);
  CHECK(said["exact"] == (shown.story.exact ? json(shown.story.exact->to_decimal()) : json()));
  CHECK(said["healed_by_last_rounding"] == shown.story.healed);
  const AxisFrame frame = axis_frame(shown.axis, {});
  check_ribbons(said["sums"]["ribbons_a"], shown.axis.a, frame.a);
  check_ribbons(said["sums"]["ribbons_b"], shown.axis.b, frame.b);
  REQUIRE(shown.waterfall_a);
  CHECK(said["sums"]["error_a"] == shown.waterfall_a->before_last_rounding.to_decimal());
  CHECK(said["sums"]["error_b"] == shown.waterfall_b->before_last_rounding.to_decimal());
  if (!shown.story.healed) {
    CHECK(said["error_a"]["error"] == shown.waterfall_a->total.to_double());
    CHECK(said["error_b"]["error"] == shown.waterfall_b->total.to_double());
  }
  const auto& agreements = shown.story.divergence.agreements;
  if (!agreements.empty() && !shown.story.divergence.same_result)
    CHECK(said["agreements"][0]["equal"]["number"] == agreements[0].a);
}

void check_row(const json& said, const BitRow& row) {
  CHECK(said["bits"] == row.bits);
  CHECK(said["exponent"] == row.exponent);
  CHECK(said["value"] == row.value.to_decimal());
  CHECK(said["cut"] == row.cut.to_decimal());
}

void check_step(const json& said, const StepView& shown) {
  CHECK(said["step"] == shown.title);
  REQUIRE(said["rows"].size() == shown.rows.size());
  for (std::size_t i = 0; i < shown.rows.size(); ++i) check_row(said["rows"][i], shown.rows[i]);
  check_row(said["sum"], shown.sum);
  CHECK(said["result"]["code"] == hex_code(shown.format, shown.code));
  CHECK(said["cut_discarded"] == shown.cut_discarded.to_decimal());
  CHECK(said["conversion"]["discarded"] == shown.conversion.discarded.to_decimal());
  CHECK(said["discarded"] == shown.discarded.to_decimal());
}

template <class Model, class State>
void check_pair_scene(Model& model, State state) {
  const auto first = model.compute(state);
  REQUIRE(first->valid());
  REQUIRE(first->story);
  // The step that the eye is led to, so that the copied line has it.
  if (first->story->first_part) state.view.step = first->story->first_part;
  const auto shown = model.compute(state);
  const json said = printed(command_line(state, shown->story->output));
  check_study(said, *shown);
  check_story(said["output"], *shown->story);
  if (const auto step = selected_step(*shown->story, state.view))
    check_step(said["output"]["step"], *step);
  // The exported document is the printed one, but for the request's own keys.
  const json exported = json::parse(comparison_json(*shown));
  for (const auto& [key, value] : exported.items()) {
    if (key == "output") continue;
    CHECK(said[key] == value);
  }
}

}  // namespace

TEST_CASE("every number of the GEMM scene is printed by the command line that it gives") {
  GemmModel model;
  for (const char* name :
       {"batch-64-128", "step-width", "fp8-promotion", "split-k-workspace", "block-k"}) {
    CAPTURE(name);
    check_pair_scene(model, std::get<GemmState>(find_preset(name).state));
  }
  GemmState state = std::get<GemmState>(find_preset("step-width").state);
  state.m = 2;
  state.n = 5;
  state.k = 100;
  state.type_a = state.type_b = "f32";
  state.leaf = "product > f32";
  state.a.notation = "pairs(f32)";
  state.b.notation = "lanes(8, fold(f32), halves(f32)) > bf16";
  state.view.output = 7;
  check_pair_scene(model, state);
}

TEST_CASE("every number of the Sum scene is printed by the command line that it gives") {
  SumModel model;
  for (const char* name :
       {"in-order-or-pairs", "ring-rotation", "ring-or-tree", "block-sum", "bf16-chain"}) {
    CAPTURE(name);
    check_pair_scene(model, std::get<SumState>(find_preset(name).state));
  }
}

TEST_CASE("every number of the Bits scene is printed by the command line that it gives") {
  for_all(60, [](Random& random) {
    const std::vector<std::string> formats{"f64", "f32", "bf16", "f16", "e5m2", "e4m3", "e5m10"};
    const std::vector<std::string> numbers{"0.1", "2048", "1", "-3.5e-5", "1e-8", "0x3C00", "-0"};
    BitsState state;
    state.format = random.pick(formats);
    state.operation = random.coin() ? "none" : random.coin() ? "add" : "mul";
    state.rounding = random.coin() ? "nearest-even" : "down";
    state.operands = {random.pick(numbers)};
    if (state.operation != "none") state.operands.push_back(random.pick(numbers));
    const BitsResult shown = compute(state);
    const std::string line = command_line(state);
    CAPTURE(line);
    const CommandResult out = run_line(line + " --json 2>/dev/null");
    REQUIRE((out.exit_code == 0) == shown.valid());
    if (!shown.valid()) return;
    const json said = json::parse(out.out);
    const json& number = state.operation == "none" ? said["numbers"][0] : said["result"];
    const CodeRow& row = shown.result ? *shown.result : shown.rows[0];
    CHECK(number["code"] == row.number.code_text);
    CHECK(number["shortest"] == row.number.shortest);
    if (shown.operation && shown.operation->rounded) {
      CHECK((said["step"]["guard"] == 1) == shown.operation->step.guard);
      CHECK((said["step"]["round"] == 1) == shown.operation->step.round);
      CHECK((said["step"]["sticky"] == 1) == shown.operation->step.sticky);
    }
  });
}

TEST_CASE("a quoted argument comes back from the shell as it was") {
  for_all(50, [](Random& random) {
    std::string text;
    for (std::uint64_t i = 1 + random.below(12); i > 0; --i)
      text += random.pick(std::string("ab '\"\\$`*?;&|<>(){}[]!#~=\t"));
    CAPTURE(text);
    CHECK(run_line("printf %s " + shell_quoted(text)).out == text);
  });
}
