#include "sim/fast/row_parts.hpp"

#include <algorithm>

#include "sim/ceil_div.hpp"

namespace whybits::fast {
namespace {

/// Members of a set in [begin, end).
IndexSet between(const IndexSet& set, std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint64_t> members;
  set.for_each([&](std::uint64_t i) {
    if (i >= begin && i < end) members.push_back(i);
  });
  return IndexSet::of(members);
}

/// Part i of n: as many rows of every tensor as there are.
Grids part_of(const BoundRecipe& recipe, const Grids& grids, unsigned i, unsigned n) {
  Grids part;
  for (const auto& [name, grid] : grids) {
    const std::uint64_t rows = recipe.type(name).rows, each = ceil_div(rows, n);
    part[name] = {between(grid.rows, i * each, (i + 1) * each), grid.columns};
  }
  return part;
}

Selection selection(const Grids& grids) {
  Selection chosen;
  for (const auto& [name, grid] : grids) chosen.push_back({name, grid.rows, grid.columns});
  return chosen;
}

std::uint64_t cost(const Work& work) {
  return work.elements + work.addends;
}

bool has_scan(const RecipePlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const RecipePlan::Step& step) {
    return std::holds_alternative<RecipePlan::Scan>(step);
  });
}

/// Counts what the steps of a demand do.
class Counter {
 public:
  Counter(const BoundRecipe& recipe, const RecipePlan& plan, const Demand& demand)
      : recipe_(recipe), plan_(plan), demand_(demand) {}

  Work run() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i)
      std::visit([&](const auto& step) { count(i, step); }, plan_.steps[i]);
    return work_;
  }

 private:
  std::uint64_t results(std::size_t i) const {
    const Need* need = demand_.find(recipe_.recipe.steps[i].names[0]);
    return need ? need->size() : 0;
  }

  void count(std::size_t, const RecipePlan::Constant&) {}
  void count(std::size_t i, const RecipePlan::Map&) { work_.elements += results(i); }
  void count(std::size_t i, const RecipePlan::Fold&) { count_reductions(i); }
  void count(std::size_t i, const RecipePlan::Reduce&) { count_reductions(i); }
  void count_reductions(std::size_t i) {
    work_.reductions += results(i);
    work_.addends += results(i) * recipe_.steps[i].length;
  }

  void count(std::size_t i, const RecipePlan::Scan& scan) {
    const std::vector<Demand>& bodies = demand_.bodies[i];
    if (bodies.empty()) return;
    const BoundStep& step = recipe_.steps[i];
    const std::uint64_t block = std::get<Scan>(recipe_.recipe.steps[i].work).block;
    if (step.body) add(work_of(*step.body, *scan.body, bodies.front()), step.length / block);
    if (step.ragged_body) add(work_of(*step.ragged_body, *scan.ragged_body, bodies.back()), 1);
  }

  void add(const Work& body, std::uint64_t times) {
    work_ += {body.elements * times, body.reductions * times, body.addends * times,
              (body.blocks + 1) * times};
  }

  const BoundRecipe& recipe_;
  const RecipePlan& plan_;
  const Demand& demand_;
  Work work_;
};

}  // namespace

Grids chosen_grids(const BoundRecipe& recipe, const Selection& chosen) {
  Grids grids;
  for (const Chosen& choice : chosen) {
    const TensorType& type = recipe.type(choice.tensor);
    Need& grid = grids[choice.tensor];
    grid.rows.insert(choice.rows.value_or(IndexSet::all(type.rows)));
    grid.columns.insert(choice.columns.value_or(IndexSet::all(type.columns)));
  }
  return grids;
}

std::vector<RowPart> row_parts(const BoundRecipe& recipe, const RecipePlan& plan,
                               const Grids& grids, const Demand& needed, unsigned threads) {
  std::vector<RowPart> whole{{grids, needed}};
  if (threads == 1 || !has_scan(plan)) return whole;
  const std::uint64_t all = cost(work_of(recipe, plan, needed));
  constexpr std::uint64_t few = std::uint64_t{1} << 18;
  if (all < few) return whole;
  std::vector<RowPart> parts;
  std::uint64_t total = 0, most = 0;
  for (unsigned i = 0; i < threads; ++i) {
    Grids part = part_of(recipe, grids, i, threads);
    Demand demand = whybits::demand(recipe, selection(part));
    const std::uint64_t one = cost(work_of(recipe, plan, demand));
    total += one;
    most = std::max(most, one);
    parts.push_back({std::move(part), std::move(demand)});
  }
  // Little is done twice, and no thread has much more than its share.
  const bool good = total <= all + all / 8 && most <= all / threads + all / threads / 4;
  return good ? parts : whole;
}

Work work_of(const BoundRecipe& recipe, const RecipePlan& plan, const Demand& demand) {
  return Counter(recipe, plan, demand).run();
}

}  // namespace whybits::fast
