#include "lab/probe/data_kinds.hpp"

#include <algorithm>
#include <cstring>

#include "lab/inputs.hpp"
#include "lab/probe/vector_maker.hpp"
#include "lab/word_stream.hpp"
#include "sim/share_work.hpp"

namespace whybits {
namespace {

/// Numbers for one tile: word i of a stream of its own.
class Random {
 public:
  Random(std::uint64_t seed, DataKind kind, std::uint64_t tile)
      : words_(mix(seed * 16 + static_cast<std::uint64_t>(kind)) + tile) {}
  std::uint64_t operator()() { return words_[next_++]; }
  std::uint64_t below(std::uint64_t bound) { return (*this)() % bound; }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  WordStream words_;
  std::uint64_t next_ = 0;
};

Bits random_sign(Random& random, const Format& f) {
  return random.one_in(2) ? f.sign_mask() : 0;
}

Bits finite_code(Random& random, const Format& f) {
  const Bits code = random() & f.code_mask();
  if (unpack(f, code).finite()) return code;
  return code & ~(f.sign_mask() >> 1);  // half the exponent
}

/// A random significand at an exponent; below the smallest normal one it becomes subnormal, beyond
/// the largest it stays at the largest.
Bits code_at(Random& random, const Format& f, int exponent) {
  const Bits fraction = random() & f.fraction_mask();
  const Bits sign = random_sign(random, f);
  if (exponent < f.min_exponent()) {
    const int shift = f.min_exponent() - exponent;
    if (shift > f.fraction_bits) return sign;
    return sign | ((Bits{1} << f.fraction_bits | fraction) >> shift);
  }
  const auto field = static_cast<Bits>(std::min(exponent, f.max_exponent()) + f.bias());
  return sign | std::min(field << f.fraction_bits | fraction, f.max_finite());
}

/// Writes codes of one tile into the batch.
class TileWriter {
 public:
  TileWriter(const Claim& claim, gpu::TileBatch& batch, std::uint64_t tile)
      : claim_(claim), batch_(batch), tile_(tile) {}

  std::uint64_t m() const { return static_cast<std::uint64_t>(claim_.instruction->m); }
  std::uint64_t n() const { return static_cast<std::uint64_t>(claim_.instruction->n); }
  std::uint64_t k() const { return static_cast<std::uint64_t>(claim_.instruction->k); }
  void a(std::uint64_t row, std::uint64_t lane, Bits code) {
    put_code(claim_.a, batch_.a, (tile_ * m() + row) * k() + lane, code);
  }
  void b(std::uint64_t column, std::uint64_t lane, Bits code) {
    put_code(claim_.b, batch_.b, (tile_ * n() + column) * k() + lane, code);
  }
  void c(std::uint64_t row, std::uint64_t column, Bits code) {
    put_code(claim_.c, batch_.c, (tile_ * m() + row) * n() + column, code);
  }
  /// Every word by a function of its place.
  template <class A, class B, class C>
  void fill(const A& code_of_a, const B& code_of_b, const C& code_of_c) {
    for (std::uint64_t i = 0; i < m(); ++i)
      for (std::uint64_t l = 0; l < k(); ++l) a(i, l, code_of_a(l));
    for (std::uint64_t j = 0; j < n(); ++j)
      for (std::uint64_t l = 0; l < k(); ++l) b(j, l, code_of_b(l));
    if (!claim_.with_c) return;
    for (std::uint64_t i = 0; i < m(); ++i)
      for (std::uint64_t j = 0; j < n(); ++j) c(i, j, code_of_c());
  }

