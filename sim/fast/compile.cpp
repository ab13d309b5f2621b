#include <algorithm>
#include <unordered_map>

#include "sim/bit_width.hpp"
#include "sim/fast/plan.hpp"

namespace whybits::fast {
namespace {

/// The kernel's limits for T(L, F, ρ, e0); kernels/aligned-inl.hpp derives them.
std::optional<AlignedLanes> aligned_lanes(const Unit& unit) {
  const AlignedSum& sum = unit.aligned;
  const int f = sum.fraction_bits;
  if (sum.group > 0 || unit.scale || f > 29 || !fits_f32(unit.format) ||
      !fits_f32(*unit.operand_a) || !fits_f32(*unit.operand_b) ||
      unit.operand_a->precision() + unit.operand_b->precision() > 24)
    return {};
  AlignedLanes lanes;
  lanes.addends = sum.addends;
  lanes.fraction_bits = f;
  lanes.group = std::min(1 << (29 - f), sum.addends);
  lanes.acc_min_exponent = unit.format.min_exponent();
  lanes.low = std::max(f - 126, sum.zero_exponent);
  lanes.high = 126 - bit_width(static_cast<Uint128>(sum.addends));
  if (lanes.low > lanes.high) return {};  // no step that has a zero in it
  const bool whole = lanes.group == sum.addends;
  if (whole && sum.rounding == Rounding::zero && sum.out.exponent_bits == 8 &&
      sum.out.specials == Specials::ieee && lanes.low > lanes.acc_min_exponent) {
    lanes.out = AlignedLanes::Out::truncate;
    lanes.out_mask = ~0u << (23 - sum.out.fraction_bits);
  } else if (whole && sum.rounding == Rounding::nearest_even && sum.out == formats::f16) {
    lanes.out = AlignedLanes::Out::half;
  }
  return lanes;
}

class Compiler {
 public:
  Compiler(const Reduction& reduction, const LeafTypes& types) {
    plan_.reduction = reduction;
    plan_.types = types;
    plan_.views.push_back({types.a, types.b.value_or(types.a)});
    for (const auto& operand : types.operands) plan_.operands.push_back(operand.first);
  }

  Plan run() {
    const Node& root = plan_.reduction.tree.root();
    choose_lane(root);
    Plan::Procedure main;
    if (root.is_empty()) {
      main.ops.emplace_back(Plan::Zero{});
    } else if (plan_.all_reference) {
      main.ops.emplace_back(Plan::Reference{root});
    } else {
      into(main, root);
      plan_.nan = nan_of(root);
    }
    plan_.root = static_cast<std::uint32_t>(plan_.procedures.size());
    plan_.procedures.push_back(std::move(main));
    return std::move(plan_);
  }

 private:
  // --- lanes -------------------------------------------------------------------------------------
  void choose_lane(const Node& root) {
    include(plan_.reduction.result);
    if (plan_.types.c) include(*plan_.types.c);
    for (const auto& operand : plan_.types.operands) include(operand.second);
    if (!plan_.types.b) include(plan_.types.a);
    if (plan_.types.product) include(plan_.types.product->to);
    if (root.kind == Node::Kind::shape) include(*root.shape);
    plan_.lane = narrow_ ? Lane::f32 : Lane::f64;
    if (plan_.types.product) plan_.native_leaf = native_product(*plan_.types.product);
    plan_.all_reference = !wide_;
  }

  void include(const Format& format) {
    narrow_ = narrow_ && fits_f32(format);
    wide_ = wide_ && fits_f64(format);
  }

  void include(const Shape& shape) {
    if (!seen_.emplace(&shape, true).second) return;
    if (shape.unit && shape.unit->kind != Unit::Kind::exact) include(shape.unit->format);
    if (shape.unit && shape.unit->after) include(shape.unit->after->to);
    if (shape.op == Shape::Op::round) include(shape.conversion.to);
    if (shape.op == Shape::Op::operand) include(formats::f32);
    if (shape.carry.kind == Node::Kind::shape) include(*shape.carry.shape);
    for (const Run& run : shape.items.runs())
      if (run.node.kind == Node::Kind::shape) include(*run.node.shape);
  }

