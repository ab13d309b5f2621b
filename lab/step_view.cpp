#include "lab/step_view.hpp"

#include <algorithm>

#include "lab/code_text.hpp"
#include "lab/decimal.hpp"
#include "lab/number_view.hpp"
#include "lab/story.hpp"
#include "sim/aligned_step.hpp"
#include "sim/arith.hpp"

namespace whybits {
namespace {

std::string short_text(const Dyadic& value) {
  return short_decimal(to_rational(value), 6);
}

/// Writes ±magnitude · 2^last; zeros at the end are digits as others are.
void set_number(BitRow& row, bool negative, const mpz_class& magnitude, int last) {
  row.negative = negative;
  row.value = Dyadic(negative ? mpz_class(-magnitude) : magnitude, last);
  row.text = short_text(row.value);
  if (magnitude == 0) return;
  row.bits = magnitude.get_str(2);
  row.last = last;
  row.leading = last + static_cast<int>(row.bits.size()) - 1;
}

mpz_class big(std::uint64_t value) {
  mpz_class out;
  mpz_import(out.get_mpz_t(), 1, 1, sizeof value, 0, 0, &value);
  return out;
}

void set_code(BitRow& row, const Format& format, Bits code) {
  const Unpacked u = unpack(format, code);
  set_number(row, u.negative, big(u.significand), u.exponent);
  row.exponent = u.exponent + format.fraction_bits;
}

void set_exact(BitRow& row, const Dyadic& value) {
  set_number(row, value.sign() < 0, value.abs().mantissa(), static_cast<int>(value.exponent()));
  row.exponent = row.leading;
}

std::size_t index(std::int64_t leaf) {
  return static_cast<std::size_t>(leaf);
}

void set_conversion(StepView& view, const RoundTrace& trace) {
  view.conversion.last_place = trace.ulp_exponent;
  view.conversion.guard = trace.guard;
  view.conversion.round = trace.round;
  view.conversion.sticky = trace.sticky;
  view.conversion.incremented = trace.incremented;
}

/// Sum, result, losses and columns, once the rows, the format and the code are there.
void complete(StepView& view) {
  set_exact(view.sum, view.kept_sum);
  set_code(view.result, view.format, view.code);
  for (const BitRow& row : view.rows) {
    view.cut_discarded += row.cut;
    view.rows_cut += row.cut.is_zero() ? 0U : 1U;
  }
  view.conversion.discarded = view.result.value - view.kept_sum;
  view.entry_discarded = view.discarded - view.cut_discarded - view.conversion.discarded;
  bool any = false;
  const auto include = [&](const BitRow& row) {
    if (row.bits.empty()) return;
    view.top = any ? std::max(view.top, row.leading) : row.leading;
    view.bottom = any ? std::min(view.bottom, row.last) : row.last;
    any = true;
  };
  for (const BitRow& row : view.rows) include(row);
  include(view.sum);
  include(view.result);
}

/// Σ of the rows, rounded once.
void round_rows(StepView& view, const Conversion& to) {
  view.conversion.to = conversion_name(to);
  for (const BitRow& row : view.rows) view.kept_sum += row.value;
  RoundTrace rounded;
  round_rational(to.to, to_rational(view.kept_sum), false, to.rule, &rounded);
  set_conversion(view, rounded);
}

void set_product_of(BitRow& row, const Unpacked& a, const Unpacked& b) {
  set_number(row, a.negative != b.negative, big(a.significand) * big(b.significand),
             a.exponent + b.exponent);
  row.exponent = row.leading;
}

class Viewer {
 public:
  Viewer(const Trace& trace, std::int64_t step, const Leaves& leaves)
      : trace_(trace), node_(trace.node(step)), leaves_(leaves) {
    view_.title = step_text(trace, step);
    view_.format = node_.format;
    view_.code = node_.code;
    view_.discarded = node_.discarded;
  }

  StepView view() {
    if (node_.unit && node_.unit->kind == Unit::Kind::aligned)
      add_aligned();
    else
      add_plain();
    complete(view_);
    return std::move(view_);
  }

 private:
  // --- what enters -----------------------------------------------------------------------------
  Scalar entering(Origin origin) const {
    if (origin >= 0) return {trace_.node(origin).format, trace_.node(origin).code};
    if (origin == origin_c) return *leaves_.c;
    const auto leaf = index(leaf_of_origin(origin));
    if (leaves_.b) return {leaves_.product->to, rounded_product(leaves_, leaf)};
    return {leaves_.a->format(), leaves_.a->codes()[leaf]};
  }

  /// The accumulator as the unit holds it: in a wider format, +0 where there was none.
  Scalar accumulator(const Format& format) const {
    if (node_.accumulator == origin_none) return {format, 0};
    const Scalar value = entering(node_.accumulator);
    if (value.format == format) return value;
    return {format, convert(value.format, format, value.code)};
  }

  void name_row(BitRow& row, Origin origin) const {
    if (is_leaf_origin(origin)) row.leaf = leaf_of_origin(origin);
    if (origin >= 0) row.step = origin;
  }

  void name_product(BitRow& row, std::int64_t leaf) const {
    row.leaf = leaf;
    row.factors = display_decimal(leaves_.a->format(), leaves_.a->codes()[index(leaf)]) + " × " +
                  display_decimal(leaves_.b->format(), leaves_.b->codes()[index(leaf)]);
  }

  // --- a matrix unit -----------------------------------------------------------------------------
  std::vector<Term> terms(const OperandVector& operand, const Format& format) const {
    const Unit& unit = *node_.unit;
    const std::span<const Term> all =
        unit.scale ? operand.block_terms(unit.aligned.group > 0) : operand.terms(format);
    std::vector<Term> out;
    for (const Origin origin : node_.inputs)
      if (is_leaf_origin(origin)) out.push_back(all[index(leaf_of_origin(origin))]);
    return out;
  }

