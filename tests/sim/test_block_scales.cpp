// Block-scaled units against exact integers and the published rules (MMA-Sim, arXiv:2511.10909:
// st_fdpa and gst_fdpa), and against vectors worked out by hand.
#include "sim/device_table.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "sim/trace.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/naive_formats.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

constexpr BlockType mxfp4{formats::e2m1, {formats::e8m0, 32}};
constexpr BlockType nvfp4{formats::e2m1, {formats::e4m3, 16}};

BlockType mx(const Format& element) {
  return {element, {formats::e8m0, 32}};
}

struct Blocks {
  BlockType type;
  std::vector<Bits> elements, scales;
  OperandVector operand() const { return {type, elements, scales}; }
  Bits scale_of(std::size_t i) const {
    return scales[i / static_cast<std::size_t>(type.scale.block)];
  }
};

Blocks zeros(const BlockType& type, std::size_t n, Bits scale) {
  return {type, std::vector<Bits>(n),
          std::vector<Bits>(n / static_cast<std::size_t>(type.scale.block), scale)};
}

Bits run(const std::string& unit, const Blocks& a, const Blocks& b, Bits c) {
  const OperandVector x = a.operand(), y = b.operand();
  Leaves leaves;
  leaves.a = &x;
  leaves.b = &y;
  leaves.c = Scalar{formats::f32, c};
  const auto schema = std::get<SchemaPtr>(parse_notation("fold(" + unit + ")"));
  return evaluate(make_reduction(schema, x.size(), LeafTypes::of(leaves)), leaves);
}

/// ± magnitude · 2^last_place, and the exponent that it brings to the alignment.
struct NaiveTerm {
  mpz_class units = 0;
  long last_place = 0;
  long exponent = 0;
};

/// Significand · 2^(exponent − fraction) of a scale without its sign.
struct NaiveScale {
  bool nan = false;
  long significand = 0;
  long exponent = 0;
};

NaiveScale naive_scale(const Format& format, Bits code) {
  if (format == formats::e8m0) return {code == 255, 1, static_cast<long>(code) - 127};
  const long field = static_cast<long>(code >> 3) & 15, fraction = static_cast<long>(code & 7);
  if (field == 15 && fraction == 7) return {true, 0, 0};
  return {false, field == 0 ? fraction : 8 + fraction, field == 0 ? -6 : field - 7};
}

/// Terms cut at `top − F`, added, converted to f32 toward zero with overflow to infinity.
Bits naive_sum(std::vector<NaiveTerm> terms, Bits c, long fraction_bits, long zero_exponent) {
  const NaiveNumber acc = naive_decode(formats::f32, c);
  if (acc.infinite) return c;  // from an earlier step; the products are finite
  terms.push_back(
      {acc.signed_magnitude(), acc.exponent, acc.is_zero() ? zero_exponent : acc.exponent + 23});
  long top = terms[0].exponent;
  for (const NaiveTerm& term : terms) top = std::max(top, term.exponent);
  const long cut = top - fraction_bits;
  mpz_class sum = 0;
  for (const NaiveTerm& term : terms) {
    mpz_class units = abs(term.units);
    if (term.last_place >= cut)
      units <<= static_cast<mp_bitcnt_t>(term.last_place - cut);
    else
      units >>= static_cast<mp_bitcnt_t>(cut - term.last_place);
    sum += sgn(term.units) < 0 ? mpz_class(-units) : units;
  }
  return naive_round(formats::f32, sgn(sum) < 0, abs(sum), cut, Rounding::zero,
                     NaiveOverflow::to_infinity);
}

bool any_special(const Blocks& x) {
  for (std::size_t i = 0; i < x.elements.size(); ++i)
    if (!naive_decode(x.type.element, x.elements[i]).finite() ||
        naive_scale(x.type.scale.format, x.scale_of(i)).nan)
      return true;
  return false;
}

