// An RMSNorm study as text and JSON.
#include <fmt/format.h>

#include "lab/norm_study.hpp"
#include "lab/text_table.hpp"
#include "sim/notation.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

std::string side_text(const std::string& letter, const NormSide& side) {
  if (side.own_topology) return fmt::format("  {}  {}\n", letter, print(*side.order.sum));
  return fmt::format("  {}  {}: {} a row, vectors of {}{}\n     {}\n", letter, side.spec,
                     counted(side.order.threads, "thread"), side.order.vector,
                     side.config.kernel.epilogue == RmsNormKernel::Epilogue::two_roundings
                         ? ", x·s rounded before the weight"
                         : "",
                     print(*side.order.sum));
}

nlohmann::ordered_json side_json(const NormSide& side) {
  nlohmann::ordered_json out{{"spec", side.spec},  {"topology", print(*side.order.sum)},
                             {"kernel", nullptr},  {"tokens", nullptr},
                             {"threads", nullptr}, {"vector", nullptr},
                             {"evidence", nullptr}};
  if (side.own_topology) return out;
  out["kernel"] = side.config.kernel.name;
  out["tokens"] = side.config.tokens;
  out["threads"] = side.order.threads;
  out["vector"] = side.order.vector;
  out["evidence"] = side.config.kernel.evidence;
  return out;
}

}  // namespace

std::string norm_text(const NormRequest& request, const NormStudy& study) {
  using enum TextTable::Align;
  std::string out = side_text("A", request.a) + side_text("B", request.b) + "\n";
  TextTable table({"that differ", "format", "elements", "rows", "max ulp"},
                  {left, left, right, right, right});
  for (const NormStage& stage : study.stages)
    table.row({stage.what, format_name(stage.format),
               fmt::format("{} of {}", grouped(stage.differ), grouped(stage.elements)),
               fmt::format("{} of {}", grouped(stage.rows_differ), grouped(request.rows)),
               stage.differ > 0 ? grouped(stage.largest_ulp) : ""});
  out += table.text(2);
  if (study.same_computation)
    out += "\n  A and B are one computation: no bit may differ, whatever the data.\n";
  if (!request.a.config.kernel.ieee_scale || !request.b.config.kernel.ieee_scale)
    out += "\n  1/√ is a GPU's rsqrtf, bit for bit as on an H200 (whybits special rsqrtf 2).\n";
  return out;
}

nlohmann::ordered_json norm_json(const NormRequest& request, const NormStudy& study) {
  nlohmann::ordered_json out{{"sides", {side_json(request.a), side_json(request.b)}},
                             {"same_computation", study.same_computation},
                             {"stages", nlohmann::ordered_json::array()}};
  for (const NormStage& stage : study.stages)
    out["stages"].push_back(
        {{"tensor", stage.tensor},
         {"format", format_name(stage.format)},
         {"elements", stage.elements},
         {"differ", stage.differ},
         {"rows_differ", stage.rows_differ},
         {"largest_ulp", stage.largest_ulp},
         {"first_row", stage.first_row ? nlohmann::ordered_json(*stage.first_row) : nullptr}});
  return out;
}

}  // namespace whybits
