// Where shortcuts of the lanes end: one case for each, found by searching near the derivations.
#include <xmmintrin.h>

#include <cfenv>
#include <cstring>

#include "tests/fast/all_outputs.hpp"
#include "tests/support/property.hpp"

namespace whybits::test {
namespace {

/// The same products in every output: rows × columns of them.
fast::LaneOperands repeated(const Format& fa, const std::vector<Bits>& a, const Format& fb,
                            const std::vector<Bits>& b, std::uint64_t rows, std::uint64_t columns) {
  fast::LaneOperands made;
  made.rows = rows;
  made.columns = columns;
  made.length = a.size();
  made.a = fast::CodeMatrix::of(fa, 1, a.size(), a).broadcast(rows, a.size());
  std::vector<Bits> wide;
  for (const Bits code : b) wide.insert(wide.end(), columns, code);
  made.b = fast::CodeMatrix::of(fb, b.size(), columns, wide);
  return made;
}

fast::LaneOperands values(const Format& format, std::uint64_t columns,
                          const std::vector<Bits>& codes) {
  fast::LaneOperands made;
  made.rows = 1;
  made.columns = columns;
  made.length = codes.size() / columns;
  made.b = fast::CodeMatrix::of(format, made.length, columns, codes);
  return made;
}

TEST_CASE("a negative sum that f16 rounds to zero is +0, as the unit has it") {
  // 2^-21 − 2^-21 − 2^-30: below half of f16's smallest number.
  const std::vector<Bits> a{0x1000, 0x1000, 0x0400}, b{0x1400, 0x9400, 0x8200};
  for (const char* topology : {"fold(sm90.mma.f16.acc16)", "fold(sm70.mma.f16.acc16)"})
    check_all_outputs(parse_topology(topology), repeated(formats::f16, a, formats::f16, b, 5, 70));
}

TEST_CASE("sums of zeros are +0 wherever the exponent of zero lies") {
  for (const int e0 : {-4096, -133, 100, 119, 120, 126, 127, 128, 152, 153, 154, 200, 409, 4096})
    for (const char* out : {"f32.rz", "f16", "bf16"}) {
      const std::string unit = "aligned(l=4, f=25, e0=" + std::to_string(e0) + ", out=" + out + ")";
      const std::vector<Bits> a{0x0000, 0x8000, 0x3f80, 0x0000, 0x8000},
          b{0x4000, 0x3f80, 0x8000, 0x0000, 0x7f7f};
      for (const std::uint64_t rows : {1u, 4u})
        check_all_outputs(parse_topology("fold(" + unit + ")"),
                          repeated(formats::bf16, a, formats::bf16, b, rows, 64));
    }
}

TEST_CASE("a zero beside a large operand has no exponent of its own: bf16, few rows") {
  // 2^24 · 0, and 2^-110 with 2^-119 ten places below it.
  const std::vector<Bits> a{0x4b80, 0x2180, 0x2180, 0x2180}, b{0x0000, 0x2680, 0x2200, 0x8001};
  for (const int f : {1, 8, 9, 10, 16, 20, 22, 23, 24, 25})
    for (const std::uint64_t rows : {1u, 2u, 3u})
      check_all_outputs(
          parse_topology("fold(aligned(l=4, f=" + std::to_string(f) + ", e0=-133, out=f32.rz))"),
          repeated(formats::bf16, a, formats::bf16, b, rows, 128));
}

TEST_CASE("NaN in a format without NaN becomes its largest number, in lanes too") {
  const std::vector<Bits> a{0x7fc0, 0x3f80}, b{0x3f80, 0x3f80};
  for (const char* topology :
       {"fold(sm80.mma.bf16 > e2m1) > e5m2", "slices(1, fold(sm80.mma.bf16) > e2m3, fold(f32))",
        "slices(1, fold(f64.fma) > e3m2, fold(f64))"})
    check_all_outputs(parse_topology(topology), repeated(formats::bf16, a, formats::bf16, b, 3, 9));
}

/// Sets the control register of this thread's vector unit.
class ControlRegister {
 public:
  explicit ControlRegister(unsigned bits) : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | bits); }
  ~ControlRegister() { _mm_setcsr(saved_); }
  ControlRegister(const ControlRegister&) = delete;
  unsigned saved() const { return saved_; }

 private:
  unsigned saved_;
};

TEST_CASE("a process that flushes subnormals or rounds otherwise gets the same bits") {
  constexpr unsigned flush = 0x8040, upward = 0x4000;
  Random random(run_seed());
  std::vector<Bits> codes;
  for (int i = 0; i < 20 * 64; ++i)
    codes.push_back(random.below(0x02000000) | random.below(2) << 31);
  const fast::LaneOperands operands = values(formats::f32, 64, codes);
  const Reduction reduction = make_reduction(parse_topology("fold(f32)"), 20, operands.types());
  const fast::Plan plan = fast::compile(reduction, operands.types());
  for (const unsigned bits : {flush, upward, flush | upward})
    for (const unsigned threads : {1u, 2u}) {
      fast::CodeMatrix got;
      unsigned left = 0;
      {
        const ControlRegister set(bits);
        got = fast::evaluate(plan, operands, {.threads = threads});
        left = _mm_getcsr() & ~0x3fu;
        CHECK(left == ((set.saved() | bits) & ~0x3fu));
      }
      for (std::uint64_t c = 0; c < 64; ++c)
        REQUIRE(got.at(0, c) == evaluate(reduction, fast::OutputLeaves(operands, 0, c).get()));
    }
}

