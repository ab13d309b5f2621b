#include "lab/probe/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/probe/vector_maker.hpp"

namespace whybits {
namespace {

constexpr Bits one_bit = 1;

/// How many bits below the largest term are kept, of products and of c.
void alignment(VectorMaker& v) {
  v.question = "alignment";
  const int k = v.k();
  for (int j = 9; j <= 28; ++j) {
    v.start();
    v.power(0, 0);
    for (int lane = 1; lane < k; ++lane) v.power(lane, -j);
    v.add(fmt::format("2^0 + {} x 2^-{}", k - 1, j));
    v.start();
    v.power(0, 0);
    v.power(1, 0, true);
    v.power(2, -j);
    v.power(3, -j);
    v.add(fmt::format("2^0 - 2^0 + 2 x 2^-{}", j));
  }
  for (int j = 8; j <= v.c().fraction_bits; ++j) {
    v.start();
    v.c_number((std::int64_t{1} << j) + 1, -j);
    v.add(fmt::format("zero products, c = 1 + 2^-{}", j));
  }
  for (int s = -2; s <= 8; ++s) {
    v.start();
    v.power(0, s);
    v.power(1, s, true);
    v.c_number((std::int64_t{1} << v.c().fraction_bits) + 1, -v.c().fraction_bits);
    v.add(fmt::format("2^{0} - 2^{0}, c = 1 + 2^-{1}", s, v.c().fraction_bits));
  }
  // Products are not renormalised: 1.5 · 1.5 and 1.125 · 2 are both 2.25.
  for (int j = 10; j <= 27; ++j)
    for (const bool normal : {false, true}) {
      v.start();
      if (normal)
        v.product(0, 9, -3, 1, 1);
      else
        v.product(0, 3, -1, 3, -1);
      for (int lane = 1; lane <= 8; ++lane) v.power(lane % k, -j);
      if (k > 8) v.add(fmt::format("{} + 8 x 2^-{}", normal ? "1.125*2" : "1.5*1.5", j));
    }
}

/// Which lanes share an alignment: a small product survives a large cancelling pair only in
/// another step.
void grouping(VectorMaker& v) {
  v.question = "grouping";
  const int k = v.k();
  const Format f = v.c();
  const int big = std::min(
      {f.fraction_bits + 4, v.a().max_exponent() + v.b().max_exponent(), f.max_exponent() - 1});
  const int small = std::max(
      {v.a().quantum_exponent() + v.b().quantum_exponent(), f.quantum_exponent(), big - 60});
  const auto masks = [&](int i, int j) {
    for (int p = 0; p < k; ++p) {
      if (p == i || p == j) continue;
      v.start();
      v.power(i, big);
      v.power(j, big, true);
      v.power(p, small);
      v.add(fmt::format("2^{0} at {1}, -2^{0} at {2}, small at {3}", big, i, j, p));
    }
  };
  masks(0, 1);
  masks(k - 2, k - 1);
  masks(0, k - 1);
  if (k > 4) masks(k / 2 - 1, k / 2);
  for (int p = 0; p < k; ++p) {
    v.start();
    v.power(p, 0);
    v.c_number(1, std::min(f.max_exponent() - 1, f.fraction_bits + 4));
    v.power((p + 1) % k, std::min(f.max_exponent() - 1, f.fraction_bits + 4), true);
    v.add(fmt::format("large c, minus as much at {}, 2^0 at {}", (p + 1) % k, p));
  }
}

/// c and the products share an alignment: 2^j as c swallows products that are below its cut one by
/// one, though not their sum.
void accumulator_inside(VectorMaker& v) {
  v.question = "c inside the step";
  for (int j = 8; j <= 30; ++j) {
    v.start();
    v.c_number(1, j);
    for (int lane = 0; lane < v.k(); ++lane) v.power(lane, -1);
    v.add(fmt::format("{} x 2^-1, c = 2^{}", v.k(), j));
    v.start();
    v.c_number(-1, j);
    for (int lane = 0; lane < v.k(); ++lane) v.power(lane, -1);
    v.add(fmt::format("{} x 2^-1, c = -2^{}", v.k(), j));
  }
}

/// What exponent zeros bring: half a last place (f16), or one (f32), with a tiny term on top or
/// below. It counts only if it survives the cut.
void zero_exponent(VectorMaker& v) {
  v.question = "zero exponent";
  const Format f = v.c();
  const bool half = f == formats::f16;
  const int quantum = f.quantum_exponent() - (half ? 1 : 0);
  const Bits minus_zero = f.sign_mask();
  const int lowest = v.a().quantum_exponent() + v.b().quantum_exponent();
  for (int j = -quantum + 1; j <= std::min(-quantum + 36, -lowest); ++j)
    for (const int variant : {0, 1, 2, 3, 4}) {
      v.start();
      v.power(0, quantum);
      v.power(1, -j, !half);
      // Each term is cut on its own: a second one does not help.
      if (variant == 4) v.power(2, -j, !half);
      // No product is zero: pairs that cancel, too small to matter.
      if (variant == 2 || variant == 3)
        for (int lane = 2; lane < v.k(); ++lane)
          v.power(lane, std::max(lowest, quantum - 80), lane % 2 == 1);
      if (variant % 2 == 1) v.c_code(minus_zero);
      v.add(fmt::format("2^{} {} {}2^-{}, c = {}0{}", quantum, half ? "+" : "-",
                        variant == 4 ? "2 x " : "", j, variant % 2 == 1 ? "-" : "+",
                        variant == 2 || variant == 3 ? ", no product is zero" : ""));
    }
  // Issue 7 of MATLAB-tensor-core in spirit: as many tiny products as fit.
  for (int j = quantum - 12; j <= quantum + 2; ++j) {
    v.start();
    for (int lane = 0; lane < v.k(); ++lane) v.power(lane, j);
    v.add(fmt::format("{} x 2^{}", v.k(), j));
  }
}

/// The sign of a zero result: products ±0, c = ±0, exact cancellation, underflow.
void zero_sign(VectorMaker& v) {
  v.question = "zero sign";
  const Bits minus_a = v.claim().a.sign_mask();
  const Bits minus_b = v.claim().b.sign_mask();
  const Bits minus_c = v.c().sign_mask();
  const int k = v.k();
  const auto fill = [&](int from, bool negative, bool by_b) {
    for (int lane = from; lane < k; ++lane)
      v.codes(lane, negative && !by_b ? minus_a : 0, negative && by_b ? minus_b : 0);
  };
  for (const bool c_negative : {false, true}) {
    const char* c_text = c_negative ? "-0" : "+0";
    const auto with_c = [&] {
      if (c_negative) v.c_code(minus_c);
    };
    for (const bool negative : {false, true})
      for (const bool by_b : {false, true}) {
        v.start();
        fill(0, negative, by_b);
        with_c();
        v.add(fmt::format("products all {}0{}, c = {}", negative ? "-" : "+",
                          by_b ? " (sign of b)" : "", c_text));
      }
    v.start();
    for (int lane = 0; lane < k; ++lane) v.codes(lane, minus_a, minus_b);
    with_c();
    v.add(fmt::format("products (-0)(-0), c = {}", c_text));
    for (const int lane : {0, k / 2, k - 1})
      for (const bool one_negative : {false, true}) {
        v.start();
        fill(0, !one_negative, false);
        v.codes(lane, one_negative ? minus_a : 0, 0);
        with_c();
        v.add(fmt::format("product {} is {}0, others {}0, c = {}", lane, one_negative ? "-" : "+",
                          one_negative ? "+" : "-", c_text));
      }
    for (const bool others_negative : {false, true}) {
      const char* others = others_negative ? "-0" : "+0";
      for (const bool first_negative : {false, true}) {
        v.start();
        fill(2, others_negative, false);
        v.power(0, 0, first_negative);
        v.power(1, 0, !first_negative);
        with_c();
        v.add(fmt::format("{0}1 {1} 1, others {2}, c = {3}", first_negative ? "-" : "+",
                          first_negative ? "+" : "-", others, c_text));
      }
      for (const bool negative : {false, true}) {
        v.start();
        fill(1, others_negative, false);
        v.power(0,
                std::max(v.c().quantum_exponent() - 11,
                         v.a().quantum_exponent() + v.b().quantum_exponent()),
                negative);
        with_c();
        v.add(fmt::format("{}tiny, others {}, c = {}", negative ? "-" : "+", others, c_text));
        v.start();
        fill(2, others_negative, false);
        v.power(0, std::min(8, v.c().max_exponent() - 1));
        v.power(1, std::min(8, v.c().max_exponent() - 1), true);
        if (k > 2)
          v.power(2, std::max(-60, v.a().quantum_exponent() + v.b().quantum_exponent()), negative);
        with_c();
        v.add(fmt::format("2^8 - 2^8 {} tiny, others {}, c = {}", negative ? "-" : "+", others,
                          c_text));
      }
    }
  }
  for (const bool others_negative : {false, true})
    for (const bool c_negative : {false, true}) {
      v.start();
      fill(1, others_negative, false);
      v.power(0, 0, !c_negative);
      v.c_number(c_negative ? -1 : 1, 0);
      v.add(fmt::format("product {}1, others {}0, c = {}1", c_negative ? "+" : "-",
                        others_negative ? "-" : "+", c_negative ? "-" : "+"));
    }
}

struct NamedCode {
  std::string name;
  Bits code;
};

/// NaNs and infinities of a format, as words.
std::vector<NamedCode> specials(const Format& f) {
  std::vector<NamedCode> codes;
  const Bits sign = f.sign_mask();
  if (f.has_infinity()) {
    const Bits infinity = f.infinity();
    const Bits quiet = one_bit << (f.fraction_bits - 1);
    codes = {{"+Inf", infinity},
             {"-Inf", infinity | sign},
             {"qNaN", infinity | quiet},
             {"-qNaN", infinity | quiet | sign},
             {"sNaN 1", infinity | 1},
             {"-sNaN 1", infinity | 1 | sign},
             {"NaN all ones", f.gpu_nan()},
             {"-NaN all ones", f.gpu_nan() | sign}};
  } else {
    codes = {{"NaN", f.gpu_nan()}, {"-NaN", f.gpu_nan() | sign}};
  }
  return codes;
}

void special_values(VectorMaker& v) {
  v.question = "NaN and infinity";
  const Format a = v.claim().a;
  const Format b = v.claim().b;
  const Bits one_a = *exact_code(a, 1, 0);
  const Bits one_b = *exact_code(b, 1, 0);
  const int last = v.k() - 1;
  for (const NamedCode& x : specials(a))
    for (const int lane : {0, last}) {
      v.start();
      v.codes(lane, x.code, one_b);
      v.add(fmt::format("a[{}] = {}, b = 1", lane, x.name));
      v.start();
      v.codes(lane, x.code, 0);
      v.add(fmt::format("a[{}] = {}, b = 0", lane, x.name));
      v.start();
      v.codes(lane, x.code, one_b | b.sign_mask());
      v.c_number(1, 0);
      v.add(fmt::format("a[{}] = {}, b = -1, c = 1", lane, x.name));
      v.start();
      v.codes(lane, x.code, one_b);
      v.power(lane == 0 ? last : 0, std::min(v.a().max_exponent(), v.b().max_exponent()), true);
      v.add(fmt::format("a[{}] = {}, a large negative product beside it", lane, x.name));
    }
  for (const NamedCode& y : specials(b)) {
    v.start();
    v.codes(1, one_a, y.code);
    v.add(fmt::format("a = 1, b[1] = {}", y.name));
    v.start();
    v.codes(1, a.sign_mask(), y.code);
    v.add(fmt::format("a = -0, b[1] = {}", y.name));
  }
  for (const NamedCode& z : specials(v.c())) {
    v.start();
    v.c_code(z.code);
    v.add(fmt::format("zero products, c = {}", z.name));
    v.start();
    v.codes(0, one_a, one_b | b.sign_mask());
    v.c_code(z.code);
    v.add(fmt::format("product -1, c = {}", z.name));
    for (const NamedCode& x : specials(a)) {
      v.start();
      v.codes(last, x.code, one_b);
      v.c_code(z.code);
      v.add(fmt::format("a[{}] = {}, b = 1, c = {}", last, x.name, z.name));
    }
  }
  for (const NamedCode& x : specials(a))
    for (const NamedCode& y : specials(b)) {
      v.start();
      v.codes(0, x.code, y.code);
      v.add(fmt::format("a[0] = {}, b[0] = {}", x.name, y.name));
      v.start();
      v.codes(0, x.code, one_b);
      v.codes(last, one_a, y.code);
      v.add(fmt::format("a[0] = {}, b[{}] = {}", x.name, last, y.name));
    }
}

void overflow(VectorMaker& v) {
  v.question = "overflow";
  const Format f = v.c();
  const int top = f.max_exponent();
  const int p = f.precision();
  const std::int64_t all = (std::int64_t{1} << p) - 1;  // max finite = all · 2^(top + 1 − p)
  for (const bool negative : {false, true}) {
    const std::int64_t sign = negative ? -1 : 1;
    const char* s = negative ? "-" : "";
    // The largest accumulator and ever less on top: where does infinity begin?
    for (int j = top - p - 6; j <= top; ++j) {
      v.start();
      v.c_number(sign * all, top + 1 - p);
      v.power(0, j, negative);
      v.add(fmt::format("c = {0}max, product {0}2^{1}", s, j));
    }
    for (int j = top - 1; j <= top + 3; ++j) {
      v.start();
      v.power(0, j, negative);
      v.add(fmt::format("{}2^{}", s, j));
      v.start();
      v.power(0, j, negative);
      v.power(1, j, negative);
      v.add(fmt::format("{0}2^{1} {2} 2^{1}", s, j, negative ? "-" : "+"));
      v.start();
      v.power(0, j, negative);
      v.power(1, j - 1, !negative);
      v.add(fmt::format("{}2^{} {} 2^{}", s, j, negative ? "+" : "-", j - 1));
    }
    const int highest = v.a().max_exponent() + v.b().max_exponent();
    v.start();
    v.power(0, highest, negative);
    v.power(1, highest, !negative);
    v.add(fmt::format("{0}2^{1} {2} 2^{1}", s, highest, negative ? "+" : "-"));
    v.start();
    for (int lane = 0; lane < v.k(); ++lane) v.power(lane, highest, negative);
    v.add(fmt::format("{} x {}2^{}", v.k(), s, highest));
    v.start();
    v.power(0, highest, negative);
    v.c_number(-sign * all, top + 1 - p);
    v.add(fmt::format("{}2^{}, c = {}max", s, highest, negative ? "" : "-"));
    // The halfway point above the largest number, from products alone.
    v.start();
    v.power(0, top + 1, negative);
    v.power(1, top - p, !negative);
    v.add(fmt::format("{}(2^{} - 2^{})", s, top + 1, top - p));
    v.start();
    v.power(0, top + 1, negative);
    v.power(1, top + 1 - p, !negative);
    v.power(2, std::max(top - p - 4, v.a().quantum_exponent() + v.b().quantum_exponent()),
            negative);
    v.add(fmt::format("{}(max + 2^{})", s, top - p - 4));
  }
}

void subnormals(VectorMaker& v) {
  v.question = "subnormals";
  const auto lowest = [](const Format& f) { return f.quantum_exponent(); };
  const Format& a = v.a();
  const Format& b = v.b();
  const Format& c = v.c();
  const auto all_fraction = [](const Format& f) {
    return (std::int64_t{1} << f.fraction_bits) - 1;
  };
  for (const int lane : {0, v.k() - 1}) {
    v.start();
    v.product(lane, 1, lowest(a), 1, b.max_exponent() - 1);
    v.add(fmt::format("a[{}] = smallest subnormal, b large", lane));
    v.start();
    v.product(lane, 1, a.max_exponent() - 1, 1, lowest(b));
    v.add(fmt::format("b[{}] = smallest subnormal, a large", lane));
    v.start();
    v.product(lane, all_fraction(a), lowest(a), -all_fraction(b), 0);
    v.add(fmt::format("a[{}] = largest subnormal, b = -{}", lane, all_fraction(b)));
    v.start();
    v.product(lane, all_fraction(a), lowest(a), all_fraction(b), lowest(b));
    v.add(fmt::format("a[{0}], b[{0}] largest subnormals", lane));
    v.start();
    v.product(lane, 1, lowest(a), 1, lowest(b));
    v.add(fmt::format("a[{0}], b[{0}] smallest subnormals", lane));
  }
  for (const std::int64_t significand : {std::int64_t{1}, std::int64_t{-1}, all_fraction(c)}) {
    v.start();
    v.c_number(significand, lowest(c));
    v.add(fmt::format("zero products, c = {} x 2^{}", significand, lowest(c)));
    v.start();
    v.c_number(significand, lowest(c));
    v.power(0, std::max(lowest(c) + 3, lowest(a) + lowest(b)));
    v.add(fmt::format("small product, c = {} x 2^{}", significand, lowest(c)));
    v.start();
    v.c_number(significand, lowest(c));
    v.power(0, c.min_exponent());
    v.power(1, c.min_exponent(), true);
    v.add(fmt::format("2^{0} - 2^{0}, c = {1} x 2^{2}", c.min_exponent(), significand, lowest(c)));
  }
  for (int e = lowest(c) - 2; e <= c.min_exponent() + 1; e += 3) {
    v.start();
    v.power(0, e);
    v.power(1, e - 1, true);
    v.add(fmt::format("2^{} - 2^{}", e, e - 1));
    v.start();
    v.product(0, 3, e / 2, 3, e - e / 2);
    v.add(fmt::format("9 x 2^{}", e));
  }
}

/// The low 13 bits of an f32 word given as tf32.
void tf32_words(VectorMaker& v) {
  if (!(v.a() == formats::tf32)) return;
  v.question = "tf32 low bits";
  const Bits one = *exact_code(formats::f32, 1, 0);
  const Bits infinity = formats::f32.infinity();
  const auto pair = [&](int lane, Bits a, Bits b, const std::string& text) {
    v.start();
    v.codes(lane, a, b);
    v.add(text);
    v.start();
    v.codes(lane, b, a);
    v.add(text + " (exchanged)");
  };
  for (int lane = 0; lane < v.k(); ++lane)
    pair(lane, one | 0x1fff, one, fmt::format("a[{}] = 1 + all low bits, b = 1", lane));
  for (int bit = 0; bit <= 13; ++bit) {
    pair(bit % v.k(), one | one_bit << bit, one, fmt::format("a = 1 + 2^-{}, b = 1", 23 - bit));
    pair(bit % v.k(), one_bit << bit, infinity, fmt::format("a = word {:#x}, b = Inf", 1u << bit));
    pair(bit % v.k(), infinity | one_bit << bit, one,
         fmt::format("a = Inf | {:#x}, b = 1", 1u << bit));
  }
  pair(0, infinity | 0x1fff, one, "a = Inf | 0x1fff, b = 1");
  pair(0, infinity | 0x1fff | formats::f32.sign_mask(), one, "a = -Inf | 0x1fff, b = 1");
  pair(0, 0x1fff, *exact_code(formats::f32, 1, 127), "a = word 0x1fff, b = 2^127");
  pair(0, 0x3fff, *exact_code(formats::f32, 1, 127), "a = word 0x3fff, b = 2^127");
}

/// Exact products, order of the additions, one rounding each.
void fma_chain(VectorMaker& v) {
  if (!(v.a() == formats::f64)) return;
  v.question = "f64 chain";
  const int k = v.k();
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j)
      for (const int p : {(i + 1) % k, (j + 1) % k, k - 1}) {
        const bool ends = i + j == k - 1 && (i == 0 || j == 0);
        const bool neighbours = i == j + 1 || j == i + 1;
        if (p == i || p == j || !(ends || neighbours)) continue;
        v.start();
        v.power(i, 60);
        v.power(j, 60, true);
        v.power(p, 0);
        v.add(fmt::format("2^60 at {}, -2^60 at {}, 1 at {}", i, j, p));
      }
  for (int lane = 0; lane < k; ++lane) {
    v.start();
    v.product(lane, (std::int64_t{1} << 52) + 1, -52, (std::int64_t{1} << 52) - 1, -52);
    v.c_number(-1, 0);
    v.add(fmt::format("(1 + 2^-52)(1 - 2^-52) at {}, c = -1", lane));
    v.start();
    v.power(lane, -53);
    v.c_number(1, 0);
    v.add(fmt::format("2^-53 at {}, c = 1", lane));
    v.start();
    v.power(lane, -53);
    v.power((lane + 1) % k, -53);
    v.c_number((std::int64_t{1} << 52) + 1, -52);
    v.add(fmt::format("2^-53 at {} and {}, c = 1 + 2^-52", lane, (lane + 1) % k));
  }
}

}  // namespace

