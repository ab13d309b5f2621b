#include "tests/benchmarks/units.hpp"

#include <bit>

#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"

namespace whybits::bench {
namespace {

std::vector<float> floats(const fast::CodeMatrix& matrix) {
  std::vector<float> values;
  for (std::uint64_t r = 0; r < matrix.rows(); ++r)
    for (std::uint64_t c = 0; c < matrix.columns(); ++c)
      values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(matrix.at(r, c))));
  return values;
}

fast::CodeMatrix whole_numbers(std::uint64_t rows, std::uint64_t columns, std::uint64_t stream) {
  std::vector<Bits> codes(rows * columns);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto value = static_cast<float>(random_word(stream << 32 | i) % 17);
    codes[i] = std::bit_cast<std::uint32_t>(value - 8);
  }
  return fast::CodeMatrix::of(formats::f32, rows, columns, codes);
}

/// Whole numbers so small that every order of adding gives the same.
void check_sgemm() {
  constexpr std::uint64_t m = 5, n = 7, k = 100;
  fast::LaneOperands operands;
  operands.rows = m;
  operands.columns = n;
  operands.length = k;
  operands.a = whole_numbers(m, k, 3);
  operands.b = whole_numbers(k, n, 4);
  const std::vector<float> a = floats(*operands.a), b = floats(operands.b);
  std::vector<float> c(m * n);
  OpenBlas::get().sgemm(m, n, k, a.data(), b.data(), c.data());
  if (c != floats(Evaluation(parse_topology("fold(f32.fma)"), operands).run()))
    throw WrongResult("OpenBLAS does not give the product of small whole numbers");
}

}  // namespace

Evaluation MeasuredUnit::evaluation(const MatrixSize& size) const {
  fast::LaneOperands operands = uniform_operands(operand, size);
  if (rounded_products) operands.product = Conversion{formats::f32, {}};
  return {parse_topology(topology), std::move(operands)};
}

std::span<const MeasuredUnit> measured_units() {
  static const MeasuredUnit all[] = {
      {"fold(sm90.wgmma.bf16)", formats::bf16, false, 1.0 / 5, 1.0 / 8},
      {"fold(sm90.wgmma.f16)", formats::f16, false, 1.0 / 5, 1.0 / 8},
      {"fold(sm90.wgmma.e4m3)", formats::e4m3, false, 1.0 / 5, 1.0 / 8},
      {"fold(sm90.mma.tf32)", formats::tf32, false, 1.0 / 8, 1.0 / 12},
      {"fold(f32.fma)", formats::f32, false, 0.8, 0.8},
      {"fold(f32)", formats::f32, true, 0.5, 0.5}};
  return all;
}

std::string sgemm_name() {
  return "OpenBLAS sgemm " + OpenBlas::get().core();
}

Sgemm::Sgemm(const MatrixSize& size)
    : size_(size),
      a_(floats(uniform_matrix(formats::f32, size.m, size.k, 1))),
      b_(floats(uniform_matrix(formats::f32, size.k, size.n, 2))),
      c_(size.m * size.n) {
  check_sgemm();
}

void Sgemm::run() {
  OpenBlas::get().sgemm(static_cast<int>(size_.m), static_cast<int>(size_.n),
                        static_cast<int>(size_.k), a_.data(), b_.data(), c_.data());
  keep(c_);
}

}  // namespace whybits::bench
