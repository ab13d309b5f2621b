#include "exercises/hidden_data.hpp"

#include <algorithm>

#include "lab/generators.hpp"
#include "sim/arith.hpp"

namespace whybits::course {
namespace {

/// In each vector the elements 0, 4, 8, … are large and come again, with the other sign, two places
/// on. Operand b only repeats, so that products cancel as values do.
class CancellingSource : public CodeSource {
 public:
  CancellingSource(std::unique_ptr<CodeSource> small, std::uint64_t n, bool is_b)
      : small_(std::move(small)), n_(n), is_b_(is_b) {}
  Format format() const override { return small_->format(); }
  std::uint64_t size() const override { return small_->size(); }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = code(first + i * stride);
  }

 private:
  Bits code(std::uint64_t index) const {
    const std::uint64_t place = index % n_;
    const bool second = place % 4 == 2;
    const bool large = second || (place % 4 == 0 && place + 2 < n_);
    Bits value = 0;
    small_->read(second ? index - 2 : index, 1, std::span(&value, 1));
    if (!large || is_b_) return value;
    return mul(format(), value, second ? factor_ | format().sign_mask() : factor_);
  }

  std::unique_ptr<CodeSource> small_;
  std::uint64_t n_;
  bool is_b_;
  /// A power of two: large, and far from overflow.
  Bits factor_ =
      static_cast<Bits>(std::min(60, small_->format().max_exponent() - 2) + small_->format().bias())
      << small_->format().fraction_bits;
};

}  // namespace

std::vector<DataSet> data_sets(std::uint64_t n) {
  const std::uint64_t many = n <= 4096 ? 64 : 8;
  std::vector<DataSet> sets{
      {DataKind::uniform, many}, {DataKind::wide, many}, {DataKind::cancelling, many}};
  if (n <= 64) sets.push_back({DataKind::words, many});
  return sets;
}

std::unique_ptr<CodeSource> hidden_codes(const DataSet& set, const Format& format, std::uint64_t n,
                                         std::uint64_t operand) {
  const std::uint64_t stream = 0x77686279u + 16 * n + operand;
  const std::uint64_t size = set.vectors * n;
  switch (set.kind) {
    case DataKind::uniform:
      return uniform_source(format, size, stream);
    case DataKind::wide:
      return wide_source(format, size, stream);
    case DataKind::cancelling:
      return std::make_unique<CancellingSource>(uniform_source(format, size, stream + 2), n,
                                                operand == 1);
    case DataKind::words:
      break;
  }
  return bits_source(format, size, stream);
}

}  // namespace whybits::course
