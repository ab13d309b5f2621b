#include "sim/run_recipe.hpp"

#include <algorithm>
#include <utility>

#include "sim/arith.hpp"
#include "sim/tensor_view.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t decoded_rows = 16;  // whose leaves a matrix product holds decoded

Bits widened(const Format& from, const Format& to, Bits code) {
  return from == to ? code : convert(from, to, code);
}

class Evaluator {
 public:
  Evaluator(const BoundRecipe& recipe, const Demand& demand, Work& work)
      : recipe_(recipe), demand_(demand), work_(work) {}

  void give(const std::string& name, TensorView view) { views_[name] = view; }

  void run() {
    for (std::size_t i = 0; i < recipe_.steps.size(); ++i)
      std::visit([&](const auto& work) { run(i, work); }, recipe_.recipe.steps[i].work);
  }

  const TensorView& view(const std::string& name) const { return views_.find(name)->second; }

  SingleReduction single(std::size_t i, const Reduce& reduce, std::uint64_t r,
                         std::uint64_t c) const {
    const BoundStep& step = recipe_.steps[i];
    SingleReduction one{step.reductions[region(i, reduce, r, c)],
                        leaf_vector(i, reduce, r, c),
                        {},
                        reduce.product,
                        {},
                        {}};
    if (!reduce.b.empty()) one.b = second_vector(i, reduce, r, c);
    one.c = accumulator(reduce, r, c);
    one.operands = named(reduce, r, c);
    return one;
  }

 private:
  const std::string& name(std::size_t i) const { return recipe_.recipe.steps[i].names[0]; }

  /// Where a step's needed elements go; null if none are needed.
  Patch* begin(const std::string& tensor) {
    const Need* need = demand_.find(tensor);
    if (!need) return nullptr;
    Patch& patch = patches_[tensor];
    patch = {recipe_.type(tensor), need->rows, need->columns, {}};
    patch.codes.reserve(need->size());
    views_[tensor] = TensorView::of(patch);
    return &patch;
  }

  void run(std::size_t i, const Constant& constant) {
    if (Patch* patch = begin(name(i))) patch->codes = {constant.value.code};
  }

  void run(std::size_t i, const Map& map) {
    Patch* patch = begin(name(i));
    if (!patch) return;
    const MapOperation& operation = map.operation;
    std::vector<TensorView> operands;
    for (const std::string& operand : map.operands) operands.push_back(view(operand));
    std::vector<Bits> x(operands.size());
    patch->rows.for_each([&](std::uint64_t r) {
      patch->columns.for_each([&](std::uint64_t c) {
        for (std::size_t j = 0; j < x.size(); ++j)
          x[j] = widened(operands[j].type.format, operation.operands[j], operands[j].at(r, c));
        patch->codes.push_back(operation(x));
      });
    });
    work_.elements += patch->codes.size();
  }

  // --- reduce ----------------------------------------------------------------------------------
  std::size_t region(std::size_t i, const Reduce& reduce, std::uint64_t r, std::uint64_t c) const {
    const auto* map = std::get_if<TopologyMap>(&reduce.by);
    if (!map) return 0;
    const MapRegion* found = map->find(r * recipe_.type(name(i)).columns + c);
    return static_cast<std::size_t>(found - map->regions.data());
  }

  OperandVector leaf_vector(std::size_t i, const Reduce& reduce, std::uint64_t r,
                            std::uint64_t c) const {
    const std::uint64_t n = recipe_.steps[i].length;
    if (n == 0) return {recipe_.type(reduce.a).format, {}};
    return reduce.along == Along::rows ? view(reduce.a).column(c, n) : view(reduce.a).row(r, n);
  }

  OperandVector second_vector(std::size_t i, const Reduce& reduce, std::uint64_t r,
                              std::uint64_t c) const {
    const std::uint64_t n = recipe_.steps[i].length;
    if (n == 0) return {recipe_.type(reduce.b).format, {}};
    const TensorView& b = view(reduce.b);
    switch (reduce.along) {
      case Along::columns:
        return b.row(r, n);
      case Along::rows:
      case Along::matrix:
        return b.column(c, n);
      case Along::matrix_transposed:
        break;
    }
    return b.row(c, n);
  }

  Scalar scalar(const std::string& tensor, std::uint64_t r, std::uint64_t c) const {
    const TensorView& from = view(tensor);
    return {from.type.format, from.at(r, c)};
  }

  std::optional<Scalar> accumulator(const Reduce& reduce, std::uint64_t r, std::uint64_t c) const {
    if (reduce.c.empty()) return {};
    return scalar(reduce.c, r, c);
  }

  std::vector<std::pair<std::string, Scalar>> named(const Reduce& reduce, std::uint64_t r,
                                                    std::uint64_t c) const {
    std::vector<std::pair<std::string, Scalar>> values;
    for (const Reduce::Operand& operand : reduce.operands)
      values.emplace_back(operand.name, scalar(operand.tensor, r, c));
    return values;
  }

