// Algorithm 13: matrix times vector (m = 1). Lane l of W takes V consecutive k at t·V·W + l·V for
// t = 0, 1, …, one chain of fma; the lanes are merged by halving or in order.
#include <algorithm>

#include "sim/libraries/cublaslt/families.hpp"

namespace whybits::cublaslt {
namespace {

constexpr std::uint64_t widest = 64;

struct Recipe {
  std::uint32_t custom_option;
  std::uint64_t lanes;
  bool wide;            ///< V = min(64, ceil(slice / lanes)); else 1
  std::uint64_t tiles;  ///< of a chunk, after which the chain is closed; 0: never
};

constexpr Recipe recipes[] = {
    {75, 32, false, 0},  {83, 32, false, 0}, {93, 32, false, 0}, {73, 16, false, 0},
    {101, 16, false, 0}, {67, 8, false, 0},  {107, 8, false, 0}, {111, 4, false, 0},
    {95, 2, false, 0},   {89, 8, false, 0},  {82, 32, true, 0},  {72, 16, true, 0},
    {98, 8, true, 0},    {110, 4, true, 0},  {74, 32, true, 0},  {92, 32, true, 0},
    {100, 16, true, 0},  {106, 8, true, 0},  {112, 8, true, 0},  {96, 4, true, 0},
    {11, 16, false, 32},
};

std::uint64_t vector_of(const Recipe& recipe, std::uint64_t slice) {
  return recipe.wide ? std::min(widest, ceil_div(slice, recipe.lanes)) : 1;
}

SchemaPtr slice_topology(const Recipe& recipe, std::uint64_t slice) {
  const Unit add = ieee_add(formats::f32);
  const SchemaPtr chain = fold_of(ieee_fma(formats::f32));
  const std::uint64_t vector = vector_of(recipe, slice);
  if (recipe.tiles != 0)
    return schema(Lanes{recipe.lanes, vector,
                        schema(Slices{recipe.tiles * vector, chain, fold_of(add)}), fold_of(add)});
  return schema(Lanes{recipe.lanes, vector, chain, schema(Halves{add})});
}

}  // namespace

Derived gemv(const Problem& problem, TypeKind /*kind*/, const Algorithm& algorithm,
             const Place& /*place*/) {
  if (problem.shape.m != 1) return NoRule{"algorithm id 13 was measured with m 1 only"};
  const auto recipe = std::ranges::find(recipes, algorithm.custom_option, &Recipe::custom_option);
  if (recipe == std::end(recipes))
    return NoRule{algorithm.custom_option == 10
                      ? "custom_option 10 of algorithm id 13 was measured, and no order explains it"
                      : "custom_option " + std::to_string(algorithm.custom_option) +
                            " of algorithm id 13 was not measured"};
  const auto splits = stated_splits(algorithm);
  if (!splits) return NoRule{"algorithm id 13 was not measured with split_k 0 or -1"};
  const std::uint64_t k = problem.shape.k;
  const std::uint64_t length = ceil_div(k, *splits);
  const std::uint64_t last = k % length;
  if (last != 0 && vector_of(*recipe, last) != vector_of(*recipe, length))
    return NoRule{"how wide the last, shorter slice of algorithm id 13 is read was not measured"};
  SchemaPtr slice = slice_topology(*recipe, length);
  if (length < k) slice = schema(Slices{length, std::move(slice), fold_of(ieee_add(formats::f32))});
  return finished(std::move(slice), problem);
}

}  // namespace whybits::cublaslt
