#include "sim/fast/recipe_bytes.hpp"

#include <algorithm>
#include <utility>

#include "sim/fast/reduce_operands.hpp"
#include "sim/fast/turned.hpp"
#include "sim/saturating.hpp"

namespace whybits::fast {
namespace {

std::uint64_t words_of(const TensorType& type, const Need& need) {
  return saturating_product(need.size(), type.format.word_bytes());
}

bool is_run(const IndexSet& set) {
  return set.empty() || set.last() - set.first() + 1 == set.size();
}

class Bytes {
 public:
  Bytes(const BoundRecipe& recipe, const RecipePlan& plan, const Demand& demand, unsigned threads)
      : recipe_(recipe), plan_(plan), demand_(demand), threads_(threads) {}

  /// Tensors without the inputs, and the most that a step takes beside them.
  std::uint64_t held() {
    const auto& inputs = recipe_.recipe.inputs;
    std::uint64_t bytes = 0;
    for (const auto& [name, need] : demand_.tensors)
      if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
        bytes = plus(bytes, words_of(recipe_.type(name), need));
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      copied_ = 0;
      most = std::max(
          most,
          plus(std::visit([&](const auto& s) { return step(i, s); }, plan_.steps[i]), copied_));
    }
    return plus(bytes, most);
  }

 private:
  const Need* need(std::size_t i) const { return demand_.find(recipe_.recipe.steps[i].names[0]); }

  /// Matrices without words. What does not lie side by side is copied.
  ReadTensor shapes() {
    return [this](const std::string& tensor, const IndexSet& rows, const IndexSet& columns) {
      const TensorType& type = recipe_.type(tensor);
      if (!is_run(rows) || !is_run(columns))
        copied_ = plus(copied_, words_of(type, {rows, columns}));
      return CodeMatrix::borrow(type.format, rows.size(), columns.size(), nullptr);
    };
  }

  std::uint64_t step(std::size_t, const RecipePlan::Constant&) { return 0; }

  std::uint64_t step(std::size_t i, const RecipePlan::Map&) {
    if (const Need* wanted = need(i))
      for (const std::string& operand : std::get<Map>(recipe_.recipe.steps[i].work).operands)
        shapes()(operand, wanted->rows, wanted->columns);
    return 0;
  }

  std::uint64_t step(std::size_t i, const RecipePlan::Fold&) {
    const Need* wanted = need(i);
    if (!wanted) return 0;
    const auto& reduce = std::get<Reduce>(recipe_.recipe.steps[i].work);
    return turned_bytes(
        rows_of_leaves(reduce, reduce.a, recipe_.steps[i].length, *wanted, shapes()).transposed(),
        threads_);
  }

  std::uint64_t step(std::size_t i, const RecipePlan::Reduce& planned) {
    const Need* wanted = need(i);
    if (!wanted) return 0;
    const auto& reduce = std::get<Reduce>(recipe_.recipe.steps[i].work);
    const std::uint64_t length = recipe_.steps[i].length;
    std::optional<CodeMatrix> product;
    if (planned.product) {
      const CodeMatrix a = rows_of_leaves(reduce, reduce.a, length, *wanted, shapes());
      rows_of_leaves(reduce, reduce.b, length, *wanted, shapes());
      product = CodeMatrix::borrow(planned.product->operation.result, a.rows(), length, nullptr);
    }
    const ReduceOperands made = reduce_operands(reduce, planned.leaves, length,
                                                recipe_.type(recipe_.recipe.steps[i].names[0]),
                                                *wanted, shapes(), product ? &*product : nullptr);
    return plus(turned_bytes(planned.plan, made.lanes, threads_), product ? product->bytes() : 0);
  }

  /// Bodies run one after the other.
  std::uint64_t step(std::size_t i, const RecipePlan::Scan& planned) {
    const BoundStep& bound = recipe_.steps[i];
    std::uint64_t most = 0;
    std::size_t at = 0;
    for (const auto& [body, plan] :
         {std::pair{bound.body, planned.body}, std::pair{bound.ragged_body, planned.ragged_body}})
      if (body && at < demand_.bodies[i].size())
        most = std::max(most, Bytes(*body, *plan, demand_.bodies[i][at++], threads_).held());
    return most;
  }

  const BoundRecipe& recipe_;
  const RecipePlan& plan_;
  const Demand& demand_;
  unsigned threads_;
  std::uint64_t copied_ = 0;
};

}  // namespace

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

std::uint64_t input_bytes(const BoundRecipe& recipe, const Demand& demand) {
  std::uint64_t bytes = 0;
  for (const std::string& name : recipe.recipe.inputs)
    if (const Need* need = demand.find(name))
      bytes = plus(bytes, words_of(recipe.type(name), *need));
  return bytes;
}

std::uint64_t working_bytes(const BoundRecipe& recipe, const RecipePlan& plan, const Demand& demand,
                            unsigned threads) {
  return Bytes(recipe, plan, demand, threads).held();
}

}  // namespace whybits::fast
