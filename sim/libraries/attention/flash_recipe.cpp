#include "sim/libraries/attention/flash_recipe.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "sim/arith.hpp"
#include "sim/dyadic.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

using formats::f32;

constexpr std::uint64_t threads_of_row = 4;
constexpr Bits one = 0x3f800000, infinity = 0x7f800000, minus_infinity = 0xff800000;

bool zero_or_nan(Bits x) {
  const Unpacked u = unpack(f32, x);
  return u.cls == FpClass::zero || u.cls == FpClass::nan;
}

MapOperation of_f32(const char* name, std::size_t operands,
                    std::function<Bits(std::span<const Bits>)> function) {
  return operations::given(name, std::vector<Format>(operands, f32), f32, std::move(function));
}
/// (score, mask): −infinity where the mask says so, whatever the score.
MapOperation masked() {
  return of_f32("masked", 2, [](std::span<const Bits> x) {
    return x[1] == minus_infinity ? minus_infinity : x[0];
  });
}
/// A maximum of −infinity is subtracted as 0.
MapOperation finite_or_zero() {
  return of_f32("finite_or_zero", 1,
                [](std::span<const Bits> x) { return x[0] == minus_infinity ? Bits{0} : x[0]; });
}
/// (old maximum, new maximum): their difference; −infinity where nothing was seen before.
MapOperation shrink() {
  return of_f32("shrink", 2, [](std::span<const Bits> x) {
    return x[0] == minus_infinity ? minus_infinity : sub(f32, x[0], x[1]);
  });
}
/// 1/Σ, or 1 where there is nothing to divide by.
MapOperation inverse() {
  return of_f32("inverse", 1, [](std::span<const Bits> x) {
    return zero_or_nan(x[0]) ? one : div(f32, one, x[0]);
  });
}
/// (Σ, value): the value, or what stands for an empty row.
MapOperation unless_empty(Bits empty) {
  return of_f32("unless_empty", 2,
                [empty](std::span<const Bits> x) { return zero_or_nan(x[0]) ? empty : x[1]; });
}

class FlashBuilder {
 public:
  FlashBuilder(const FlashPlan& plan, std::size_t splits, Bits scale,
               const ElementFunctions& functions)
      : plan_(plan), functions_(functions) {
    recipe_.inputs = {"q"};
    recipe_.outputs = {"y"};
    constant("scale", scale);
    constant("c", scaled_by_log2e(scale));
    constant("lowest", minus_infinity);
    constant("zero", 0);
    for (std::size_t i = 0; i < splits; ++i) split(std::to_string(i), plan.splits == 1);
    if (plan.splits > 1) combine(splits);
  }

  Recipe take() { return std::move(recipe_); }

 private:
  /// scale · log2 e, formed in double and rounded once.
  static Bits scaled_by_log2e(Bits scale) {
    constexpr double log2e = 1.4426950408889634074;
    const auto c =
        static_cast<float>(std::bit_cast<float>(static_cast<std::uint32_t>(scale)) * log2e);
    return std::bit_cast<std::uint32_t>(c);
  }

  static void add(Recipe& recipe, std::string name, auto work) {
    recipe.steps.push_back({{std::move(name)}, std::move(work)});
  }
  void step(std::string name, auto work) { add(recipe_, std::move(name), std::move(work)); }
  void constant(std::string name, Bits code) { step(std::move(name), Constant{{f32, code}}); }

  SchemaPtr matrix_unit() const {
    return parse_topology("fold(" + std::string(plan_.kernel.unit) + "." +
                          format_name(plan_.shape.type) + ")");
  }

  /// One block of keys: state m, l (a sum for each thread of the row), o.
  Recipe body() const {
    const bool causal = plan_.shape.causal;
    Recipe b{
        {"m", "l", "o", "q", "k", "v", "first", "rest", "c"}, {}, {"m_next", "l_next", "o_next"}};
    if (causal) b.inputs.emplace_back("mask");
    add(b, causal ? "scores" : "s",
        Reduce{.by = matrix_unit(), .along = Along::matrix_transposed, .a = "q", .b = "k"});
    if (causal) add(b, "s", Map{masked(), {"scores", "mask"}});
    add(b, "most", Reduce{.by = operations::max(f32), .a = "s"});
    add(b, "m_next", Map{operations::max(f32), {"m", "most"}});
    add(b, "m_scaled", Map{operations::mul(f32), {"m_next", "c"}});
    add(b, "below", Map{finite_or_zero(), {"m_scaled"}});
    if (plan_.kernel.fused_scores) {
      add(b, "minus", Map{operations::negate(f32), {"below"}});
      add(b, "t", Map{operations::fma(f32), {"s", "c", "minus"}});
    } else {
      add(b, "s_scaled", Map{operations::mul(f32), {"s", "c"}});
      add(b, "t", Map{operations::sub(f32), {"s_scaled", "below"}});
    }
    add(b, "p", Map{functions_.exp2, {"t"}});
    add(b, "shrunk", Map{shrink(), {"m", "m_next"}});
    add(b, "shrunk_scaled", Map{operations::mul(f32), {"shrunk", "c"}});
    add(b, "f", Map{functions_.exp2, {"shrunk_scaled"}});
    // A thread's first column enters with the rescaling, by one fma; the others are added.
    const SchemaPtr chain = parse_topology("fold(f32.fma)");
    add(b, "p_first", Reduce{.by = chain, .along = Along::matrix, .a = "p", .b = "first"});
    add(b, "l_begun", Map{operations::fma(f32), {"l", "f", "p_first"}});
    add(b, "l_next",
        Reduce{.by = chain, .along = Along::matrix, .a = "p", .b = "rest", .c = "l_begun"});
    add(b, "weights", Map{operations::convert(f32, {plan_.shape.type, {}}), {"p"}});
    add(b, "o_scaled", Map{operations::mul(f32), {"o", "f"}});
    add(b, "o_next",
        Reduce{.by = matrix_unit(),
               .along = Along::matrix,
               .a = "weights",
               .b = "v",
               .c = "o_scaled"});
    return b;
  }

