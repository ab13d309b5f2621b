// A random reduction that has run: its trace, and what MPFR says of the leaves that took part.
#pragma once

#include "exact/oracle.hpp"
#include "sim/notation.hpp"
#include "sim/trace.hpp"
#include "tests/support/random_reduction.hpp"

namespace whybits::test {

/// The operands of an expression that take part in its sum, in any order.
struct Participants {
  std::vector<std::uint64_t> leaves;
  std::uint64_t c = 0, bias = 0;  ///< how often

  void collect(const TermPtr& term) {
    if (!term) return;
    if (term->kind == NaiveTerm::Kind::leaf) leaves.push_back(term->leaf);
    if (term->kind == NaiveTerm::Kind::operand) ++bias;
    if (term->begin == NaiveTerm::Begin::c && term->kind == NaiveTerm::Kind::fold) ++c;
    collect(term->inner);
    collect(term->start);
    for (const auto& step : term->steps)
      for (const TermPtr& item : step) collect(item);
  }
};

/// Their exact sum by MPFR; nullopt if one is not finite.
inline std::optional<Dyadic> mpfr_sum(const Participants& all, const NaiveLeaves& leaves) {
  const auto finite = [](const Format& f, Bits code) { return unpack(f, code).finite(); };
  const Format one_format = formats::f32;
  const Bits one = 0x3f800000;
  std::vector<Bits> a, b;
  for (const std::uint64_t leaf : all.leaves) {
    Bits x = leaves.a.at(leaf), y = leaves.b_format ? leaves.b.at(leaf) : one;
    if (!finite(leaves.a_format, x) || (leaves.b_format && !finite(*leaves.b_format, y)))
      return std::nullopt;
    if (leaves.products_to_f32) {
      x = exact::oracle_dot({leaves.a_format, std::span(&x, 1)},
                            {*leaves.b_format, std::span(&y, 1)}, formats::f32);
      y = one;
      if (!finite(formats::f32, x)) return std::nullopt;
    }
    a.push_back(x);
    b.push_back(y);
  }
  const bool products = leaves.b_format && !leaves.products_to_f32;
  Dyadic sum = exact::oracle_dot_value({leaves.products_to_f32 ? formats::f32 : leaves.a_format, a},
                                       {products ? *leaves.b_format : one_format, b});
  const auto add = [&](const std::pair<Format, Bits>& operand, std::uint64_t times) {
    if (times == 0) return true;
    if (!finite(operand.first, operand.second)) return false;
    const std::vector<Bits> codes(times, operand.second);
    const std::vector<Bits> ones(times, one);
    sum += exact::oracle_dot_value({operand.first, codes}, {one_format, ones});
    return true;
  };
  if (leaves.c && !add(*leaves.c, all.c)) return std::nullopt;
  if (!add(leaves.bias, all.bias)) return std::nullopt;
  return sum;
}

/// Calls check(reduction, leaves, trace, exact) for a random reduction of this family if all of its
/// values are finite. Returns whether it did.
template <class Check>
bool with_finite_reduction(Random& random, Family family, Check check) {
  const RandomOperands operands = random_operands(random, family);
  const SchemaPtr topology = random_topology(random, operands, family);
  const NaiveLeaves& naive = operands.leaves;
  if (!takes(*topology, naive)) return false;
  CAPTURE(family_name(family), print(*topology), describe(naive));
  const SimLeaves leaves(naive);
  std::optional<Reduction> made;
  try {
    made = make_reduction(topology, naive.a.size(), leaves.types());
  } catch (const TopologyError&) {
    return false;  // a rare random topology narrows where nothing is written
  }
  const Reduction& reduction = *made;
  const Trace run = trace(reduction, leaves.get());
  if (!run.finite) return false;
  Participants participants;
  participants.collect(naive_expression(*topology, naive.a.size(), naive.c.has_value()));
  const std::optional<Dyadic> exact = mpfr_sum(participants, naive);
  REQUIRE(exact);
  check(reduction, leaves, run, *exact);
  return true;
}

}  // namespace whybits::test
