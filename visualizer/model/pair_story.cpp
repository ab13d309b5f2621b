#include "visualizer/model/pair_story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/text_layout.hpp"
#include "lab/text_table.hpp"
#include "sim/notation.hpp"
#include "visualizer/model/sentence.hpp"

namespace whybits::viz {
namespace {

bool takes_leaves(const Trace& trace, std::int64_t step) {
  const TraceNode& node = trace.nodes[static_cast<std::size_t>(step)];
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [](Origin origin) { return is_leaf_origin(origin); });
}

/// Of the two steps that follow what agrees, the one that adds leaves: the other waits for a sum.
std::optional<StepChoice> first_part(const OutputStory& story) {
  if (story.divergence.agreements.empty()) return std::nullopt;
  const Agreement& first = story.divergence.agreements[0];
  const auto choice = [](Side side, std::int64_t step) {
    return StepChoice{side, static_cast<std::uint64_t>(step)};
  };
  const bool a = first.next_a >= 0, b = first.next_b >= 0;
  if (b && takes_leaves(story.b, first.next_b)) return choice(Side::b, first.next_b);
  if (a) return choice(Side::a, first.next_a);
  if (b) return choice(Side::b, first.next_b);
  return std::nullopt;
}

/// What the last rounding discarded, where there is one.
std::optional<Dyadic> rounding_loss(const SplitReduction& reduction, Bits before, Bits after) {
  if (!reduction.last) return std::nullopt;
  if (!unpack(reduction.before.result, before).finite() ||
      !unpack(reduction.output, after).finite())
    return std::nullopt;
  return Dyadic::from_code(reduction.output, after) -
         Dyadic::from_code(reduction.before.result, before);
}

/// The form that decides the label: below roundings and operands.
const Schema& core(const Schema& schema) {
  if (const auto* round = std::get_if<RoundTo>(&schema.form)) return core(*round->inner);
  if (const auto* operand = std::get_if<AddOperand>(&schema.form)) return core(*operand->inner);
  return schema;
}

bool is_fold(const Schema& schema) {
  return std::holds_alternative<Fold>(schema.form);
}

/// At most 40 characters, whole ones.
std::string cut_short(std::string text) {
  constexpr std::size_t longest = 40;
  if (columns(text) <= longest) return text;
  while (columns(text) >= longest) {
    // Continuation bytes go with their first.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U)
      text.pop_back();
    text.pop_back();
  }
  return text + "…";
}

}  // namespace

Leaves KeptLeaves::get() const {
  Leaves leaves;
  leaves.a = &a;
  leaves.b = b ? &*b : nullptr;
  leaves.product = product;
  return leaves;
}

std::shared_ptr<const StoryModel> make_story(StoryRequest request) {
  auto model = std::make_shared<StoryModel>(StoryModel{request.output,
                                                       std::move(request.name),
                                                       std::move(request.leaves),
                                                       {},
                                                       {},
                                                       {},
                                                       {},
                                                       {},
                                                       {},
                                                       {}});
  const Leaves leaves = model->leaves.get();
  OutputStory& story = model->story;
  story = tell_output(LeafTypes::of(leaves), leaves, request.a, request.b);
  model->bits = view_output(story);
  end_before_last_rounding(story);
  model->axis = make_axis(story.a, story.b, story.divergence);
  if (story.divergence.ledger_valid) {
    model->waterfall_a = make_waterfall(
        model->axis.a, rounding_loss(story.reduction_a, story.before_a, story.after_a));
    model->waterfall_b = make_waterfall(
        model->axis.b, rounding_loss(story.reduction_b, story.before_b, story.after_b));
  }
  model->why = explain_output(story);
  model->first_part = first_part(story);
  return model;
}

Phrase topology_name(const Schema& schema, std::uint64_t n) {
  const Schema& form = core(schema);
  if (is_fold(form) && std::get<Fold>(form.form).unit.takes_products()) return {"label.chain", {}};
  const auto* slices = std::get_if<Slices>(&form.form);
  if (slices && slices->merge && !slices->ragged && slices->size > 0 &&
      is_fold(core(*slices->each)) && is_fold(core(*slices->merge))) {
    const std::uint64_t count = (n + slices->size - 1) / slices->size;
    if (count <= 1) return {"label.chain", {}};
    if (const auto* round = std::get_if<RoundTo>(&slices->each->form))
      return {"label.slices_rounded", {grouped(count), conversion_name(round->conversion)}};
    return {"label.slices", {grouped(count)}};
  }
  return {"label.notation", {cut_short(print(form))}};
}

std::optional<StepView> selected_step(const StoryModel& story, const PairView& view) {
  const std::optional<StepChoice> choice = view.step ? view.step : story.first_part;
  if (!choice) return std::nullopt;
  const Trace& trace = story.trace(choice->side);
  if (choice->step >= trace.nodes.size() || !trace.nodes[choice->step].finite) return std::nullopt;
  return view_step(trace, static_cast<std::int64_t>(choice->step), story.leaves.get());
}

}  // namespace whybits::viz