  void split(const std::string& i, bool alone) {
    for (const char* name : {"k", "v", "first", "rest"}) recipe_.inputs.push_back(name + i);
    Scan scan{.state = {{"m", "lowest"}, {"l", "zero"}, {"o", "zero"}},
              .blocks = {{"k", "k" + i, Along::rows},
                         {"v", "v" + i, Along::rows},
                         {"first", "first" + i, Along::rows},
                         {"rest", "rest" + i, Along::rows}},
              .whole = {{"q", "q"}, {"c", "c"}},
              .block = plan_.block,
              .descending = true,
              .body = std::make_shared<const Recipe>(body())};
    if (plan_.shape.causal) {
      recipe_.inputs.push_back("mask" + i);
      scan.blocks.push_back({"mask", "mask" + i, Along::columns});
    }
    recipe_.steps.push_back({{"m" + i, "l" + i, "o" + i}, std::move(scan)});
    step("sum" + i, Reduce{.by = parse_topology("halves(f32)"), .a = "l" + i});
    step("inverse" + i, Map{inverse(), {"sum" + i}});
    step("log" + i, Map{functions_.fast_log, {"sum" + i}});
    step("lse_of" + i, Map{operations::fma(f32), {"m" + i, "scale", "log" + i}});
    const std::string y = alone ? "y_f32" : "y" + i;
    step(alone ? "lse" : "lse" + i,
         Map{unless_empty(alone ? infinity : minus_infinity), {"sum" + i, "lse_of" + i}});
    step(y, Map{operations::mul(f32), {"o" + i, "inverse" + i}});
    if (alone) step("y", Map{operations::convert(f32, {plan_.shape.type, {}}), {y}});
  }

  void combine(std::size_t splits) {
    const auto map = [&](const std::string& name, const MapOperation& operation,
                         std::vector<std::string> operands) {
      step(name, Map{operation, std::move(operands)});
      return name;
    };
    std::string most = "lse0";
    for (std::size_t i = 1; i < splits; ++i)
      most =
          map("most" + std::to_string(i), operations::max(f32), {most, "lse" + std::to_string(i)});
    const std::string least = map("most", finite_or_zero(), {most});
    std::vector<std::string> lane(flash_combine_lanes(plan_));
    const auto add_to = [&](std::string& sum, const std::string& addend, const std::string& name) {
      sum = sum.empty()      ? addend
            : addend.empty() ? sum
                             : map(name, operations::add(f32), {sum, addend});
    };
    for (std::size_t i = 0; i < splits; ++i) {
      const std::string n = std::to_string(i);
      map("d" + n, operations::sub(f32), {"lse" + n, least});
      add_to(lane[i % lane.size()], map("e" + n, functions_.exp, {"d" + n}), "fold" + n);
    }
    for (std::size_t half = lane.size() / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i)
        add_to(lane[i], lane[i + half], "lane" + std::to_string(i) + "_" + std::to_string(half));
    map("log_sum", functions_.log, {lane[0]});
    map("lse_sum", operations::add(f32), {"log_sum", least});
    map("lse", unless_empty(infinity), {lane[0], "lse_sum"});
    std::string o = "zero";
    for (std::size_t i = 0; i < splits; ++i) {
      const std::string n = std::to_string(i);
      map("g" + n, operations::sub(f32), {"lse" + n, "lse"});
      map("w" + n, functions_.exp, {"g" + n});
      std::string sum = map("o_to" + n, operations::fma(f32), {"w" + n, "y" + n, o});
      o = std::move(sum);
    }
    map("y", operations::convert(f32, {plan_.shape.type, {}}), {o});
  }

  const FlashPlan& plan_;
  const ElementFunctions& functions_;
  Recipe recipe_;
};

}  // namespace

std::vector<FlashSplit> flash_split_ranges(const FlashPlan& plan, std::uint64_t keys) {
  std::vector<FlashSplit> ranges;
  for (std::uint64_t begin = 0; begin < keys; begin += plan.split_keys)
    ranges.push_back({begin, std::min(keys, begin + plan.split_keys)});
  return ranges;
}

std::vector<Bits> flash_columns(const FlashPlan& plan, std::uint64_t keys, bool first) {
  std::vector<Bits> codes(keys * threads_of_row, 0);
  for (std::uint64_t key = 0; key < keys; ++key) {
    const std::uint64_t column = key % plan.block;
    const std::uint64_t thread = column % 8 / 2;
    if ((column == 2 * thread) == first) codes[key * threads_of_row + thread] = one;
  }
  return codes;
}

Recipe flash_recipe(const FlashPlan& plan, std::size_t splits, Bits scale,
                    const ElementFunctions& functions) {
  return FlashBuilder(plan, splits, scale, functions).take();
}

}  // namespace whybits
