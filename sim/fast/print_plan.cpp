#include <sstream>

#include "sim/fast/plan.hpp"

namespace whybits::fast {
namespace {

std::string leaf_run(const Run& run) {
  std::ostringstream text;
  const std::int64_t first = run.node.offset;
  if (run.size() == 1) {
    text << "leaf " << first;
  } else if (run.count == 1 || run.repeats == 1) {
    const std::int64_t step = run.count == 1 ? run.repeat_step : run.step;
    const std::uint64_t count = run.size();
    text << "leaves " << first;
    if (count == 2 && step != 1) {
      text << " and " << first + step;
      return text.str();
    }
    if (step != 1) text << ", " << first + step << " …";
    text << (step == 1 ? "…" : " ") << first + step * static_cast<std::int64_t>(count - 1);
  } else {
    text << run.repeats << " times " << run.count << " leaves from " << first << " by " << run.step
         << ", " << run.repeat_step << " apart";
  }
  return text.str();
}

std::string leaf_runs(const Items& items) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < items.runs().size(); ++i) {
    if (i == most) return text + "; … (" + std::to_string(items.runs().size()) + " runs)";
    text += (i > 0 ? "; " : "") + leaf_run(items.runs()[i]);
  }
  return text;
}

class Printer {
 public:
  explicit Printer(const Plan& plan) : plan_(plan) {}

  std::string whole() {
    text_ << (plan_.all_reference       ? "reference, one output at a time"
              : plan_.lane == Lane::f32 ? "lanes of f32"
                                        : "lanes of f64");
    text_ << ", " << plan_.registers() << (plan_.registers() == 1 ? " register" : " registers")
          << "\n";
    for (std::size_t i = plan_.procedures.size(); i > 0; --i) procedure(i - 1);
    return text_.str();
  }

 private:
  void procedure(std::size_t number) {
    const Plan::Procedure& p = plan_.procedures[number];
    text_ << (number == plan_.root ? "result" : "p" + std::to_string(number)) << ":\n";
    for (const Plan::Op& op : p.ops) {
      text_ << "  ";
      std::visit([&](const auto& work) { line(work); }, op);
      text_ << "\n";
    }
  }

  std::string by(std::uint32_t arithmetic) const {
    const Arithmetic& f = plan_.arithmetics[arithmetic];
    return unit_name(f.unit) + " [" + std::string(kernel_name(f.kernel)) + "]";
  }

  void line(const Plan::Zero&) { text_ << "r0 = +0"; }
  void line(const Plan::Accumulator&) { text_ << "r0 = c"; }
  void line(const Plan::Leaf& leaf) { text_ << "r0 = leaf " << leaf.leaf; }
  void line(const Plan::Products& products) {
    text_ << "r0 takes products of " << leaf_runs(products.items) << " by "
          << by(products.arithmetic);
    if (!products.seams.empty()) text_ << ", " << products.seams.size() << " run(s) of seams";
  }
  void line(const Plan::Values& values) {
    text_ << "r0 takes " << leaf_run(values.run) << " by " << by(values.arithmetic);
    if (values.first_is_copied) text_ << ", the first is copied";
  }
  void line(const Plan::Tree& tree) {
    text_ << (tree.continues ? "r0 takes small trees of " : "r0 = a tree of ") << tree.leaves.size()
          << " leaves by " << by(tree.arithmetic);
  }
  void line(const Plan::Call& call) {
    const Run& run = call.run;
    text_ << (call.first_is_copied && run.size() == 1 ? "r0 = " : "r1 = ") << "p" << call.procedure;
    if (run.size() > 1 || run.node.offset != 0 || run.node.stride != 1) {
      text_ << " at " << leaf_run(run);
      if (run.node.stride != 1) text_ << ", every " << run.node.stride;
    }
    if (call.first_is_copied && run.size() == 1) return;
    text_ << "; r0 takes r1 by " << by(call.arithmetic);
    if (call.first_is_copied) text_ << ", the first is copied";
  }
  void line(const Plan::Round& round) {
    const Plan::Rounding& r = plan_.roundings[round.rounding];
    text_ << "r0 is rounded to " << conversion_name(r.conversion)
          << (r.rounder ? "" : " [reference]");
  }
  void line(const Plan::AddOperand& add) {
    text_ << "r0 takes " << plan_.operands[add.operand] << " by " << by(add.arithmetic);
  }
  void line(const Plan::ExactSum& sum) {
    text_ << "r0 = the exact sum of " << (sum.from_c ? "c and " : "") << leaf_runs(sum.items)
          << ", rounded to " << conversion_name(sum.to) << " [superaccumulator]";
  }
  void line(const Plan::Reference& reference) {
    text_ << "r0 = a subtree of " << leaf_count(reference.node)
          << " leaves [reference, one output at a time]";
  }

  const Plan& plan_;
  std::ostringstream text_;
};

}  // namespace

std::string_view kernel_name(Arithmetic::Kernel kernel) {
  switch (kernel) {
    case Arithmetic::Kernel::aligned:
      return "aligned integers";
    case Arithmetic::Kernel::split:
      return "aligned integers, split";
    case Arithmetic::Kernel::fma:
      return "fma";
    case Arithmetic::Kernel::add:
      return "add";
    case Arithmetic::Kernel::general:
      return "any rounding";
    case Arithmetic::Kernel::reference:
      return "reference, one output at a time";
  }
  return "";
}

std::string print(const Plan& plan) {
  return Printer(plan).whole();
}

}  // namespace whybits::fast
