#include "sim/fast/dealt_rows.hpp"

#include <algorithm>
#include <mutex>

#include "sim/ceil_div.hpp"
#include "sim/fast/ask_for.hpp"
#include "sim/fast/tile.hpp"
#include "sim/fast/turned.hpp"
#include "sim/share_work.hpp"

namespace whybits::fast {
namespace {

/// Outputs whose lanes wait for the rest together.
std::uint64_t outputs_at_once(const DealtPlan& plan, std::uint64_t outputs, unsigned threads) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 17;
  const std::uint64_t fit =
      bytes / (plan.lanes() * plan.format.word_bytes()) / column_unit * column_unit;
  return std::clamp<std::uint64_t>(
      fit, column_unit, std::max(round_up(ceil_div(outputs, threads), column_unit), column_unit));
}

/// An operand's words, an output at a time, dealt if lanes lie apart.
class DealtWords {
 public:
  DealtWords(const DealtPlan& plan, const CodeMatrix& leaves) : plan_(plan), leaves_(leaves) {
    if (plan.apart > 1) dealt_ = CodeMatrix::unset(leaves.format(), plan.apart, plan.words_apart());
  }

  const std::byte* of(std::uint64_t output) {
    const std::byte* words = leaves_.word(0, output);
    if (plan_.apart == 1) return words;
    const std::uint64_t whole = plan_.addends / plan_.apart;
    turn(CodeMatrix::borrow(leaves_.format(), whole, plan_.apart, words), dealt_);
    if (const std::uint64_t left = plan_.addends % plan_.apart; left > 0)
      turn(CodeMatrix::borrow(leaves_.format(), 1, left,
                              words + whole * plan_.apart * leaves_.word_bytes()),
           last_words(whole, left));
    return dealt_.word(0, 0);
  }

  void announce(std::uint64_t output) const {
    constexpr std::uint64_t most_bytes = 32768;  // what the first cache may hold
    ask_for(leaves_.word(0, output), std::min(plan_.addends * leaves_.word_bytes(), most_bytes));
  }

 private:
  CodeMatrix last_words(std::uint64_t whole, std::uint64_t left) const {
    return dealt_.window(0, left, whole, 1);
  }

  const DealtPlan& plan_;
  const CodeMatrix& leaves_;
  CodeMatrix dealt_;
};

/// What the lanes of an output have.
class Lanes {
 public:
  Lanes(const DealtPlan& plan, const LaneOperands& operands)
      : plan_(plan), b_(plan, operands.b), runs_(plan.plans.size()) {
    if (operands.paired && !operands.paired->same_words(operands.b))
      paired_.emplace(plan, *operands.paired);
    for (std::size_t p = 0; p < runs_.size(); ++p) {
      LaneOperands& own = runs_[p].operands;
      own.rows = 1;
      own.columns = plan.most_in_group(p);
      own.length = plan.plans[p].reduction.tree.addends();
      own.b = operands.b;
      own.paired = operands.paired;
      const TileShape shape = tile_shape(plan.plans[p], own, 1);
      runs_[p].columns = shape.columns;
      runs_[p].tile = make_tile(plan.plans[p], own, kernels(), shape);
    }
  }

  /// Asks for the words of an output that is soon to be run: lanes jump through a row, which no
  /// processor foresees.
  void announce(std::uint64_t output) const {
    b_.announce(output);
    if (paired_) paired_->announce(output);
  }

  /// Into a row.
  void run(std::uint64_t output, CodeMatrix& values, std::uint64_t row) {
    const std::byte* b = b_.of(output);
    const std::byte* paired = paired_ ? paired_->of(output) : b;
    for (const DealtPlan::Group& group : plan_.groups) {
      LaneOperands& own = runs_[group.plan].operands;
      const auto lanes = [&](const CodeMatrix& words, const std::byte* at) {
        return CodeMatrix::borrow_sliding(words.format(), own.length, group.count,
                                          at + group.begin * words.word_bytes());
      };
      own.columns = group.count;
      own.b = lanes(own.b, b);
      if (own.paired) own.paired = lanes(*own.paired, paired);
      CodeMatrix out = values.window(row, 1, group.first, group.count);
      const std::uint64_t some = runs_[group.plan].columns;
      for (std::uint64_t c = 0; c < group.count; c += some)
        runs_[group.plan].tile->run(0, 1, c, std::min(some, group.count - c), out);
    }
  }

