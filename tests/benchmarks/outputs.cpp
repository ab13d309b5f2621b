#include "tests/benchmarks/outputs.hpp"

#include <fmt/format.h>

#include <bit>
#include <set>

#include "sim/arith.hpp"
#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"

namespace whybits::bench {
namespace {

/// A source that repeats: converting is slow beside reading, and nobody sees the period.
class Uniform final : public CodeSource {
 public:
  Uniform(const Format& format, std::uint64_t size, std::uint64_t stream)
      : format_(format), size_(size), codes_(65521) {
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      const std::uint64_t word = random_word(stream << 32 | i);
      const double value = static_cast<double>(word >> 40) * 0x1p-23 - 1;
      codes_[i] = convert(formats::f64, format, std::bit_cast<Bits>(value));
    }
  }
  Format format() const override { return format_; }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    for (Bits& code : out) {
      code = codes_[first % codes_.size()];
      first += stride;
    }
  }

 private:
  Format format_;
  std::uint64_t size_;
  std::vector<Bits> codes_;
};

/// The kernel of one step of a plan; empty where it only moves.
struct KernelOf {
  const fast::Plan& plan;

  std::string operator()(const fast::Plan::Call& op) const {
    return op.first_is_copied && op.run.size() == 1 ? "" : of(op.arithmetic);
  }
  std::string operator()(const fast::Plan::Round& op) const {
    return plan.roundings[op.rounding].rounder ? "rounding" : "rounding by reference";
  }
  std::string operator()(const fast::Plan::Reference&) const { return "subtree by reference"; }
  /// Whatever else has an arithmetic computes by it.
  template <class Op>
  std::string operator()(const Op& op) const {
    if constexpr (requires { op.arithmetic; })
      return of(op.arithmetic);
    else
      return "";
  }

  std::string of(std::uint32_t arithmetic) const {
    return std::string(fast::kernel_name(plan.arithmetics[arithmetic].kernel));
  }
};

}  // namespace

fast::CodeMatrix uniform_matrix(const Format& format, std::uint64_t rows, std::uint64_t columns,
                                std::uint64_t stream) {
  return fast::CodeMatrix::read(Uniform(format, rows * columns, stream), rows, columns);
}

fast::LaneOperands uniform_operands(const Format& format, const MatrixSize& size) {
  fast::LaneOperands operands;
  operands.rows = size.m;
  operands.columns = size.n;
  operands.length = size.k;
  operands.a = uniform_matrix(format, size.m, size.k, 1);
  operands.b = uniform_matrix(format, size.k, size.n, 2);
  return operands;
}

Evaluation::Evaluation(const SchemaPtr& topology, fast::LaneOperands operands)
    : operands_(std::move(operands)),
      reduction_(make_reduction(topology, operands_.length, operands_.types())),
      plan_(fast::compile(reduction_, operands_.types())) {}

fast::CodeMatrix Evaluation::run(unsigned threads) const {
  return fast::evaluate(plan_, operands_, {.threads = threads});
}

void Evaluation::check(const fast::CodeMatrix& outputs) const {
  const std::uint64_t rows = operands_.rows, columns = operands_.columns;
  for (const auto& [r, c] :
       std::set<std::pair<std::uint64_t, std::uint64_t>>{{0, 0},
                                                         {rows / 2, columns / 3},
                                                         {rows / 3, columns - columns / 4 - 1},
                                                         {rows - 1, columns - 1}}) {
    const Bits expected = evaluate(reduction_, fast::OutputLeaves(operands_, r, c).get());
    if (outputs.at(r, c) != expected)
      throw WrongResult(fmt::format(
          "{}: output ({}, {}) is {:#x}, the reference evaluator has {:#x}\n{}",
          print(*reduction_.schema), r, c, outputs.at(r, c), expected, fast::print(plan_)));
  }
}

std::string Evaluation::kernels() const {
  if (plan_.all_reference) return "reference, one output at a time";
  std::string text;
  std::set<std::string> seen;
  for (const fast::Plan::Procedure& procedure : plan_.procedures)
    for (const fast::Plan::Op& op : procedure.ops) {
      const std::string kernel = std::visit(KernelOf{plan_}, op);
      if (!kernel.empty() && seen.insert(kernel).second)
        text += (text.empty() ? "" : " + ") + kernel;
    }
  return text;
}

}  // namespace whybits::bench
