// What only tf32 and only f64 instructions are asked.
#include <fmt/format.h>

#include "lab/probe/vector_questions.hpp"

namespace whybits {

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
    pair(bit % v.k(), one | Bits{1} << bit, one, fmt::format("a = 1 + 2^-{}, b = 1", 23 - bit));
    pair(bit % v.k(), Bits{1} << bit, infinity, fmt::format("a = word {:#x}, b = Inf", 1u << bit));
    pair(bit % v.k(), infinity | Bits{1} << bit, one,
         fmt::format("a = Inf | {:#x}, b = 1", 1u << bit));
  }
  pair(0, infinity | 0x1fff, one, "a = Inf | 0x1fff, b = 1");
  pair(0, infinity | 0x1fff | formats::f32.sign_mask(), one, "a = -Inf | 0x1fff, b = 1");
  pair(0, 0x1fff, *exact_code(formats::f32, 1, 127), "a = word 0x1fff, b = 2^127");
  pair(0, 0x3fff, *exact_code(formats::f32, 1, 127), "a = word 0x3fff, b = 2^127");
}

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

}  // namespace whybits
