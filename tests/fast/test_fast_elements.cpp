// Elementwise operations and folds by them, against the operations themselves.
#include "sim/fast/kernels/kernels.hpp"
#include "sim/fast/run_elements.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/random_leaves.hpp"
#include "tests/support/random_recipe.hpp"

namespace whybits::test {
namespace {

constexpr std::array roundings = {Rounding::nearest_even, Rounding::nearest_away, Rounding::zero,
                                  Rounding::up,           Rounding::down,         Rounding::odd};
constexpr std::array flushes = {Flush::none, Flush::in, Flush::out, Flush::both};

Format random_format(Random& random) {
  if (random.below(3) == 0) return random.coin() ? formats::f32 : formats::f64;
  return random.pick(formats_to_test());
}

RoundRule random_rule(Random& random) {
  RoundRule rule;
  if (random.coin()) return rule;
  rule.rounding = random.pick(roundings);
  rule.overflow = random.pick(all_overflows);
  rule.nan = random.coin() ? NanRule::gpu : NanRule::ieee;
  rule.flush = random.pick(flushes);
  return rule;
}

MapOperation random_operation(Random& random) {
  const Format format = random_format(random);
  const RoundRule rule = random_rule(random);
  switch (random.below(10)) {
    case 0:
      return operations::given("odd", {format, format}, format, [=](std::span<const Bits> x) {
        return (x[0] + 3 * x[1]) & format.code_mask();
      });
    case 1:
      return operations::convert(random.coin() ? formats::e8m0 : random_format(random),
                                 {random.below(8) == 0 ? formats::e8m0 : format, rule});
    default:
      return random_arithmetic(random, format, rule);
  }
}

Format narrower(Random& random, const Format& format) {
  if (random.coin()) return format;
  for (int tries = 0; tries < 20; ++tries) {
    const Format other = random_format(random);
    if (widens_exactly(other, format)) return other;
  }
  return format;
}

/// Broadcast to rows × columns, or not; rows of one kind, or columns.
fast::CodeMatrix random_matrix(Random& random, const Format& format, std::uint64_t rows,
                               std::uint64_t columns, bool structured) {
  const std::uint64_t r = random.below(4) == 0 ? 1 : rows;
  const std::uint64_t c = random.below(4) == 0 ? 1 : columns;
  constexpr std::array kinds = {LeafKind::ordinary, LeafKind::wide, LeafKind::special};
  std::vector<Bits> codes = random_codes(random, format, r * c, random.pick(kinds));
  if (structured && format.is_signed)
    for (Bits& code : codes)
      code = structured_code(random, format, random.pick(codes)) & format.code_mask();
  const bool turned = random.below(3) == 0;
  const auto made = turned ? fast::CodeMatrix::of(format, c, r, codes).transposed()
                           : fast::CodeMatrix::of(format, r, c, codes);
  return made.broadcast(rows, columns);
}

Bits widened(const Format& from, const Format& to, Bits code) {
  return from == to ? code : convert(from, to, code);
}

template <class Run>
void check_on_every_set(const std::vector<Bits>& expected, Run run) {
  for (const std::string& set : fast::instruction_sets())
    for (const unsigned threads : {1u, 2u}) {
      REQUIRE(fast::pin_instruction_set(set));
      const fast::CodeMatrix got = run(threads);
      REQUIRE(fast::pin_instruction_set(""));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::uint64_t r = i / got.columns(), c = i % got.columns();
        if (got.at(r, c) == expected[i]) continue;
        CAPTURE(set, threads, r, c);
        CHECK(got.at(r, c) == expected[i]);
        return;
      }
    }
}

void check_elements(Random& random, const MapOperation& operation, std::uint64_t rows,
                    std::uint64_t columns) {
  std::vector<fast::CodeMatrix> x;
  for (const Format& format : operation.operands)
    x.push_back(
        random_matrix(random, narrower(random, format), rows, columns, random.below(3) > 0));
  std::vector<Bits> expected;
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c) {
      std::vector<Bits> codes;
      for (std::size_t j = 0; j < x.size(); ++j)
        codes.push_back(widened(x[j].format(), operation.operands[j], x[j].at(r, c)));
      expected.push_back(operation(codes));
    }
  const fast::ElementStep step = fast::element_step(operation);
  CAPTURE(operation.name, fast::kernel_name(step), rows, columns);
  check_on_every_set(expected, [&](unsigned threads) {
    return fast::run_elements(step, x, rows, columns, threads, {});
  });
}

