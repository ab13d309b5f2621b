#include "sim/reduce_op.hpp"

#include "sim/min_max.hpp"
#include "sim/walk.hpp"

namespace whybits {
namespace {

/// An observer that is asked for the result of every step.
struct Select : IgnoreSteps {
  ReduceOp op = ReduceOp::max;
  Bits combine(const Format& format, Bits a, Bits b) const {
    return op == ReduceOp::max ? max(format, a, b) : min(format, a, b);
  }
};

}  // namespace

Bits evaluate(const Reduction& reduction, const Leaves& leaves, ReduceOp op) {
  if (op == ReduceOp::sum) return evaluate(reduction, leaves);
  Select select;
  select.op = op;
  return Walk<Select>(leaves, select).root(reduction.tree, reduction.result).code;
}

}  // namespace whybits