/// mxf8f6f4: both scale exponents join every product's.
Bits naive_mx(const Blocks& a, const Blocks& b, Bits c) {
  for (std::size_t first = 0; first < a.elements.size(); first += 32) {
    std::vector<NaiveTerm> terms;
    for (std::size_t i = first; i < first + 32; ++i) {
      const NaiveNumber x = naive_decode(a.type.element, a.elements[i]),
                        y = naive_decode(b.type.element, b.elements[i]);
      const long scale = naive_scale(formats::e8m0, a.scale_of(i)).exponent +
                         naive_scale(formats::e8m0, b.scale_of(i)).exponent;
      const mpz_class product = x.signed_magnitude() * y.signed_magnitude();
      const long last_place = x.exponent + y.exponent + scale;
      terms.push_back({product, last_place,
                       product == 0 ? -133
                                    : last_place + a.type.element.fraction_bits +
                                          b.type.element.fraction_bits});
    }
    c = naive_sum(std::move(terms), c, 25, -133);
  }
  return c;
}

/// mxf4 and mxf4nvf4: 64 products, four exact groups of 16.
Bits naive_fp4(const Blocks& a, const Blocks& b, Bits c, long fraction_bits = 35) {
  constexpr long halves[] = {0, 1, 2, 3, 4, 6, 8, 12};  // e2m1 in units of ½
  const auto element = [&](Bits code) {
    return (code & 8) != 0 ? -halves[code & 7] : halves[code & 7];
  };
  const long fraction = a.type.scale.format.fraction_bits;
  for (std::size_t first = 0; first < a.elements.size(); first += 64) {
    std::vector<NaiveTerm> terms;
    for (std::size_t group = first; group < first + 64; group += 16) {
      long sum = 0;
      bool zero = true;
      for (std::size_t i = group; i < group + 16; ++i) {
        const long product = element(a.elements[i]) * element(b.elements[i]);
        zero = zero && product == 0;
        sum += product;
      }
      const NaiveScale x = naive_scale(a.type.scale.format, a.scale_of(group)),
                       y = naive_scale(b.type.scale.format, b.scale_of(group));
      zero = zero || x.significand * y.significand == 0;
      const long exponent = x.exponent + y.exponent;
      terms.push_back({mpz_class(sum * x.significand * y.significand), exponent - 2 - 2 * fraction,
                       zero ? -139 : exponent});
    }
    c = naive_sum(std::move(terms), c, fraction_bits, -139);
  }
  return c;
}

Bits random_scale(Random& random, const Format& format) {
  if (format == formats::e8m0)
    return random.below(8) == 0 ? random.below(255) : 117 + random.below(20);
  return random.below(4) == 0 ? random.below(256) : 0x20 + random.below(0x40);
}

Blocks random_blocks(Random& random, const BlockType& type, std::size_t n) {
  Blocks blocks = zeros(type, n, 0);
  const bool sparse = random.below(4) == 0;
  for (Bits& code : blocks.elements)
    code = sparse && random.below(4) != 0 ? 0 : random() & type.element.code_mask();
  for (Bits& code : blocks.scales) code = random_scale(random, type.scale.format);
  return blocks;
}

Bits random_accumulator(Random& random) {
  if (random.below(4) == 0) return 0;
  const Bits exponent = random.below(3) == 0 ? random.below(255) : 100 + random.below(60);
  return ((random() & 1) << 31) | (exponent << 23) | (random() & 0x7fffff);
}

}  // namespace

TEST_CASE("NVFP4 keeps 2^23 − 2^23 − 0.5 − 0.25 − 0.125 in one step: −0.875") {
  Blocks a = zeros(nvfp4, 64, 0x38), b = zeros(nvfp4, 64, 0x38);  // scales 1
  a.scales[0] = b.scales[0] = 0x78;                               // 256
  for (std::size_t i = 0; i < 16; ++i) {
    a.elements[i] = 0xe;  // −4
    b.elements[i] = 0x4;  // 2: sixteen times −8 · 2^16 is −2^23
  }
  a.elements[16] = 0x9, b.elements[16] = 0x2;  // −½ · 1
  a.elements[32] = 0x9, b.elements[32] = 0x1;  // −½ · ½
  a.elements[48] = 0x9, b.elements[48] = 0x1;  // the same, under a scale of ½
  b.scales[3] = 0x30;
  CHECK(run("sm100.tcgen05.mxf4nvf4.e2m1", a, b, 0x4b000000) == 0xbf600000);
}