 private:
  const Claim& claim_;
  gpu::TileBatch& batch_;
  std::uint64_t tile_;
};

void finite(const Claim& claim, Random& random, TileWriter& tile) {
  tile.fill([&](auto) { return finite_code(random, claim.a); },
            [&](auto) { return finite_code(random, claim.b); },
            [&] { return finite_code(random, claim.c); });
}

void cancelling(const Claim& claim, Random& random, TileWriter& tile) {
  const Format& a = claim.a;
  const Format& b = claim.b;
  std::vector<std::uint64_t> lanes(tile.k());
  for (std::uint64_t l = 0; l < lanes.size(); ++l) lanes[l] = l;
  for (std::uint64_t l = lanes.size(); l > 1; --l) std::swap(lanes[l - 1], lanes[random.below(l)]);
  const auto near = [&](Bits code) { return random.one_in(2) ? code : code ^ random.below(4); };
  for (std::uint64_t pair = 0; pair + 1 < lanes.size(); pair += 2) {
    const int spread = random.between(0, 6);
    for (std::uint64_t i = 0; i < tile.m(); ++i) {
      const Bits code = code_at(random, a, random.between(-spread, spread));
      tile.a(i, lanes[pair], code);
      tile.a(i, lanes[pair + 1], near(code));
    }
    for (std::uint64_t j = 0; j < tile.n(); ++j) {
      const Bits code = code_at(random, b, random.between(-spread, spread));
      tile.b(j, lanes[pair], code);
      tile.b(j, lanes[pair + 1], near(code) ^ b.sign_mask());
    }
  }
  if (!claim.with_c) return;
  for (std::uint64_t i = 0; i < tile.m(); ++i)
    for (std::uint64_t j = 0; j < tile.n(); ++j)
      tile.c(i, j,
             random.one_in(3) ? random_sign(random, claim.c)
                              : code_at(random, claim.c, random.between(-30, 4)));
}

/// Products with exponents in [low, high], lane by lane; a share of zeros.
struct Exponents {
  int low, high;
  std::uint64_t zero_one_in;
};

void at_exponents(const Claim& claim, Random& random, TileWriter& tile, const Exponents& range,
                  const std::function<Bits()>& code_of_c) {
  const Format a = *parse_format(claim.instruction->a);
  const Format b = *parse_format(claim.instruction->b);
  std::vector<int> ea(tile.k()), eb(tile.k());
  for (std::uint64_t l = 0; l < tile.k(); ++l) {
    const int e = random.between(range.low, range.high);
    const int lowest = std::max(a.quantum_exponent(), e - b.max_exponent());
    const int highest = std::min(a.max_exponent(), e - b.quantum_exponent());
    ea[l] = lowest <= highest ? random.between(lowest, highest)
            : e < 0           ? a.quantum_exponent() + random.between(0, 2)
                              : a.max_exponent();
    eb[l] = lowest <= highest ? e - ea[l]
            : e < 0           ? b.quantum_exponent() + random.between(0, 2)
                              : b.max_exponent();
  }
  const bool with_zeros = random.one_in(2);
  const auto code = [&](const Format& f, const Format& word, int exponent) {
    if (with_zeros && random.one_in(range.zero_one_in)) return random_sign(random, word);
    const Bits in_unit = code_at(random, f, exponent);
    return f == word ? in_unit : word_from_code(f, in_unit) | random.below(Bits{1} << 13);
  };
  tile.fill([&](std::uint64_t l) { return code(a, claim.a, ea[l]); },
            [&](std::uint64_t l) { return code(b, claim.b, eb[l]); }, code_of_c);
}

void tiny(const Claim& claim, Random& random, TileWriter& tile) {
  const Format& c = claim.c;
  const int quantum = c.quantum_exponent();
  const bool zero_c = random.one_in(2);
  at_exponents(claim, random, tile, {quantum - 14, quantum + random.between(0, 8), 3},
               [&]() -> Bits {
                 const Bits sign = random_sign(random, c);
                 return zero_c || random.one_in(2) ? sign : sign | random.below(16);
               });
}

void huge(const Claim& claim, Random& random, TileWriter& tile) {
  const Format& c = claim.c;
  const int top = c.max_exponent();
  at_exponents(claim, random, tile, {top - 6, top + random.between(-2, 2), 2}, [&]() -> Bits {
    if (random.one_in(2)) return random_sign(random, c) | (c.max_finite() - random.below(4));
    return code_at(random, c, random.between(top - 6, top));
  });
}

Bits special_code(Random& random, const Format& f, std::uint64_t odd_one_in) {
  const Bits sign = random_sign(random, f);
  if (!random.one_in(odd_one_in))
    return random.one_in(2) ? sign : sign | static_cast<Bits>(f.bias()) << f.fraction_bits;
  switch (random.below(6)) {
    case 0:
      return f.has_infinity() ? sign | f.infinity() : sign | f.max_finite();
    case 1:
      return sign | f.gpu_nan();
    case 2:  // any NaN
      return f.has_infinity() ? sign | f.infinity() | 1 | (random() & f.fraction_mask())
                              : sign | f.gpu_nan();
    case 3:
      return sign | f.max_finite();
    case 4:
      return sign | 1;
    default:
      return sign | (Bits{1} << f.fraction_bits);
  }
}

void special_tile(const Claim& claim, Random& random, TileWriter& tile) {
  constexpr std::uint64_t never = ~std::uint64_t{0};
  const auto mode = random.below(4);
  if (mode == 0) {  // zeros alone, rows and columns often of one sign
    for (std::uint64_t i = 0; i < tile.m(); ++i) {
      const Bits row = random_sign(random, claim.a);
      const bool mixed = random.one_in(4);
      for (std::uint64_t l = 0; l < tile.k(); ++l)
        tile.a(i, l, mixed && random.one_in(4) ? row ^ claim.a.sign_mask() : row);
    }
    for (std::uint64_t j = 0; j < tile.n(); ++j) {
      const Bits column = random_sign(random, claim.b);
      const bool mixed = random.one_in(4);
      for (std::uint64_t l = 0; l < tile.k(); ++l)
        tile.b(j, l, mixed && random.one_in(4) ? column ^ claim.b.sign_mask() : column);
    }
    if (!claim.with_c) return;
    for (std::uint64_t i = 0; i < tile.m(); ++i)
      for (std::uint64_t j = 0; j < tile.n(); ++j) tile.c(i, j, random_sign(random, claim.c));
    return;
  }
  const std::uint64_t odd = mode == 1 ? never : 3 * tile.k();
  tile.fill([&](auto) { return special_code(random, claim.a, odd); },
            [&](auto) { return special_code(random, claim.b, odd); },
            [&] { return special_code(random, claim.c, mode == 1 ? never : 12); });
}

/// A stretch of "uniform:S" and its kin.
void stream_words(DataKind kind, std::uint64_t stream, std::string_view operand_format,
                  const Format& word, std::uint64_t first, std::vector<std::uint8_t>& words,
                  std::uint64_t stretch, std::uint64_t index) {
  const InputSpec spec = kind == DataKind::uniform ? InputSpec(UniformInput{stream})
                         : kind == DataKind::wide  ? InputSpec(WideInput{stream})
                                                   : InputSpec(BitsInput{stream});
  const std::uint64_t begin = first + index * stretch;
  const auto source = open_input(spec, *parse_format(operand_format), {begin + stretch, {}});
  std::vector<Bits> codes(stretch);
  source->read(begin, 1, codes);
  // A generated tf32 operand has codes of 19 bits; memory holds f32 words.
  for (std::uint64_t i = 0; i < stretch; ++i)
    put_code(word, words, index * stretch + i, word_from_code(source->format(), codes[i]));
}

}  // namespace

gpu::TileBatch random_tiles(const Claim& claim, DataKind kind, std::uint64_t seed,
                            std::uint64_t first, std::uint64_t tiles, unsigned threads) {
  gpu::TileBatch batch = empty_batch(claim, tiles);
  const gpu::MatrixInstruction& row = *claim.instruction;
  share_work(tiles, threads, [&](std::uint64_t t) {
    if (is_stream(kind)) {
      const auto size = [](int x, int y) {
        return static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y);
      };
      const std::uint64_t a = size(row.m, row.k);
      const std::uint64_t b = size(row.n, row.k);
      const std::uint64_t c = size(row.m, row.n);
      stream_words(kind, seed, row.a, claim.a, first * a, batch.a, a, t);
      stream_words(kind, seed + 1, row.b, claim.b, first * b, batch.b, b, t);
      stream_words(kind, seed + 2, row.d, claim.c, first * c, batch.c, c, t);
      return;
    }
    Random random(seed, kind, first + t);
    TileWriter tile(claim, batch, t);
    switch (kind) {
      case DataKind::finite:
        return finite(claim, random, tile);
      case DataKind::cancelling:
        return cancelling(claim, random, tile);
      case DataKind::tiny:
        return tiny(claim, random, tile);
      case DataKind::huge:
        return huge(claim, random, tile);
      default:
        return special_tile(claim, random, tile);
    }
  });
  return batch;
}

}  // namespace whybits
