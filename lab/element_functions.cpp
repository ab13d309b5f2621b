#include "lab/element_functions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"
#include "sim/special/functions.hpp"
#include "sim/special/operation.hpp"

namespace whybits {
namespace {

using exact::Function;

double in_double(Function function, double x) {
  switch (function) {
    case Function::exp:
      return std::exp(x);
    case Function::exp2:
      return std::exp2(x);
    case Function::log:
      return std::log(x);
    case Function::rsqrt:
      break;
  }
  return 1 / std::sqrt(x);
}

MapOperation correct(std::string name, Function function) {
  return operations::given(
      std::move(name), {formats::f32}, formats::f32,
      [function](std::span<const Bits> x) { return correct_function(function, x[0]); });
}

/// logf as PyTorch's kernels have it: another polynomial than nvcc's.
MapOperation torch_log() {
  constexpr std::size_t torch = 1;
  return operations::given("logf", {formats::f32}, formats::f32, [](std::span<const Bits> x) {
    return Bits{special::logf(static_cast<std::uint32_t>(x[0]), special::Mode::standard,
                              special::log_polynomials()[torch])};
  });
}

const std::array<ElementFunctions, 2>& rows() {
  static const std::array<ElementFunctions, 2> all{
      ElementFunctions{"mufu", "as NVIDIA's special-function unit gives it, tables from an H200",
                       special::operation("expf"), torch_log(), special::operation("exp2f"),
                       special::operation("__logf"), special::operation("rsqrtf")},
      ElementFunctions{"correct", "rounded correctly; a GPU's functions are others in the last bit",
                       correct("exp", Function::exp), correct("log", Function::log),
                       correct("exp2", Function::exp2), correct("log", Function::log),
                       correct("rsqrt", Function::rsqrt)}};
  return all;
}

}  // namespace

Bits correct_function(Function function, Bits x) {
  // The C library's functions err by about an ulp of double, 2^−52; where a number that lies 2^−45
  // higher or lower rounds to the same f32, so does the true value.
  constexpr double margin = 0x1p-45;
  const double y = in_double(function, std::bit_cast<float>(static_cast<std::uint32_t>(x)));
  const auto low = static_cast<float>(y - std::fabs(y) * margin);
  const auto high = static_cast<float>(y + std::fabs(y) * margin);
  if (low == high && y != 0) return std::bit_cast<std::uint32_t>(low);
  return exact::oracle_function(function, formats::f32, x, formats::f32);
}

std::span<const ElementFunctions> element_functions() {
  return rows();
}

const ElementFunctions& element_functions(const std::string& option, const std::string& name) {
  std::vector<std::string> names;
  for (const ElementFunctions& row : rows()) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  const auto near = nearest_name(name, names);
  throw UsageError(fmt::format("{} '{}': no such functions{}", option, name,
                               near ? "; did you mean " + *near + "?" : ""),
                   fmt::format("allowed: {}", fmt::join(names, ", ")));
}

}  // namespace whybits
