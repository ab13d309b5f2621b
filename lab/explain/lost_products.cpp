#include "lab/explain/lost_products.hpp"

#include <fmt/format.h>

#include "lab/explain/predicted.hpp"
#include "lab/vector_source.hpp"
#include "sim/arith.hpp"
#include "sim/fast/gemm.hpp"

namespace whybits {
namespace {

/// k×2k: column v < k is the vector without element v, column k + v without v and all behind it.
class WithoutOne final : public CodeSource {
 public:
  WithoutOne(const Format& format, std::vector<Bits> column)
      : format_(format), column_(std::move(column)) {}

  Format format() const override { return format_; }
  std::uint64_t size() const override { return 2 * column_.size() * column_.size(); }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    const std::uint64_t k = column_.size(), width = 2 * k;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint64_t index = first + i * stride;
      const std::uint64_t row = index / width, variant = index % width;
      const bool lost = variant < k ? row == variant : row >= variant - k;
      out[i] = lost ? 0 : column_[row];
    }
  }

 private:
  Format format_;
  std::vector<Bits> column_;
};

}  // namespace

std::string LostProducts::product_text() const {
  if (products.size() == 1) return fmt::format("lack product {} of {}", products[0], k);
  return fmt::format("lack one product: {} of {} would do, the first is {}", products.size(), k,
                     products[0]);
}

std::string LostProducts::tail_text() const {
  return fmt::format("lack the last {} of {} products", k - tails.back(), k);
}

LostProducts find_lost_products(const Observed& observed, const Hypothesis& hypothesis,
                                std::size_t output, const GemmOptions& options) {
  const EnteringOperands entering(observed.operands, hypothesis.operands);
  const GemmShape shape = observed.operands.shape;
  const std::size_t columns = observed.chosen.columns.size();
  const std::uint64_t row = observed.chosen.rows[output / columns];
  const std::uint64_t column = observed.chosen.columns[output % columns];
  std::vector<Bits> a(shape.k), b(shape.k);
  entering.view().a->read(row * shape.k, 1, a);
  entering.view().b->read(column, shape.n, b);
  const VectorSource one_row = VectorSource::from_codes(entering.view().a->format(), a);
  const WithoutOne variants(entering.view().b->format(), b);
  LostProducts lost{shape.k, {}, {}};
  if (shape.k < 2) return lost;
  GemmOperands operands;
  operands.shape = {1, 2 * shape.k, shape.k};
  operands.a = &one_row;
  operands.b = &variants;
  std::vector<Bits> bias;
  std::optional<VectorSource> same_bias;
  if (observed.operands.bias) {
    bias.resize(1);
    observed.operands.bias->read(column, 1, bias);
    bias.resize(2 * shape.k, bias[0]);
    same_bias = VectorSource::from_codes(observed.operands.bias->format(), bias);
    operands.bias = &*same_bias;
  }
  const std::vector<Reduction> reductions{
      make_reduction(hypothesis.topology, shape.k, operands.types())};
  GemmOptions quiet = options;
  quiet.progress = nullptr;
  const auto codes =
      fast::evaluate_gemm(reductions, operands, ChosenOutputs::all(operands.shape), quiet)[0];
  for (std::uint64_t v = 0; v < 2 * shape.k; ++v) {
    const Bits code = reductions[0].result == observed.out
                          ? codes[v]
                          : convert(reductions[0].result, observed.out, codes[v]);
    if (code != observed.codes[output]) continue;
    (v < shape.k ? lost.products : lost.tails).push_back(v < shape.k ? v : v - shape.k);
  }
  return lost;
}

}  // namespace whybits
