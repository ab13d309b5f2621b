#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/operation_view.hpp"

namespace whybits {

/// One plain sentence without its language: what it says, and what fills it in.
struct RoundingReason {
  std::string_view key;  ///< one of rounding_reason_keys()
  std::vector<std::string> values;
  std::optional<Rounding> rounding;  ///< named after the values
};

/// Every key that there is: whoever shows reasons in another language needs a text for each.
std::vector<std::string_view> rounding_reason_keys();

/// Why an operation gave its result: a sentence or two, from the other fields of the view.
std::vector<RoundingReason> rounding_reasons(const OperationView& view);
/// The same in English.
std::string explain_rounding(const OperationView& view);

/// "to nearest even", "toward zero", …: how a rounding is called inside a sentence.
std::string_view rounding_phrase(Rounding rounding);

}  // namespace whybits
