// A topology is judged by what it computes: the same tree, or the same bits on hidden vectors.
#include <fmt/format.h>

#include <algorithm>

#include "exercises/hidden_data.hpp"
#include "exercises/verdict.hpp"
#include "lab/number_view.hpp"
#include "lab/story.hpp"
#include "lab/study.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"

namespace whybits::course {
namespace {

LeafTypes leaf_types(const WriteTopology& work) {
  return {.a = work.a, .b = work.b};
}

/// One set of vectors as a study: products as one row times as many columns as vectors.
class Trial {
 public:
  Trial(const WriteTopology& work, const DataSet& set, std::uint64_t n,
        const std::vector<SchemaPtr>& topologies) {
    if (work.b) {
      a_ = hidden_codes({set.kind, 1}, work.a, n, 0);
      b_ = hidden_codes(set, *work.b, n, 1);
      operands_.shape = {1, set.vectors, n};
      operands_.a = a_.get();
      operands_.b = b_.get();
      request_ =
          gemm_request(operands_, ChosenOutputs::all(operands_.shape), one_thread(), topologies);
    } else {
      a_ = hidden_codes(set, work.a, n, 0);
      request_ = sum_request(*a_, set.vectors, n, topologies);
    }
    request_.with_exact = false;
    study_ = run_study(request_);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() = default;

  /// Where both end in the same rounding, what stands before it: 16 results of 4096 survive a
  /// rounding to bf16 as different, nearly all differ before.
  const OutputComparison& difference() const {
    const auto& last = study_.topologies[0].reduction.last;
    const bool same = last && last == study_.topologies[1].reduction.last;
    return same ? study_.pairs[0].before : study_.pairs[0].after;
  }

  /// What happened to the first vector that differs, A against B.
  std::string story() const {
    const std::size_t first = difference().where[0];
    std::string text;
    request_.for_each([&](std::size_t index, const Leaves& leaves) {
      if (index != first) return;
      const OutputStory told =
          tell_output(request_.types, leaves, request_.topologies[0], request_.topologies[1]);
      text = story_text(told, fmt::format("Vector {}", index)) +
             fmt::format("\n  hexadecimal: A {}, B {}\n",
                         hex_float_of(told.reduction_a, told.before_a),
                         hex_float_of(told.reduction_b, told.before_b));
    });
    return text;
  }

 private:
  static std::string hex_float_of(const SplitReduction& reduction, Bits before) {
    return view_number(reduction.before.result, before).hex_float;
  }
  static GemmOptions one_thread() {
    GemmOptions options;
    options.threads = 1;
    return options;
  }

  std::unique_ptr<CodeSource> a_, b_;
  GemmOperands operands_;
  StudyRequest request_;
  Study study_;
};

/// Which of the lengths the topology cannot do, and why.
std::optional<std::string> refusal(const WriteTopology& work, const SchemaPtr& schema,
                                   Language language) {
  for (const std::uint64_t n : work.n) try {
      (void)make_reduction(schema, n, leaf_types(work));
    } catch (const TopologyError& error) {
      return fmt::format(
          fmt::runtime(say(language, "With n = {} it cannot be run: {}", "n = {} 时无法运行：{}")),
          n, error.what());
    }
  return std::nullopt;
}

bool same_tree(const WriteTopology& work, const SchemaPtr& a, const SchemaPtr& b, std::uint64_t n) {
  const Reduction x = make_reduction(a, n, leaf_types(work));
  const Reduction y = make_reduction(b, n, leaf_types(work));
  return x.result == y.result && x.tree == y.tree;
}

bool is_written_as(const WriteTopology& work, const SchemaPtr& yours,
                   const WrittenTopology& other) {
  if (refusal(work, other.schema, Language::en)) return false;
  return std::all_of(work.n.begin(), work.n.end(),
                     [&](std::uint64_t n) { return same_tree(work, yours, other.schema, n); });
}

struct Agreement {
  bool everywhere = true;
  bool same_tree = true;      ///< for every n
  std::uint64_t vectors = 0;  ///< compared, where trees differ
  std::string text;           ///< the first difference
};

Agreement compare_with(const WriteTopology& work, const SchemaPtr& yours, const SchemaPtr& asked,
                       Language language) {
  Agreement agreement;
  for (const std::uint64_t n : work.n) {
    if (same_tree(work, asked, yours, n)) continue;
    agreement.same_tree = false;
    for (const DataSet& set : data_sets(n)) {
      const Trial trial(work, set, n, {asked, yours});
      agreement.vectors += set.vectors;
      const std::uint64_t differ = trial.difference().differ;
      if (differ == 0) continue;
      agreement.everywhere = false;
      agreement.text = fmt::format(
          fmt::runtime(say(language,
                           "With n = {}, {} of {} results are not the bits that were asked for.\n"
                           "A is what was asked for, B your answer.\n\n{}",
                           "n = {} 时，{} 个（共 {} 个）结果的比特与要求的不同。\n"
                           "A 是要求的，B 是你的答案。\n\n{}")),
          n, grouped(differ), grouped(set.vectors), trial.story());
      return agreement;
    }
  }
  return agreement;
}

Verdict wrong(std::string text) {
  return {Outcome::wrong, std::move(text), nullptr};
}

/// Precondition: no refusal.
Verdict judge(const WriteTopology& work, const SchemaPtr& yours, Language language) {
  std::string praise;
  if (work.same_as.schema) {
    const Agreement agreement = compare_with(work, yours, work.same_as.schema, language);
    if (!agreement.everywhere) return wrong(agreement.text);
    praise =
        agreement.same_tree
            ? std::string(say(language, "The same tree as asked for, at every n.",
                              "对每个 n 都与要求的是同一棵树。"))
            : fmt::format(fmt::runtime(say(language,
                                           "Another tree than ours, and the same bits on all "
                                           "of {} hidden vectors.",
                                           "与我们的树不同，但在全部 {} 个隐藏向量上比特相同。")),
                          grouped(agreement.vectors));
  }
  for (const WrittenTopology& other : work.not_same_as)
    if (compare_with(work, yours, other.schema, language).everywhere)
      return wrong(
          fmt::format(fmt::runtime(say(language, "It gives the bits of {}, which it must not.",
                                       "它与 {} 的比特相同，而这里要求不同。")),
                      other.text));
  if (work.depth_at_most) {
    const std::uint64_t n = *std::max_element(work.n.begin(), work.n.end());
    const std::uint64_t depth = make_reduction(yours, n, leaf_types(work)).tree.statistics().depth;
    const std::string found =
        fmt::format(fmt::runtime(say(language, "Depth {} at n = {}; at most {} is allowed.",
                                     "n = {1} 时深度为 {0}；最多允许 {2}。")),
                    depth, n, *work.depth_at_most);
    if (depth > *work.depth_at_most) return wrong(found);
    praise += (praise.empty() ? "" : "\n") + found;
  }
  return {Outcome::passed, praise, nullptr};
}

}  // namespace

Verdict judge_topology(const WriteTopology& work, const std::vector<WrongAnswer>& known,
                       std::string_view typed, Language language) {
  SchemaPtr yours;
  try {
    yours = parse_topology(typed);
  } catch (const NotationError& error) {
    return {
        Outcome::unreadable,
        fmt::format("{}\n{}", say(language, "This cannot be read as a topology:", "无法读作拓扑："),
                    error.pointed()),
        nullptr};
  }
  try {
    if (const auto reason = refusal(work, yours, language)) return wrong(*reason);
    Verdict verdict = judge(work, yours, language);
    if (verdict.passed()) return verdict;
    const auto found = std::find_if(known.begin(), known.end(), [&](const WrongAnswer& answer) {
      return is_written_as(work, yours, answer.topology);
    });
    if (found != known.end()) verdict.recognized = &*found;
    return verdict;
  } catch (const UsageError& error) {  // too much memory
    return {Outcome::unreadable, error.what(), nullptr};
  }
}

}  // namespace whybits::course