TEST_CASE("lanes give the bits of every elementwise operation in every format by every rule") {
  for_all(1500, [](Random& random) {
    const bool small = random.below(4) == 0;
    check_elements(random, random_operation(random),
                   small ? 1 + random.below(3) : 1 + random.below(9),
                   small ? 1 : 1 + random.below(200));
  });
}

TEST_CASE("long and large elementwise operations have no seams") {
  for_all(4, [](Random& random) {
    check_elements(random, operations::fma(formats::f32), 1, 5000 + random.below(3000));
    check_elements(random, operations::add(formats::bf16), 70, 1025);
    check_elements(random, operations::convert(formats::f32, {formats::bf16, {}}), 40, 1000);
  });
}

TEST_CASE("quotients and roots beside a border of rounding are on its right side in every format") {
  // x = m·y ± a little for numbers m and midpoints m of the format: where double rounding errs.
  for_all(300, [](Random& random) {
    const Format format = random.pick(std::vector<Format>{
        formats::f32, formats::bf16, formats::f16, formats::tf32, formats::e5m2, {8, 20}, {9, 23}});
    RoundRule rule = random_rule(random);
    rule.rounding = random.pick(roundings);
    constexpr std::uint64_t n = 128;
    std::vector<Bits> x, y, square;
    for (std::uint64_t i = 0; i < n; ++i) {
      const Bits b = structured_code(random, format, 0);
      const Bits m = structured_code(random, format, b);
      const auto beside = [&](Bits product) {
        return (product + random.below(5) - 2) & format.code_mask();
      };
      y.push_back(b);
      x.push_back(beside(mul(format, m, b)));
      square.push_back(beside(mul(format, m, m)));
    }
    const auto row = [&](const std::vector<Bits>& codes) {
      return fast::CodeMatrix::of(format, 1, n, codes);
    };
    for (const MapOperation& operation :
         {operations::div(format, rule), operations::sqrt(format, rule)}) {
      const bool two = operation.arity() == 2;
      const std::vector<fast::CodeMatrix> operands =
          two ? std::vector{row(x), row(y)} : std::vector{row(square)};
      std::vector<Bits> expected;
      for (std::uint64_t i = 0; i < n; ++i)
        expected.push_back(two ? operation(std::vector{x[i], y[i]})
                               : operation(std::vector{square[i]}));
      const fast::ElementStep step = fast::element_step(operation);
      CAPTURE(operation.name, fast::kernel_name(step));
      CHECK(step.kernel != fast::ElementStep::Kernel::reference);
      check_on_every_set(expected, [&](unsigned threads) {
        return fast::run_elements(step, operands, 1, n, threads, {});
      });
    }
  });
}

TEST_CASE("lanes fold by an operation as it does one after the other") {
  for_all(600, [](Random& random) {
    MapOperation operation = random.coin() ? operations::max(random_format(random), NanRule::ieee)
                                           : random_operation(random);
    const auto fits = [&](const Format& format) { return format == operation.result; };
    if (operation.arity() != 2 || !fits(operation.operands[0]) || !fits(operation.operands[1]))
      operation = operations::max(operation.result);
    const std::uint64_t columns = 1 + random.below(150);
    const bool begun = random.coin();
    const std::uint64_t length = random.below(9) + (begun ? 0 : 1);
    const fast::CodeMatrix x =
        random_matrix(random, narrower(random, operation.result), length, columns, false);
    const fast::CodeMatrix start =
        random_matrix(random, narrower(random, operation.result), 1, columns, false);
    std::vector<Bits> expected;
    for (std::uint64_t c = 0; c < columns; ++c) {
      std::uint64_t i = 0;
      Bits acc = begun ? widened(start.format(), operation.result, start.at(0, c))
                       : widened(x.format(), operation.result, x.at(i++, c));
      for (; i < length; ++i)
        acc = operation(std::vector{acc, widened(x.format(), operation.result, x.at(i, c))});
      expected.push_back(acc);
    }
    const fast::ElementStep step = fast::element_step(operation);
    CAPTURE(operation.name, fast::kernel_name(step), length, columns, begun);
    check_on_every_set(expected, [&](unsigned threads) {
      return fast::run_fold(step, x, begun ? &start : nullptr, threads, {});
    });
  });
}

}  // namespace
}  // namespace whybits::test