  // --- procedures --------------------------------------------------------------------------------
  std::uint32_t procedure(const ShapeRef& shape) {
    if (const auto known = done_.find(shape.get()); known != done_.end()) return known->second;
    Plan::Procedure made = compiled(shape);
    const auto number = static_cast<std::uint32_t>(plan_.procedures.size());
    plan_.procedures.push_back(std::move(made));
    done_.emplace(shape.get(), number);
    return number;
  }

  Plan::Procedure compiled(const ShapeRef& shape) {
    Plan::Procedure p;
    if (std::optional<Plan::ExactSum> sum = exact_sum(*shape)) {
      p.ops.emplace_back(std::move(*sum));
      return p;
    }
    if (by_reference(*shape)) {
      p.ops.emplace_back(Plan::Reference{{Node::Kind::shape, shape, 0, 1}});
      return p;
    }
    switch (shape->op) {
      case Shape::Op::round:
        into(p, shape->items.at(0));
        round(p, format_of(shape->items.at(0)), shape->conversion);
        return p;
      case Shape::Op::operand:
        if (shape->items.empty())
          p.ops.emplace_back(Plan::Zero{});
        else
          into(p, shape->items.at(0));
        p.ops.emplace_back(Plan::AddOperand{operand(shape->operand), f32_add()});
        return p;
      case Shape::Op::any:
      case Shape::Op::fold:
        break;
    }
    const std::uint32_t arithmetic = this->arithmetic(shape->unit);
    if (Plan::Tree tree{arithmetic};
        shape->height > 1 && shape->begin == Shape::Begin::first && flatten(*shape, tree, 0)) {
      p.ops.emplace_back(std::move(tree));
      return p;
    }
    const bool copied = begin(p, *shape);
    if (shape->unit->takes_products()) {
      if (!shape->items.empty())
        p.ops.emplace_back(Plan::Products{arithmetic, shape->items, shape->seams});
      return p;
    }
    if (takes_trees(arithmetic)) {
      gather(p, shape->items, arithmetic, copied);
      return p;
    }
    bool first = copied;
    for (const Run& run : shape->items.runs()) {
      items(p, run, arithmetic, first);
      first = false;
    }
    return p;
  }

  // --- small subtrees ----------------------------------------------------------------------------
  bool takes_trees(std::uint32_t arithmetic) const {
    const Arithmetic& f = plan_.arithmetics[arithmetic];
    return f.kernel == Arithmetic::Kernel::add && !f.unit.after;
  }

  /// Items of a fold. Those that stand alone and are small go to trees, as many to each as it
  /// holds, so that a plan's steps are not leaf by leaf; `first`: the first item is copied.
  void gather(Plan::Procedure& p, const Items& items, std::uint32_t arithmetic, bool first) {
    constexpr std::uint64_t alone = 8;  // longer runs are short as they are
    Plan::Tree tree{arithmetic, !first};
    const auto flush = [&] {
      if (!tree.leaves.empty()) p.ops.emplace_back(std::move(tree));
      tree = Plan::Tree{arithmetic, true};
    };
    for (const Run& run : items.runs()) {
      Plan::Tree small{arithmetic};
      const bool leaf = run.node.is_leaf();
      if (leaf) small.leaves.push_back(0);
      if (run.size() > alone || (!leaf && !flatten(*run.node.shape, small, 1))) {
        flush();
        this->items(p, run, arithmetic, first);
        tree.continues = true;
        first = false;
        continue;
      }
      for (std::uint64_t i = 0; i < run.size(); ++i, first = false) {
        if (tree.leaves.size() + small.leaves.size() > most_tree_leaves) flush();
        append(tree, run.at(i), small, first);
      }
    }
    flush();
  }

