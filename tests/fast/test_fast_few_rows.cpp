// One or two rows of outputs: 16-bit words go to the kernels as they lie.
#include <algorithm>

#include "tests/fast/all_outputs.hpp"
#include "tests/support/random_leaves.hpp"

namespace whybits::test {
namespace {

/// Operands of one exponent, give or take 12: with e near 12 their products pass the borders of
/// shortcuts, and do not elsewhere.
std::vector<Bits> near(Random& random, const Format& format, std::uint64_t n, int exponent) {
  std::vector<Bits> codes(n);
  for (Bits& code : codes) {
    const auto e =
        std::clamp<std::int64_t>(exponent + random.between(-12, 12), 0, 2 * format.bias());
    code = static_cast<Bits>(e) << format.fraction_bits |
           random.below(std::uint64_t{1} << format.fraction_bits);
    code |= format.sign(random.coin());
    if (random.below(16) == 0) code = 0;
  }
  return codes;
}

/// Few of the columns have operands beyond the kernel: those beside them must not see it.
void spoil(Random& random, const Format& format, std::vector<Bits>& codes) {
  const std::uint64_t few = random.below(4);
  for (std::uint64_t i = 0; i < few; ++i)
    codes[random.below(codes.size())] =
        random_code(random, format, random.coin() ? LeafKind::special : LeafKind::wide);
}

void check(Random& random, const Format& format, const std::string& topology) {
  fast::LaneOperands operands;
  operands.rows = random.below(2) + 1;
  operands.columns = 64 * (random.below(3) + 1) + (random.coin() ? 0 : random.below(64));
  operands.length = random.below(300) + 1;
  const int middle = format.bias();
  const auto exponent = [&] {
    return static_cast<int>(random.between(-middle, middle)) / (random.coin() ? 1 : 8) + middle;
  };
  std::vector<Bits> a = near(random, format, operands.rows * operands.length, exponent());
  std::vector<Bits> b = near(random, format, operands.columns * operands.length, exponent());
  if (random.below(4) == 0) spoil(random, format, a);
  spoil(random, format, b);
  operands.a = fast::CodeMatrix::of(format, operands.rows, operands.length, a);
  operands.b = fast::CodeMatrix::of(format, operands.length, operands.columns, b);
  check_all_outputs(parse_topology(topology), operands);
}

TEST_CASE("few rows have the reference evaluator's bits: words of bf16") {
  for (const char* topology :
       {"fold(sm90.wgmma.bf16)", "fold(sm80.mma.bf16)", "fold(sm90.wgmma.bf16 > bf16)",
        "slices(40, fold(sm90.wgmma.bf16), fold(f32)) > bf16",
        "fold(aligned(l=16, f=13, e0=-133, out=e8m13.rz))",
        "fold(aligned(l=8, f=29, e0=-133, out=f32.rz))", "fold(aligned(l=5, f=25, out=f32))"})
    for_all(12, [&](Random& random) { check(random, formats::bf16, topology); });
}

TEST_CASE("few rows have the reference evaluator's bits: words of f16") {
  for (const char* topology : {"fold(sm90.wgmma.f16)", "fold(sm80.mma.f16)", "fold(sm70.mma.f16)",
                               "fold(sm90.mma.f16.acc16)"})
    for_all(8, [&](Random& random) { check(random, formats::f16, topology); });
}

/// The same operands in every row and column, but for one column.
void check_beside(const std::string& topology, const std::vector<Bits>& a,
                  const std::vector<Bits>& b, const std::vector<Bits>& other) {
  constexpr std::uint64_t columns = 128, odd_one = 77;
  std::vector<Bits> wide;
  for (std::size_t i = 0; i < b.size(); ++i) {
    wide.insert(wide.end(), columns, b[i]);
    wide[i * columns + odd_one] = other[i];
  }
  for (const std::uint64_t rows : {1u, 2u}) {
    fast::LaneOperands operands;
    operands.rows = rows;
    operands.columns = columns;
    operands.length = a.size();
    operands.a = fast::CodeMatrix::of(formats::bf16, 1, a.size(), a).broadcast(rows, a.size());
    operands.b = fast::CodeMatrix::of(formats::bf16, b.size(), columns, wide);
    check_all_outputs(parse_topology(topology), operands);
  }
}

TEST_CASE("an infinity or NaN shows beside an operand that hides its exponent: bf16, few rows") {
  for (const Bits hidden : {0x0000u, 0x8000u, 0x0001u, 0x0400u})  // 0, −0, 2^-133, 2^-119
    for (const Bits special : {0x7f80u, 0xff80u, 0x7fc0u, 0x7f00u}) {
      std::vector<Bits> a(40, 0x3f80), b(40, 0x3f81), other = b;
      a[21] = hidden;
      other[21] = special;
      check_beside("fold(sm90.wgmma.bf16)", a, b, other);
      check_beside("fold(sm80.mma.bf16)", a, b, other);
    }
}

TEST_CASE("an infinity, NaN or large number shows beside operands of any size: bf16, few rows") {
  for (const Bits beside :
       {0x0c00u, 0x0c80u, 0x4000u, 0x4980u, 0x4c00u})  // 2^-103, -102, 1, 20, 25
    for (const Bits special : {0x7f80u, 0xff80u, 0x7fc0u, 0x7f00u, 0x7280u}) {
      std::vector<Bits> a(40, 0x3f80), b(40, 0x3f81), other = b;
      a[21] = beside;
      other[21] = special;
      check_beside("fold(sm90.wgmma.bf16)", a, b, other);
      check_beside("fold(sm80.mma.bf16)", a, b, other);
    }
}

TEST_CASE("sixteen products that are almost 4, and almost 2, leave 32 bits: bf16, few rows") {
  std::vector<Bits> a(32, 0x3fff), b(32, 0x3f80);
  std::fill(b.begin() + 1, b.begin() + 16, Bits{0});
  for (const Bits code : {0x3fffu, 0xbfffu}) {
    std::vector<Bits> other = b;
    other[0] = code - 0x80;  // half of it: the first step gives almost 2
    std::fill(other.begin() + 16, other.end(), code);
    check_beside("fold(sm90.wgmma.bf16)", a, b, other);
  }
}

TEST_CASE("a zero beside an operand beyond 2^25 has no exponent of its own: bf16, few rows") {
  // 2^30 · 0, and 2^-110 with 2^-119 ten places below it.
  std::vector<Bits> a(16, 0x0000), b(16, 0x0000);
  a[0] = 0x4e80;
  a[1] = a[2] = a[3] = 0x2180;
  b[1] = 0x2680;
  b[2] = 0x2200;
  b[3] = 0x8001;
  for (const int f : {1, 9, 16, 20, 23, 24, 25})
    check_beside("fold(aligned(l=16, f=" + std::to_string(f) + ", e0=-133, out=f32.rz))", a, b, b);
}

// What enters the floats is b · 2^(F − E), and a apart from it: with E far below F a large b beside
// a zero leaves float, and a subnormal b seems a normal one.
TEST_CASE("a large operand beside a zero, where all else is tiny: bf16, few rows") {
  for (const int up : {0, 1, 2, 3, 24, 25, 26, 100, 126}) {
    // Products 2^(−100 + up) with F − E near 125 − up, b = 2^i beside a zero.
    for (const int i : {1, 2, 3, 25, 26, 27, 100, 126, 127}) {
      std::vector<Bits> a(16, 0x3f80), b(16, static_cast<Bits>(27 + up) << 7 | 0x35), other = b;
      a[5] = 0x8000;
      other[5] = static_cast<Bits>(127 + i) << 7 | 0x7f;
      check_beside("fold(sm90.wgmma.bf16)", a, b, other);
      check_beside("fold(aligned(l=16, f=13, e0=-133, out=e8m13.rz))", a, b, other);
      a[5] = 0x0001;  // a subnormal hides it as well
      check_beside("fold(sm90.wgmma.bf16)", a, b, other);
    }
  }
}

TEST_CASE("a subnormal beside operands of any size, where all else is tiny: bf16, few rows") {
  for (const int e : {-20, -1, 0, 1, 2, 24, 25, 26})       // of a beside the subnormal
    for (const int near : {-3, -2, -1, 0, 1, 2, 3, 40}) {  // of E above 2^(e − 101), where F = 25
      const int top = e - 101 + near;
      std::vector<Bits> a(32, 0x3f80), b(32, 0x0000), other;
      for (const std::size_t k : {3u, 19u}) b[k] = static_cast<Bits>(std::max(top + 127, 1)) << 7;
      a[7] = a[8] = a[23] = static_cast<Bits>(127 + e) << 7 | 0x7f;
      other = b;
      other[7] = 0x007f;
      other[8] = 0x8001;
      other[23] = 0x807f;
      check_beside("fold(sm90.wgmma.bf16)", a, b, other);
      check_beside("fold(sm80.mma.bf16)", a, b, other);
      check_beside("fold(aligned(l=16, f=13, e0=-133, out=e8m13.rz))", a, b, other);
    }
}

}  // namespace
}  // namespace whybits::test
