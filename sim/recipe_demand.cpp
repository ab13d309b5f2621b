#include "sim/recipe_demand.hpp"

#include <algorithm>
#include <utility>

namespace whybits {
namespace {

class Backward {
 public:
  explicit Backward(const BoundRecipe& recipe) : recipe_(recipe) {
    demand_.bodies.resize(recipe.steps.size());
  }

  void want(const std::string& tensor, const IndexSet& rows, const IndexSet& columns) {
    if (rows.empty() || columns.empty()) return;
    const TensorType& type = recipe_.type(tensor);
    if (type.rows == 0 || type.columns == 0) return;
    Need& need = demand_.tensors[tensor];
    need.rows.insert(type.rows == 1 ? IndexSet::all(1) : rows);
    need.columns.insert(type.columns == 1 ? IndexSet::all(1) : columns);
  }

  Demand run() {
    for (std::size_t i = recipe_.steps.size(); i-- > 0;)
      std::visit([&](const auto& work) { visit(i, work); }, recipe_.recipe.steps[i].work);
    return std::move(demand_);
  }

 private:
  Need of(const std::string& tensor) const {
    const Need* need = demand_.find(tensor);
    return need ? *need : Need{};
  }
  Need of_step(std::size_t i) const { return of(recipe_.recipe.steps[i].names[0]); }

  void visit(std::size_t, const Constant&) {}

  void visit(std::size_t i, const Map& map) {
    const Need need = of_step(i);
    for (const std::string& operand : map.operands) want(operand, need.rows, need.columns);
  }

  void visit(std::size_t i, const Reduce& reduce) {
    const Need need = of_step(i);
    if (need.empty()) return;
    const IndexSet line = IndexSet::all(recipe_.steps[i].length);
    switch (reduce.along) {
      case Along::columns:
        want(reduce.a, need.rows, line);
        if (!reduce.b.empty()) want(reduce.b, need.rows, line);
        break;
      case Along::rows:
        want(reduce.a, line, need.columns);
        if (!reduce.b.empty()) want(reduce.b, line, need.columns);
        break;
      case Along::matrix:
        want(reduce.a, need.rows, line);
        want(reduce.b, line, need.columns);
        break;
      case Along::matrix_transposed:
        want(reduce.a, need.rows, line);
        want(reduce.b, need.columns, line);
        break;
    }
    if (!reduce.c.empty()) want(reduce.c, need.rows, need.columns);
    for (const Reduce::Operand& operand : reduce.operands)
      want(operand.tensor, need.rows, need.columns);
  }

  // --- scan ------------------------------------------------------------------------------------
  void visit(std::size_t i, const Scan& scan) {
    const BoundStep& step = recipe_.steps[i];
    // What a block must hand on is what is asked of the last state and what the next block reads.
    std::vector<Need> state(scan.state.size());
    for (std::size_t s = 0; s < state.size(); ++s) state[s] = of(recipe_.recipe.steps[i].names[s]);
    if (std::all_of(state.begin(), state.end(), [](const Need& need) { return need.empty(); }))
      return;
    std::vector<Demand>& bodies = demand_.bodies[i];
    for (bool settled = false; !settled;) {
      settled = true;
      bodies.clear();
      for (const BoundRecipe* body : {step.body.get(), step.ragged_body.get()})
        if (body) bodies.push_back(of_body(*body, state));
      for (std::size_t s = 0; s < state.size(); ++s) {
        const std::uint64_t before = state[s].size();
        for (const Demand& body : bodies)
          if (const Need* need = body.find(scan.state[s].name)) {
            state[s].rows.insert(need->rows);
            state[s].columns.insert(need->columns);
          }
        settled = settled && state[s].size() == before;
      }
    }
    for (std::size_t s = 0; s < state.size(); ++s) {
      want(recipe_.recipe.steps[i].names[s], state[s].rows, state[s].columns);
      want(scan.state[s].initial, state[s].rows, state[s].columns);
    }
    for (const Demand& body : bodies)
      for (const Scan::Whole& whole : scan.whole)
        if (const Need* need = body.find(whole.name)) want(whole.tensor, need->rows, need->columns);
    want_blocks(step, scan, bodies);
  }

  static Demand of_body(const BoundRecipe& body, const std::vector<Need>& state) {
    Backward inner(body);
    for (std::size_t s = 0; s < state.size(); ++s)
      inner.want(body.recipe.outputs[s], state[s].rows, state[s].columns);
    return inner.run();
  }

  void want_blocks(const BoundStep& step, const Scan& scan, const std::vector<Demand>& bodies) {
    const std::uint64_t blocks = step.length / scan.block;
    for (const Scan::Block& cut : scan.blocks) {
      const auto want_block = [&](const Demand& body, std::uint64_t begin) {
        const Need* need = body.find(cut.name);
        if (!need) return;
        if (cut.axis == Along::rows)
          want(cut.tensor, need->rows.moved(begin), need->columns);
        else
          want(cut.tensor, need->rows, need->columns.moved(begin));
      };
      for (std::uint64_t block = 0; block < blocks; ++block)
        want_block(bodies.front(), block * scan.block);
      if (step.ragged_body) want_block(bodies.back(), blocks * scan.block);
    }
  }

  const BoundRecipe& recipe_;
  Demand demand_;
};

std::uint64_t held(const BoundRecipe& recipe, const Demand& demand, bool with_inputs) {
  const auto& inputs = recipe.recipe.inputs;
  std::uint64_t elements = 0;
  for (const auto& [name, need] : demand.tensors)
    if (with_inputs || std::find(inputs.begin(), inputs.end(), name) == inputs.end())
      elements += need.size();
  for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
    std::uint64_t largest = 0;  // the bodies run one after the other
    std::size_t at = 0;
    for (const BoundRecipe* body : {recipe.steps[i].body.get(), recipe.steps[i].ragged_body.get()})
      if (body && at < demand.bodies[i].size())
        largest = std::max(largest, held(*body, demand.bodies[i][at++], true));
    elements += largest;
  }
  return elements;
}

}  // namespace

Selection all_outputs(const Recipe& recipe) {
  Selection chosen;
  for (const std::string& name : recipe.outputs) chosen.push_back({name});
  return chosen;
}

Chosen chosen_element(std::string tensor, std::uint64_t row, std::uint64_t column) {
  return {std::move(tensor), IndexSet::range(row, row + 1), IndexSet::range(column, column + 1)};
}

const Need* Demand::find(std::string_view tensor) const {
  const auto found = tensors.find(tensor);
  return found == tensors.end() ? nullptr : &found->second;
}

Demand demand(const BoundRecipe& recipe, const Selection& chosen) {
  Backward backward(recipe);
  for (const Chosen& choice : chosen) {
    const auto type = recipe.types.find(choice.tensor);
    if (type == recipe.types.end())
      throw RecipeError("chosen outputs: the recipe defines no '" + choice.tensor + "'");
    const auto side = [&](const std::optional<IndexSet>& indices, std::uint64_t n,
                          const char* what) {
      if (!indices) return IndexSet::all(n);
      if (!indices->empty() && indices->last() >= n)
        throw RecipeError("chosen outputs: '" + choice.tensor + "' is " + type_name(type->second) +
                          " and has no " + what + " " + std::to_string(indices->last()));
      return *indices;
    };
    backward.want(choice.tensor, side(choice.rows, type->second.rows, "row"),
                  side(choice.columns, type->second.columns, "column"));
  }
  return backward.run();
}

std::uint64_t working_bytes(const BoundRecipe& recipe, const Demand& demand) {
  return held(recipe, demand, false) * sizeof(Bits);
}

}  // namespace whybits
