// Printing and parsing are inverse; everything in docs/notation.md's tables is read, printed and
// laid out.
#include "sim/expand.hpp"
#include "sim/notation.hpp"
#include "tests/support/random_schema.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

bool same_schema(const SchemaPtr& a, const SchemaPtr& b);

bool same_unit(const Unit& a, const Unit& b) {
  return a.name == b.name && a.same_arithmetic(b);
}

/// Structural equality, member by member.
struct SameForm {
  bool operator()(const Fold& a, const Fold& b) const {
    return same_unit(a.unit, b.unit) && a.start == b.start;
  }
  bool operator()(const Pairs& a, const Pairs& b) const { return same_unit(a.unit, b.unit); }
  bool operator()(const Halves& a, const Halves& b) const { return same_unit(a.unit, b.unit); }
  bool operator()(const Any& a, const Any& b) const { return same_unit(a.unit, b.unit); }
  bool operator()(const Slices& a, const Slices& b) const {
    return a.size == b.size && same_schema(a.each, b.each) && same_schema(a.merge, b.merge) &&
           same_schema(a.ragged, b.ragged);
  }
  bool operator()(const Parts& a, const Parts& b) const {
    return a.count == b.count && a.by == b.by && same_schema(a.each, b.each) &&
           same_schema(a.merge, b.merge);
  }
  bool operator()(const Cut& a, const Cut& b) const {
    return a.borders == b.borders && same_schema(a.each, b.each) && same_schema(a.merge, b.merge);
  }
  bool operator()(const Lanes& a, const Lanes& b) const {
    return a.count == b.count && a.by == b.by && a.rest == b.rest && same_schema(a.each, b.each) &&
           same_schema(a.merge, b.merge);
  }
  bool operator()(const Rotate& a, const Rotate& b) const {
    return a.by == b.by && same_schema(a.inner, b.inner);
  }
  bool operator()(const Reverse& a, const Reverse& b) const {
    return same_schema(a.inner, b.inner);
  }
  bool operator()(const Order& a, const Order& b) const {
    return a.permutation == b.permutation && same_schema(a.inner, b.inner);
  }
  bool operator()(const Explicit& a, const Explicit& b) const {
    return same_unit(a.unit, b.unit) && a.root == b.root;
  }
  bool operator()(const Take& a, const Take& b) const {
    return a.begin == b.begin && a.end == b.end && same_schema(a.inner, b.inner);
  }
  bool operator()(const RoundTo& a, const RoundTo& b) const {
    return a.conversion == b.conversion && same_schema(a.inner, b.inner);
  }
  bool operator()(const AddOperand& a, const AddOperand& b) const {
    return a.operand == b.operand && same_schema(a.inner, b.inner);
  }
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return false;
  }
};

bool same_schema(const SchemaPtr& a, const SchemaPtr& b) {
  if (!a || !b) return a == b;
  return std::visit(SameForm{}, a->form, b->form);
}

/// Blanks thrown in where the notation allows them: between all tokens.
std::string spaced(Random& random, const std::string& text) {
  std::string out;
  const auto blanks = [&] {
    for (std::uint64_t i = random.below(3); i > 0; --i) out += random.pick(std::string(" \n\t"));
  };
  const auto is_mark = [](char c) {
    return std::string("(),=+>[]{};:").find(c) != std::string::npos;
  };
  blanks();
  for (const char c : text) {
    if (is_mark(c)) blanks();
    out += c;
    if (is_mark(c) || c == ' ') blanks();
  }
  return out;
}

}  // namespace

TEST_CASE("What is printed reads back as the same schema, with any white space") {
  for_all(8000, [](Random& random) {
    SchemaWishes wishes;
    wishes.n = random.below(60);
    wishes.depth = static_cast<int>(random.below(5));
    wishes.formats = {formats::f64, formats::f32, formats::bf16, Format{6, 9, Specials::ieee},
                      formats::e4m3};
    wishes.starts_from_c = true;
    if (random.coin()) {
      wishes.values = std::nullopt;
      wishes.product_units = {parse_unit("sm90.mma.e4m3xe5m2.k16"), parse_unit("f32.fma"),
                              parse_unit("exact > f32"),
                              parse_unit("aligned(l=3, f=20, e0=-9, out=e8m13.rz, in=f16xbf16)")};
    }
    const SchemaPtr schema = random_schema(random, wishes);
    const std::string text = print(*schema);
    CAPTURE(text);
    const SchemaPtr again = parse_topology(text);
    REQUIRE(same_schema(schema, again));
    REQUIRE(print(*again) == text);
    const std::string loose = spaced(random, text);
    CAPTURE(loose);
    REQUIRE(same_schema(schema, parse_topology(loose)));
  });
}