  /// A subtree of adds of the tree's kind, if it is small.
  bool flatten(const Shape& shape, Plan::Tree& tree, std::size_t depth) const {
    if (shape.op == Shape::Op::round || shape.op == Shape::Op::operand ||
        shape.begin != Shape::Begin::first || !takes_trees(tree.arithmetic) ||
        !shape.unit->same_arithmetic(plan_.arithmetics[tree.arithmetic].unit) ||
        shape.leaves > most_tree_leaves || shape.items.empty() || depth == most_tree_depth)
      return false;
    bool first = true;
    for (const Run& run : shape.items.runs())
      for (std::uint64_t i = 0; i < run.size(); ++i, first = false) {
        const Node item = run.at(i);
        Plan::Tree small{tree.arithmetic};
        if (item.is_leaf())
          small.leaves.push_back(0);
        else if (!flatten(*item.shape, small, depth + 1))
          return false;
        append(tree, item, small, first);
      }
    return true;
  }

  /// The tree takes an item: a leaf, or the subtree `small` where the item lies. `first`: it
  /// becomes the tree.
  static void append(Plan::Tree& tree, const Node& item, const Plan::Tree& small, bool first) {
    using enum StackStep::Kind;
    for (const std::int64_t leaf : small.leaves)
      tree.leaves.push_back(item.offset + item.stride * leaf);
    if (item.is_leaf()) return step(tree.steps, {first ? load : add});
    if (first) {
      tree.steps = small.steps;
    } else if (small.steps == std::vector<StackStep>{{load_four}}) {
      step(tree.steps, {add_four});
    } else if (small.steps == std::vector<StackStep>{{load, 2}}) {
      step(tree.steps, {add_pair});
    } else if (small.steps.size() == 1 && small.steps[0].kind == load) {
      step(tree.steps, {add_load, small.steps[0].count});
    } else {
      tree.steps.push_back({push});
      tree.steps.insert(tree.steps.end(), small.steps.begin(), small.steps.end());
      tree.steps.push_back({pop});
    }
  }

  /// One more step, in the last one if that can have it.
  static void step(std::vector<StackStep>& steps, StackStep next) {
    using enum StackStep::Kind;
    if (steps.empty()) return steps.push_back(next);
    StackStep& last = steps.back();
    const bool longer = next.kind == add ? last.kind == add || last.kind == load
                                         : next.kind == last.kind && next.kind != add_load;
    if (next.kind == add_pair && last == StackStep{load, 2})
      last = {load_four};
    else if (longer)
      ++last.count;
    else
      steps.push_back(next);
  }

  /// A sum that is rounded once, if all it adds is leaves.
  static std::optional<Plan::ExactSum> exact_sum(const Shape& shape) {
    const bool round = shape.op == Shape::Op::round;
    const Node item = round ? shape.items.at(0) : Node{};
    if (round && (item.kind != Node::Kind::shape || item.offset != 0 || item.stride != 1))
      return {};
    const Shape& sum = round ? *item.shape : shape;
    if (!sum.unit || sum.unit->kind != Unit::Kind::exact || sum.begin == Shape::Begin::node ||
        sum.unit->after.has_value() == round)
      return {};
    for (const Run& run : sum.items.runs())
      if (!run.node.is_leaf()) return {};
    return Plan::ExactSum{sum.items, sum.begin == Shape::Begin::c,
                          round ? shape.conversion : *sum.unit->after};
  }

  /// The sum that is not rounded step by step is beyond lanes.
  bool by_reference(const Shape& shape) const {
    const auto exact = [](const Shape& s) {
      return (s.op == Shape::Op::fold || s.op == Shape::Op::any) &&
             s.unit->kind == Unit::Kind::exact;
    };
    if (exact(shape)) return true;
    const Node item = shape.op == Shape::Op::round ? shape.items.at(0) : Node{};
    return item.kind == Node::Kind::shape && exact(*item.shape) && !item.shape->unit->after;
  }

  /// Register 0 as the fold begins; true if the first item is to be copied there.
  bool begin(Plan::Procedure& p, const Shape& shape) {
    switch (shape.begin) {
      case Shape::Begin::c:
        p.ops.emplace_back(Plan::Accumulator{});
        return false;
      case Shape::Begin::node:
        into(p, shape.carry);
        return false;
      case Shape::Begin::first:
        if (!shape.unit->takes_products() && !shape.items.empty()) return true;
        break;
      case Shape::Begin::zero:
        break;
    }
    p.ops.emplace_back(Plan::Zero{});
    return false;
  }

