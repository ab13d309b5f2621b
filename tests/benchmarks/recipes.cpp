// Recipes in lanes beside the reference run.
#include <bit>
#include <cmath>
#include <memory>

#include "sim/fast/run_recipe.hpp"
#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"

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
  const SchemaPtr sum =
      parse_topology("lanes(256, fold(f32.fma), slices(32, pairs(f32), fold(f32)))");
  return {{"x", "w"},
          {{{"h"}, Constant{{f32, 0x45800000}}},
           {{"eps"}, Constant{{f32, 0x358637bd}}},
           {{"sum"}, Reduce{.by = sum, .a = "x", .b = "x"}},
           {{"mean"}, Map{operations::div(f32), {"sum", "h"}}},
           {{"shifted"}, Map{operations::add(f32), {"mean", "eps"}}},
           {{"scale"},
            Map{by_processor("rsqrt", [](double x) { return 1 / std::sqrt(x); }), {"shifted"}}},
           {{"scaled"}, Map{operations::mul(f32), {"x", "scale"}}},
           {{"weighted"}, Map{operations::mul(f32), {"scaled", "w"}}},
           {{"y"}, Map{operations::convert(f32, {bf16, {}}), {"weighted"}}}},
          {"y"}};
}

/// One pass over blocks of 64 keys, scores and output by a matrix unit.
Recipe online_softmax() {
  const MapOperation exp = by_processor("exp", [](double x) { return std::exp(x); });
  const SchemaPtr unit = parse_topology("fold(sm90.wgmma.bf16)");
  auto body = std::make_shared<const Recipe>(
      Recipe{{"m", "l", "o", "q", "k", "v", "c"},
             {{{"s"}, Reduce{.by = unit, .along = Along::matrix_transposed, .a = "q", .b = "k"}},
              {{"t"}, Map{operations::mul(f32), {"s", "c"}}},
              {{"most"}, Reduce{.by = operations::max(f32), .a = "t"}},
              {{"m_next"}, Map{operations::max(f32), {"m", "most"}}},
              {{"below"}, Map{operations::sub(f32), {"t", "m_next"}}},
              {{"p"}, Map{exp, {"below"}}},
              {{"step"}, Map{operations::sub(f32), {"m", "m_next"}}},
              {{"f"}, Map{exp, {"step"}}},
              {{"l_scaled"}, Map{operations::mul(f32), {"l", "f"}}},
              {{"sum"}, Reduce{.by = parse_topology("pairs(f32)"), .a = "p"}},
              {{"l_next"}, Map{operations::add(f32), {"l_scaled", "sum"}}},
              {{"o_scaled"}, Map{operations::mul(f32), {"o", "f"}}},
              {{"p16"}, Map{operations::convert(f32, {bf16, {}}), {"p"}}},
              {{"o_next"},
               Reduce{.by = unit, .along = Along::matrix, .a = "p16", .b = "v", .c = "o_scaled"}}},
             {"m_next", "l_next", "o_next"}});
  Scan scan;
  scan.state = {{"m", "lowest"}, {"l", "zero"}, {"o", "zero"}};
  scan.blocks = {{"k", "k", Along::rows}, {"v", "v", Along::rows}};
  scan.whole = {{"q", "q"}, {"c", "c"}};
  scan.block = 64;
  scan.body = std::move(body);
  return {{"q", "k", "v"},
          {{{"c"}, Constant{{f32, 0x3db504f3}}},
           {{"lowest"}, Constant{{f32, 0xff800000}}},
           {{"zero"}, Constant{{f32, 0}}},
           {{"m", "l", "o"}, std::move(scan)},
           {{"y"}, Map{operations::div(f32), {"o", "l"}}}},
          {"y"}};
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
