// A softmax study as text and JSON.
#include <fmt/format.h>

#include "lab/softmax_study.hpp"
#include "lab/text_table.hpp"
#include "sim/notation.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

std::string side_text(const char* letter, const SoftmaxSide& side) {
  if (side.own_topology) return fmt::format("  {}  {}\n", letter, print(*side.order.sum));
  return fmt::format("  {}  {}: {}, {} a row, vectors of {}\n     {}\n", letter, side.spec,
                     side.order.regime, counted(side.order.threads, "thread"), side.order.vector,
                     print(*side.order.sum));
}

nlohmann::ordered_json side_json(const SoftmaxSide& side) {
  nlohmann::ordered_json out{{"spec", side.spec}, {"topology", print(*side.order.sum)},
                             {"kernel", nullptr}, {"rows", nullptr},
                             {"regime", nullptr}, {"threads", nullptr},
                             {"vector", nullptr}, {"evidence", nullptr}};
  if (side.own_topology) return out;
  out["kernel"] = side.config.kernel.name;
  out["rows"] = side.config.rows;
  out["regime"] = side.order.regime;
  out["threads"] = side.order.threads;
  out["vector"] = side.order.vector;
  out["evidence"] = side.order.evidence;
  return out;
}

nlohmann::ordered_json errors_json(const std::optional<SoftmaxErrors>& errors) {
  if (!errors) return nullptr;
  const auto side = [](const SoftmaxErrors::Side& one) {
    return nlohmann::ordered_json{{"other", one.other}, {"largest_ulp", one.largest_ulp}};
  };
  return {{"looked_at", errors->looked_at}, {"a", side(errors->a)}, {"b", side(errors->b)}};
}

}  // namespace

std::string softmax_text(const SoftmaxRequest& request, const SoftmaxStudy& study) {
  std::string out = side_text("A", request.a) + side_text("B", request.b) + "\n" +
                    stages_text(study.stages, request.rows);
  if (study.same_tree)
    out += "\n  A and B are one computation: no bit may differ, whatever the data.\n";
  if (study.errors)
    out += fmt::format(
        "\n  Not the exact value rounded once: {} of A and {} of B, of {} looked at; at most {} "
        "and "
        "{} ulp from it.\n",
        study.errors->a.other, study.errors->b.other, counted(study.errors->looked_at, "output"),
        study.errors->a.largest_ulp, study.errors->b.largest_ulp);
  out += fmt::format("\n  exp and log are '{}': {}.\n", request.functions.name,
                     request.functions.evidence);
  return out;
}

nlohmann::ordered_json softmax_json(const SoftmaxRequest& request, const SoftmaxStudy& study) {
  return {{"functions", request.functions.name},
          {"sides", {side_json(request.a), side_json(request.b)}},
          {"same_tree", study.same_tree},
          {"stages", stages_json(study.stages)},
          {"errors", errors_json(study.errors)}};
}

}  // namespace whybits
