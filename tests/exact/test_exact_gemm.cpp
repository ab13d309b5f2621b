#include "exact/exact_gemm.hpp"
#include "exact/oracle.hpp"
#include "tests/exact/cancelling_codes.hpp"

using namespace whybits;
using namespace whybits::exact;
using namespace whybits::test;

namespace {

using Codes = std::vector<Bits>;

Codes column_of(const Codes& b, const MatrixShape& shape, std::size_t column) {
  Codes codes;
  for (std::size_t i = 0; i < shape.k; ++i) codes.push_back(b[i * shape.n + column]);
  return codes;
}

}  // namespace

TEST_CASE("every element of a matrix product equals MPFR's dot product") {
  for_all(80, [](Random& random) {
    const Format fa = random_format(random), fb = random.coin() ? fa : random_format(random);
    const MatrixShape shape{random.below(6), random.below(40),
                            random.coin() ? random.below(4) : random.below(70)};
    const bool specials = random.below(3) == 0;
    const Codes a = cancelling_codes(random, fa, shape.m * shape.k, specials);
    const Codes b = cancelling_codes(random, fb, shape.k * shape.n, specials);
    CAPTURE(format_name(fa), format_name(fb), shape.m, shape.n, shape.k);
    std::size_t visited = 0;
    exact_gemm({fa, std::span<const Bits>(a)}, {fb, std::span<const Bits>(b)}, shape,
               [&](std::size_t i, std::size_t j, const Superaccumulator& sum) {
                 ++visited;
                 const auto row = std::span(a).subspan(i * shape.k, shape.k);
                 const Codes column = column_of(b, shape, j);
                 for (const Rounding rounding : {Rounding::nearest_even, Rounding::down}) {
                   const RoundRule rule{.rounding = rounding};
                   REQUIRE(sum.round_to(formats::f32, rule) ==
                           oracle_dot({fa, row}, {fb, column}, formats::f32, rule));
                 }
               });
    REQUIRE(visited == shape.m * shape.n);
  });
}

TEST_CASE("operands of another shape are refused") {
  const Codes six(6);
  const OperandWords words(formats::f32, std::span<const Bits>(six));
  CHECK_THROWS_AS(exact_gemm(words, words, {2, 2, 2}, {}), std::invalid_argument);
}
