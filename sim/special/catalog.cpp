#include "sim/special/catalog.hpp"

#include <algorithm>

#include "sim/special/instructions.hpp"

namespace whybits::special {
namespace {

using Kind = Function::Kind;

using Instruction = std::uint32_t (*)(std::uint32_t, Ftz, unit::Trace*);

template <Instruction F>
std::uint32_t plain(std::uint32_t x, Mode mode) {
  return F(x, mode == Mode::standard ? Ftz::no : Ftz::yes, nullptr);
}
template <Instruction F>
std::uint32_t traced(std::uint32_t x, Mode mode, unit::Trace& trace) {
  return F(x, mode == Mode::standard ? Ftz::no : Ftz::yes, &trace);
}

template <Instruction F>
constexpr Function instruction(std::string_view name, std::string_view says) {
  return {name, Kind::instruction, says, plain<F>, traced<F>};
}
constexpr Function cuda(std::string_view name, std::string_view says,
                        std::uint32_t (*of)(std::uint32_t, Mode)) {
  return {name, Kind::cuda, says, of, nullptr};
}

constexpr std::array all{
    instruction<rcp>("rcp", "1/x"),
    instruction<rsqrt>("rsqrt", "1/√x"),
    instruction<sqrt>("sqrt", "√x"),
    instruction<lg2>("lg2", "log2 x"),
    instruction<ex2>("ex2", "2^x"),
    instruction<sin>("sin", "sin x"),
    instruction<cos>("cos", "cos x"),
    Function{"tanh", Kind::without_ftz, "tanh x",
             [](std::uint32_t x, Mode) { return special::tanh(x); },
             [](std::uint32_t x, Mode, unit::Trace& trace) { return special::tanh(x, &trace); }},
    cuda("expf", "e^x", expf),
    cuda("exp2f", "2^x", exp2f),
    cuda("exp10f", "10^x", exp10f),
    cuda("logf", "ln x", [](std::uint32_t x, Mode mode) { return logf(x, mode); }),
    cuda("log2f", "log2 x", log2f),
    cuda("log10f", "log10 x", log10f),
    cuda("sqrtf", "√x", sqrtf),
    cuda("rsqrtf", "1/√x", rsqrtf),
    cuda("tanhf", "tanh x", tanhf),
    cuda("1/x", "1/x", reciprocal),
    cuda("__expf", "e^x", fast_expf),
    cuda("__exp10f", "10^x", fast_exp10f),
    cuda("__logf", "ln x", fast_logf),
    cuda("__log2f", "log2 x", fast_log2f),
    cuda("__log10f", "log10 x", fast_log10f),
    cuda("__sinf", "sin x", plain<sin>),
    cuda("__cosf", "cos x", plain<cos>),
    cuda("__tanf", "tan x", fast_tanf)};

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
  if (function.kind == Kind::without_ftz) return name + ".approx.f32";
  if (mode == Mode::flush) return name + " with -ftz=true";
  if (mode == Mode::fast) return name + " with -use_fast_math";
  return name;
}

}  // namespace whybits::special