  Bits reduced(std::size_t i, const Reduce& reduce, const OperandVector& a, const OperandVector* b,
               std::uint64_t r, std::uint64_t c) {
    ++work_.reductions;
    work_.addends += a.size();
    if (const auto* operation = std::get_if<MapOperation>(&reduce.by))
      return folded(*operation, a, accumulator(reduce, r, c));
    Leaves leaves;
    leaves.a = &a;
    leaves.b = b;
    leaves.product = reduce.product;
    leaves.c = accumulator(reduce, r, c);
    leaves.operands = named(reduce, r, c);
    return evaluate(recipe_.steps[i].reductions[region(i, reduce, r, c)], leaves);
  }

  /// A left fold by an operation, from the accumulator or the first leaf.
  static Bits folded(const MapOperation& operation, const OperandVector& a,
                     const std::optional<Scalar>& start) {
    const Format& format = operation.result;
    const auto leaf = [&](std::size_t i) { return widened(a.format(), format, a.codes()[i]); };
    std::size_t i = 0;
    Bits acc = start ? widened(start->format, format, start->code) : leaf(i++);
    for (; i < a.size(); ++i) {
      const Bits x[] = {acc, leaf(i)};
      acc = operation(x);
    }
    return acc;
  }

  void run(std::size_t i, const Reduce& reduce) {
    Patch* patch = begin(name(i));
    if (!patch) return;
    const bool matrix = reduce.along == Along::matrix || reduce.along == Along::matrix_transposed;
    if (matrix) return run_matrix(i, reduce, *patch);
    patch->rows.for_each([&](std::uint64_t r) {
      patch->columns.for_each([&](std::uint64_t c) {
        const OperandVector a = leaf_vector(i, reduce, r, c);
        std::optional<OperandVector> b;
        if (!reduce.b.empty()) b = second_vector(i, reduce, r, c);
        patch->codes.push_back(reduced(i, reduce, a, b ? &*b : nullptr, r, c));
      });
    });
  }

  /// Some rows of the first operand at a time against every column of the second.
  void run_matrix(std::size_t i, const Reduce& reduce, Patch& patch) {
    patch.codes.resize(patch.rows.size() * patch.columns.size());
    std::vector<std::uint64_t> rows;
    patch.rows.for_each([&](std::uint64_t r) { rows.push_back(r); });
    for (std::size_t first = 0; first < rows.size(); first += decoded_rows) {
      const std::size_t last = std::min<std::size_t>(rows.size(), first + decoded_rows);
      std::vector<OperandVector> a;
      for (std::size_t j = first; j < last; ++j) a.push_back(leaf_vector(i, reduce, rows[j], 0));
      std::size_t column = 0;
      patch.columns.for_each([&](std::uint64_t c) {
        const OperandVector b = second_vector(i, reduce, 0, c);
        for (std::size_t j = first; j < last; ++j)
          patch.codes[j * patch.columns.size() + column] =
              reduced(i, reduce, a[j - first], &b, rows[j], c);
        ++column;
      });
    }
  }

  // --- scan ------------------------------------------------------------------------------------
  void run(std::size_t i, const Scan& scan) {
    const std::vector<std::string>& names = recipe_.recipe.steps[i].names;
    bool needed = false;
    std::vector<Patch*> state(names.size());
    for (std::size_t s = 0; s < names.size(); ++s) {
      state[s] = begin(names[s]);
      if (!state[s]) continue;
      needed = true;
      state[s]->codes = view(scan.state[s].initial).grid(need(*state[s]));
    }
    if (!needed) return;
    const BoundStep& step = recipe_.steps[i];
    const std::uint64_t blocks = (step.length + scan.block - 1) / scan.block;
    for (std::uint64_t b = 0; b < blocks; ++b)
      run_block(i, scan, (scan.descending ? blocks - 1 - b : b) * scan.block, state);
  }

  static Need need(const Patch& patch) { return {patch.rows, patch.columns}; }

  void run_block(std::size_t i, const Scan& scan, std::uint64_t first,
                 const std::vector<Patch*>& state) {
    const BoundStep& step = recipe_.steps[i];
    const bool ragged = step.length - first < scan.block;
    const BoundRecipe& body = ragged ? *step.ragged_body : *step.body;
    const Demand& demand = ragged ? demand_.bodies[i].back() : demand_.bodies[i].front();
    ++work_.blocks;
    Evaluator inner(body, demand, work_);
    for (std::size_t s = 0; s < state.size(); ++s)
      if (state[s]) inner.give(scan.state[s].name, view(recipe_.recipe.steps[i].names[s]));
    for (const Scan::Block& cut : scan.blocks) {
      if (!demand.find(cut.name)) continue;
      TensorView block = view(cut.tensor);
      (cut.axis == Along::rows ? block.row0 : block.column0) += first;
      block.type = body.type(cut.name);
      inner.give(cut.name, block);
    }
    for (const Scan::Whole& whole : scan.whole)
      if (demand.find(whole.name)) inner.give(whole.name, view(whole.tensor));
    inner.run();
    // All outputs are read before any state changes: the body may hand a state on as another.
    std::vector<std::vector<Bits>> next(state.size());
    for (std::size_t s = 0; s < state.size(); ++s)
      if (state[s]) next[s] = inner.view(body.recipe.outputs[s]).grid(need(*state[s]));
    for (std::size_t s = 0; s < state.size(); ++s)
      if (state[s]) state[s]->codes = std::move(next[s]);
  }

