#include "sim/fast/run_recipe.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "sim/fast/lane_tensor.hpp"
#include "sim/fast/recipe_bytes.hpp"
#include "sim/fast/reduce_operands.hpp"
#include "sim/fast/row_parts.hpp"
#include "sim/fast/run_elements.hpp"
#include "sim/fast/tile.hpp"
#include "sim/fast/turned.hpp"
#include "sim/share_work.hpp"

namespace whybits::fast {
namespace {

struct Stopped {};  // ends a run

/// Results that are done, of all threads.
struct Progress {
  const RecipeOptions& options;
  std::mutex reporting = {};
  std::uint64_t done = 0;

  void count(std::uint64_t results) {
    if (options.stop.stop_requested()) throw Stopped{};
    const std::lock_guard lock(reporting);
    done += results;
    if (options.progress) options.progress(done);
  }
};

/// What all steps of a run share.
struct RecipeRun {
  unsigned threads = 1;
  const RecipeOptions& options;
  Progress& progress;
  TileStore tiles = {};  ///< of one thread's scans

  /// Threads for as many elementary steps: starting one costs some tens of thousands.
  unsigned threads_for(std::uint64_t steps) const {
    constexpr std::uint64_t few = std::uint64_t{1} << 17;
    return steps < few ? 1 : threads;
  }
  GemmOptions gemm_options(std::uint64_t steps) const {
    return {.threads = threads_for(steps), .stop = options.stop};
  }
};

class Evaluator {
 public:
  Evaluator(const BoundRecipe& recipe, const RecipePlan& plan, const Demand& demand, RecipeRun& run,
            std::set<std::string> chosen = {})
      : recipe_(recipe), plan_(plan), demand_(demand), run_(run), chosen_(std::move(chosen)) {}

  void give(const std::string& name, LaneTensor tensor) { tensors_[name] = std::move(tensor); }
  const LaneTensor& tensor(const std::string& name) const { return tensors_.find(name)->second; }

  void run() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i)
      std::visit([&](const auto& step) { this->run(i, step); }, plan_.steps[i]);
  }

 private:
  const RecipeStep& step(std::size_t i) const { return recipe_.recipe.steps[i]; }
  const std::string& name(std::size_t i) const { return step(i).names[0]; }
  template <class Kind>
  const Kind& work(std::size_t i) const {
    return std::get<Kind>(step(i).work);
  }

  void define(const std::string& tensor, const Need& need, CodeMatrix words) {
    tensors_[tensor] = {recipe_.type(tensor), &need, std::move(words)};
  }

  ReadTensor reader() const {
    return [this](const std::string& tensor, const IndexSet& rows, const IndexSet& columns) {
      if (rows.empty() || columns.empty())
        return CodeMatrix::zeros(recipe_.type(tensor).format, rows.size(), columns.size());
      return this->tensor(tensor).grid(rows, columns);
    };
  }

  void run(std::size_t i, const RecipePlan::Constant&) {
    const Need* need = demand_.find(name(i));
    if (!need) return;
    const Scalar& value = work<Constant>(i).value;
    define(name(i), *need, CodeMatrix::of(value.format, 1, 1, std::span(&value.code, 1)));
  }

  void run(std::size_t i, const RecipePlan::Map& map) {
    const Need* need = demand_.find(name(i));
    if (!need) return;
    ElementProgram program;
    ElementProgram::Step step{&map.step, {}};
    for (const std::string& operand : work<Map>(i).operands) {
      if (const auto joined = joined_.find(operand); joined != joined_.end()) {
        step.operands.push_back(program.join(joined->second));
        continue;
      }
      step.operands.push_back({false, program.matrices.size()});
      program.matrices.push_back(tensor(operand).grid(need->rows, need->columns));
    }
    program.steps.push_back(std::move(step));
    if (map.joined_to && !chosen_.contains(name(i)))
      joined_[name(i)] = std::move(program);
    else
      define(name(i), *need,
             run_elements(program, need->rows.size(), need->columns.size(), run_.threads,
                          run_.options.stop));
    run_.progress.count(need->size());
  }

