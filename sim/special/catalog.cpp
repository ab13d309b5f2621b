#include "sim/special/catalog.hpp"

#include <algorithm>

#include "sim/special/instructions.hpp"

namespace whybits::special {
namespace {

using Kind = Function::Kind;

template <std::uint32_t (*F)(std::uint32_t, Ftz)>
std::uint32_t instruction(std::uint32_t x, Mode mode) {
  return F(x, mode == Mode::standard ? Ftz::no : Ftz::yes);
}

constexpr std::array all{
    Function{"rcp", Kind::instruction, "1/x", instruction<rcp>},
    Function{"rsqrt", Kind::instruction, "1/√x", instruction<rsqrt>},
    Function{"sqrt", Kind::instruction, "√x", instruction<sqrt>},
    Function{"lg2", Kind::instruction, "log2 x", instruction<lg2>},
    Function{"ex2", Kind::instruction, "2^x", instruction<ex2>},
    Function{"sin", Kind::instruction, "sin x", instruction<sin>},
    Function{"cos", Kind::instruction, "cos x", instruction<cos>},
    Function{"expf", Kind::cuda, "e^x", expf},
    Function{"exp2f", Kind::cuda, "2^x", exp2f},
    Function{"exp10f", Kind::cuda, "10^x", exp10f},
    Function{"logf", Kind::cuda, "ln x", [](std::uint32_t x, Mode mode) { return logf(x, mode); }},
    Function{"log2f", Kind::cuda, "log2 x", log2f},
    Function{"log10f", Kind::cuda, "log10 x", log10f},
    Function{"sqrtf", Kind::cuda, "√x", sqrtf},
    Function{"rsqrtf", Kind::cuda, "1/√x", rsqrtf},
    Function{"1/x", Kind::cuda, "1/x", reciprocal},
    Function{"__expf", Kind::cuda, "e^x", fast_expf},
    Function{"__exp10f", Kind::cuda, "10^x", fast_exp10f},
    Function{"__logf", Kind::cuda, "ln x", fast_logf},
    Function{"__log2f", Kind::cuda, "log2 x", fast_log2f},
    Function{"__log10f", Kind::cuda, "log10 x", fast_log10f},
    Function{"__sinf", Kind::cuda, "sin x", instruction<sin>},
    Function{"__cosf", Kind::cuda, "cos x", instruction<cos>},
    Function{"__tanf", Kind::cuda, "tan x", fast_tanf}};

}  // namespace

std::span<const Function> functions() {
  return all;
}

const Function* find_function(std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Function& f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string full_name(const Function& function, Mode mode) {
  std::string name(function.name);
  if (function.kind == Kind::instruction)
    return name + (mode == Mode::standard ? ".approx.f32" : ".approx.ftz.f32");
  if (mode == Mode::flush) return name + " with -ftz=true";
  if (mode == Mode::fast) return name + " with -use_fast_math";
  return name;
}

}  // namespace whybits::special
