// Signs of zeros, NaN and infinity, overflow and subnormals.
#include <fmt/format.h>

#include <algorithm>

#include "lab/probe/vector_questions.hpp"

namespace whybits {

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

namespace {

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
    const Bits quiet = Bits{1} << (f.fraction_bits - 1);
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

}  // namespace

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

}  // namespace whybits