  void items(Plan::Procedure& p, const Run& run, std::uint32_t arithmetic, bool first) {
    if (run.node.kind == Node::Kind::shape) {
      call(p, run, arithmetic, first);
    } else if (!first) {
      p.ops.emplace_back(Plan::Values{arithmetic, run});
    } else if (plan_.arithmetics[arithmetic].kernel == Arithmetic::Kernel::add &&
               !plan_.arithmetics[arithmetic].unit.after) {
      p.ops.emplace_back(Plan::Values{arithmetic, run, true});
    } else {
      p.ops.emplace_back(Plan::Leaf{run.node.offset});
      const Unit& unit = plan_.arithmetics[arithmetic].unit;
      if (unit.after) round(p, leaf_format(), *unit.after);
      if (run.count > 1) {
        Run rest = run;
        rest.node.offset += run.step;
        --rest.count;
        rest.repeats = 1;
        rest.repeat_step = 0;
        p.ops.emplace_back(Plan::Values{arithmetic, rest});
      }
      if (run.repeats > 1) {
        Run rest = run;
        rest.node.offset += run.repeat_step;
        --rest.repeats;
        p.ops.emplace_back(Plan::Values{arithmetic, rest});
      }
    }
  }

  void call(Plan::Procedure& p, Run run, std::uint32_t arithmetic, bool first) {
    const std::uint32_t callee = procedure(run.node.shape);
    const bool one = first && run.size() == 1;
    p.registers = std::max(p.registers, plan_.procedures[callee].registers + (one ? 0 : 1));
    run.node.shape = nullptr;
    p.ops.emplace_back(Plan::Call{callee, run, first, arithmetic});
  }

  /// The value of a node into register 0.
  void into(Plan::Procedure& p, const Node& node) {
    if (node.is_leaf())
      p.ops.emplace_back(Plan::Leaf{node.offset});
    else
      call(p, Run{node, 0, 1, 0, 1}, f32_add(), true);
  }

  void round(Plan::Procedure& p, const Format& from, const Conversion& to) {
    if (is_identity(from, to)) return;
    std::optional<Rounder> rounder = fast::rounder(from, to.to, to.rule);
    p.ops.emplace_back(Plan::Round{static_cast<std::uint32_t>(plan_.roundings.size())});
    plan_.roundings.push_back({to, rounder, from});
  }

  std::uint32_t operand(const std::string& name) const {
    const auto found = std::find(plan_.operands.begin(), plan_.operands.end(), name);
    return static_cast<std::uint32_t>(found - plan_.operands.begin());
  }

  // --- formats of values -------------------------------------------------------------------------
  Format leaf_format() const { return plan_.types.b ? plan_.types.product->to : plan_.types.a; }

  Format format_of(const Node& node) const {
    if (node.is_leaf()) return leaf_format();
    const Shape& shape = *node.shape;
    if (shape.op == Shape::Op::round) return shape.conversion.to;
    if (shape.op == Shape::Op::operand) return formats::f32;
    // A fold that copies its only item hands that item's format on.
    if (shape.begin == Shape::Begin::first && !shape.unit->takes_products() &&
        shape.items.size() == 1 && !shape.unit->after)
      return format_of(shape.items.at(0));
    return shape.unit->result_format();
  }

  /// The code that a NaN has at a node, where its last step makes it.
  std::optional<std::pair<Format, Bits>> nan_at(const Node& node) const {
    if (node.is_leaf()) return {};
    const Shape& shape = *node.shape;
    using Code = std::optional<std::pair<Format, Bits>>;
    const auto of = [](const Format& format, NanRule rule) -> Code {
      // Where NaN stands for infinity too, it has a sign.
      if (!format.has_infinity()) return {};
      return std::pair{format, nan_code(format, rule)};
    };
    if (shape.op == Shape::Op::round) return of(shape.conversion.to, shape.conversion.rule.nan);
    if (shape.op == Shape::Op::operand) return of(formats::f32, NanRule::gpu);
    const Unit& unit = *shape.unit;
    const bool copies = shape.begin == Shape::Begin::first && unit.kind == Unit::Kind::add;
    if (unit.after && !shape.items.empty()) return of(unit.after->to, unit.after->rule.nan);
    if (shape.items.size() < (copies ? 2 : 1)) return {};
    const bool ruled = unit.kind == Unit::Kind::add || unit.kind == Unit::Kind::fma;
    if (ruled && unit.rule.nan == NanRule::operand) return {};
    return of(unit.format, ruled ? unit.rule.nan : NanRule::gpu);
  }