TEST_CASE("Every example of the notation reads, prints as written and is laid out") {
  struct Example {
    std::string text;
    std::uint64_t n;
  };
  const std::vector<Example> examples{
      {"fold(f32)", 1000},
      {"fold(f32, from=first)", 1000},
      {"fold(f32, from=0)", 1000},
      {"pairs(f32)", 32},
      {"halves(f32)", 33},
      {"slices(4, fold(f32), fold(f32))", 10},
      {"slices(4, fold(f32), ragged=reverse(fold(f32)), chain)", 10},
      {"parts(3, fold(f32), pairs(f32))", 10},
      {"parts(3, by=4, fold(f32), pairs(f32))", 10},
      {"cut(3 7, fold(f32), fold(f32))", 10},
      {"lanes(4, fold(f32), pairs(f32))", 10},
      {"lanes(4, by=2, fold(f32), pairs(f32))", 10},
      {"lanes(4, by=2, rest=1, fold(f32), pairs(f32))", 13},
      {"slices(8, fold(sm90.mma.f16), chain)", 20},
      {"rotate(2, fold(f32))", 5},
      {"reverse(fold(f32))", 5},
      {"order(2 0 3 1, fold(f32))", 4},
      {"tree(f32, ((3 (1 2)) 0))", 4},
      {"any(f32)", 4},
      {"take(1..3, fold(f32))", 4},
      {"fold(f32 > bf16)", 4},
      {"fold(f32) > bf16", 4},
      {"fold(f32) > e4m3.sat", 4},
      {"fold(f32) > bf16.rz.ftz.sat", 4},
      {"fold(f32) + bias > bf16", 4},
      {"fold(exact) > f32", 4},
      {"fold(f32.fma)", 4},
      {"fold(f64.fma.rz)", 4},
      {"fold(f32.rna.ftz)", 4},
      {"fold(e6m9.ru)", 4},
      {"fold(sm90.mma.bf16.k8)", 24},
      {"fold(sm90.mma.f16.acc16)", 24},
      {"fold(sm90.wgmma.e4m3xe5m2)", 96},
      {"fold(aligned(l=16, f=25, e0=-133, out=f32.rz))", 96},
      {"fold(aligned(l=32, f=13, e0=-133, out=e8m13.rz, in=e4m3))", 96},
      {"slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16", 14336},
      {"slices(7168, fold(sm90.wgmma.bf16), fold(f32)) > bf16", 14336},
      {"fold(sm90.wgmma.bf16) > bf16", 14336},
      {"slices(104, fold(sm90.mma.bf16.k8), fold(f32)) > bf16", 1544},
      {"slices(128, fold(sm90.wgmma.e4m3), fold(f32))", 4096},
      {"lanes(256, fold(f32), slices(32, pairs(f32), fold(f32)))", 1000},
      {"lanes(64, by=4, lanes(4, fold(f32), fold(f32)), halves(f32))", 5000},
      {"rotate(1, fold(bf16))", 4},
      {"reverse(fold(bf16))", 4}};
  for (const Example& example : examples) {
    CAPTURE(example.text, example.n);
    const SchemaPtr schema = parse_topology(example.text);
    CHECK(print(*schema) == example.text);
    CHECK(expand(*schema, example.n).statistics().leaves > 0);
  }
  // With an operand c.
  const std::string fp8 =
      "slices(32, lanes(2, by=2, fold(sm90.mma.f16), chain), fold(f32, from=c))";
  CHECK(print(*parse_topology(fp8)) == fp8);
  CHECK(expand(*parse_topology(fp8), 64, {.has_c = true}).statistics().leaves == 64);
}

TEST_CASE("Canonical spelling") {
  CHECK(print(*parse_topology("slices( 04 ,fold(f32),chain)>bf16")) ==
        "slices(4, fold(f32), chain) > bf16");
  CHECK(print(*parse_topology("fold(e8m23)")) == "fold(f32)");
  CHECK(print(*parse_topology("fold(sm90.mma.f16.k16)")) == "fold(sm90.mma.f16)");
  CHECK(print(*parse_topology("lanes(4, by=1, fold(f32), fold(f32))")) ==
        "lanes(4, fold(f32), fold(f32))");
  CHECK(print(*parse_topology("fold(aligned(f=25,l=16))")) ==
        "fold(aligned(l=16, f=25, e0=-133, out=f32.rz))");
}

TEST_CASE("A map says which region has which topology") {
  const std::string text =
      "{ [0,252): rotate(1, fold(f32)); [252,504): rotate(2, fold(f32)) > bf16 }";
  const TopologyMap map = parse_map(text);
  CHECK(print(map) == text);
  CHECK(std::holds_alternative<TopologyMap>(parse_notation(text)));
  CHECK(std::holds_alternative<SchemaPtr>(parse_notation("fold(f32)")));
  REQUIRE(map.regions.size() == 2);
  CHECK(map.find(0) == &map.regions[0]);
  CHECK(map.find(251) == &map.regions[0]);
  CHECK(map.find(252) == &map.regions[1]);
  CHECK(map.find(504) == nullptr);
  CHECK(print(parse_map("{[0,1):fold(f32);}")) == "{ [0,1): fold(f32) }");
}

TEST_CASE("Units and formats read alone") {
  CHECK(unit_name(parse_unit("f32 > bf16.rz")) == "f32 > bf16.rz");
  CHECK(parse_unit("sm90.mma.f16").same_arithmetic(parse_unit("sm90.wgmma.f16")));
  CHECK(parse_unit("sm90.mma.f16.acc16").same_arithmetic(parse_unit("sm90.wgmma.f16.acc16")));
  CHECK_FALSE(parse_unit("sm90.mma.f16.acc16").same_arithmetic(parse_unit("sm90.mma.f16")));
  CHECK(conversion_name(parse_conversion(" e4m3.sat ")) == "e4m3.sat");
  CHECK_THROWS_AS(parse_unit("f32 f32"), NotationError);
  CHECK_THROWS_AS(parse_conversion("bf16 >"), NotationError);
}