 private:
  struct Run {              ///< of a plan
    LaneOperands operands;  ///< the lanes of one output's group
    std::uint64_t columns = 0;
    std::unique_ptr<Tile> tile;
  };

  const DealtPlan& plan_;
  DealtWords b_;
  std::optional<DealtWords> paired_;
  std::vector<Run> runs_;
};

/// The rest of some outputs, from `first` on.
LaneOperands rest_of(const LaneOperands& operands, const CodeMatrix& values, std::uint64_t first,
                     std::uint64_t count) {
  LaneOperands rest;
  rest.rows = 1;
  rest.columns = count;
  rest.length = values.columns();
  rest.b = values.window(0, count, 0, values.columns()).transposed();
  if (operands.c) rest.c = operands.c->window(0, 1, first, count);
  for (const auto& [name, matrix] : operands.operands)
    rest.operands.emplace_back(name, matrix.window(0, 1, first, count));
  return rest;
}

}  // namespace

bool lie_in_rows(const LaneOperands& operands) {
  const auto in_rows = [](const CodeMatrix& leaves) { return leaves.row_stride() == 1; };
  return in_rows(operands.b) && (!operands.paired || in_rows(*operands.paired));
}

CodeMatrix evaluate_dealt(const DealtPlan& plan, const LaneOperands& operands,
                          const GemmOptions& options) {
  const std::uint64_t outputs = operands.columns;
  CodeMatrix out = CodeMatrix::zeros(plan.rest.plans[0].reduction.result, 1, outputs);
  if (outputs == 0) return out;
  const unsigned threads = thread_count(options.threads);
  const std::uint64_t some = outputs_at_once(plan, outputs, threads);
  std::mutex reporting;
  std::uint64_t done = 0;
  share_work(ceil_div(outputs, some), threads, options.stop, [&] {
    const auto lanes = std::make_shared<Lanes>(plan, operands);
    CodeMatrix values = CodeMatrix::unset(plan.format, std::min(some, outputs), plan.lanes());
    return [&, lanes, values](std::uint64_t i) mutable {
      const std::uint64_t first = i * some, count = std::min(some, outputs - first);
      for (std::uint64_t o = 0; o < count; ++o) {
        if (o + 1 < count) lanes->announce(first + o + 1);
        lanes->run(first + o, values, o);
      }
      const CodeMatrix made = evaluate_turned(plan.rest, rest_of(operands, values, first, count),
                                              {{0}, {}, 0}, {.threads = 1, .stop = options.stop});
      out.put(0, first, made);
      const std::lock_guard lock(reporting);
      done += count;
      if (options.progress) options.progress(done);
    };
  });
  return out;
}

std::uint64_t dealt_bytes(const DealtPlan& plan, const LaneOperands& operands, unsigned threads) {
  const unsigned count = thread_count(threads);
  const std::uint64_t some = outputs_at_once(plan, operands.columns, count);
  const CodeMatrix values =
      CodeMatrix::borrow(plan.format, std::min(some, operands.columns), plan.lanes(), nullptr);
  std::uint64_t bytes = values.bytes();
  if (plan.apart > 1) {
    const std::uint64_t words = plan.apart * plan.words_apart();
    bytes += words * operands.b.word_bytes();
    if (operands.paired) bytes += words * operands.paired->word_bytes();
  }
  for (std::size_t p = 0; p < plan.plans.size(); ++p) {
    LaneOperands own;
    own.rows = 1;
    own.columns = plan.most_in_group(p);
    bytes += tile_bytes(plan.plans[p], own, tile_shape(plan.plans[p], own, 1));
  }
  bytes += turned_bytes(plan.rest, rest_of(operands, values, 0, values.rows()), 1);
  return bytes * count;
}

}  // namespace whybits::fast