  std::optional<Bits> nan_of(const Node& root) const {
    const auto nan = nan_at(root);
    if (!nan) return {};
    if (nan->first == plan_.reduction.result) return nan->second;
    return nan_code(plan_.reduction.result, NanRule::gpu);
  }

  // --- arithmetic --------------------------------------------------------------------------------
  /// Adds named operands; calls whose only result is copied name it too, and never use it.
  std::uint32_t f32_add() {
    if (!f32_add_) f32_add_ = std::make_shared<const Unit>(ieee_add(formats::f32));
    return arithmetic(f32_add_);
  }

  std::uint32_t arithmetic(const std::shared_ptr<const Unit>& unit) {
    const auto known = units_.find(unit.get());
    if (known != units_.end()) return known->second;
    Arithmetic made = make(*unit);
    const auto number = static_cast<std::uint32_t>(plan_.arithmetics.size());
    plan_.arithmetics.push_back(std::move(made));
    units_.emplace(unit.get(), number);
    return number;
  }

  Arithmetic make(const Unit& named) {
    Arithmetic a;
    a.unit = named;
    if (named.takes_products()) resolve(a);
    if (named.after) {
      a.after = rounder(named.format, named.after->to, named.after->rule);
      if (!a.after) return a;  // by reference
    }
    switch (named.kind) {
      case Unit::Kind::aligned:
        make_aligned(a);
        break;
      case Unit::Kind::composite:
        make_split(a);
        break;
      case Unit::Kind::fma:
        make_fma(a);
        break;
      case Unit::Kind::add:
        make_add(a);
        break;
      case Unit::Kind::exact:
        break;
    }
    return a;
  }

  void resolve(Arithmetic& a) {
    if (!a.unit.operand_a) {
      const bool fma = a.unit.kind == Unit::Kind::fma;
      a.unit.operand_a = fma ? a.unit.format : plan_.types.a;
      // Without a second operand the sum has no products, and nothing reads them.
      a.unit.operand_b = fma ? a.unit.format : plan_.types.b.value_or(plan_.types.a);
    }
    const Plan::View view{*a.unit.operand_a, *a.unit.operand_b};
    const auto same = [&](const Plan::View& v) { return v.a == view.a && v.b == view.b; };
    const auto found = std::find_if(plan_.views.begin(), plan_.views.end(), same);
    a.view = static_cast<std::uint32_t>(found - plan_.views.begin());
    if (found == plan_.views.end()) plan_.views.push_back(view);
  }

  void make_aligned(Arithmetic& a) {
    if (plan_.lane != Lane::f32) return;
    a.aligned = aligned_lanes(a.unit);
    if (!a.aligned) return;
    const AlignedSum& sum = a.unit.aligned;
    a.step = rounder(sum.out, sum.out, {sum.rounding, Overflow::infinity});
    if (!a.step) return;
    plan_.views[a.view].exponents = true;
    a.steps = a.unit;
    a.kernel = Arithmetic::Kernel::aligned;
  }

