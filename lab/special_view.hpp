// One value of a GPU's special function: its bits, the correctly rounded ones, and the way through
// the tables. Pure data; special_text and special_json draw from it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lab/number_view.hpp"
#include "sim/special/catalog.hpp"

namespace whybits {

struct SpecialView {
  std::string name;  ///< "ex2.approx.ftz.f32"
  std::string says;  ///< "2^x"
  InputNumber x;
  NumberView result, correct;
  std::optional<std::uint64_t> ulps;          ///< between them; nullopt if either is NaN
  std::optional<special::unit::Trace> trace;  ///< of instructions
};
/// Errors: UsageError for a code that is too wide.
SpecialView view_special(const special::Function& function, special::Mode mode,
                         const NumberInput& x);

std::string special_text(const SpecialView& view);
nlohmann::ordered_json special_json(const SpecialView& view);

}  // namespace whybits
