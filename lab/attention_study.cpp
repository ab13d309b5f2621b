#include "lab/attention_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "lab/text_table.hpp"
#include "sim/fast/run_recipe.hpp"
#include "sim/libraries/attention/flash_recipe.hpp"
#include "sim/share_work.hpp"

namespace whybits {
namespace {

/// Rows that share keys and, in a causal launch, the end of the keys that they look at.
struct RowGroup {
  std::uint64_t kv_head = 0, keys = 0;
  std::vector<std::size_t> rows;  ///< places in the request's list
};

/// A launch of the last queries that look at the first keys, as a chunk of a prompt is: the place
/// of one of the inputs' queries in it, for both see the same keys.
std::uint64_t query_of_launch(const AttentionShape& inputs, const AttentionShape& launch,
                              std::uint64_t query) {
  return query + (inputs.keys - inputs.queries) - (launch.keys - launch.queries);
}

std::vector<RowGroup> groups_of(const AttentionRequest& request, const FlashPlan& plan) {
  const AttentionShape& s = request.shape;
  std::map<std::pair<std::uint64_t, std::uint64_t>, RowGroup> groups;
  for (std::size_t i = 0; i < request.rows.size(); ++i) {
    const std::uint64_t query = request.rows[i] % s.queries;
    const std::uint64_t head = request.rows[i] / s.queries % s.heads;
    const std::uint64_t batch = request.rows[i] / s.queries / s.heads;
    const std::uint64_t kv_head = batch * s.kv_heads + head / (s.heads / s.kv_heads);
    const std::uint64_t keys = flash_keys(plan, query_of_launch(s, plan.shape, query));
    RowGroup& group = groups[{kv_head, keys}];
    group.kv_head = kv_head;
    group.keys = keys;
    group.rows.push_back(i);
  }
  std::vector<RowGroup> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

/// 0 where a query sees a key, else −infinity.
std::vector<Bits> mask_of(const AttentionRequest& request, const RowGroup& group,
                          const FlashSplit& split) {
  constexpr Bits minus_infinity = 0xff800000;
  const AttentionShape& s = request.shape;
  std::vector<Bits> codes;
  for (const std::size_t i : group.rows) {
    const std::uint64_t last = request.rows[i] % s.queries + s.keys - s.queries;
    for (std::uint64_t key = split.begin; key < split.end; ++key)
      codes.push_back(key <= last ? 0 : minus_infinity);
  }
  return codes;
}

InputTensors inputs_of(const AttentionRequest& request, const FlashPlan& plan,
                       const RowGroup& group, const std::vector<FlashSplit>& splits) {
  const AttentionShape& s = request.shape;
  const std::uint64_t d = s.head_size;
  std::vector<Bits> q(group.rows.size() * d);
  for (std::size_t i = 0; i < group.rows.size(); ++i)
    request.inputs.q->read(request.rows[group.rows[i]] * d, 1, std::span(q).subspan(i * d, d));
  InputTensors inputs{{"q", input_tensor({group.rows.size(), d, s.type}, std::move(q))}};
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::string n = std::to_string(i);
    const std::uint64_t keys = splits[i].end - splits[i].begin;
    const std::uint64_t begin = (group.kv_head * s.keys + splits[i].begin) * d;
    inputs["k" + n] = {keys, d, part_of(request.inputs.k, begin, keys * d)};
    inputs["v" + n] = {keys, d, part_of(request.inputs.v, begin, keys * d)};
    inputs["first" + n] = input_tensor({keys, 4}, flash_columns(plan, keys, true));
    inputs["rest" + n] = input_tensor({keys, 4}, flash_columns(plan, keys, false));
    if (plan.shape.causal)
      inputs["mask" + n] =
          input_tensor({group.rows.size(), keys}, mask_of(request, group, splits[i]));
  }
  return inputs;
}

Patch as_patch(std::uint64_t rows, std::uint64_t columns, const Format& format,
               std::vector<Bits> codes) {
  return {{rows, columns, format}, IndexSet::all(rows), IndexSet::all(columns), std::move(codes)};
}

nlohmann::ordered_json side_json(const AttentionSide& side) {
  nlohmann::ordered_json out{{"spec", side.spec}, {"kernel", side.plan.kernel.name}};
  out.update(plan_json(side.plan));
  out["evidence"] = side.plan.kernel.evidence;
  return out;
}

/// What groups share that have as many keys and rows.
struct Launch {
  BoundRecipe recipe;
  fast::RecipePlan plan;
  fast::PreparedRun run;

