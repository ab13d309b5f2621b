#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace whybits {

/// A configuration that no kernel has, or that is not known; names the field, its value and what is
/// allowed.
struct ConfigurationError : std::runtime_error {
  using std::runtime_error::runtime_error;

  ConfigurationError(const std::string& field, std::uint64_t value, const std::string& allowed)
      : std::runtime_error(field + " = " + std::to_string(value) + ": " + allowed) {}
};

}  // namespace whybits