  /// One fold of aligned steps from zero, added to the accumulator.
  void make_split(Arithmetic& a) {
    if (plan_.lane != Lane::f32) return;
    const Node& root = a.unit.inner->root();
    if (root.kind != Node::Kind::shape || root.offset != 0 || root.stride != 1) return;
    const Shape& outer = *root.shape;
    if (outer.op != Shape::Op::fold || outer.unit->kind != Unit::Kind::add ||
        outer.begin != Shape::Begin::c || outer.unit->after ||
        !as_the_processor(outer.unit->rule) || outer.items.size() != 1 ||
        outer.items.at(0).is_leaf())
      return;
    const Node item = outer.items.at(0);
    const Shape& steps = *item.shape;
    if (steps.op != Shape::Op::fold || steps.unit->kind != Unit::Kind::aligned ||
        steps.begin != Shape::Begin::zero || !steps.seams.empty() || steps.unit->after ||
        steps.items.size() != static_cast<std::uint64_t>(a.unit.addends) ||
        a.unit.addends % steps.unit->addends != 0)
      return;
    // Operands of the instruction widen to those of its steps.
    Arithmetic inner;
    inner.unit = *steps.unit;
    resolve(inner);
    const auto lanes = aligned_lanes(inner.unit);
    if (!lanes) return;
    const AlignedSum& sum = inner.unit.aligned;
    a.step = rounder(sum.out, sum.out, {sum.rounding, Overflow::infinity});
    a.product = rounder(outer.unit->format, outer.unit->format, {});
    if (!a.step || !a.product) return;
    a.aligned = lanes;
    a.steps = inner.unit;
    a.view = inner.view;
    plan_.views[a.view].exponents = true;
    steps.items.for_each([&](const Node& leaf) {
      a.order.push_back(static_cast<int>(item.offset + item.stride * leaf.offset));
    });
    a.kernel = Arithmetic::Kernel::split;
  }

  void make_fma(Arithmetic& a) {
    const Format& format = a.unit.format;
    const Format lane = lane_format(plan_.lane);
    a.step = rounder(format, format, a.unit.rule);
    if (as_the_processor(a.unit.rule) && format == lane && short_post(a, a.after))
      a.kernel = Arithmetic::Kernel::fma;
    else if (a.step && format.precision() <= 26)  // the product is exact in double
      a.kernel = Arithmetic::Kernel::general;
  }

  /// Whether a rounding after the lane's own step is none or has a shortcut; notes it.
  bool short_post(Arithmetic& a, const std::optional<Rounder>& rounding) const {
    if (!rounding) return true;
    if (plan_.lane != Lane::f32 || rounding->shortcut == Shortcut::none) return false;
    a.post = rounding;
    return true;
  }

  /// The lane's multiply rounds the product as asked: to f32, or not at all in double.
  bool native_product(const Conversion& product) const {
    return as_the_processor(product.rule) && fits_f32(plan_.types.a) && fits_f32(*plan_.types.b) &&
           product.to == lane_format(plan_.lane);
  }

  void make_add(Arithmetic& a) {
    const Format& format = a.unit.format;
    const Format lane = lane_format(plan_.lane);
    bool native_leaves = true;
    if (plan_.types.product) {
      const Conversion& product = *plan_.types.product;
      if (!fits_f32(plan_.types.a) || !fits_f32(*plan_.types.b)) return;
      native_leaves = native_product(product);
      if (!native_leaves) {
        a.product = rounder(formats::f64, product.to, product.rule);
        if (!a.product) return;
      }
    }
    const bool native = as_the_processor(a.unit.rule) && format == lane;
    // Without `step`, general adds in double as the processor does.
    if (!native || lane == formats::f32) a.step = rounder(format, format, a.unit.rule);
    // Twice 11 bits and 2 more: rounding f32's sum again is as good as rounding the exact one.
    const bool narrow = as_the_processor(a.unit.rule) && format.precision() <= 11 && !a.after;
    if (native_leaves && (native ? short_post(a, a.after) : narrow && short_post(a, a.step)))
      a.kernel = Arithmetic::Kernel::add;
    else if (native || a.step)
      a.kernel = Arithmetic::Kernel::general;
  }

  Plan plan_;
  bool narrow_ = true, wide_ = true;
  std::unordered_map<const Shape*, bool> seen_;
  std::unordered_map<const Shape*, std::uint32_t> done_;
  std::unordered_map<const Unit*, std::uint32_t> units_;
  std::shared_ptr<const Unit> f32_add_;
};

}  // namespace

Plan compile(const Reduction& reduction, const LeafTypes& types) {
  return Compiler(reduction, types).run();
}

}  // namespace whybits::fast
