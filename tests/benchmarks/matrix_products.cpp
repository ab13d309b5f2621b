// Square products through emulated units, against a native sgemm of the same size.
#include <bit>

#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/openblas.hpp"
#include "tests/benchmarks/outputs.hpp"

namespace whybits::bench {
namespace {

struct Row {
  const char* topology;
  Format operand;
  bool rounded_products;
  double goal_avx512, goal_avx2;  ///< parts of sgemm's rate
};

const Row table[] = {{"fold(sm90.wgmma.bf16)", formats::bf16, false, 1.0 / 5, 1.0 / 8},
                     {"fold(sm90.wgmma.f16)", formats::f16, false, 1.0 / 5, 1.0 / 8},
                     {"fold(sm90.wgmma.e4m3)", formats::e4m3, false, 1.0 / 5, 1.0 / 8},
                     {"fold(sm90.mma.tf32)", formats::tf32, false, 1.0 / 8, 1.0 / 12},
                     {"fold(f32.fma)", formats::f32, false, 0.8, 0.8},
                     {"fold(f32)", formats::f32, true, 0.5, 0.5}};

std::optional<Goal> goal_of(const Row& row, const std::string& instruction_set) {
  if (instruction_set.starts_with("AVX3")) return Goal{row.goal_avx512};
  if (instruction_set == "AVX2") return Goal{row.goal_avx2};
  return std::nullopt;
}

std::vector<float> floats(const fast::CodeMatrix& matrix) {
  std::vector<float> values;
  for (std::uint64_t r = 0; r < matrix.rows(); ++r)
    for (std::uint64_t c = 0; c < matrix.columns(); ++c)
      values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(matrix.at(r, c))));
  return values;
}

/// Whole numbers so small that every order of adding gives the same: proof that the peer multiplies
/// the same matrices.
void check_peer(const OpenBlas& blas) {
  constexpr std::uint64_t m = 5, n = 7, k = 100;
  const auto whole = [](std::uint64_t rows, std::uint64_t columns, std::uint64_t stream) {
    std::vector<Bits> codes(rows * columns);
    for (std::size_t i = 0; i < codes.size(); ++i)
      codes[i] = std::bit_cast<std::uint32_t>(
          static_cast<float>(random_word(stream << 32 | i) % 17) - 8.0F);
    return fast::CodeMatrix::of(formats::f32, rows, columns, codes);
  };
  fast::LaneOperands operands;
  operands.rows = m;
  operands.columns = n;
  operands.length = k;
  operands.a = whole(m, k, 3);
  operands.b = whole(k, n, 4);
  const std::vector<float> a = floats(*operands.a), b = floats(operands.b);
  std::vector<float> c(m * n);
  blas.sgemm(m, n, k, a.data(), b.data(), c.data());
  if (c != floats(Evaluation(parse_topology("fold(f32.fma)"), operands).run()))
    throw WrongResult("OpenBLAS does not give the product of small whole numbers");
}

}  // namespace

Results matrix_products(const Settings& settings) {
  const std::uint64_t side = settings.quick ? 64 : 1024;
  const MatrixSize size{side, side, side};
  const OpenBlas& blas = OpenBlas::get();
  std::vector<float> a, b, c(side * side);
  if (blas.found()) {
    check_peer(blas);
    a = floats(uniform_matrix(formats::f32, side, side, 1));
    b = floats(uniform_matrix(formats::f32, side, side, 2));
  }
  Results results;
  for (const Row& row : table) {
    fast::LaneOperands operands = uniform_operands(row.operand, size);
    if (row.rounded_products) operands.product = Conversion{formats::f32, {}};
    const Evaluation evaluation(parse_topology(row.topology), std::move(operands));
    fast::CodeMatrix out;
    const auto own = [&] { out = evaluation.run(); };
    const std::string name = std::string(row.topology) +
                             (row.rounded_products ? " of rounded products, " : ", ") +
                             std::to_string(side) + "^3";
    if (blas.found()) {
      const auto peer = [&] {
        const int n = static_cast<int>(side);
        blas.sgemm(n, n, n, a.data(), b.data(), c.data());
        keep(c);
      };
      results.push_back(line(name, "product", size.products(), "OpenBLAS sgemm " + blas.core(),
                             size.products(), in_turns(settings.runs, own, peer)));
      results.back().goal = goal_of(row, settings.instruction_set);
      results.back().note = evaluation.kernels();
    } else {
      own();
    }
    evaluation.check(out);
  }
  return results;
}

}  // namespace whybits::bench
