#pragma once

#include <cstdint>

#include "exact/oracle.hpp"
#include "sim/builders/gemm.hpp"

// The three recipes of docs/recipes.md.
namespace whybits::test {

/// exp and 1/√x, correctly rounded: data handed to a recipe.
inline MapOperation exp_operation() {
  return operations::given("exp", {formats::f32}, formats::f32, [](std::span<const Bits> x) {
    return exact::oracle_function(exact::Function::exp, formats::f32, x[0], formats::f32);
  });
}
inline MapOperation rsqrt_operation() {
  return operations::given("rsqrt", {formats::f32}, formats::f32, [](std::span<const Bits> x) {
    return exact::oracle_function(exact::Function::rsqrt, formats::f32, x[0], formats::f32);
  });
}

/// y = bf16(a·b + bias): the topology adds the bias after its last merge and rounds once.
inline Recipe linear_recipe(SchemaPtr topology) {
  return gemm_recipe(std::move(topology), true);
}

/// y = bf16((x · 1/√(Σx²/h + ε)) · w), a row of x at a time, everything in f32. `h` and `eps` are
/// f32 codes.
inline Recipe rms_norm_recipe(SchemaPtr sum_of_squares, Bits h, Bits eps,
                              const MapOperation& rsqrt = rsqrt_operation()) {
  using namespace formats;
  return {{"x", "w"},
          {{{"h"}, Constant{{f32, h}}},
           {{"eps"}, Constant{{f32, eps}}},
           {{"sum"}, Reduce{.by = std::move(sum_of_squares), .a = "x", .b = "x"}},
           {{"mean"}, Map{operations::div(f32), {"sum", "h"}}},
           {{"shifted"}, Map{operations::add(f32), {"mean", "eps"}}},
           {{"scale"}, Map{rsqrt, {"shifted"}}},
           {{"scaled"}, Map{operations::mul(f32), {"x", "scale"}}},
           {{"weighted"}, Map{operations::mul(f32), {"scaled", "w"}}},
           {{"y"}, Map{operations::convert(f32, {bf16, {}}), {"weighted"}}}},
          {"y"}};
}

/// softmax(q·kᵀ·scale)·v in one pass over blocks of keys: the running maximum m, the running sum l
/// and the running output o are rescaled whenever the maximum grows. `probabilities`: their format
/// as the second product reads them.
inline Recipe attention_recipe(std::uint64_t keys_per_block, Bits scale, const MapOperation& exp,
                               SchemaPtr chain, SchemaPtr row_sum, bool descending = false,
                               const Format& probabilities = formats::f32) {
  using namespace formats;
  Recipe body{{"m", "l", "o", "q", "k", "v", "c"},
              {{{"s"}, Reduce{.by = chain, .along = Along::matrix_transposed, .a = "q", .b = "k"}},
               {{"t"}, Map{operations::mul(f32), {"s", "c"}}},
               {{"most"}, Reduce{.by = operations::max(f32), .a = "t"}},
               {{"m_next"}, Map{operations::max(f32), {"m", "most"}}},
               {{"below"}, Map{operations::sub(f32), {"t", "m_next"}}},
               {{"p"}, Map{exp, {"below"}}},
               {{"step"}, Map{operations::sub(f32), {"m", "m_next"}}},
               {{"f"}, Map{exp, {"step"}}},
               {{"l_scaled"}, Map{operations::mul(f32), {"l", "f"}}},
               {{"sum"}, Reduce{.by = std::move(row_sum), .a = "p"}},
               {{"l_next"}, Map{operations::add(f32), {"l_scaled", "sum"}}},
               {{"o_scaled"}, Map{operations::mul(f32), {"o", "f"}}}},
              {"m_next", "l_next", "o_next"}};
  const bool narrow = !(probabilities == f32);
  if (narrow)
    body.steps.push_back({{"p_read"}, Map{operations::convert(f32, {probabilities, {}}), {"p"}}});
  body.steps.push_back({{"o_next"},
                        Reduce{.by = chain,
                               .along = Along::matrix,
                               .a = narrow ? "p_read" : "p",
                               .b = "v",
                               .c = "o_scaled"}});
  Scan scan;
  scan.state = {{"m", "lowest"}, {"l", "zero"}, {"o", "zero"}};
  scan.blocks = {{"k", "k", Along::rows}, {"v", "v", Along::rows}};
  scan.whole = {{"q", "q"}, {"c", "c"}};
  scan.block = keys_per_block;
  scan.descending = descending;
  scan.body = std::make_shared<const Recipe>(std::move(body));
  return {{"q", "k", "v"},
          {{{"c"}, Constant{{f32, scale}}},
           {{"lowest"}, Constant{{f32, f32.infinity() | f32.sign_mask()}}},
           {{"zero"}, Constant{{f32, 0}}},
           {{"m", "l", "o"}, std::move(scan)},
           {{"y"}, Map{operations::div(f32), {"o", "l"}}}},
          {"y"}};
}

}  // namespace whybits::test
