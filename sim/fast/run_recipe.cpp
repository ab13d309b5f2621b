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

/// What a demand asks of a recipe's tensors, by number.
struct Wanted {
  std::vector<const TensorType*> types;
  std::vector<const Need*> needs;  ///< null: nothing

  Wanted(const BoundRecipe& recipe, const RecipePlan& plan, const Demand& demand) {
    for (const auto& [name, number] : plan.numbers) {
      types.push_back(&recipe.type(name));
      needs.push_back(demand.find(name));
    }
  }
};

class Evaluator {
 public:
  Evaluator(const BoundRecipe& recipe, const RecipePlan& plan, const Demand& demand,
            const Wanted& wanted, RecipeRun& run)
      : recipe_(recipe),
        plan_(plan),
        demand_(demand),
        wanted_(wanted),
        run_(run),
        tensors_(plan.numbers.size()),
        joined_(plan.numbers.size()) {}

  void give(std::size_t number, LaneTensor tensor) { tensors_[number] = std::move(tensor); }
  const LaneTensor& tensor(std::size_t number) const { return tensors_[number]; }

  /// Chosen tensors are wanted from outside.
  void run(const std::set<std::size_t>& chosen = {}) {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i)
      std::visit(
          [&](const auto& step) {
            if constexpr (requires { step.joined_to; })
              this->run(i, step, step.joined_to && !chosen.contains(number(i)));
            else
              this->run(i, step);
          },
          plan_.steps[i]);
  }

 private:
  std::size_t number(std::size_t i) const { return plan_.defined[i][0]; }
  std::size_t number(const std::string& name) const { return plan_.numbers.find(name)->second; }
  const Need* need(std::size_t i) const { return wanted_.needs[number(i)]; }
  template <class Kind>
  const Kind& work(std::size_t i) const {
    return std::get<Kind>(recipe_.recipe.steps[i].work);
  }

  void define(std::size_t number, CodeMatrix words) {
    tensors_[number] = {*wanted_.types[number], wanted_.needs[number], std::move(words)};
  }

  ReadTensor reader() const {
    return [this](const std::string& name, const IndexSet& rows, const IndexSet& columns) {
      const std::size_t number = this->number(name);
      if (rows.empty() || columns.empty())
        return CodeMatrix::zeros(wanted_.types[number]->format, rows.size(), columns.size());
      return tensor(number).grid(rows, columns);
    };
  }

  void run(std::size_t i, const RecipePlan::Constant&) {
    if (!need(i)) return;
    const Scalar& value = work<Constant>(i).value;
    define(number(i), CodeMatrix::of(value.format, 1, 1, std::span(&value.code, 1)));
  }

  /// A map that is joined runs with its only use.
  void run(std::size_t i, const RecipePlan::Map& map, bool joins) {
    const Need* need = this->need(i);
    if (!need) return;
    ElementProgram program;
    ElementProgram::Step step{&map.step, {}};
    for (const std::size_t operand : plan_.operands[i]) {
      if (joined_[operand]) {
        step.operands.push_back(program.join(*joined_[operand]));
        continue;
      }
      step.operands.push_back({false, program.matrices.size()});
      program.matrices.push_back(tensor(operand).grid(need->rows, need->columns));
    }
    program.steps.push_back(std::move(step));
    if (joins)
      joined_[number(i)] = std::move(program);
    else
      define(number(i), run_elements(program, need->rows.size(), need->columns.size(), run_.threads,
                                     run_.options.stop));
    run_.progress.count(need->size());
  }

  void run(std::size_t i, const RecipePlan::Fold& fold) {
    const Need* need = this->need(i);
    if (!need) return;
    const Reduce& reduce = work<Reduce>(i);
    const std::uint64_t length = recipe_.steps[i].length;
    const CodeMatrix x = rows_of_leaves(reduce, reduce.a, length, *need, reader()).transposed();
    std::optional<CodeMatrix> start;
    if (!reduce.c.empty()) start = row_of_outputs(reduce, reduce.c, *need, reader());
    const CodeMatrix row = fold_turned(fold.step, x, start ? &*start : nullptr,
                                       run_.threads_for(need->size() * length), run_.options.stop);
    define(number(i), reduce.along == Along::columns ? row.transposed() : row);
    run_.progress.count(need->size());
  }

  void run(std::size_t i, const RecipePlan::Reduce& planned) {
    const Need* need = this->need(i);
    if (!need) return;
    const Reduce& reduce = work<Reduce>(i);
    const std::uint64_t length = recipe_.steps[i].length;
    std::optional<CodeMatrix> product;
    if (planned.product) product = products(reduce, *planned.product, length, *need);
    const ReduceOperands made =
        reduce_operands(reduce, planned.leaves, length, *wanted_.types[number(i)], *need, reader(),
                        product ? &*product : nullptr);
    const CodeMatrix result =
        evaluate_turned(planned.plan, made.lanes, made.places,
                        run_.gemm_options(need->size() * length), &run_.tiles);
    define(number(i), made.turned ? result.transposed() : result);
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
  /// A body with the numbers that its tensors have there: in the order of the scan's own lists.
  struct Body {
    const BoundRecipe& recipe;
    const RecipePlan& plan;
    const Demand& demand;
    Wanted wanted;
    std::vector<std::size_t> state, next, blocks, whole;

    Body(const Scan& scan, const BoundRecipe& bound, const RecipePlan& planned,
         const Demand& demanded)
        : recipe(bound), plan(planned), demand(demanded), wanted(bound, planned, demanded) {
      const auto numbers = [&](const auto& list) {
        std::vector<std::size_t> found;
        for (const auto& item : list) found.push_back(plan.numbers.at(item.name));
        return found;
      };
      state = numbers(scan.state);
      blocks = numbers(scan.blocks);
      whole = numbers(scan.whole);
      for (const std::string& name : recipe.recipe.outputs) next.push_back(plan.numbers.at(name));
    }
  };

  void run(std::size_t i, const RecipePlan::Scan& planned) {
    const Scan& scan = work<Scan>(i);
    const std::vector<std::size_t>& states = plan_.defined[i];
    bool needed = false;
    for (std::size_t s = 0; s < states.size(); ++s) {
      const Need* need = wanted_.needs[states[s]];
      if (!need) continue;
      needed = true;
      define(states[s], tensor(number(scan.state[s].initial)).grid(need->rows, need->columns));
    }
    if (!needed) return;
    const BoundStep& bound = recipe_.steps[i];
    std::optional<Body> whole, ragged;
    if (bound.body) whole.emplace(scan, *bound.body, *planned.body, demand_.bodies[i].front());
    if (bound.ragged_body)
      ragged.emplace(scan, *bound.ragged_body, *planned.ragged_body, demand_.bodies[i].back());
    const std::uint64_t blocks = (bound.length + scan.block - 1) / scan.block;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const std::uint64_t first = (scan.descending ? blocks - 1 - b : b) * scan.block;
      run_block(i, scan, bound.length - first < scan.block ? *ragged : *whole, first);
    }
  }

  void run_block(std::size_t i, const Scan& scan, const Body& body, std::uint64_t first) {
    Evaluator inner(body.recipe, body.plan, body.demand, body.wanted, run_);
    const std::vector<std::size_t>& states = plan_.defined[i];
    for (std::size_t s = 0; s < states.size(); ++s)
      if (wanted_.needs[states[s]]) inner.give(body.state[s], tensor(states[s]));
    for (std::size_t c = 0; c < body.blocks.size(); ++c) {
      if (!body.wanted.needs[body.blocks[c]]) continue;
      const Scan::Block& cut = scan.blocks[c];
      LaneTensor block = tensor(number(cut.tensor));
      (cut.axis == Along::rows ? block.row0 : block.column0) += first;
      block.type = *body.wanted.types[body.blocks[c]];
      inner.give(body.blocks[c], std::move(block));
    }
    for (std::size_t w = 0; w < body.whole.size(); ++w)
      if (body.wanted.needs[body.whole[w]])
        inner.give(body.whole[w], tensor(number(scan.whole[w].tensor)));
    inner.run();
    for (std::size_t s = 0; s < states.size(); ++s)
      if (const Need* need = wanted_.needs[states[s]])
        define(states[s], inner.tensor(body.next[s]).grid(need->rows, need->columns));
  }

  const BoundRecipe& recipe_;
  const RecipePlan& plan_;
  const Demand& demand_;
  const Wanted& wanted_;
  RecipeRun& run_;
  std::vector<LaneTensor> tensors_;
  std::vector<std::optional<ElementProgram>> joined_;  ///< what its only use will compute
};