TEST_CASE("a group that cancels still sets the alignment, a group of zeros does not") {
  Blocks a = zeros(nvfp4, 64, 0x78), b = zeros(nvfp4, 64, 0x78);  // 2^8 · 2^8
  const Bits c = 0x35000000;                                      // 2^−21, under 2^(16 − 35)
  CHECK(run("sm100.tcgen05.mxf4nvf4.e2m1", a, b, c) == c);
  a.elements[0] = 0x2, a.elements[1] = 0xa;
  b.elements[0] = b.elements[1] = 0x2;  // 1 − 1
  CHECK(run("sm100.tcgen05.mxf4nvf4.e2m1", a, b, c) == 0);
}

TEST_CASE("MX scales move products before the alignment") {
  Blocks a = zeros(mx(formats::e4m3), 32, 137), b = zeros(mx(formats::e5m2), 32, 127);  // 2^10, 1
  a.elements[0] = 0x38, b.elements[0] = 0x3c;                                           // 1 · 1
  // 2^10 cuts at 2^−15.
  CHECK(run("sm100.tcgen05.mxf8f6f4.e4m3xe5m2", a, b, 0x37800000) == 0x44800000);
  b.scales[0] = 117;
  CHECK(run("sm100.tcgen05.mxf8f6f4.e4m3xe5m2", a, b, 0x37800000) == 0x3f800080);
}

TEST_CASE("a NaN scale makes the result NaN, an e4m3 scale has no sign") {
  Blocks a = zeros(mxfp4, 64, 127), b = a;
  a.elements[5] = b.elements[5] = 0x2;
  CHECK(run("sm100.tcgen05.mxf4.e2m1", a, b, 0) == 0x3f800000);
  a.scales[1] = 255;
  CHECK(run("sm100.tcgen05.mxf4.e2m1", a, b, 0) == 0x7fffffff);
  Blocks x = zeros(nvfp4, 64, 0xb8), y = zeros(nvfp4, 64, 0x38);
  x.elements[0] = y.elements[0] = 0x2;
  CHECK(run("sm100.tcgen05.mxf4nvf4.e2m1", x, y, 0) == 0x3f800000);
}

TEST_CASE("mxf8f6f4 in every pair of element formats adds what exact integers add") {
  const std::vector<Format> elements{formats::e4m3, formats::e5m2, formats::e3m2, formats::e2m3,
                                     formats::e2m1};
  int compared = 0;
  for_all(4'000, [&](Random& random) {
    const Format fa = random.pick(elements), fb = random.pick(elements);
    const std::size_t n = 32 * (1 + random.below(3));
    const Blocks a = random_blocks(random, mx(fa), n), b = random_blocks(random, mx(fb), n);
    const Bits c = random_accumulator(random);
    if (any_special(a) || any_special(b)) return;
    const std::string unit =
        "sm100.tcgen05.mxf8f6f4." + format_name(fa) + (fa == fb ? "" : "x" + format_name(fb));
    const Bits got = run(unit, a, b, c), want = naive_mx(a, b, c);
    ++compared;
    if (got == want) return;
    CAPTURE(unit, n, got, want);
    FAIL("bits differ");
  });
  CHECK(compared > 1'000);
}

TEST_CASE("fp4 units add what exact integers add, and a neighbouring F does not") {
  int compared = 0, control_differs = 0;
  for_all(4'000, [&](Random& random) {
    const bool nv = random.coin();
    const BlockType type = nv ? nvfp4 : mxfp4;
    const std::size_t n = 64 * (1 + random.below(3));
    const Blocks a = random_blocks(random, type, n), b = random_blocks(random, type, n);
    const Bits c = random_accumulator(random);
    if (any_special(a) || any_special(b)) return;
    const std::string unit = nv ? "sm100.tcgen05.mxf4nvf4.e2m1" : "sm100.tcgen05.mxf4.e2m1";
    const Bits got = run(unit, a, b, c), want = naive_fp4(a, b, c);
    ++compared;
    if (naive_fp4(a, b, c, 25) != want) ++control_differs;
    if (got == want) return;
    CAPTURE(unit, n, c, got, want);
    FAIL("bits differ");
  });
  CHECK(compared > 1'000);
  CHECK(control_differs > 100);
}

