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
  std::string out = side_text("A", request.a) + side_text("B", request.b) + "\n";
  out += stages_text(study.stages, request.rows);
  if (study.same_computation)
    out += "\n  A and B are one computation: no bit may differ, whatever the data.\n";
  if (!request.a.config.kernel.ieee_scale || !request.b.config.kernel.ieee_scale)
    out +=
        fmt::format("\n  1/√ is '{}': {}.\n", request.functions.name, request.functions.evidence);
  return out;
}

nlohmann::ordered_json norm_json(const NormRequest& request, const NormStudy& study) {
  nlohmann::ordered_json out{{"functions", request.functions.name},
                             {"sides", {side_json(request.a), side_json(request.b)}},
                             {"same_computation", study.same_computation},
                             {"stages", stages_json(study.stages)}};
  return out;
}

}  // namespace whybits
