#include "lab/gates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/inputs.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

/// TF32 kernels round their operands: then outputs cannot be told from f32 ones by the tree alone.
bool operands_enter_as_they_are(const cublaslt::AtlasKey& key) {
  return key.types != cublaslt::TypeKind::tf32;
}

void collect_runs(const GateRequest& request, GateReport& report) {
  const auto& atlas = cublaslt::Atlas::shipped(request.key.types);
  for (cublaslt::TopologyRun& run : atlas.topology_runs(request.key)) {
    report.recorded += run.last_m - run.first_m + 1;
    GateRun gate{run.first_m, run.last_m, std::move(run.text), {}};
    const auto* topology = std::get_if<cublaslt::Topology>(&run.topology);
    const auto* one = topology ? std::get_if<SchemaPtr>(topology) : nullptr;
    if (one && operands_enter_as_they_are(request.key)) {
      const auto known = std::ranges::find_if(report.topologies, [&](const GateTopology& t) {
        return print(*t.topology) == gate.text;
      });
      gate.topology = static_cast<std::size_t>(known - report.topologies.begin());
      if (known == report.topologies.end()) report.topologies.push_back({*one, {}, {}});
    }
    report.runs.push_back(std::move(gate));
  }
}

void compare_neighbours(const Study& study, GateReport& report) {
  for (std::size_t i = 0; i + 1 < report.runs.size(); ++i) {
    const auto &from = report.runs[i].topology, &to = report.runs[i + 1].topology;
    if (!from || !to || *from == *to) continue;
    const auto [a, b] = std::minmax(*from, *to);
    const auto pair = std::ranges::find_if(
        study.pairs, [&](const PairComparison& p) { return p.a == a && p.b == b; });
    GateChange change{i, i + 1, pair->before.differ, pair->after.differ, {}, pair->same_tree};
    if (pair->after.same_format && pair->after.differ > 0)
      change.largest_ulp = pair->after.ulp.largest();
    report.changes.push_back(change);
  }
}

}  // namespace

GateReport find_gates(const GateRequest& request) {
  GateReport report;
  report.key = request.key;
  report.input_a = request.a;
  report.input_b = request.b;
  collect_runs(request, report);
  if (report.runs.empty())
    throw UsageError(
        text_of(request.key) + " is not in the atlas",
        "whybits predict --help names the layers; docs/cublaslt.md says how to add one");
  const cublaslt::Problem problem =
      problem_of(request.key.types, {1, request.key.n, request.key.k}, request.key.storage_b);
  if (request.columns > request.key.n)
    throw UsageError(fmt::format("--columns {}: the layer has {}", request.columns, request.key.n));
  const auto a = open_tensor("--a", request.a, problem.a, {1, request.key.k});
  const auto b = open_tensor("--b", request.b, problem.b, {request.key.k, request.key.n});
  GemmOperands operands;
  operands.shape = {1, request.key.n, request.key.k};
  operands.a = a.get();
  operands.b = b.get();
  ChosenOutputs chosen = ChosenOutputs::all(operands.shape);
  if (request.columns != 0) chosen.columns.resize(request.columns);
  report.outputs = chosen.size();
  if (report.topologies.empty()) return report;
  std::vector<SchemaPtr> topologies;
  for (const GateTopology& t : report.topologies) topologies.push_back(t.topology);
  const Study study = run_study(gemm_request(operands, chosen, {}, topologies));
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    report.topologies[i].error_before = study.topologies[i].error_before;
    report.topologies[i].error_after = study.topologies[i].error_after;
  }
  compare_neighbours(study, report);
  return report;
}

}  // namespace whybits
