// Aligned units and roundings with operands around the limits that the kernels' derivations draw:
// E at `low` and `high`, sums at 32 bits, subnormals, zeros, largest significands, specials.
#include <algorithm>

#include "sim/bit_width.hpp"
#include "tests/fast/all_outputs.hpp"
#include "tests/support/property.hpp"

namespace whybits::test {
namespace {

/// How the codes of one case are drawn.
struct Drawing {
  enum Kind { edges, near, largest, subnormal, sparse } kind = near;
  int spread = 1;           ///< near, sparse: exponents
  bool specials = false;    ///< a few infinities and NaN
  bool negative = false;    ///< all of one sign
  std::uint64_t zeros = 0;  ///< percent
};

Drawing any_drawing(Random& random) {
  Drawing d;
  d.kind = static_cast<Drawing::Kind>(random.below(5));
  d.spread = static_cast<int>(random.below(random.coin() ? 3 : 12));
  d.specials = random.below(6) == 0;
  d.negative = random.below(8) == 0;
  d.zeros = random.below(3) == 0 ? random.below(100) : 0;
  return d;
}

/// A number of about 2^exponent: subnormal below the normal ones, the largest finite above them.
Bits number(const Format& f, int exponent, Bits fraction) {
  const int field = exponent + f.bias();
  if (field <= 0)
    return ((Bits{1} << f.fraction_bits) | fraction) >> std::min(1 - field, f.fraction_bits + 1);
  return std::min((static_cast<Bits>(field) << f.fraction_bits) | fraction, f.max_finite());
}

Bits any_fraction(Random& random, const Format& f) {
  const Bits one = Bits{1} << random.below(static_cast<std::uint64_t>(f.fraction_bits));
  const std::vector<Bits> choices{0, f.fraction_mask(), one, 1,
                                  random.below(f.fraction_mask() + 1)};
  return random.pick(choices);
}

Bits special(Random& random, const Format& f) {
  if (f.has_infinity() && random.coin()) return f.infinity();
  return f.has_nan() ? f.gpu_nan() : f.max_finite();
}

Bits drawn(Random& random, const Format& f, const Drawing& d, int exponent) {
  const Bits sign = f.sign(d.negative || random.coin());
  if (random.below(100) < d.zeros) return sign;
  if (d.specials && random.below(40) == 0) return sign | special(random, f);
  const Bits fraction = any_fraction(random, f);
  const auto between = [&](int low, int high) {
    return number(f, static_cast<int>(random.between(low, high)), fraction);
  };
  switch (d.kind) {
    case Drawing::edges: {
      const std::vector<Bits> choices{0,
                                      1,
                                      f.fraction_mask(),
                                      f.fraction_mask() + 1,
                                      f.max_finite(),
                                      between(-30, 30),
                                      between(f.min_exponent() - 3, f.max_exponent())};
      return sign | random.pick(choices);
    }
    case Drawing::near:
      return sign | between(exponent - d.spread, exponent + d.spread);
    case Drawing::largest:
      return sign | number(f, exponent, f.fraction_mask());
    case Drawing::subnormal:
      return sign | random.below(Bits{4} << f.fraction_bits);
    case Drawing::sparse:
      break;
  }
  if (random.below(6) == 0) return sign | number(f, exponent + d.spread, fraction);
  return random.coin() ? sign : sign | between(exponent - 60, exponent);
}

/// rows × columns; often every second element takes the one before it back.
std::vector<Bits> matrix(Random& random, const Format& f, const Drawing& d, int exponent,
                         std::uint64_t rows, std::uint64_t columns, bool pairs, bool opposite) {
  std::vector<Bits> codes(rows * columns);
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = pairs && i % columns % 2 == 1 && random.below(6) != 0
                   ? codes[i - 1] ^ (opposite ? f.sign_mask() : 0)
                   : drawn(random, f, d, exponent);
  return codes;
}

const std::vector<std::uint64_t> some_columns{1, 7, 63, 64, 64, 65, 128, 130};
const std::vector<std::uint64_t> some_rows{1, 1, 2, 2, 3, 4, 5, 9, 14};
const std::vector<std::string> conversions{"bf16",    "f16",  "e4m3", "e4m3.sat", "bf16.rz",
                                           "f16.ftz", "e2m1", "tf32", "e5m2",     "e5m2.ru.sat"};

std::string maybe_rounded(Random& random, const std::string& what, std::uint64_t one_in) {
  return random.below(one_in) == 0 ? what + " > " + random.pick(conversions) : what;
}

/// Some n around whole steps of L.
std::uint64_t some_length(Random& random, std::uint64_t l) {
  const std::vector<std::uint64_t> choices{1, l - 1, l, l + 1, 2 * l + 3, random.below(40)};
  return random.pick(choices);
}

void check(const std::string& topology, const fast::LaneOperands& operands) {
  const SchemaPtr schema = parse_topology(topology);
  try {
    make_reduction(schema, operands.length, operands.types());
  } catch (const TopologyError&) {
    return;  // a rounding that the next step cannot take, for instance
  }
  check_all_outputs(schema, operands);
}

TEST_CASE("lanes give the reference evaluator's bits: aligned units at their limits") {
  const std::vector<int> fractions{1, 5, 8, 10, 13, 20, 22, 23, 24, 25, 26, 28, 29, 30};
  const std::vector<int> addends{1, 2, 3, 4, 8, 16, 17, 32, 64};
  const std::vector<std::string> outs{"f32.rz",  "f32",    "f16",    "f16.rz", "bf16", "e8m13.rz",
                                      "e8m1.rz", "f32.ru", "f16.rd", "e5m2",   "e4m3", "e2m1"};
  const std::vector<Format> inputs{formats::bf16, formats::bf16, formats::f16,  formats::tf32,
                                   formats::e4m3, formats::e5m2, formats::e2m1, formats::f32};
  for_all(500, [&](Random& random) {
    const int f = random.pick(fractions), l = random.pick(addends);
    const std::vector<int> zeros{
        -133,    -133, f + 128, f - 128,
        f - 126, -21,  -4096,   static_cast<int>(random.between(-160, 200))};
    const int e0 = random.pick(zeros);
    std::string unit = "aligned(l=" + std::to_string(l) + ", f=" + std::to_string(f) +
                       ", e0=" + std::to_string(e0) + ", out=" + random.pick(outs) + ")";
    unit = maybe_rounded(random, unit, 4);
    const bool from_c = random.below(3) == 0;
    const std::vector<std::string> topologies{"fold(" + unit + (from_c ? ", from=c)" : ")"),
                                              "slices(" + std::to_string(random.below(40) + 1) +
                                                  ", fold(" + unit + (from_c ? ", from=c)" : ")") +
                                                  ", chain)"};

    const Format fa = random.pick(inputs), fb = random.coin() ? fa : random.pick(inputs);
    const int low = std::max(f - 126, e0), high = 126 - bit_width(static_cast<Uint128>(l));
    const std::vector<int> targets{low + static_cast<int>(random.between(-3, 3)),
                                   high + static_cast<int>(random.between(-3, 3)),
                                   f - 126 - static_cast<int>(random.below(30)),
                                   static_cast<int>(random.between(-20, 20)),
                                   static_cast<int>(random.between(-130, 126))};
    const int target = random.pick(targets);
    const auto within = [](const Format& format, int e) {
      return std::clamp(e, format.min_exponent() - 2, format.max_exponent());
    };
    // 24 is where bf16 words stop being read in pairs, for F = 24.
    const int half = random.coin() ? target / 2 : static_cast<int>(random.between(22, 26));
    const int ea = within(fa, half), eb = within(fb, target - ea);
    const Drawing d = any_drawing(random);
    const bool pairs = random.below(4) == 0;

    fast::LaneOperands operands;
    operands.rows = random.pick(some_rows);
    operands.columns = random.pick(some_columns);
    operands.length = some_length(random, static_cast<std::uint64_t>(l));
    const std::uint64_t k = operands.length;
    operands.a = fast::CodeMatrix::of(fa, operands.rows, k,
                                      matrix(random, fa, d, ea, operands.rows, k, pairs, false));
    if (random.coin())
      operands.b = fast::CodeMatrix::of(fb, operands.columns, k,
                                        matrix(random, fb, d, eb, operands.columns, k, pairs, true))
                       .transposed();
    else
      operands.b = fast::CodeMatrix::of(
          fb, k, operands.columns, matrix(random, fb, d, eb, k, operands.columns, pairs, true));
    if (from_c) {
      const Format fc = random.coin() ? formats::f32 : formats::e4m3;
      operands.c =
          fast::CodeMatrix::of(fc, operands.rows, operands.columns,
                               matrix(random, fc, d, within(fc, random.coin() ? low : high),
                                      operands.rows, operands.columns, false, false));
    }
    check(maybe_rounded(random, random.pick(topologies), 5), operands);
  });
}

TEST_CASE("lanes give the reference evaluator's bits: roundings at the edges of formats") {
  const std::vector<std::string> units{"f32",   "f64",   "bf16",   "f16",  "tf32", "e5m15",
                                       "e8m16", "e9m20", "e10m24", "e4m3", "e2m1", "e8m1"};
  const std::vector<std::string> roundings{"", ".rz", ".ru", ".rd", ".rna"};
  const std::vector<std::string> forms{"fold", "pairs", "halves"};
  const std::vector<Format> inputs{formats::bf16, formats::f16, formats::e4m3, formats::e5m2,
                                   formats::f32,  formats::f64, formats::e2m1};
  for_all(500, [&](Random& random) {
    const bool products = random.coin();
    std::string unit = random.pick(units) + (products ? ".fma" : "") + random.pick(roundings);
    if (random.below(4) == 0) unit += ".ftz";
    unit = maybe_rounded(random, unit, 3);
    const std::string form = products ? "fold" : random.pick(forms);
    const Format fa = random.pick(inputs), fb = random.pick(inputs);
    const Drawing d = any_drawing(random);
    const auto exponent = [&](const Format& f) {
      return static_cast<int>(random.between(f.min_exponent() - 2, f.max_exponent()));
    };
    fast::LaneOperands operands;
    operands.rows = products ? random.pick(some_rows) : 1;
    operands.columns = random.pick(some_columns);
    operands.length = random.below(12);
    const std::uint64_t k = operands.length;
    if (products)
      operands.a =
          fast::CodeMatrix::of(fa, operands.rows, k,
                               matrix(random, fa, d, exponent(fa), operands.rows, k, false, false));
    const Format& format = products ? fb : fa;
    operands.b = fast::CodeMatrix::of(format, operands.columns, k,
                                      matrix(random, format, d, exponent(format), operands.columns,
                                             k, random.below(4) == 0, true))
                     .transposed();
    check(maybe_rounded(random, form + "(" + unit + ")", 2), operands);
  });
}

}  // namespace
}  // namespace whybits::test