TEST_CASE("result − exact is the ledger, with scales too") {
  for_all(300, [](Random& random) {
    const Blocks a = random_blocks(random, nvfp4, 128), b = random_blocks(random, nvfp4, 128);
    if (any_special(a) || any_special(b)) return;
    const OperandVector x = a.operand(), y = b.operand();
    Leaves leaves;
    leaves.a = &x;
    leaves.b = &y;
    const auto schema = std::get<SchemaPtr>(
        parse_notation("slices(64, fold(sm100.tcgen05.mxf4nvf4.e2m1), fold(f32))"));
    const Trace traced = trace(make_reduction(schema, 128, LeafTypes::of(leaves)), leaves);
    mpq_class exact = 0;
    for (std::size_t i = 0; i < 128; ++i) {
      const auto value = [&](const Blocks& v) {
        const NaiveNumber e = naive_decode(v.type.element, v.elements[i]);
        const NaiveScale s = naive_scale(v.type.scale.format, v.scale_of(i));
        mpq_class q(e.signed_magnitude() * s.significand);
        const long exponent = e.exponent + s.exponent - 3;
        return exponent >= 0 ? mpq_class(q << static_cast<mp_bitcnt_t>(exponent))
                             : mpq_class(q >> static_cast<mp_bitcnt_t>(-exponent));
      };
      exact += value(a) * value(b);
    }
    const Dyadic sum = Dyadic::from_code(traced.format, traced.result) - traced.ledger();
    mpq_class rest(sum.mantissa());
    if (sum.exponent() >= 0)
      rest <<= static_cast<mp_bitcnt_t>(sum.exponent());
    else
      rest >>= static_cast<mp_bitcnt_t>(-sum.exponent());
    const bool adds_up = rest == exact;
    CHECK(adds_up);
  });
}

TEST_CASE("units that need scales and units that do not refuse each other's operands") {
  const auto refused = [](const LeafTypes& types, const std::string& unit, const std::string& why) {
    const auto schema = std::get<SchemaPtr>(parse_notation("fold(" + unit + ")"));
    try {
      make_reduction(schema, 64, types);
      FAIL("accepted");
    } catch (const TopologyError& error) {
      CHECK_THAT(error.what(), contains(why));
    }
  };
  LeafTypes plain;
  plain.a = formats::e2m1;
  plain.b = formats::e2m1;
  refused(plain, "sm100.tcgen05.mxf4.e2m1", "operand a has no scales (--scale-a)");
  LeafTypes blocks;
  blocks.a = formats::scaled;
  blocks.b = formats::scaled;
  blocks.blocks_a = nvfp4;
  blocks.blocks_b = nvfp4;
  refused(blocks, "sm100.tcgen05.mxf4.e2m1",
          "blocks of 32 with e8m0 scales; operand a is e2m1 in blocks of 16 with e4m3 scales");
  refused(blocks, "sm100.tcgen05.e2m1", "without block scales");
}

TEST_CASE("steps that begin inside a block are refused, not guessed") {
  Blocks a = zeros(nvfp4, 96, 0x38), b = a;
  a.scales[1] = 0x40;
  for (Bits& code : a.elements) code = 0x2;
  for (Bits& code : b.elements) code = 0x2;
  const OperandVector x = a.operand(), y = b.operand();
  Leaves leaves;
  leaves.a = &x;
  leaves.b = &y;
  const auto schema =
      std::get<SchemaPtr>(parse_notation("cut(8, fold(sm100.tcgen05.mxf4nvf4.e2m1), fold(f32))"));
  CHECK_THROWS_AS(evaluate(make_reduction(schema, 96, LeafTypes::of(leaves)), leaves),
                  TopologyError);
}
