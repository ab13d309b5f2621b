#include "sim/fast/recipe_plan.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "sim/fast/dealt_plan.hpp"
#include "sim/fast/run_elements.hpp"

namespace whybits::fast {
namespace {

using ReduceLeaves = RecipePlan::Reduce::Leaves;

class RecipeCompiler {
 public:
  explicit RecipeCompiler(const BoundRecipe& recipe) : recipe_(recipe) {}

  RecipePlan run() {
    RecipePlan plan;
    for (std::size_t i = 0; i < recipe_.steps.size(); ++i)
      plan.steps.push_back(std::visit([&](const auto& work) { return step(i, work); },
                                      recipe_.recipe.steps[i].work));
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
      if (auto* map = std::get_if<RecipePlan::Map>(&plan.steps[i]))
        map->joined_to = joined(plan, i);
    number(plan);
    return plan;
  }

 private:
  using Step = RecipePlan::Step;

  void number(RecipePlan& plan) const {
    for (const auto& [name, type] : recipe_.types) plan.numbers.emplace(name, plan.numbers.size());
    const auto numbers = [&](const std::vector<std::string>& names) {
      std::vector<std::size_t> found;
      for (const std::string& name : names) found.push_back(plan.numbers.at(name));
      return found;
    };
    for (const RecipeStep& step : recipe_.recipe.steps) {
      const auto* map = std::get_if<Map>(&step.work);
      plan.defined.push_back(numbers(step.names));
      plan.operands.push_back(map ? numbers(map->operands) : std::vector<std::size_t>{});
    }
  }

  Step step(std::size_t, const Constant&) const { return RecipePlan::Constant{}; }
  Step step(std::size_t, const Map& map) const {
    return RecipePlan::Map{element_step(map.operation)};
  }

  Step step(std::size_t i, const Scan&) const {
    RecipePlan::Scan scan;
    const BoundStep& bound = recipe_.steps[i];
    if (bound.body) scan.body = std::make_shared<const RecipePlan>(compile(*bound.body));
    if (bound.ragged_body)
      scan.ragged_body = std::make_shared<const RecipePlan>(compile(*bound.ragged_body));
    return scan;
  }

  Step step(std::size_t i, const Reduce& reduce) const {
    if (const auto* operation = std::get_if<MapOperation>(&reduce.by))
      return RecipePlan::Fold{element_step(*operation)};
    const BoundStep& bound = recipe_.steps[i];
    LeafTypes types;
    types.a = recipe_.type(reduce.a).format;
    if (!reduce.b.empty()) types.b = recipe_.type(reduce.b).format;
    types.product = reduce.product;
    if (!reduce.c.empty()) types.c = recipe_.type(reduce.c).format;
    for (const Reduce::Operand& operand : reduce.operands)
      types.operands.emplace_back(operand.name, recipe_.type(operand.tensor).format);

    RecipePlan::Reduce made;
    const bool matrix = reduce.along == Along::matrix || reduce.along == Along::matrix_transposed;
    if (!matrix) made.leaves = leaves_of(reduce);
    if (made.leaves == ReduceLeaves::values && types.b) {
      made.product = product_step(types.a, *types.b, *types.product);
      types.a = types.product->to;
      types.b.reset();
      types.product.reset();
    }
    const auto* map = std::get_if<TopologyMap>(&reduce.by);
    made.plan = map             ? fast::compile(*map, bound.reductions, types)
                : in_rows(made) ? compile_dealt(bound.reductions[0], types)
                                : compile_one(bound.reductions[0], types);
    if (made.leaves == ReduceLeaves::paired) pair(reduce, made);
    return made;
  }

  /// Whether leaves may lie along rows, each output's for itself.
  static bool in_rows(const RecipePlan::Reduce& made) {
    return made.leaves == ReduceLeaves::values || made.leaves == ReduceLeaves::paired;
  }

  /// The only use of a map's result, if that is a map of the same shape.
  std::optional<std::size_t> joined(const RecipePlan& plan, std::size_t i) const {
    const Recipe& recipe = recipe_.recipe;
    const std::string& name = recipe.steps[i].names[0];
    if (uses_.at(name) != 1) return {};
    for (std::size_t j = i + 1; j < recipe.steps.size(); ++j) {
      const auto* map = std::get_if<Map>(&recipe.steps[j].work);
      if (!map ||
          std::find(map->operands.begin(), map->operands.end(), name) == map->operands.end())
        continue;
      const TensorType& from = recipe_.type(name);
      const TensorType& to = recipe_.type(recipe.steps[j].names[0]);
      const bool same_shape = from.rows == to.rows && from.columns == to.columns;
      if (same_shape && joins(std::get<RecipePlan::Map>(plan.steps[i]).step,
                              std::get<RecipePlan::Map>(plan.steps[j]).step))
        return j;
    }
    return {};
  }

