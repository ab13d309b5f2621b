#include "lab/compare.hpp"
#include "lab/generators.hpp"
#include "lab/usage_error.hpp"
#include "lab/vector_source.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using test::contains;

namespace {

VectorSource bf16(const std::vector<Bits>& codes) {
  return VectorSource::from_codes(formats::bf16, codes);
}

}  // namespace

TEST_CASE("each kind of difference is told apart") {
  const VectorSource a = bf16({0x3f80, 0x0000, 0x7fc0, 0x7fff, 0x7f80, 0x3f80, 0x3f80, 0x7f80});
  const VectorSource b = bf16({0x3f80, 0x8000, 0x7fc1, 0x3f80, 0xff80, 0x3f83, 0xbf80, 0x7f7f});
  const Comparison result = compare_codes(a, b);
  CHECK(result.elements == 8);
  CHECK(result.same() == 1);
  CHECK(result.differ == 7);
  CHECK_FALSE(result.all_same());
  CHECK(result.kinds == std::array<std::uint64_t, 5>{2, 2, 1, 1, 1});
  const std::vector<Difference> expected{
      {1, 0x0000, 0x8000, DifferenceKind::zero_sign, 0},
      {2, 0x7fc0, 0x7fc1, DifferenceKind::nan_payload, {}},
      {3, 0x7fff, 0x3f80, DifferenceKind::nan_against_number, {}},
      {4, 0x7f80, 0xff80, DifferenceKind::infinity, std::uint64_t{2} * 0x7f80},
      {5, 0x3f80, 0x3f83, DifferenceKind::ulp, 3},
      {6, 0x3f80, 0xbf80, DifferenceKind::ulp, std::uint64_t{2} * 0x3f80},
      {7, 0x7f80, 0x7f7f, DifferenceKind::infinity, 1}};
  CHECK(result.first == expected);
  CHECK(result.histogram.buckets()[0] == 1);  // the zeros
  CHECK(result.histogram.buckets()[1] == 1);
  CHECK(result.histogram.buckets()[2] == 1);
  CHECK(result.histogram.not_comparable() == 2);
  CHECK(result.histogram.largest() == std::uint64_t{2} * 0x7f80);
}

TEST_CASE("e4m3 has one NaN a sign and no infinity") {
  const auto kind = [](Bits a, Bits b) { return classify_difference(formats::e4m3, 0, a, b).kind; };
  CHECK(kind(0x7f, 0xff) == DifferenceKind::nan_payload);
  CHECK(kind(0x7e, 0x7f) == DifferenceKind::nan_against_number);
  CHECK(kind(0x7e, 0x7d) == DifferenceKind::ulp);
}

TEST_CASE("only the first differences are kept, all are counted") {
  const auto a = uniform_source(formats::f32, 50'000, 1);
  const auto b = uniform_source(formats::f32, 50'000, 2);
  const Comparison result = compare_codes(*a, *b, 3);
  CHECK(result.first.size() == 3);
  CHECK(result.first[2].index == 2);
  // Two streams of 24-bit values meet by chance with probability 2^−24 an element.
  CHECK(result.differ >= 49'990);
  CHECK(result.kinds[0] == result.differ);
  CHECK(compare_codes(*a, *a).all_same());
  CHECK(compare_codes(bf16({}), bf16({})).all_same());
}

TEST_CASE("a single changed word is found wherever it is") {
  test::for_all(100, [](test::Random& random) {
    std::vector<Bits> codes(1 + random.below(40'000));
    for (Bits& code : codes) code = random() & 0xffff;
    const VectorSource a = bf16(codes);
    const std::uint64_t index = random.below(codes.size());
    codes[index] ^= Bits{1} << random.below(16);
    const Comparison result = compare_codes(a, bf16(codes));
    REQUIRE(result.differ == 1);
    REQUIRE(result.first[0].index == index);
  });
}

TEST_CASE("different formats and sizes are not compared") {
  CHECK_THROWS_WITH(compare_codes(bf16({1}), bf16({1, 2})), contains("1 element with 2"));
  CHECK_THROWS_WITH(
      compare_codes(bf16({1}), VectorSource::from_codes(formats::f16, std::vector<Bits>{1})),
      contains("bf16 with f16"));
}
