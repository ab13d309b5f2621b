#include "visualizer/model/pair_story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

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

/// Whether sums differ on the way to a step.
bool differs_below(const Trace& trace, const std::vector<Mark>& marks, std::int64_t step) {
  std::vector<bool> below(static_cast<std::size_t>(step) + 1);
  const auto add = [&](Origin origin) {
    if (origin >= 0) below[static_cast<std::size_t>(origin)] = true;
  };
  add(step);
  for (std::size_t i = below.size(); i-- > 0;) {  // inputs stand before their step
    if (!below[i]) continue;
    if (marks[i] == Mark::other_bits) return true;
    add(trace.nodes[i].accumulator);
    for (const Origin origin : trace.nodes[i].inputs) add(origin);
  }
  return false;
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
const Schema* core(const Schema* schema) {
  for (;;) {
    if (const auto* round = std::get_if<RoundTo>(&schema->form))
      schema = round->inner.get();
    else if (const auto* operand = std::get_if<AddOperand>(&schema->form))
      schema = operand->inner.get();
    else
      return schema;
  }
}

bool is_fold(const Schema& schema) {
  return std::holds_alternative<Fold>(schema.form);
}

std::vector<const Unit*> matrix_units(const Tree& tree) {
  std::vector<const Unit*> out;
  for (const Shape* shape : shapes_bottom_up(tree.root()))
    if (shape->unit &&
        (shape->unit->kind == Unit::Kind::aligned || shape->unit->kind == Unit::Kind::composite))
      out.push_back(shape->unit.get());
  return out;
}

bool all_among(const std::vector<const Unit*>& units, const std::vector<const Unit*>& others) {
  return std::all_of(units.begin(), units.end(), [&](const Unit* unit) {
    return std::any_of(others.begin(), others.end(),
                       [&](const Unit* other) { return unit->same_arithmetic(*other); });
  });
}

Phrase notation_name(const Schema& schema) {
  return {"label.notation", {print(schema)}};
}

std::optional<Phrase> form_name(const Schema& form) {
  if (is_fold(form)) return Phrase{"label.chain", {}};
  if (std::holds_alternative<Pairs>(form.form)) return Phrase{"label.pairs", {}};
  if (std::holds_alternative<Halves>(form.form)) return Phrase{"label.halves", {}};
  if (const auto* lanes = std::get_if<Lanes>(&form.form)) {
    if (lanes->by == 1) return Phrase{"label.lanes", {grouped(lanes->count)}};
    return Phrase{"label.lanes_by", {grouped(lanes->count), grouped(lanes->by)}};
  }
  if (const auto* rotate = std::get_if<Rotate>(&form.form);
      rotate && is_fold(*core(rotate->inner.get())))
    return Phrase{"label.chain_from", {grouped(rotate->by)}};
  if (const auto* reverse = std::get_if<Reverse>(&form.form);
      reverse && is_fold(*core(reverse->inner.get())))
    return Phrase{"label.chain_backwards", {}};
  return std::nullopt;
}

/// With what plain names leave out: the arithmetic of one chain.
std::optional<Phrase> detailed_name(const Schema& schema) {
  const auto* chain = std::get_if<Fold>(&core(&schema)->form);
  if (!chain) return std::nullopt;
  if (chain->unit.addends > 1)
    return Phrase{"label.chain_step", {std::to_string(chain->unit.addends)}};
  return Phrase{"label.chain_in", {unit_name(chain->unit)}};
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
                                                       {},
                                                       {},
                                                       false});
  const Leaves leaves = model->leaves.get();
  OutputStory& story = model->story;
  story = tell_output(LeafTypes::of(leaves), leaves, request.a, request.b);
  model->bits = view_output(story);
  end_before_last_rounding(story);
  model->axis = make_axis(story.a, story.b, story.divergence);
  if (story.divergence.ledger_valid) {
    model->waterfall_a = make_waterfall(
        model->axis.a, story.a, rounding_loss(story.reduction_a, story.before_a, story.after_a));
    model->waterfall_b = make_waterfall(
        model->axis.b, story.b, rounding_loss(story.reduction_b, story.before_b, story.after_b));
  }
  model->why = explain_output(story);
  model->first_part = first_part(story);
  if (model->first_part) {
    const Origin common = story.divergence.agreements[0].a;
    model->parted_before = differs_below(story.a, story.divergence.marks_a, common);
    const LeafSet& leaves_of = story.a.node(common).leaves;
    if (told_by_runs(leaves_of))
      model->common = leaf_runs(story.a, {&common, 1});
    else if (leaves_of.count > 0)
      model->common = {{leaves_of.first, leaves_of.last}};
  }
  return model;
}

Phrase topology_name(const Schema& schema, std::uint64_t n) {
  const Schema& form = *core(&schema);
  if (auto name = form_name(form)) return *std::move(name);
  const auto* slices = std::get_if<Slices>(&form.form);
  // Without a merge the pieces continue one accumulator.
  if (slices && !slices->merge && !slices->ragged && is_fold(*slices->each))
    return {"label.chain_pieces", {grouped(slices->size)}};
  if (slices && slices->merge && !slices->ragged && slices->size > 0 &&
      is_fold(*core(slices->each.get())) && is_fold(*core(slices->merge.get()))) {
    const std::uint64_t count = (n + slices->size - 1) / slices->size;
    if (count <= 1) return {"label.chain", {}};
    if (const auto* round = std::get_if<RoundTo>(&slices->each->form))
      return {"label.slices_rounded", {grouped(count), conversion_name(round->conversion)}};
    return {"label.slices", {grouped(count)}};
  }
  return notation_name(form);
}

std::pair<Phrase, Phrase> different_names(const Schema& a, const Schema& b, std::uint64_t n) {
  std::pair names{topology_name(a, n), topology_name(b, n)};
  if (names.first == names.second) {
    const auto detailed_a = detailed_name(a);
    const auto detailed_b = detailed_name(b);
    if (detailed_a && detailed_b) names = {*detailed_a, *detailed_b};
  }
  if (names.first == names.second) names = {notation_name(a), notation_name(b)};
  return names;
}

CommonParts common_parts(const SplitReduction& a, const SplitReduction& b) {
  CommonParts common;
  const auto units_a = matrix_units(a.before.tree);
  const auto units_b = matrix_units(b.before.tree);
  common.matrix_units =
      !units_a.empty() && all_among(units_a, units_b) && all_among(units_b, units_a);
  if (a.last == b.last) common.last_rounding = a.last;
  return common;
}

std::optional<StepView> selected_step(const StoryModel& story, const PairView& view) {
  const std::optional<StepChoice> choice = view.step ? view.step : story.first_part;
  if (!choice) return std::nullopt;
  const Trace& trace = story.trace(choice->side);
  if (choice->step >= trace.nodes.size() || !trace.nodes[choice->step].finite) return std::nullopt;
  return view_step(trace, static_cast<std::int64_t>(choice->step), story.leaves.get());
}

}  // namespace whybits::viz