  void run(std::size_t i, const RecipePlan::Fold& fold) {
    const Need* need = demand_.find(name(i));
    if (!need) return;
    const Reduce& reduce = work<Reduce>(i);
    const std::uint64_t length = recipe_.steps[i].length;
    const CodeMatrix x = rows_of_leaves(reduce, reduce.a, length, *need, reader()).transposed();
    std::optional<CodeMatrix> start;
    if (!reduce.c.empty()) start = row_of_outputs(reduce, reduce.c, *need, reader());
    const CodeMatrix row = fold_turned(fold.step, x, start ? &*start : nullptr,
                                       run_.threads_for(need->size() * length), run_.options.stop);
    define(name(i), *need, reduce.along == Along::columns ? row.transposed() : row);
    run_.progress.count(need->size());
  }

  void run(std::size_t i, const RecipePlan::Reduce& planned) {
    const Need* need = demand_.find(name(i));
    if (!need) return;
    const Reduce& reduce = work<Reduce>(i);
    const std::uint64_t length = recipe_.steps[i].length;
    std::optional<CodeMatrix> product;
    if (planned.product) product = products(reduce, *planned.product, length, *need);
    const ReduceOperands made =
        reduce_operands(reduce, planned.leaves, length, recipe_.type(name(i)), *need, reader(),
                        product ? &*product : nullptr);
    const CodeMatrix result =
        evaluate_turned(planned.plan, made.lanes, made.places,
                        run_.gemm_options(need->size() * length), &run_.tiles);
    define(name(i), *need, made.turned ? result.transposed() : result);
    run_.progress.count(need->size());
  }

  /// Leaves that are rounded products, one row an output.
  CodeMatrix products(const Reduce& reduce, const ElementStep& step, std::uint64_t length,
                      const Need& need) const {
    const CodeMatrix a = rows_of_leaves(reduce, reduce.a, length, need, reader());
    const CodeMatrix b = rows_of_leaves(reduce, reduce.b, length, need, reader());
    return run_elements(step, {a, b}, a.rows(), length, run_.threads, run_.options.stop);
  }

  // --- scan ------------------------------------------------------------------------------------
  void run(std::size_t i, const RecipePlan::Scan& planned) {
    const Scan& scan = work<Scan>(i);
    const std::vector<std::string>& names = step(i).names;
    bool needed = false;
    for (std::size_t s = 0; s < names.size(); ++s) {
      const Need* need = demand_.find(names[s]);
      if (!need) continue;
      needed = true;
      define(names[s], *need, tensor(scan.state[s].initial).grid(need->rows, need->columns));
    }
    if (!needed) return;
    const std::uint64_t length = recipe_.steps[i].length;
    const std::uint64_t blocks = (length + scan.block - 1) / scan.block;
    for (std::uint64_t b = 0; b < blocks; ++b)
      run_block(i, scan, planned, (scan.descending ? blocks - 1 - b : b) * scan.block);
  }

  void run_block(std::size_t i, const Scan& scan, const RecipePlan::Scan& planned,
                 std::uint64_t first) {
    const BoundStep& bound = recipe_.steps[i];
    const bool ragged = bound.length - first < scan.block;
    const BoundRecipe& body = ragged ? *bound.ragged_body : *bound.body;
    const Demand& demand = ragged ? demand_.bodies[i].back() : demand_.bodies[i].front();
    Evaluator inner(body, ragged ? *planned.ragged_body : *planned.body, demand, run_);
    const std::vector<std::string>& names = step(i).names;
    for (std::size_t s = 0; s < names.size(); ++s)
      if (demand_.find(names[s])) inner.give(scan.state[s].name, tensor(names[s]));
    for (const Scan::Block& cut : scan.blocks) {
      if (!demand.find(cut.name)) continue;
      LaneTensor block = tensor(cut.tensor);
      (cut.axis == Along::rows ? block.row0 : block.column0) += first;
      block.type = body.type(cut.name);
      inner.give(cut.name, std::move(block));
    }
    for (const Scan::Whole& whole : scan.whole)
      if (demand.find(whole.name)) inner.give(whole.name, tensor(whole.tensor));
    inner.run();
    for (std::size_t s = 0; s < names.size(); ++s)
      if (const Need* need = demand_.find(names[s]))
        define(names[s], *need,
               inner.tensor(body.recipe.outputs[s]).grid(need->rows, need->columns));
  }

  const BoundRecipe& recipe_;
  const RecipePlan& plan_;
  const Demand& demand_;
  RecipeRun& run_;
  std::set<std::string> chosen_;  ///< wanted from outside
  std::map<std::string, LaneTensor, std::less<>> tensors_;
  std::map<std::string, ElementProgram, std::less<>> joined_;  ///< what its only use will compute
};

