// Trees are canonical: two schemas are the same tree exactly if, written out step by step, they are
// the same expression. The writing out is done by tests/support/naive_topology.
#include <map>

#include "sim/expand.hpp"
#include "sim/notation.hpp"
#include "tests/support/naive_topology.hpp"
#include "tests/support/random_schema.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

Tree tree(const std::string& text, std::uint64_t n, bool has_c = false) {
  return expand(*parse_topology(text), n, {.has_c = has_c});
}

std::string expression(const std::string& text, std::uint64_t n, bool has_c = false) {
  return naive_text(naive_expression(*parse_topology(text), n, has_c));
}

/// The same tree, and rightly so.
void check_same(const std::string& a, const std::string& b, std::uint64_t n, bool has_c = false) {
  CAPTURE(a, b, n);
  REQUIRE(expression(a, n, has_c) == expression(b, n, has_c));
  REQUIRE(tree(a, n, has_c) == tree(b, n, has_c));
  REQUIRE(tree(a, n, has_c).hash() == tree(b, n, has_c).hash());
}

void check_different(const std::string& a, const std::string& b, std::uint64_t n) {
  CAPTURE(a, b, n);
  REQUIRE(expression(a, n) != expression(b, n));
  REQUIRE_FALSE(tree(a, n) == tree(b, n));
}

/// All pairs of a batch of random schemas for one n.
void check_batch(Random& random, const SchemaWishes& wishes, int size, int& equal_pairs) {
  struct Entry {
    std::string text, expression;
    Tree tree;
  };
  std::vector<Entry> entries;
  for (int i = 0; i < size; ++i) {
    const SchemaPtr schema = random_schema(random, wishes);
    entries.push_back({print(*schema), naive_text(naive_expression(*schema, wishes.n)),
                       expand(*schema, wishes.n)});
  }
  for (std::size_t i = 0; i < entries.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = entries[i].expression == entries[j].expression;
      if (same != (entries[i].tree == entries[j].tree) ||
          (same && entries[i].tree.hash() != entries[j].tree.hash())) {
        CAPTURE(wishes.n, entries[i].text, entries[j].text, entries[i].expression,
                entries[j].expression);
        FAIL("equal trees and equal expressions part");
      }
      equal_pairs += same && entries[i].text != entries[j].text ? 1 : 0;
    }
}

}  // namespace

