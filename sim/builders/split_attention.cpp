#include "sim/builders/split_attention.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>

#include "sim/arith.hpp"
#include "sim/builders/f32_orders.hpp"
#include "sim/ceil_div.hpp"

namespace whybits {
namespace {

using formats::f32;

constexpr Bits no_score = 0xff800000, nothing = 0;  // minus infinity, zero
constexpr std::uint64_t lanes_of_key = 32;

MapOperation score_or_zero() {
  return operations::given("finite_or_zero", {f32}, f32, [](std::span<const Bits> x) {
    return x[0] == no_score ? nothing : x[0];
  });
}
/// (score, mask): −infinity where the mask says so, whatever the score.
MapOperation score_if_seen() {
  return operations::given("masked", {f32, f32}, f32, [](std::span<const Bits> x) {
    return x[1] == no_score ? no_score : x[0];
  });
}
/// (O, L): their quotient, 0 where nothing was added.
MapOperation quotient_or_zero() {
  return operations::given("quotient_or_zero", {f32, f32}, f32, [](std::span<const Bits> x) {
    return unpack(f32, x[1]).cls == FpClass::zero ? nothing : div(f32, x[0], x[1]);
  });
}

SchemaPtr fma_fold() {
  return schema(Fold{ieee_fma(f32)});
}

void add_step(Recipe& recipe, std::string name, auto work) {
  recipe.steps.push_back({{std::move(name)}, std::move(work)});
}

/// One tile of keys.
Recipe tile_body(const SplitAttention& config, const MapOperation& exp2) {
  using namespace operations;
  Recipe b{{"m", "l", "o", "q", "k", "v", "c"}, {}, {"m_next", "l_next", "o_next"}};
  const SchemaPtr dot = schema(
      Lanes{lanes_of_key, config.vector, schema(Fold{ieee_fma(f32), Start::zero}), f32_halves()});
  add_step(b, "s", Reduce{.by = dot, .along = Along::matrix_transposed, .a = "q", .b = "k"});
  add_step(b, config.causal ? "scaled" : "t", Map{mul(f32), {"s", "c"}});
  if (config.causal) {
    b.inputs.emplace_back("mask");
    add_step(b, "t", Map{score_if_seen(), {"scaled", "mask"}});
  }
  add_step(b, "most", Reduce{.by = max(f32), .a = "t"});
  add_step(b, "m_next", Map{max(f32), {"m", "most"}});
  add_step(b, "below", Map{score_or_zero(), {"m_next"}});
  add_step(b, "shrunk", Map{sub(f32), {"m", "below"}});
  add_step(b, "f", Map{exp2, {"shrunk"}});
  add_step(b, "less", Map{sub(f32), {"t", "below"}});
  add_step(b, "p", Map{exp2, {"less"}});
  add_step(b, "l_scaled", Map{mul(f32), {"l", "f"}});
  add_step(b, "l_next", Reduce{.by = schema(Fold{f32_add(), Start::c}), .a = "p", .c = "l_scaled"});
  add_step(b, "o_scaled", Map{mul(f32), {"o", "f"}});
  add_step(b, "o_next",
           Reduce{.by = fma_fold(), .along = Along::matrix, .a = "p", .b = "v", .c = "o_scaled"});
  return b;
}

}  // namespace

std::vector<std::uint64_t> split_attention_borders(const SplitAttention& config) {
  if (config.keys == 0) throw ConfigurationError("keys", 0, "must be at least 1");
  if (config.tile == 0) throw ConfigurationError("tile", 0, "must be at least 1");
  if (config.splits == 0) throw ConfigurationError("splits", 0, "must be at least 1");
  const std::uint64_t length =
      ceil_div(ceil_div(config.keys, config.tile), config.splits) * config.tile;
  std::vector<std::uint64_t> borders{0};
  while (borders.back() < config.keys)
    borders.push_back(std::min(config.keys, borders.back() + length));
  return borders;
}

std::vector<Bits> causal_mask(std::uint64_t queries, std::uint64_t keys, std::uint64_t begin,
                              std::uint64_t end, std::uint64_t ahead) {
  std::vector<Bits> codes;
  for (std::uint64_t query = 0; query < queries; ++query)
    for (std::uint64_t key = begin; key < end; ++key)
      codes.push_back(key + queries <= query + keys + ahead ? nothing : no_score);
  return codes;
}

Bits scale_in_powers_of_two(Bits scale) {
  constexpr double log2e = 1.4426950408889634074;
  const double value = std::bit_cast<float>(static_cast<std::uint32_t>(scale));
  return std::bit_cast<std::uint32_t>(static_cast<float>(value * log2e));
}

Recipe split_attention_recipe(const SplitAttention& config, Bits scale, const MapOperation& exp2) {
  using namespace operations;
  const std::size_t splits = split_attention_borders(config).size() - 1;
  Recipe recipe{{"q"}, {}, {"y"}};
  const auto step = [&](std::string name, auto work) {
    add_step(recipe, std::move(name), std::move(work));
  };
  step("c", Constant{{f32, scale_in_powers_of_two(scale)}});
  step("lowest", Constant{{f32, no_score}});
  step("zero", Constant{{f32, nothing}});
  const auto body = std::make_shared<const Recipe>(tile_body(config, exp2));
  std::string most = "lowest";
  for (std::size_t s = 0; s < splits; ++s) {
    const std::string i = std::to_string(s);
    recipe.inputs.insert(recipe.inputs.end(), {"k" + i, "v" + i});
    Scan scan{.state = {{"m", "lowest"}, {"l", "zero"}, {"o", "zero"}},
              .blocks = {{"k", "k" + i, Along::rows}, {"v", "v" + i, Along::rows}},
              .whole = {{"q", "q"}, {"c", "c"}},
              .block = config.tile,
              .body = body};
    if (config.causal) {
      recipe.inputs.push_back("mask" + i);
      scan.blocks.push_back({"mask", "mask" + i, Along::columns});
    }
    recipe.steps.push_back({{"m" + i, "l" + i, "o" + i}, std::move(scan)});
    step("most" + i, Map{max(f32), {most, "m" + i}});
    most = "most" + i;
  }
  step("below", Map{score_or_zero(), {most}});
  std::string sum = "zero", out = "zero";
  for (std::size_t place = 0; place < splits; ++place) {
    const std::string i = std::to_string(config.last_split_first ? splits - 1 - place : place);
    step("d" + i, Map{sub(f32), {"m" + i, "below"}});
    step("w" + i, Map{exp2, {"d" + i}});
    step("sum" + i, Map{fma(f32), {"w" + i, "l" + i, sum}});
    step("out" + i, Map{fma(f32), {"w" + i, "o" + i, out}});
    sum = "sum" + i;
    out = "out" + i;
  }
  const bool narrow = config.type != f32;
  step(narrow ? "y_f32" : "y", Map{quotient_or_zero(), {out, sum}});
  if (narrow) step("y", Map{convert(f32, {config.type, {}}), {"y_f32"}});
  return recipe;
}

}  // namespace whybits
