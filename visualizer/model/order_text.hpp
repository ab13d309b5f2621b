#pragma once

#include <optional>
#include <string>

#include "sim/trace.hpp"

namespace whybits::viz {

/// The order of a small sum, leaves by their numbers: "((1 + 2) + 3) + 0". None of more than eight
/// leaves, and none that adds anything but leaves.
std::optional<std::string> order_text(const Trace& trace);

}  // namespace whybits::viz
