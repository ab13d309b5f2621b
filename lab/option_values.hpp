// Values that people write: formats, roundings, topologies by name, and sizes. `option` is how
// messages call the place: "--type", "session.json: state.type".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/leaves.hpp"
#include "sim/schema.hpp"

namespace whybits {

/// A format by name, or UsageError naming the option and the nearest name.
Format format_option(const std::string& option, const std::string& text);

/// A rounding by name or suffix ("zero", "rz"), or UsageError naming the nearest name.
Rounding rounding_option(const std::string& option, const std::string& text);

/// A topology, or UsageError with a caret.
SchemaPtr topology_option(const std::string& option, const std::string& text);

/// "product" → nothing, "product > f32" → that rounding. Else UsageError.
std::optional<Conversion> leaf_option(const std::string& option, const std::string& text);

/// a·b, or UsageError if it passes 2^62: sizes are refused before anything is allocated.
std::uint64_t checked_product(const std::string& what, std::uint64_t a, std::uint64_t b);

}  // namespace whybits
