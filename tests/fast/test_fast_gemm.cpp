// Panels of a matrix product: every chosen output, whatever the panel, the order and the threads.
#include <stdexcept>

#include "sim/fast/gemm.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/property.hpp"

namespace whybits::test {
namespace {

/// Numbers by index alone.
class Numbers final : public CodeSource {
 public:
  Numbers(const Format& format, std::uint64_t size) : format_(format), size_(size) {}
  Format format() const override { return format_; }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint64_t at = first + i * stride;
      if (at >= size_) throw std::out_of_range("beyond the operand");
      if (at == fails_at) throw std::runtime_error("unreadable");
      Random random(at);
      out[i] = (static_cast<Bits>(format_.bias() - 1) << format_.fraction_bits) ^
               random.below(format_.code_mask() >> 2);
    }
  }
  std::uint64_t fails_at = ~std::uint64_t{0};

 private:
  Format format_;
  std::uint64_t size_;
};

struct Product {
  GemmShape shape{11, 150, 70};
  Numbers a{formats::bf16, shape.m* shape.k}, b{formats::bf16, shape.k* shape.n},
      c{formats::f32, shape.m* shape.n}, bias{formats::bf16, shape.n};
  GemmOperands operands{shape, &a, &b, &c, &bias, {}};
  std::vector<Reduction> reductions() const {
    std::vector<Reduction> made;
    for (const char* topology :
         {"fold(sm90.wgmma.bf16) > bf16", "slices(24, fold(f32.fma), fold(f32, from=c)) + bias"})
      made.push_back(make_reduction(parse_topology(topology), shape.k, operands.types()));
    return made;
  }
};

TEST_CASE("every panel gives the reference evaluator's outputs, in the order of the choice") {
  const Product product;
  const auto reductions = product.reductions();
  for_all(6, [&](Random& random) {
    ChosenOutputs chosen;
    for (std::uint64_t i = random.below(12) + 1; i > 0; --i)
      chosen.rows.push_back(random.below(product.shape.m));
    for (std::uint64_t i = random.below(2) ? 1 + random.below(12) : random.below(200); i > 0; --i)
      chosen.columns.push_back(random.below(product.shape.n));
    std::vector<std::vector<Bits>> expected(2, std::vector<Bits>(chosen.size()));
    for_each_output(product.operands, chosen, {.threads = 1},
                    [&](std::size_t i, std::size_t j, const Leaves& leaves) {
                      for (std::size_t r = 0; r < 2; ++r)
                        expected[r][i * chosen.columns.size() + j] =
                            evaluate(reductions[r], leaves);
                    });
    for (const std::uint64_t panel :
         {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{10000}, fast::default_panel_bytes})
      for (const unsigned threads : {1u, 3u, 64u}) {
        std::uint64_t last = 0;
        bool monotone = true;
        const GemmOptions options{.threads = threads, .progress = [&](std::uint64_t done) {
                                    monotone &= done >= last;
                                    last = done;
                                  }};
        CAPTURE(panel, threads, chosen.rows.size(), chosen.columns.size());
        REQUIRE(fast::evaluate_gemm(reductions, product.operands, chosen, options, panel) ==
                expected);
        CHECK(monotone);
        CHECK(last == chosen.size());
      }
  });
}

TEST_CASE("what a source throws ends the product") {
  Product product;
  const auto reductions = product.reductions();
  product.b.fails_at = 5000;
  CHECK_THROWS_AS(
      fast::evaluate_gemm(reductions, product.operands, ChosenOutputs::all(product.shape)),
      std::runtime_error);
}

TEST_CASE("what progress throws ends the product") {
  const Product product;
  const GemmOptions options{.threads = 3,
                            .progress = [](std::uint64_t) { throw std::runtime_error("enough"); }};
  CHECK_THROWS_AS(fast::evaluate_gemm(product.reductions(), product.operands,
                                      ChosenOutputs::all(product.shape), options),
                  std::runtime_error);
}

TEST_CASE("sums of rows: all panels, few rows and many, with progress to the end") {
  const Numbers values(formats::f32, 100 * 33);
  LeafTypes types;
  types.a = formats::f32;
  const std::vector<Reduction> reductions{make_reduction(parse_topology("pairs(f32)"), 33, types)};
  for (const std::uint64_t rows : {0u, 1u, 7u, 8u, 65u, 100u})
    for (const std::uint64_t panel :
         {std::uint64_t{1}, std::uint64_t{33 * 4 * 3}, fast::default_panel_bytes}) {
      std::uint64_t last = 0;
      const GemmOptions options{.progress = [&](std::uint64_t done) { last = done; }};
      const auto got = fast::evaluate_rows(reductions, values, rows, 33, options, panel);
      REQUIRE(got[0].size() == rows);
      CHECK(last == rows);
      for (std::uint64_t row = 0; row < rows; ++row) {
        std::vector<Bits> codes(33);
        values.read(row * 33, 1, codes);
        const OperandVector addends(formats::f32, codes);
        Leaves leaves;
        leaves.a = &addends;
        REQUIRE(got[0][row] == evaluate(reductions[0], leaves));
      }
    }
}

TEST_CASE("the memory that is announced has room for operands, results and tiles") {
  const Numbers wide(formats::f32, ~std::uint64_t{0});
  // 64 rows of 2^26 words do not fit into a panel: only some are held at once.
  const std::uint64_t n = std::uint64_t{1} << 26;
  const std::uint64_t rows = fast::evaluate_rows_bytes(wide, 64, n, 2);
  CHECK(rows >= fast::default_panel_bytes / 2 + n * sizeof(std::uint64_t));
  CHECK(rows <= 6 * fast::default_panel_bytes);
  CHECK(fast::evaluate_rows_bytes(wide, ~std::uint64_t{0}, n, 2) >= rows);
  const GemmOperands operands{{4096, 4096, 1}, &wide, &wide, nullptr, nullptr, {}};
  const std::uint64_t outputs = std::uint64_t{4096} * 4096;
  CHECK(fast::evaluate_gemm_bytes(operands, ChosenOutputs::all(operands.shape), 2) >=
        outputs * sizeof(float));
  // Outputs come in panels too.
  const GemmOperands large{{200000, 200000, 1}, &wide, &wide, nullptr, nullptr, {}};
  CHECK(fast::evaluate_gemm_bytes(large, ChosenOutputs::all(large.shape), 2) <
        2 * fast::default_panel_bytes);
}

}  // namespace
}  // namespace whybits::test
