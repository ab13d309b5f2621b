// Recipes in lanes beside the reference run.
#include <bit>
#include <cmath>

#include "sim/fast/run_recipe.hpp"
#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/sim/example_recipes.hpp"

namespace whybits::bench {
namespace {

using formats::bf16;
using formats::f32;

/// Numbers of similar size, without holding them.
class Ordinary final : public CodeSource {
 public:
  Ordinary(const Format& format, std::uint64_t size, std::uint64_t stream)
      : format_(format), size_(size), stream_(stream) {}
  Format format() const override { return format_; }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    for (Bits& code : out) {
      const std::uint64_t word = random_word(stream_ << 40 | first);
      const Bits exponent = static_cast<Bits>(format_.bias()) - word % 4;
      code = (word >> 30 & format_.fraction_mask()) | exponent << format_.fraction_bits |
             ((word >> 20 & 1) != 0 ? format_.sign_mask() : 0);
      first += stride;
    }
  }

 private:
  Format format_;
  std::uint64_t size_, stream_;
};

InputTensor ordinary(std::uint64_t rows, std::uint64_t columns, const Format& format,
                     std::uint64_t stream) {
  std::vector<Bits> codes(rows * columns);
  Ordinary(format, codes.size(), stream).read(0, 1, codes);
  return input_tensor({rows, columns, format}, std::move(codes));
}

/// The processor's functions in double, rounded: quick enough that the rest is seen.
MapOperation by_processor(const char* name, double (*function)(double)) {
  return operations::given(name, {f32}, f32, [function](std::span<const Bits> x) {
    const double value = std::bit_cast<float>(static_cast<std::uint32_t>(x[0]));
    return Bits{std::bit_cast<std::uint32_t>(static_cast<float>(function(value)))};
  });
}

Recipe rms_norm() {
  return test::rms_norm_recipe(
      parse_topology("lanes(256, fold(f32.fma), slices(32, pairs(f32), fold(f32)))"), 0x45800000,
      0x358637bd, by_processor("rsqrt", [](double x) { return 1 / std::sqrt(x); }));
}

/// One pass over blocks of 64 keys, scores and output by a matrix unit.
Recipe online_softmax() {
  return test::attention_recipe(
      64, 0x3db504f3, by_processor("exp", [](double x) { return std::exp(x); }),
      parse_topology("fold(sm90.wgmma.bf16)"), parse_topology("pairs(f32)"), false, bf16);
}

/// The reference runs on some rows only: its time is in proportion to them.
Result measured(int runs, const std::string& name, const Recipe& recipe, const InputTensors& inputs,
                std::uint64_t rows, std::uint64_t columns, std::uint64_t reference_rows) {
  const BoundRecipe bound = bind_recipe(recipe, types_of(inputs));
  const double mine = rate(runs, static_cast<double>(rows * columns), [&] {
    keep(fast::run(bound, inputs, all_outputs(recipe), {.threads = 1}));
  });
  const Selection some{{recipe.outputs[0], IndexSet::all(reference_rows)}};
  const double peer = rate(1, static_cast<double>(reference_rows * columns),
                           [&] { keep(run(bound, inputs, some)); });
  return {name, "output",
          mine, "reference run",
          peer, "peer on " + std::to_string(reference_rows) + " rows"};
}

}  // namespace

Results recipes(int runs) {
  Results results;
  const InputTensors norm{{"x", ordinary(4096, 4096, bf16, 1)}, {"w", ordinary(1, 4096, bf16, 2)}};
  results.push_back(measured(runs, "RMSNorm 4096×4096", rms_norm(), norm, 4096, 4096, 64));
  const InputTensors attention{{"q", ordinary(256, 128, bf16, 3)},
                               {"k", ordinary(4096, 128, bf16, 4)},
                               {"v", ordinary(4096, 128, bf16, 5)}};
  results.push_back(measured(runs, "online softmax, 256 queries, 4096 keys, 128 wide",
                             online_softmax(), attention, 256, 128, 4));
  return results;
}

}  // namespace whybits::bench