  /// How often every tensor is read; an output is read once more.
  static std::map<std::string, int> uses(const Recipe& recipe) {
    std::map<std::string, int> count;
    for (const std::string& name : recipe.outputs) ++count[name];
    for (const RecipeStep& step : recipe.steps) {
      for (const std::string& name : step.names) count[name] += 0;
      if (const auto* map = std::get_if<Map>(&step.work)) {
        for (const std::string& name : map->operands) ++count[name];
      } else if (const auto* reduce = std::get_if<Reduce>(&step.work)) {
        for (const std::string& name : {reduce->a, reduce->b, reduce->c}) ++count[name];
        for (const Reduce::Operand& operand : reduce->operands) ++count[operand.tensor];
      } else if (const auto* scan = std::get_if<Scan>(&step.work)) {
        for (const Scan::State& state : scan->state) ++count[state.initial];
        for (const Scan::Block& block : scan->blocks) ++count[block.tensor];
        for (const Scan::Whole& whole : scan->whole) ++count[whole.tensor];
      }
    }
    return count;
  }

  ReduceLeaves leaves_of(const Reduce& reduce) const {
    if (reduce.b.empty() || reduce.product) return ReduceLeaves::values;
    return lanes(reduce, reduce.a) == 1 ? ReduceLeaves::shared_a : ReduceLeaves::paired;
  }

  /// A matrix unit has no kernel for pairs; one b for all outputs makes them rows of a product.
  void pair(const Reduce& reduce, RecipePlan::Reduce& made) const {
    bool matrix_unit = false;
    for (const Plan& plan : made.plan.plans) matrix_unit |= has_matrix_unit(plan);
    if (matrix_unit && lanes(reduce, reduce.b) == 1) {
      made.leaves = ReduceLeaves::shared_b;
      return;
    }
    for (Plan& plan : made.plan.plans) use_pairs(plan);
  }

  std::uint64_t lanes(const Reduce& reduce, const std::string& tensor) const {
    const TensorType& type = recipe_.type(tensor);
    return reduce.along == Along::columns ? type.rows : type.columns;
  }

  const BoundRecipe& recipe_;
  const std::map<std::string, int> uses_ = uses(recipe_.recipe);
};

/// Lines of a text, indented.
std::string indented(const std::string& text, const std::string& indent) {
  std::istringstream lines(text);
  std::string out, line;
  while (std::getline(lines, line)) out += indent + line + "\n";
  return out;
}

class RecipePrinter {
 public:
  RecipePrinter(const BoundRecipe& recipe, const RecipePlan& plan) : recipe_(recipe), plan_(plan) {}

  std::string run() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const std::vector<std::string>& names = recipe_.recipe.steps[i].names;
      for (std::size_t n = 0; n < names.size(); ++n) text_ += (n > 0 ? ", " : "") + names[n];
      text_ += " = ";
      std::visit([&](const auto& step) { line(i, step); }, plan_.steps[i]);
    }
    return text_;
  }

 private:
  void line(std::size_t, const RecipePlan::Constant&) { text_ += "constant\n"; }
  void line(std::size_t, const RecipePlan::Map& map) {
    text_ += map.step.operation.name + " [" + kernel_name(map.step) + "]";
    if (map.joined_to)
      text_ += ", in one pass with " + recipe_.recipe.steps[*map.joined_to].names[0];
    text_ += "\n";
  }
  void line(std::size_t, const RecipePlan::Fold& fold) {
    text_ += "reduce by " + fold.step.operation.name + " [" + kernel_name(fold.step) + "]\n";
  }

  void line(std::size_t, const RecipePlan::Reduce& reduce) {
    text_ += "reduce of " + std::string(name(reduce.leaves));
    if (reduce.product)
      text_ += ", " + reduce.product->operation.name + " [" + kernel_name(*reduce.product) + "]";
    if (const auto& dealt = reduce.plan.dealt)
      text_ += ", " + std::to_string(dealt->lanes()) + " lanes of a row first";
    const std::size_t plans = reduce.plan.plans.size();
    if (reduce.plan.regions.size() > 1)
      text_ += ", " + std::to_string(reduce.plan.regions.size()) + " regions, " +
               std::to_string(plans) + (plans == 1 ? " plan" : " plans");
    text_ += "\n";
    for (const Plan& plan : reduce.plan.plans) text_ += indented(fast::print(plan), "  ");
  }

  void line(std::size_t i, const RecipePlan::Scan& scan) {
    const BoundStep& step = recipe_.steps[i];
    const bool whole = step.body != nullptr;
    text_ += "scan\n";
    if (whole) text_ += indented(fast::print(*step.body, *scan.body), "  ");
    if (step.ragged_body)
      text_ += (whole ? "  last block:\n" : "") +
               indented(fast::print(*step.ragged_body, *scan.ragged_body), whole ? "    " : "  ");
  }

  static std::string_view name(ReduceLeaves leaves) {
    switch (leaves) {
      case ReduceLeaves::matrix:
        return "rows times columns";
      case ReduceLeaves::values:
        return "values";
      case ReduceLeaves::shared_a:
        return "products, one a for all outputs";
      case ReduceLeaves::shared_b:
        return "products, one b for all outputs";
      case ReduceLeaves::paired:
        return "products, a and b of every output";
    }
    return "";
  }

  const BoundRecipe& recipe_;
  const RecipePlan& plan_;
  std::string text_;
};

}  // namespace

RecipePlan compile(const BoundRecipe& recipe) {
  return RecipeCompiler(recipe).run();
}

std::string print(const BoundRecipe& recipe, const RecipePlan& plan) {
  return RecipePrinter(recipe, plan).run();
}

}  // namespace whybits::fast
