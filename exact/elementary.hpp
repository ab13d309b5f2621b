// Elementary functions of f32, rounded correctly by MPFR: what a GPU's approximations approximate.
#pragma once

#include <optional>
#include <string_view>

#include "sim/rounding.hpp"

namespace whybits::exact {

/// f(x) rounded to f32, nearest even, for a function as one writes it: 1/x, 1/√x, √x, log2 x, 2^x,
/// sin x, cos x, tan x, e^x, 10^x, ln x, log10 x. nullopt for any other. x is an f32 code.
std::optional<Bits> elementary(std::string_view function, Bits x);

}  // namespace whybits::exact
