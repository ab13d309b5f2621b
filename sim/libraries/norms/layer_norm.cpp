#include "sim/libraries/norms/layer_norm.hpp"

#include <bit>
#include <vector>

#include "sim/arith.hpp"
#include "sim/dyadic.hpp"

namespace whybits {
namespace {

using formats::f32;

Bits whole(std::uint64_t n) {
  return Dyadic(mpz_class(static_cast<unsigned long>(n)), 0).round_to(f32);
}
Bits inverse(std::uint64_t n) {
  return div(f32, whole(1), whole(n));
}

struct State {
  std::uint64_t count = 0;
  Moments moments;
};

/// One more element x.
void update(State& state, Bits x, Bits inverse_of_count) {
  ++state.count;
  const Bits d = sub(f32, x, state.moments.mean);
  state.moments.mean = fma(f32, d, inverse_of_count, state.moments.mean);
  state.moments.squares = fma(f32, d, sub(f32, x, state.moments.mean), state.moments.squares);
}

/// What a thread has, and what it is handed from a higher lane or warp. Of the two products of the
/// mean its own is rounded, the other one fused.
State merged(const State& own, const State& other) {
  State out{own.count + other.count, {}};
  if (out.count == 0) return out;
  const Bits c = inverse(out.count);
  const Bits d = sub(f32, own.moments.mean, other.moments.mean);
  const Bits a = mul(f32, whole(other.count), c);
  const Bits b = mul(f32, whole(own.count), c);
  out.moments.mean = fma(f32, a, other.moments.mean, mul(f32, b, own.moments.mean));
  const Bits between = mul(f32, mul(f32, d, d), whole(other.count));
  out.moments.squares = fma(f32, between, b, add(f32, own.moments.squares, other.moments.squares));
  return out;
}

/// Element i takes in element i + n/2, then n/4, …: n a power of two.
State halved(std::span<State> states) {
  for (std::size_t half = states.size() / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) states[i] = merged(states[i], states[i + half]);
  return states[0];
}

}  // namespace

void check_layer_norm(const LayerNormConfig& config) {
  if (config.hidden == 0) throw ConfigurationError("hidden", 0, "must be at least 1");
  if (config.type != formats::f32 && config.type != formats::f16 && config.type != formats::bf16)
    throw ConfigurationError("type = " + format_name(config.type) +
                             ": known are f32, f16 and bf16");
  if (!std::has_single_bit(config.threads) || config.threads < 32 || config.threads > 1024)
    throw ConfigurationError("threads", config.threads, "must be a power of two from 32 to 1024");
  if (config.vector == 0) throw ConfigurationError("vector", 0, "must be at least 1");
  if (config.hidden % config.vector != 0)
    throw ConfigurationError(
        "hidden", config.hidden,
        "only multiples of the vector's " + std::to_string(config.vector) + " elements are known");
}

Moments layer_norm_moments(const LayerNormConfig& config, std::span<const Bits> row) {
  constexpr std::size_t warp = 32;
  std::vector<State> threads(config.threads);
  std::vector<Bits> inverses{0};  // by count
  for (std::size_t i = 0; i < row.size(); ++i) {
    State& thread = threads[i / config.vector % config.threads];
    if (thread.count + 1 == inverses.size()) inverses.push_back(inverse(thread.count + 1));
    update(thread, convert(config.type, f32, row[i]), inverses[thread.count + 1]);
  }
  std::vector<State> totals;
  for (std::size_t first = 0; first < threads.size(); first += warp)
    totals.push_back(halved(std::span(threads).subspan(first, warp)));
  return halved(totals).moments;
}

Recipe layer_norm_recipe(const LayerNormConfig& config, Bits eps, const MapOperation& rsqrt) {
  Recipe recipe{{"x", "w", "bias", "mean", "squares"}, {}, {"y"}};
  const auto step = [&](std::string name, auto work) {
    recipe.steps.push_back({{std::move(name)}, std::move(work)});
  };
  const bool narrow = config.type != f32;
  step("h", Constant{{f32, whole(config.hidden)}});
  step("eps", Constant{{f32, eps}});
  step("variance", Map{operations::div(f32), {"squares", "h"}});
  step("shifted", Map{operations::add(f32), {"variance", "eps"}});
  step("rstd", Map{rsqrt, {"shifted"}});
  step("centred", Map{operations::sub(f32), {"x", "mean"}});
  step("scaled", Map{operations::mul(f32), {"rstd", "centred"}});
  step(narrow ? "y_f32" : "y", Map{operations::fma(f32), {"w", "scaled", "bias"}});
  if (narrow) step("y", Map{operations::convert(f32, {config.type, {}}), {"y_f32"}});
  return recipe;
}

}  // namespace whybits