/// One thread's rows of the chosen outputs, or all of them.
TensorWords run_part(const BoundRecipe& recipe, const RecipePlan& plan, const LaneTensors& inputs,
                     const RowPart& part, RecipeRun& shared) {
  std::set<std::string> chosen;
  for (const auto& [name, grid] : part.grids) chosen.insert(name);
  Evaluator evaluator(recipe, plan, part.demand, shared, std::move(chosen));
  for (const auto& [name, tensor] : inputs)
    if (part.demand.find(name)) evaluator.give(name, tensor);
  evaluator.run();
  TensorWords words;
  for (const auto& [name, grid] : part.grids)
    words[name] = grid.empty() ? CodeMatrix::unset(recipe.type(name).format, grid.rows.size(),
                                                   grid.columns.size())
                               : evaluator.tensor(name).grid(grid.rows, grid.columns);
  return words;
}

/// Parts follow each other by rows.
TensorWords joined(const BoundRecipe& recipe, const Grids& grids,
                   const std::vector<TensorWords>& parts) {
  TensorWords all;
  for (const auto& [name, grid] : grids) {
    CodeMatrix words =
        CodeMatrix::unset(recipe.type(name).format, grid.rows.size(), grid.columns.size());
    std::uint64_t row = 0;
    for (const TensorWords& part : parts) {
      words.put(row, 0, part.at(name));
      row += part.at(name).rows();
    }
    all[name] = std::move(words);
  }
  return all;
}

/// `beside`: bytes that the caller will hold for each element. Nothing if stopped.
TensorWords run_chosen(const BoundRecipe& recipe, const RecipePlan& plan,
                       const InputTensors& inputs, const Selection& chosen,
                       const RecipeOptions& options, std::uint64_t beside) {
  const Demand needed = demand(recipe, chosen);
  check_inputs(recipe, inputs);
  const unsigned threads = thread_count(options.threads);
  const Grids grids = chosen_grids(recipe, chosen);
  const std::vector<RowPart> parts = row_parts(recipe, plan, grids, needed, threads);
  const unsigned threads_of_part = parts.size() > 1 ? 1 : threads;
  std::uint64_t bytes = input_bytes(recipe, needed);
  for (const RowPart& part : parts)
    bytes = plus(bytes, working_bytes(recipe, plan, part.demand, threads_of_part));
  for (const auto& [name, grid] : grids) {
    const std::uint64_t again = parts.size() > 1 ? recipe.type(name).format.word_bytes() : 0;
    bytes = plus(bytes, grid.size() * (beside + again));
  }
  check_bytes(bytes, options.most_bytes);

  Progress progress{.options = options};
  std::vector<TensorWords> made(parts.size());
  try {
    LaneTensors words;
    for (const std::string& name : recipe.recipe.inputs)
      if (const Need* need = needed.find(name))
        words[name] = read_tensor(inputs.find(name)->second, *need, threads);
    share_work(parts.size(), threads, {}, [&] {
      return [&](std::uint64_t i) {
        RecipeRun shared{threads_of_part, options, progress};
        made[i] = run_part(recipe, plan, words, parts[i], shared);
      };
    });
  } catch (const Stopped&) {
    return {};
  }
  if (options.work) *options.work += work_of(recipe, plan, needed);
  return parts.size() > 1 ? joined(recipe, grids, made) : std::move(made[0]);
}

}  // namespace

TensorWords run_words(const BoundRecipe& recipe, const RecipePlan& plan, const InputTensors& inputs,
                      const Selection& chosen, const RecipeOptions& options) {
  return run_chosen(recipe, plan, inputs, chosen, options, 0);
}

Patches run(const BoundRecipe& recipe, const RecipePlan& plan, const InputTensors& inputs,
            const Selection& chosen, const RecipeOptions& options) {
  const TensorWords words = run_chosen(recipe, plan, inputs, chosen, options, sizeof(Bits));
  Grids grids = chosen_grids(recipe, chosen);
  Patches patches;
  for (const auto& [name, matrix] : words) {
    Need& grid = grids.find(name)->second;
    patches[name] = {recipe.type(name), std::move(grid.rows), std::move(grid.columns),
                     codes_of(matrix, thread_count(options.threads))};
  }
  return patches;
}

Patches run(const BoundRecipe& recipe, const InputTensors& inputs, const Selection& chosen,
            const RecipeOptions& options) {
  return run(recipe, compile(recipe), inputs, chosen, options);
}

}  // namespace whybits::fast
