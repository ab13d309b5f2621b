// Options that several commands share, and their checks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/leaves.hpp"
#include "sim/schema.hpp"

namespace whybits {

/// A format by name, or UsageError naming the option and the nearest name.
Format format_option(const std::string& option, const std::string& text);

/// A rounding by name or suffix ("zero", "rz"), or UsageError naming the nearest name.
Rounding rounding_option(const std::string& option, const std::string& text);

/// A topology, or UsageError with a caret.
SchemaPtr topology_option(const std::string& option, const std::string& text);

/// --topology and every --vs, at most 26.
std::vector<SchemaPtr> topology_options(const std::string& topology,
                                        const std::vector<std::string>& vs);

/// "product" → nothing, "product > f32" → that rounding. Else UsageError.
std::optional<Conversion> leaf_option(const std::string& text);

/// "0,5,7..9" → 0 5 7 8 (a..b is half open, as in take(a..b, T)); "" → all of 0 … size − 1.
std::vector<std::uint64_t> index_list_option(const std::string& option, const std::string& text,
                                             std::uint64_t size);

/// a·b, or UsageError if it passes 2^63: sizes are refused before anything is allocated.
std::uint64_t checked_product(const std::string& what, std::uint64_t a, std::uint64_t b);

}  // namespace whybits
