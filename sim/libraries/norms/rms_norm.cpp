#include "sim/libraries/norms/rms_norm.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "sim/builders/block_sum.hpp"
#include "sim/builders/f32_orders.hpp"
#include "sim/dyadic.hpp"
#include "sim/libraries/evidence.hpp"
#include "sim/libraries/inductor/row_sum.hpp"

namespace whybits {
namespace {

using Squares = RmsNormKernel::Squares;
using Epilogue = RmsNormKernel::Epilogue;

constexpr std::uint64_t few_tokens = 256;  ///< fewer than so many are few

constexpr std::array rms_norm_table{
    RmsNormKernel{"vllm", Squares::vectors, false, 1024, 256, Epilogue::one_rounding, false, false,
                  read_in_source},
    RmsNormKernel{"vllm-old-epilogue", Squares::vectors, false, 1024, 256, Epilogue::two_roundings,
                  false, false, read_in_source},
    RmsNormKernel{"vllm-invariant", Squares::vectors, false, 1024, 1024, Epilogue::one_rounding,
                  false, false, read_in_source},
    RmsNormKernel{"vllm-fused-add", Squares::pairs, true, 1024, 256, Epilogue::one_rounding, false,
                  false, read_in_source},
    RmsNormKernel{"vllm-fused-add-scalar", Squares::elements, true, 1024, 256,
                  Epilogue::one_rounding, false, false, read_in_source},
    RmsNormKernel{"vllm-fused-add-scalar-old-epilogue", Squares::elements, true, 1024, 256,
                  Epilogue::two_roundings, false, false, read_in_source},
    RmsNormKernel{"vllm-fused-add-invariant", Squares::elements, true, 1024, 1024,
                  Epilogue::one_rounding, false, false, read_in_source},
    RmsNormKernel{"triton", Squares::triton, false, 0, 0, Epilogue::one_rounding, true, true,
                  read_in_source},
    RmsNormKernel{"triton-3.6", Squares::triton, false, 0, 0, Epilogue::one_rounding, true, false,
                  read_in_source},
    RmsNormKernel{"torch", Squares::torch, false, 0, 0, Epilogue::one_rounding, false, false,
                  recorded_on_h200},
    RmsNormKernel{"inductor", Squares::inductor, false, 0, 0, Epilogue::one_rounding, false, false,
                  read_in_source}};

SchemaPtr cub_block(std::uint64_t threads, std::uint64_t vector) {
  return block_sum({threads, vector, ieee_fma(formats::f32), WarpOrder::up, WarpTotals::fold});
}

/// q = 0; q += a·a + b·b for the four pairs of a vector of 8; the thread adds q to what it has. The
/// squares of 16-bit values are exact in f32, so that it does not matter which of a pair is fused.
SchemaPtr paired_block(std::uint64_t threads, std::uint64_t vector) {
  const SchemaPtr from_zero = schema(Fold{f32_add(), Start::zero});
  const SchemaPtr pair = schema(Fold{ieee_fma(formats::f32), Start::zero});
  const SchemaPtr own = schema(Slices{vector, schema(Slices{2, pair, from_zero}), from_zero});
  const SchemaPtr warps = schema(Slices{32, warp_sum(WarpOrder::up), schema(Fold{f32_add()})});
  return schema(Lanes{threads, vector, own, warps});
}

std::uint64_t thread_limit(const RmsNormConfig& config) {
  return config.tokens < few_tokens ? config.kernel.few : config.kernel.many;
}

RmsNormOrder by_vectors(const RmsNormConfig& config) {
  const std::uint64_t vector = std::gcd(16 / config.type.word_bytes(), config.hidden);
  const std::uint64_t threads = std::min(config.hidden / vector, thread_limit(config));
  return {threads, vector, false, cub_block(threads, vector)};
}

RmsNormOrder pairs(const RmsNormConfig& config) {
  constexpr std::uint64_t vector = 8;
  if (config.type == formats::f32 || config.hidden % vector != 0)
    throw ConfigurationError("hidden", config.hidden,
                             "this kernel takes vectors of 8 elements of 16 bits; others go "
                             "element by element, as vllm-fused-add-scalar does");
  const std::uint64_t threads = std::min(config.hidden, thread_limit(config));
  return {threads, vector, false, paired_block(threads, vector)};
}

RmsNormOrder elements(const RmsNormConfig& config) {
  const std::uint64_t threads = std::min(config.hidden, thread_limit(config));
  return {threads, 1, false, cub_block(threads, 1)};
}

RmsNormOrder triton(const RmsNormConfig& config) {
  TritonSum sum;
  sum.run = 16 / config.type.word_bytes();
  sum.in_thread =
      config.kernel.tree_in_thread ? TritonSum::InThread::tree : TritonSum::InThread::fold;
  return {32 * sum.warps, sum.run, true, triton_row_sum(sum)};
}

RmsNormOrder torch(const RmsNormConfig& config) {
  constexpr std::uint64_t threads = 128, vector = 4;
  if (config.hidden % vector != 0)
    throw ConfigurationError("hidden", config.hidden,
                             "of PyTorch's kernel only multiples of 4 are known");
  return {
      threads, vector, false,
      block_sum({threads, vector, ieee_fma(formats::f32), WarpOrder::down, WarpTotals::halves})};
}

RmsNormOrder inductor(const RmsNormConfig& config) {
  const InductorLaunch launch = inductor_launch({config.tokens, config.hidden, config.type});
  return {32 * launch.warps, launch.run, false,
          inductor_row_sum(launch, config.hidden, ieee_fma(formats::f32))};
}

Bits f32_whole(std::uint64_t value) {
  return Dyadic(mpz_class(static_cast<unsigned long>(value)), 0).round_to(formats::f32);
}

}  // namespace

std::span<const RmsNormKernel> rms_norm_kernels() {
  return rms_norm_table;
}

const RmsNormKernel* find_rms_norm_kernel(std::string_view name) {
  const auto found = std::find_if(rms_norm_table.begin(), rms_norm_table.end(),
                                  [&](const RmsNormKernel& kernel) { return kernel.name == name; });
  return found == rms_norm_table.end() ? nullptr : &*found;
}

RmsNormOrder rms_norm_order(const RmsNormConfig& config) {
  if (config.tokens == 0) throw ConfigurationError("tokens", 0, "must be at least 1");
  if (config.hidden == 0) throw ConfigurationError("hidden", 0, "must be at least 1");
  if (config.type != formats::f32 && config.type != formats::f16 && config.type != formats::bf16)
    throw ConfigurationError("type = " + format_name(config.type) +
                             ": known are f32, f16 and bf16");
  switch (config.kernel.squares) {
    case Squares::vectors:
      return by_vectors(config);
    case Squares::pairs:
      return pairs(config);
    case Squares::elements:
      return elements(config);
    case Squares::triton:
      return triton(config);
    case Squares::inductor:
      return inductor(config);
    case Squares::torch:
      break;
  }
  return torch(config);
}

Recipe rms_norm_recipe(const RmsNormConfig& config, const RmsNormOrder& order, Bits eps,
                       const MapOperation& rsqrt) {
  using namespace formats;
  const Format& type = config.type;
  const bool residual = config.kernel.residual;
  const std::string x = residual ? "z" : "x";
  Recipe recipe{{"x", "w"}, {}, {"y"}};
  const auto step = [&](std::string name, auto work) {
    recipe.steps.push_back({{std::move(name)}, std::move(work)});
  };
  if (residual) {
    recipe.inputs.emplace_back("residual");
    step("z", Map{operations::add(type), {"x", "residual"}});
    recipe.outputs.emplace_back("z");  // the kernel stores it as the next residual
  }
  step("h", Constant{{f32, f32_whole(config.hidden)}});
  step("eps", Constant{{f32, eps}});
  Reduce squares{.by = order.sum, .a = x, .b = x};
  if (order.rounded_squares) squares.product = Conversion{f32, {}};
  step("sum", std::move(squares));
  step("mean", Map{operations::div(f32), {"sum", "h"}});
  step("shifted", Map{operations::add(f32), {"mean", "eps"}});
  if (config.kernel.ieee_scale) {
    step("one", Constant{{f32, f32_whole(1)}});
    step("root", Map{operations::sqrt(f32), {"shifted"}});
    step("scale", Map{operations::div(f32), {"one", "root"}});
  } else {
    step("scale", Map{rsqrt, {"shifted"}});
  }
  step("scaled", Map{operations::mul(f32), {x, "scale"}});
  const bool narrow = type != f32;
  const auto rounded = [&](std::string name, const std::string& from) {
    step(std::move(name), Map{operations::convert(f32, {type, {}}), {from}});
  };
  if (narrow && config.kernel.epilogue == Epilogue::two_roundings) {
    rounded("narrowed", "scaled");
    step("y", Map{operations::mul(type), {"narrowed", "w"}});
  } else if (narrow) {
    step("weighted", Map{operations::mul(f32), {"scaled", "w"}});
    rounded("y", "weighted");
  } else {
    step("y", Map{operations::mul(f32), {"scaled", "w"}});
  }
  return recipe;
}

}  // namespace whybits