/// One thread's rows of the chosen outputs, or all of them.
TensorWords run_part(const BoundRecipe& recipe, const RecipePlan& plan, const LaneTensors& inputs,
                     const RowPart& part, RecipeRun& shared) {
  const auto number = [&](const std::string& name) { return plan.numbers.at(name); };
  std::set<std::size_t> chosen;
  for (const auto& [name, grid] : part.grids) chosen.insert(number(name));
  const Wanted wanted(recipe, plan, part.demand);
  Evaluator evaluator(recipe, plan, part.demand, wanted, shared);
  for (const auto& [name, tensor] : inputs)
    if (part.demand.find(name)) evaluator.give(number(name), tensor);
  evaluator.run(chosen);
  TensorWords words;
  for (const auto& [name, grid] : part.grids)
    words[name] = grid.empty() ? CodeMatrix::unset(recipe.type(name).format, grid.rows.size(),
                                                   grid.columns.size())
                               : evaluator.tensor(number(name)).grid(grid.rows, grid.columns);
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

}  // namespace

PreparedRun prepare(const BoundRecipe& recipe, const RecipePlan& plan, const Selection& chosen,
                    unsigned threads) {
  PreparedRun run{recipe, plan, demand(recipe, chosen), chosen_grids(recipe, chosen)};
  run.threads = thread_count(threads);
  run.parts = row_parts(recipe, plan, run.grids, run.needed, run.threads);
  run.bytes = input_bytes(recipe, run.needed);
  const bool cut = run.parts.size() > 1;
  for (const RowPart& part : run.parts)
    run.bytes = plus(run.bytes, working_bytes(recipe, plan, part.demand, cut ? 1 : run.threads));
  for (const auto& [name, grid] : run.grids)
    if (cut) run.bytes = plus(run.bytes, grid.size() * recipe.type(name).format.word_bytes());
  return run;
}

