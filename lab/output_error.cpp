#include "lab/output_error.hpp"

#include <fmt/format.h>

#include "exact/distance.hpp"
#include "exact/error_bound.hpp"
#include "exact/leaf_sums.hpp"
#include "exact/ledger_totals.hpp"
#include "lab/code_text.hpp"
#include "lab/text_table.hpp"

namespace whybits {
namespace {

std::string magnitude_text(const std::optional<Dyadic>& value) {
  return value ? fmt::format("{:.2e}", value->to_double()) : "none";
}

}  // namespace

std::optional<OutputError> output_error(const Reduction& reduction, const Trace& trace,
                                        const Leaves& leaves) {
  const exact::OperandUses uses = exact::operand_uses(reduction.tree);
  const std::optional<Dyadic> exact = exact::exact_value(leaves, uses);
  const std::optional<Dyadic> magnitude = exact::magnitude(leaves, uses);
  if (!exact || !magnitude || !trace.finite) return std::nullopt;
  const exact::LedgerTotals totals = exact::ledger_totals(trace);
  const Dyadic error = Dyadic::from_code(trace.format, trace.result) - *exact;
  if (!(totals.net == error)) return std::nullopt;
  return OutputError{error,
                     exact::error_in_ulps(trace.format, trace.result, *exact),
                     exact::relative_error(trace.format, trace.result, *exact),
                     totals.magnitude,
                     exact::TreeBound(reduction.tree, LeafTypes::of(leaves)).of(leaves, *exact),
                     exact::condition_number(*magnitude, *exact)};
}

std::string output_errors_text(const std::optional<OutputError>& a,
                               const std::optional<OutputError>& b) {
  if (!a && !b) return "";
  using enum TextTable::Align;
  TextTable table({"error of this output", "A", "B"}, {left, right, right});
  const auto row = [&](const char* name, auto text) {
    table.row({name, a ? text(*a) : "", b ? text(*b) : ""});
  };
  row("result − exact", [](const OutputError& e) { return signed_short(e.error); });
  row("in ulp", [](const OutputError& e) { return fmt::format("{:+.3g}", e.in_ulps); });
  row("relative", [](const OutputError& e) { return fmt::format("{:.2e}", e.relative); });
  row("at most, by its ledger: Σ|discarded|",
      [](const OutputError& e) { return magnitude_text(e.ledger_bound); });
  row("at most, by its tree, before it ran",
      [](const OutputError& e) { return magnitude_text(e.tree_bound); });
  return fmt::format("\n  condition number Σ|addend| / |Σ addend|: {:.3g}\n\n",
                     (a ? a : b)->condition) +
         table.text(2);
}

nlohmann::ordered_json output_error_json(const std::optional<OutputError>& error) {
  if (!error) return nullptr;
  return {{"error", error->error.to_double()},
          {"ulps", error->in_ulps},
          {"relative", error->relative},
          {"ledger_bound", error->ledger_bound.to_double()},
          {"tree_bound",
           error->tree_bound ? nlohmann::ordered_json(error->tree_bound->to_double()) : nullptr},
          {"condition_number", error->condition}};
}

}  // namespace whybits
