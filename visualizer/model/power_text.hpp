#pragma once

#include <string>

namespace whybits::viz {

/// 2 to the power of −7 as "2⁻⁷".
std::string power_text(int exponent);

}  // namespace whybits::viz