TensorWords run_words(const PreparedRun& run, const InputTensors& inputs,
                      const RecipeOptions& options) {
  check_inputs(run.recipe, inputs);
  check_bytes(run.bytes, options.most_bytes);
  Progress progress{.options = options};
  std::vector<TensorWords> made(run.parts.size());
  try {
    LaneTensors words;
    for (const std::string& name : run.recipe.recipe.inputs)
      if (const Need* need = run.needed.find(name))
        words[name] = read_tensor(inputs.find(name)->second, *need, run.threads);
    share_work(run.parts.size(), run.threads, {}, [&] {
      return [&](std::uint64_t i) {
        RecipeRun shared{run.parts.size() > 1 ? 1 : run.threads, options, progress};
        made[i] = run_part(run.recipe, run.plan, words, run.parts[i], shared);
      };
    });
  } catch (const Stopped&) {
    return {};
  }
  if (options.work) *options.work += work_of(run.recipe, run.plan, run.needed);
  return run.parts.size() > 1 ? joined(run.recipe, run.grids, made) : std::move(made[0]);
}

TensorWords run_words(const BoundRecipe& recipe, const RecipePlan& plan, const InputTensors& inputs,
                      const Selection& chosen, const RecipeOptions& options) {
  return run_words(prepare(recipe, plan, chosen, options.threads), inputs, options);
}

Patches run(const PreparedRun& run, const InputTensors& inputs, const RecipeOptions& options) {
  std::uint64_t bytes = run.bytes;
  for (const auto& [name, grid] : run.grids) bytes = plus(bytes, grid.size() * sizeof(Bits));
  check_bytes(bytes, options.most_bytes);
  Patches patches;
  for (const auto& [name, matrix] : run_words(run, inputs, options)) {
    const Need& grid = run.grids.find(name)->second;
    patches[name] = {run.recipe.type(name), grid.rows, grid.columns, codes_of(matrix, run.threads)};
  }
  return patches;
}

Patches run(const BoundRecipe& recipe, const RecipePlan& plan, const InputTensors& inputs,
            const Selection& chosen, const RecipeOptions& options) {
  return run(prepare(recipe, plan, chosen, options.threads), inputs, options);
}

Patches run(const BoundRecipe& recipe, const InputTensors& inputs, const Selection& chosen,
            const RecipeOptions& options) {
  return run(recipe, compile(recipe), inputs, chosen, options);
}

}  // namespace whybits::fast
