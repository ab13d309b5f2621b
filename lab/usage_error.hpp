// The error that a person can mend: bad input, bad option. The command ends with exit code 2.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace whybits {

struct UsageError : std::runtime_error {
  explicit UsageError(const std::string& message, std::string remedy_text = {})
      : std::runtime_error(message), remedy(std::move(remedy_text)) {}

  std::string remedy;  ///< what to do about it, or empty
};

}  // namespace whybits