TEST_CASE("rounding every step is right where sums are small, overflow or are no numbers") {
  Random random(run_seed());
  constexpr std::uint64_t k = 300, columns = 64;
  // Few fraction bits make ties; exponents spread by four from the least.
  const auto code = [&](int least, bool specials) -> Bits {
    const Bits pick = specials ? random.below(4096) : 2;
    const Bits sign = random.below(2) << 31;
    if (pick == 0) return sign | (random.below(2) ? 0x7fffffff : 0x7f800000);
    if (pick == 1 || random.below(8) == 0) return sign;
    return sign | (static_cast<Bits>(least + 127) + random.below(4)) << 23 |
           (random.below(0x800000) & (random.below(2) ? 0x7f8000u : 0x7ffffeu));
  };
  struct Range {
    int a, b, c = -126;
    std::uint64_t rows = 9;
    bool specials = false;
  };
  for (const Range& range :
       {Range{0, 0}, Range{0, 0, 0, 22, true}, Range{-40, -40, -110, 4}, Range{-41, -40},
        Range{-52, -51}, Range{-66, -66}, Range{34, 34, 96, 13}, Range{34, 34, 97},
        Range{35, 34, 96, 8}, Range{34, 34, 108}, Range{20, 20, 122}, Range{50, 55}, Range{55, 60},
        Range{-120, 120, 0, 5}}) {
    CAPTURE(range.a, range.b, range.c, range.rows, range.specials);
    const std::uint64_t rows = range.rows;
    std::vector<Bits> a, b, c;
    for (std::size_t i = 0; i < rows * k; ++i)  // the first two rows leave c as it is
      a.push_back(i < k ? 0x80000000u : i < 2 * k ? 0 : code(range.a, range.specials));
    for (std::size_t i = 0; i < k * columns; ++i) {
      const Bits any = code(range.b, range.specials);
      b.push_back(i % 4 == 0 ? any & 0x7fffffff : any);  // where sums of -0 stay what they are
    }
    for (std::size_t i = 0; i < rows * columns; ++i)
      c.push_back(i % 64 == 0   ? 1 + random.below(0x800000)
                  : i % 64 == 4 ? 0x80000000u
                                : code(range.c, false));
    fast::LaneOperands operands;
    operands.rows = rows;
    operands.columns = columns;
    operands.length = k;
    operands.a = fast::CodeMatrix::of(formats::f32, rows, k, a);
    operands.b = fast::CodeMatrix::of(formats::f32, k, columns, b);
    const auto check = [&](const char* topology) {
      check_all_outputs(parse_topology(topology), operands);
    };
    for (const char* step : {"fold(f32.fma > bf16)", "fold(f32.fma > tf32)", "fold(f32.fma > e8m1)",
                             "fold(f32.fma > e8m11)", "fold(f32.fma > e8m22)"})
      check(step);
    operands.c = fast::CodeMatrix::of(formats::f32, rows, columns, c);
    check("fold(f32.fma > bf16, from=c)");
    check("fold(f32.fma > e8m11, from=c)");
    operands.c.reset();
    operands.product = Conversion{formats::f32, {}};
    check("fold(f32 > bf16)");
    check("fold(f32 > e8m20)");
  }
}

TEST_CASE("borrowed words need not be aligned") {
  Random random(run_seed());
  for (const Format& format : {formats::f32, formats::f64, formats::bf16, formats::tf32}) {
    constexpr std::uint64_t k = 9, rows = 3, columns = 70;
    const auto matrix = [&](std::uint64_t r, std::uint64_t c, std::vector<std::byte>& bytes) {
      const auto word = format.word_bytes();
      bytes.resize(r * c * word + 1);
      for (std::size_t i = 0; i < r * c; ++i) {
        const Bits code = (static_cast<Bits>(format.bias()) << format.fraction_bits) |
                          random.below(Bits{1} << format.fraction_bits);
        const Bits at = word_from_code(format, code);
        std::memcpy(bytes.data() + 1 + i * word, &at, word);
      }
      return fast::CodeMatrix::borrow(format, r, c, bytes.data() + 1);
    };
    std::vector<std::byte> a, b;
    fast::LaneOperands operands;
    operands.rows = rows;
    operands.columns = columns;
    operands.length = k;
    operands.a = matrix(rows, k, a);
    operands.b = matrix(k, columns, b);
    check_all_outputs(parse_topology(format == formats::f64 ? "fold(f64.fma)" : "fold(f32.fma)"),
                      operands);
    if (format == formats::bf16)
      check_all_outputs(parse_topology("fold(sm90.wgmma.bf16)"), operands);
    if (format == formats::f64) continue;
    operands.product = Conversion{formats::f32, {}};
    check_all_outputs(parse_topology("pairs(f32)"), operands);
  }
}

TEST_CASE("a tall tree's registers take no more than a wide one's") {
  std::string list = "300";
  for (int i = 299; i >= 0; --i) list = "(" + std::to_string(i) + " " + list + ")";
  constexpr std::uint64_t n = 301, columns = 200;
  Random random(run_seed());
  std::vector<Bits> codes;
  for (std::uint64_t i = 0; i < n * columns; ++i)
    codes.push_back(0x3f000000 + random.below(1 << 24));
  const fast::LaneOperands operands = values(formats::f32, columns, codes);
  const SchemaPtr schema = parse_topology("tree(f32, " + list + ")");
  check_all_outputs(schema, operands);
  fast::LaneOperands many = operands;
  many.columns = 1 << 20;
  const fast::Plan plan =
      fast::compile(make_reduction(schema, n, operands.types()), operands.types());
  REQUIRE(plan.registers() > 200);
  CHECK(fast::working_bytes(plan, many, 1) < std::uint64_t{4} << 20);
}

}  // namespace
}  // namespace whybits::test