  Launch(const Recipe& made, const TensorTypes& types, unsigned threads)
      : recipe(bind_recipe(made, types)),
        plan(fast::compile(recipe)),
        run(fast::prepare(recipe, plan, {{.tensor = "lse"}, {.tensor = "y"}}, threads)) {}
  ~Launch() = default;
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
};

}  // namespace

bool same_attention(const FlashPlan& a, const FlashPlan& b) {
  const auto once = [](const FlashPlan& plan) {
    return plan.splits == 1 && plan.shape.keys <= plan.block && !plan.shape.causal;
  };
  if (a.kernel.fused_scores != b.kernel.fused_scores) return false;
  return (once(a) && once(b)) ||
         std::tie(a.block, a.splits, a.split_keys) == std::tie(b.block, b.splits, b.split_keys);
}

AttentionOutputs run_attention(const AttentionRequest& request, const FlashPlan& plan) {
  const std::uint64_t d = request.shape.head_size;
  AttentionOutputs out{std::vector<Bits>(request.rows.size() * d),
                       std::vector<Bits>(request.rows.size())};
  // Groups know nothing of each other, and their steps are too short to be shared.
  const std::vector<RowGroup> groups = groups_of(request, plan);
  const unsigned threads = groups.size() > 1 ? 1 : 0;
  const auto launch = [&](const RowGroup& group, std::optional<Launch>& made) {
    const std::vector<FlashSplit> splits = flash_split_ranges(plan, group.keys);
    InputTensors inputs = inputs_of(request, plan, group, splits);
    if (!made)
      made.emplace(flash_recipe(plan, splits.size(), request.scale, request.functions),
                   types_of(inputs), threads);
    return inputs;
  };
  std::optional<Launch> of_all;  // where all groups have as many keys and rows
  const auto alike = [&](const RowGroup& group) {
    return group.keys == groups[0].keys && group.rows.size() == groups[0].rows.size();
  };
  if (groups.size() > 1 && std::all_of(groups.begin(), groups.end(), alike))
    launch(groups[0], of_all);
  share_work(groups.size(), 0, [&](std::uint64_t i) {
    const RowGroup& group = groups[i];
    std::optional<Launch> own;
    const InputTensors inputs = launch(group, of_all ? of_all : own);
    const Patches patches = fast::run((of_all ? of_all : own)->run, inputs);
    for (std::size_t row = 0; row < group.rows.size(); ++row) {
      out.lse[group.rows[row]] = patches.at("lse").codes[row];
      std::copy_n(patches.at("y").codes.begin() + static_cast<std::ptrdiff_t>(row * d), d,
                  out.y.begin() + static_cast<std::ptrdiff_t>(group.rows[row] * d));
    }
  });
  return out;
}

AttentionStudy run_attention_study(const AttentionRequest& request) {
  const std::uint64_t rows = request.rows.size();
  const Format& type = request.shape.type;
  AttentionStudy study;
  study.same_plan = same_attention(request.a.plan, request.b.plan);
  study.stages = {{"lse", "log Σ exp", formats::f32}, {"y", "output y", type}};
  const AttentionOutputs a = run_attention(request, request.a.plan);
  const AttentionOutputs b = run_attention(request, request.b.plan);
  count_stage(study.stages[0], as_patch(rows, 1, formats::f32, a.lse),
              as_patch(rows, 1, formats::f32, b.lse), 0);
  count_stage(study.stages[1], as_patch(rows, request.shape.head_size, type, a.y),
              as_patch(rows, request.shape.head_size, type, b.y), 0);
  return study;
}

std::vector<std::uint64_t> spread_rows(std::uint64_t rows, std::uint64_t count) {
  std::vector<std::uint64_t> list;
  count = std::min(rows, count);
  for (std::uint64_t i = 0; i < count; ++i)
    list.push_back(count == 1 ? 0 : i * (rows - 1) / (count - 1));
  return list;
}

std::string plan_text(const FlashPlan& plan) {
  std::string text = fmt::format("blocks of {} keys", plan.block);
  if (plan.splits > 1)
    text += fmt::format(", {} splits of {} keys{}", plan.splits, grouped(plan.split_keys),
                        plan.filled_splits() < plan.splits
                            ? fmt::format(", {} of them empty", plan.splits - plan.filled_splits())
                            : "");
  return text + (plan.grouped ? ", a group's heads as rows" : "");
}

nlohmann::ordered_json plan_json(const FlashPlan& plan) {
  return {{"block", plan.block},
          {"splits", plan.splits},
          {"filled_splits", plan.filled_splits()},
          {"split_keys", plan.split_keys},
          {"grouped", plan.grouped}};
}

std::string attention_text(const AttentionRequest& request, const AttentionStudy& study) {
  std::string out;
  for (const auto& [letter, side] : {std::pair{"A", &request.a}, {"B", &request.b}})
    out += fmt::format("  {}  {}: {}\n     {}\n", letter, side->spec, plan_text(side->plan),
                       side->plan.kernel.evidence);
  out += "\n" + stages_text(study.stages, request.rows.size());
  if (study.same_plan)
    out += "\n  A and B are one computation: no bit may differ, whatever the data.\n";
  return out + fmt::format("\n  exp2 and log are '{}': {}.\n", request.functions.name,
                           request.functions.evidence);
}

nlohmann::ordered_json attention_json(const AttentionRequest& request,
                                      const AttentionStudy& study) {
  return {{"functions", request.functions.name},
          {"sides", {side_json(request.a), side_json(request.b)}},
          {"same_plan", study.same_plan},
          {"stages", stages_json(study.stages)}};
}

}  // namespace whybits
