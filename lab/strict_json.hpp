// JSON from strangers: duplicate keys, deep nesting and floods of values are refused while
// parsing, before they cost memory.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace whybits {

struct JsonLimits {
  int depth = 16;
  std::size_t values = 1'000'000;
};

/// Throws UsageError "WHERE: …" for text that is not one JSON value, breaks a limit, or holds a key
/// twice in one object (of which other readers would take one or the other). `remedy` goes with it.
nlohmann::json parse_strict_json(std::string_view text, const std::string& where,
                                 const JsonLimits& limits = {}, const std::string& remedy = {});

}  // namespace whybits