TEST_CASE("Trees of values are equal exactly if their expressions are") {
  int equal_pairs = 0;
  for_all(300, [&](Random& random) {
    SchemaWishes wishes;
    wishes.n = random.below(9);
    wishes.formats = {formats::f32, formats::bf16};
    wishes.depth = static_cast<int>(random.below(4));
    wishes.roundings = random.coin();
    wishes.operands = random.coin();
    check_batch(random, wishes, 60, equal_pairs);
  });
  CHECK(equal_pairs > 20'000);
}

TEST_CASE("Trees of products are equal exactly if their expressions are") {
  int equal_pairs = 0;
  for_all(300, [&](Random& random) {
    SchemaWishes wishes;
    wishes.n = random.below(12);
    wishes.values = std::nullopt;
    wishes.formats = {formats::f32};
    wishes.product_units = {parse_unit("aligned(l=2, f=20)"), parse_unit("aligned(l=3, f=20)"),
                            parse_unit("f32.fma")};
    wishes.depth = static_cast<int>(random.below(4));
    wishes.roundings = random.below(4) == 0;
    wishes.operands = false;
    check_batch(random, wishes, 60, equal_pairs);
  });
  CHECK(equal_pairs > 10'000);
}

TEST_CASE("Larger trees are equal exactly if their expressions are") {
  int equal_pairs = 0;
  for_all(60, [&](Random& random) {
    SchemaWishes wishes;
    wishes.n = random.below(400);
    wishes.depth = 3;
    wishes.formats = {formats::f32};
    check_batch(random, wishes, 30, equal_pairs);
  });
  CHECK(equal_pairs > 50);
}

TEST_CASE("What is written differently and computes the same is one tree") {
  for (const std::uint64_t n : {0U, 1U, 2U, 3U, 5U, 8U, 16U, 31U, 64U, 100U, 999U}) {
    const std::string count = std::to_string(n);
    check_same("slices(1, pairs(f32), fold(f32))", "fold(f32)", n);
    check_same("slices(1000, halves(f32), fold(f32))", "halves(f32)", n);
    check_same("lanes(1, halves(f32), fold(f32))", "halves(f32)", n);
    check_same("lanes(1000, fold(f32), fold(f32))", "fold(f32)", n);
    check_same("parts(1, pairs(f32), halves(f32))", "pairs(f32)", n);
    check_same("rotate(0, pairs(f32))", "pairs(f32)", n);
    check_same("rotate(" + count + ", pairs(f32))", "pairs(f32)", n);
    check_same("rotate(3, rotate(" + std::to_string(2 * n + 1) + ", fold(f32)))",
               "rotate(4, fold(f32))", n);
    check_same("take(0.." + count + ", halves(f32))", "halves(f32)", n);
    check_same("reverse(reverse(halves(f32)))", "halves(f32)", n);
    check_same("reverse(lanes(2, by=1, fold(f32), fold(f32)))",
               "lanes(2, by=1, fold(f32), fold(f32))", n < 2 ? n : 0);
    check_same("slices(7, fold(f32), chain)", "fold(f32)", n);
    check_same("cut(0, fold(f32), chain)", "fold(f32)", n);
    check_same("slices(16, fold(sm90.mma.bf16), chain)", "fold(sm90.mma.bf16)", n);
    check_same("slices(48, fold(sm90.mma.bf16), chain)", "fold(sm90.wgmma.bf16)", n);
    check_same("slices(5, slices(3, fold(f64.fma), chain), chain)", "fold(f64.fma)", n);
    check_same("fold(sm90.mma.f64)", "fold(sm80.mma.f64)", n);
    check_same("fold(sm80.mma.f16)", "fold(sm80.mma.f16.k8)", n);
    check_same("slices(32, fold(f32) > bf16, fold(f32)) > f16",
               "slices(32, fold(f32) > bf16, fold(f32)) > f16", n);
  }
  check_same("tree(f32, (((0 1) (2 3)) ((4 5) (6 7))))", "pairs(f32)", 8);
  check_same("tree(f32, (((0 4) (2 6)) ((1 5) (3 7))))", "halves(f32)", 8);
  check_same("tree(f32, ((((((0 1) 2) 3) 4) 5) 6))", "fold(f32)", 7);
  check_same("tree(f32, (0 1 2 3 4 5 6))", "fold(f32)", 7);
  check_same("tree(f32, ((0 1) (2 3)))", "slices(2, fold(f32), fold(f32))", 4);
  check_same("tree(f32, (3 2 1 0))", "reverse(fold(f32))", 4);
  check_same("order(1 2 3 0, fold(bf16))", "rotate(1, fold(bf16))", 4);
  check_same("order(3 2 1 0, pairs(bf16))", "reverse(pairs(bf16))", 4);
  check_same("tree(sm90.mma.f16, ((0 1 2) 3 4))", "cut(3, fold(sm90.mma.f16), chain)", 5);
  check_same("lanes(4, fold(sm90.mma.f16), chain)", "lanes(2, fold(sm90.mma.f16), chain)", 2);
  check_same("any(f32)", "fold(f32)", 2);
  check_same("fold(f32.fma, from=c)", "fold(f32.fma)", 9, true);
  check_same("slices(4, fold(f32.fma), chain)", "fold(f32.fma, from=c)", 9, true);
  check_same("slices(3, take(0..0, fold(f32)) + bias, fold(f32))",
             "lanes(4, take(0..0, fold(f32)) + bias, fold(f32))", 12);
}

TEST_CASE("What computes differently is another tree") {
  check_different("fold(f32)", "fold(f32, from=0)", 3);  // −0 tells
  check_different("fold(f32)", "fold(f64)", 3);
  check_different("fold(f32)", "fold(f32.rz)", 3);
  check_different("fold(f32)", "fold(f32.ftz)", 3);
  check_different("fold(f32)", "fold(f32 > bf16)", 3);
  check_different("fold(f32 > bf16)", "fold(f32) > bf16", 3);
  check_different("fold(f32)", "pairs(f32)", 4);
  check_different("pairs(f32)", "halves(f32)", 4);
  check_different("fold(f32)", "reverse(fold(f32))", 2);
  check_different("fold(f32)", "any(f32)", 3);
  check_different("fold(f32)", "fold(f32) + bias", 2);
  check_different("fold(f32)", "take(0..3, fold(f32))", 4);
  check_different("fold(sm90.mma.f16)", "slices(8, fold(sm90.mma.f16), chain)", 16);
  check_different("slices(8, fold(sm90.mma.f16), chain)", "slices(24, fold(sm90.mma.f16), chain)",
                  48);
  check_different("fold(sm90.mma.f16)", "fold(sm90.mma.f16.k8)", 16);
  check_different("fold(sm90.mma.f16)", "fold(sm90.mma.bf16)", 16);
  check_different("fold(sm80.mma.f16.acc16)", "fold(sm90.mma.f16.acc16)", 16);
  check_different("fold(sm90.mma.f64)", "fold(f64.fma)", 2);  // NaN tells
  check_different("fold(aligned(l=16, f=25))", "fold(aligned(l=16, f=24))", 16);
  check_different("fold(aligned(l=16, f=25, e0=-126))", "fold(aligned(l=16, f=25, e0=-127))", 16);
  check_different("lanes(2, fold(f32), fold(f32))", "slices(2, fold(f32), fold(f32))", 4);
}

TEST_CASE("A tree remembers how many addends there were, also those that nobody adds") {
  CHECK_FALSE(tree("take(0..3, fold(f32))", 4) == tree("fold(f32)", 3));
  CHECK(tree("take(0..3, fold(f32))", 4).addends() == 4);
  CHECK(tree("take(0..3, fold(f32))", 4).statistics().leaves == 3);
  CHECK(tree("fold(f32)", 0).root().is_empty());
}