  void add_aligned() {
    Unit unit = *node_.unit;
    if (!unit.operand_a) {
      unit.operand_a = leaves_.a->format();
      unit.operand_b = leaves_.b->format();
    }
    const Scalar acc = accumulator(unit.format);
    const std::vector<Term> a = terms(*leaves_.a, *unit.operand_a);
    const std::vector<Term> b = terms(*leaves_.b, *unit.operand_b);
    const AlignedTrace aligned =
        trace_aligned_step(unit, acc.code, a.data(), b.data(), 1, static_cast<int>(a.size()));
    view_.aligned = true;
    view_.unit = unit_name(*node_.unit);
    view_.largest_exponent = aligned.top_exponent;
    view_.cut = aligned.cut_exponent;
    for (std::size_t i = 0; i < aligned.rows.size(); ++i)
      add_aligned_row(aligned, i, unit.aligned.group > 0);
    view_.kept_sum = Dyadic(mpz_class(static_cast<long>(aligned.sum)), aligned.cut_exponent);
    view_.conversion.to = conversion_name({unit.aligned.out, {unit.aligned.rounding}});
    set_conversion(view_, aligned.conversion);
  }

  void add_aligned_row(const AlignedTrace& aligned, std::size_t i, bool grouped) {
    const AlignedTrace::Row& r = aligned.rows[i];
    BitRow row;
    set_number(row, r.negative, big(r.magnitude), r.lsb);
    row.exponent = r.exponent;
    const Dyadic kept(r.negative ? mpz_class(-big(r.kept)) : big(r.kept), aligned.cut_exponent);
    row.cut = kept - row.value;
    if (i == 0) {
      row.kind = BitRow::Kind::accumulator;
      name_row(row, node_.accumulator);
    } else if (!grouped && i <= node_.inputs.size()) {
      name_product(row, leaf_of_origin(node_.inputs[i - 1]));
    } else {
      row.kind = grouped ? BitRow::Kind::value : BitRow::Kind::padding;
    }
    view_.rows.push_back(std::move(row));
  }

  // --- everything else: an exact sum, rounded once -----------------------------------------------
  void add_plain() {
    const Conversion to = rounding();
    view_.unit = node_.is_rounding ? "> " + conversion_name(node_.conversion)
                 : node_.unit      ? unit_name(*node_.unit)
                                   : "+ operand";
    if (node_.accumulator != origin_none) {
      BitRow row;
      row.kind = BitRow::Kind::accumulator;
      name_row(row, node_.accumulator);
      const Scalar value = entering(node_.accumulator);
      set_code(row, value.format, value.code);
      view_.rows.push_back(std::move(row));
    }
    for (const Origin origin : node_.inputs) add_plain_row(origin);
    round_rows(view_, to);
  }

  void add_plain_row(Origin origin) {
    BitRow row;
    row.kind = BitRow::Kind::value;
    name_row(row, origin);
    const bool product = is_leaf_origin(origin) && leaves_.exact_products();
    if (product) {
      row.kind = BitRow::Kind::product;
      const std::int64_t leaf = leaf_of_origin(origin);
      name_product(row, leaf);
      set_product(row, leaf);
    } else if (origin == origin_operand) {
      // The trace does not say which named operand: it is what the others leave over.
      set_exact(row, Dyadic::from_code(node_.format, node_.code) - node_.discarded -
                         (view_.rows.empty() ? Dyadic{} : view_.rows[0].value));
    } else {
      const Scalar value = entering(origin);
      set_code(row, value.format, value.code);
    }
    view_.rows.push_back(std::move(row));
  }

  void set_product(BitRow& row, std::int64_t leaf) const {
    const Unpacked a = unpack(leaves_.a->format(), leaves_.a->codes()[index(leaf)]);
    const Unpacked b = unpack(leaves_.b->format(), leaves_.b->codes()[index(leaf)]);
    set_product_of(row, a, b);
  }

  Conversion rounding() const {
    if (node_.is_rounding || (node_.unit && node_.unit->kind == Unit::Kind::exact))
      return node_.conversion;
    return {node_.format, node_.unit ? node_.unit->rule : RoundRule{}};
  }

  const Trace& trace_;
  const TraceNode& node_;
  const Leaves& leaves_;
  StepView view_;
};

}  // namespace

char BitRow::digit(int weight) const {
  if (bits.empty() || weight > leading || weight < last) return ' ';
  return bits[static_cast<std::size_t>(leading - weight)];
}

StepView view_operation_rows(const SumRows& sum, const Conversion& to, Bits result) {
  StepView view;
  for (const auto& [a, b] : sum.products) {
    BitRow row;
    row.factors = display_decimal(sum.format, a) + " × " + display_decimal(sum.format, b);
    set_product_of(row, unpack(sum.format, a), unpack(sum.format, b));
    view.rows.push_back(std::move(row));
  }
  for (const Bits code : sum.values) {
    BitRow row;
    row.kind = BitRow::Kind::value;
    set_code(row, sum.format, code);
    view.rows.push_back(std::move(row));
  }
  view.format = to.to;
  view.code = result;
  round_rows(view, to);
  view.unit = "> " + view.conversion.to;
  view.discarded = Dyadic::from_code(to.to, result) - view.kept_sum;
  complete(view);
  return view;
}

StepView view_step(const Trace& trace, std::int64_t step, const Leaves& leaves) {
  return Viewer(trace, step, leaves).view();
}

}  // namespace whybits