std::vector<ProbeVector> probe_vectors(const Claim& claim) {
  std::vector<ProbeVector> vectors;
  VectorMaker maker(claim, vectors);
  for (void (*question)(VectorMaker&) :
       {alignment, grouping, accumulator_inside, zero_exponent, zero_sign, special_values, overflow,
        subnormals, tf32_words, fma_chain})
    question(maker);
  return vectors;
}

VectorPlace vector_place(const Claim& claim, std::uint64_t v) {
  const auto m = static_cast<std::uint64_t>(claim.instruction->m);
  const auto n = static_cast<std::uint64_t>(claim.instruction->n);
  const std::uint64_t diagonal = std::min(m, n);
  return {v / diagonal, v % m, v % diagonal};
}

gpu::TileBatch vector_tiles(const Claim& claim, const std::vector<ProbeVector>& vectors) {
  if (vectors.empty()) return empty_batch(claim, 0);
  const auto m = static_cast<std::uint64_t>(claim.instruction->m);
  const auto n = static_cast<std::uint64_t>(claim.instruction->n);
  const auto k = static_cast<std::uint64_t>(claim.instruction->k);
  gpu::TileBatch batch = empty_batch(claim, vector_place(claim, vectors.size() - 1).tile + 1);
  for (std::uint64_t v = 0; v < vectors.size(); ++v) {
    const auto [tile, row, column] = vector_place(claim, v);
    for (std::uint64_t l = 0; l < k; ++l) {
      put_code(claim.a, batch.a, (tile * m + row) * k + l, vectors[v].a[l]);
      put_code(claim.b, batch.b, (tile * n + column) * k + l, vectors[v].b[l]);
    }
    put_code(claim.c, batch.c, (tile * m + row) * n + column, vectors[v].c);
  }
  return batch;
}

}  // namespace whybits
