// All special functions of one f32 word by name, for programs that take a name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/special/functions.hpp"
#include "sim/special/unit.hpp"

namespace whybits::special {

struct Function {
  enum class Kind : std::uint8_t {
    instruction,  ///< of PTX: Mode::flush is .ftz, Mode::fast the same
    without_ftz,  ///< of PTX: modes make no difference
    cuda          ///< of CUDA's library, as nvcc compiles it in each mode
  };
  std::string_view name;  ///< "ex2", "expf", "__expf"
  Kind kind;
  std::string_view says;  ///< "2^x"
  std::uint32_t (*of)(std::uint32_t x, Mode mode);
  /// Keeps the way through the unit; null for functions of the library.
  std::uint32_t (*traced)(std::uint32_t x, Mode mode, unit::Trace& trace);
};

/// Instructions first.
std::span<const Function> functions();
/// Null if there is none of that name.
const Function* find_function(std::string_view name);

/// As one finds it in code: "ex2.approx.ftz.f32", "expf", "expf with -use_fast_math".
std::string full_name(const Function& function, Mode mode);

}  // namespace whybits::special
