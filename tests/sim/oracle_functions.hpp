// Elementwise functions of the oracle, for recipes under test.
#pragma once

#include "exact/oracle.hpp"
#include "sim/libraries/element_functions.hpp"

namespace whybits::test {

inline ElementFunctions oracle_functions() {
  using exact::Function;
  const auto of = [](const char* name, Function function) {
    return operations::given(
        name, {formats::f32}, formats::f32, [function](std::span<const Bits> x) {
          return exact::oracle_function(function, formats::f32, x[0], formats::f32);
        });
  };
  return {"oracle",
          "MPFR",
          of("exp", Function::exp),
          of("log", Function::log),
          of("exp2", Function::exp2),
          of("log", Function::log),
          of("rsqrt", Function::rsqrt)};
}

}  // namespace whybits::test