  const BoundRecipe& recipe_;
  const Demand& demand_;
  Work& work_;
  std::map<std::string, TensorView, std::less<>> views_;
  std::map<std::string, Patch, std::less<>> patches_;
};

void evaluate_into(Evaluator& evaluator, const BoundRecipe& recipe, const InputTensors& inputs,
                   const Demand& demand, const RunOptions& options) {
  check_inputs(recipe, inputs);
  check_bytes(working_bytes(recipe, demand), options.most_bytes);
  for (const std::string& name : recipe.recipe.inputs)
    evaluator.give(name, TensorView::of(inputs.find(name)->second));
  evaluator.run();
}

}  // namespace

Work& Work::operator+=(const Work& other) {
  elements += other.elements;
  reductions += other.reductions;
  addends += other.addends;
  blocks += other.blocks;
  return *this;
}

void check_inputs(const BoundRecipe& recipe, const InputTensors& inputs) {
  for (const std::string& name : recipe.recipe.inputs) {
    const auto given = inputs.find(name);
    if (given == inputs.end() || !given->second.codes)
      throw RecipeError("inputs: '" + name + "' is not given");
    const TensorType type = given->second.type();
    if (type != recipe.type(name))
      throw RecipeError("inputs: '" + name + "' is " + type_name(type) +
                        ", the recipe was bound for " + type_name(recipe.type(name)));
    if (given->second.codes->size() != type.rows * type.columns)
      throw RecipeError("inputs: '" + name + "' is " + type_name(type) + ", but its source has " +
                        std::to_string(given->second.codes->size()) + " codes");
  }
}

void check_bytes(std::uint64_t needed, std::uint64_t allowed) {
  if (needed > allowed)
    throw RecipeMemoryError("needs " + std::to_string(needed) + " bytes, allowed are " +
                            std::to_string(allowed) + "; choose fewer outputs or shorter rows");
}

Patches run(const BoundRecipe& recipe, const InputTensors& inputs, const Selection& chosen,
            const RunOptions& options) {
  const Demand needed = demand(recipe, chosen);
  Work work;
  Evaluator evaluator(recipe, needed, work);
  evaluate_into(evaluator, recipe, inputs, needed, options);
  Patches patches;
  for (const Chosen& choice : chosen) {
    const TensorType& type = recipe.type(choice.tensor);
    Need grid{choice.rows.value_or(IndexSet::all(type.rows)),
              choice.columns.value_or(IndexSet::all(type.columns))};
    if (const auto before = patches.find(choice.tensor); before != patches.end()) {
      grid.rows.insert(before->second.rows);
      grid.columns.insert(before->second.columns);
    }
    Patch patch{type, grid.rows, grid.columns, {}};
    if (!grid.empty()) patch.codes = evaluator.view(choice.tensor).grid(grid);
    patches[choice.tensor] = std::move(patch);
  }
  if (options.work) *options.work += work;
  return patches;
}

Patches run(const Recipe& recipe, const InputTensors& inputs, const Selection& chosen,
            const RunOptions& options) {
  return run(bind_recipe(recipe, types_of(inputs)), inputs, chosen, options);
}

Patches run(const Recipe& recipe, const InputTensors& inputs) {
  return run(recipe, inputs, all_outputs(recipe));
}

TensorTypes types_of(const InputTensors& inputs) {
  TensorTypes types;
  for (const auto& [name, tensor] : inputs) {
    if (!tensor.codes) throw RecipeError("inputs: '" + name + "' has no codes");
    types[name] = tensor.type();
  }
  return types;
}

Leaves SingleReduction::leaves() const {
  Leaves leaves;
  leaves.a = &a;
  leaves.b = b ? &*b : nullptr;
  leaves.product = product;
  leaves.c = c;
  leaves.operands = operands;
  return leaves;
}

SingleReduction single_reduction(const BoundRecipe& recipe, const InputTensors& inputs,
                                 const std::string& tensor, std::uint64_t row, std::uint64_t column,
                                 const RunOptions& options) {
  const auto& steps = recipe.recipe.steps;
  const auto step = std::find_if(steps.begin(), steps.end(),
                                 [&](const RecipeStep& s) { return s.names[0] == tensor; });
  const Reduce* reduce = step == steps.end() ? nullptr : std::get_if<Reduce>(&step->work);
  if (!reduce || std::holds_alternative<MapOperation>(reduce->by))
    throw RecipeError("'" + tensor + "' is not the result of a reduce by a topology");
  const Demand needed = demand(recipe, {chosen_element(tensor, row, column)});
  Work work;
  Evaluator evaluator(recipe, needed, work);
  evaluate_into(evaluator, recipe, inputs, needed, options);
  return evaluator.single(static_cast<std::size_t>(step - steps.begin()), *reduce, row, column);
}

}  // namespace whybits
