// How terms are aligned: bits that are kept, lanes that share a step, what zeros bring.
#include <fmt/format.h>

#include <algorithm>

#include "lab/probe/vector_questions.hpp"

namespace whybits {

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

}  // namespace whybits
