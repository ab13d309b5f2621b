#include "lab/derive.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/json_field.hpp"

namespace whybits {
namespace {

constexpr std::string_view cublaslt_library = "cublasLt";

std::string capability(const Recording& recording) {
  const auto found = recording.source.find("compute_capability");
  return found == recording.source.end() ? "" : found->second;
}

}  // namespace

cublaslt::Algorithm read_algorithm(const nlohmann::json& fields, const std::string& file) {
  const JsonField root(fields, file);
  cublaslt::Algorithm algorithm;
  for (const cublaslt::FieldName& name : cublaslt::algorithm_fields) {
    const JsonField field = root.at(name.name);
    const bool kernel_decides =
        name.field == &cublaslt::Algorithm::split_k && field.value() == nlohmann::json(-1);
    algorithm.*name.field =
        kernel_decides ? cublaslt::decided_by_kernel
                       : static_cast<std::uint32_t>(field.number(0, cublaslt::decided_by_kernel));
  }
  return algorithm;
}

nlohmann::json algorithm_json(const cublaslt::Algorithm& algorithm) {
  nlohmann::json fields = nlohmann::json::object();
  for (const cublaslt::FieldName& name : cublaslt::algorithm_fields)
    fields[std::string(name.name)] = algorithm.*name.field;
  if (algorithm.split_k == cublaslt::decided_by_kernel) fields["split_k"] = -1;
  return fields;
}

std::variant<cublaslt::Problem, std::string> cublaslt_problem(const Recording& recording) {
  const JsonField settings(recording.settings, recording.name);
  if (recording.computation != RecordedComputation::gemm) return "it is no gemm";
  if (recording.types.c) return "where c enters was not measured";
  if (!recording.layout) return "the file does not say how the matrices lay in memory (layout)";
  if (recording.layout->a != "mk") return "a stored as km was not measured";
  cublaslt::Problem problem;
  problem.shape = {recording.shape.m, recording.shape.n, recording.shape.k};
  problem.a = recording.types.a;
  problem.b = *recording.types.b;
  problem.out = recording.types.out;
  problem.storage_b = recording.layout->b == "nk" ? cublaslt::StorageB::nk : cublaslt::StorageB::kn;
  const std::string compute = settings.at("compute").text();
  const auto found = std::ranges::find(cublaslt::compute_names, compute);
  if (found == cublaslt::compute_names.end())
    return fmt::format("compute type {} has no rule", compute);
  problem.compute = static_cast<cublaslt::Compute>(found - cublaslt::compute_names.begin());
  if (const auto fast = settings.find("fast_accumulation")) {
    if (!fast->value().is_boolean()) fast->fail("must be true or false");
    problem.fast_accumulation = fast->value().get<bool>();
  }
  if (const auto epilogue = settings.find("epilogue"); epilogue && epilogue->text() != "default")
    return fmt::format("a recording with epilogue {} is not modelled", epilogue->text());
  return problem;
}

std::vector<std::uint32_t> recorded_clusters(const Recording& recording) {
  std::vector<std::uint32_t> clusters;
  const JsonField settings(recording.settings, recording.name);
  const auto field = settings.find("clusters");
  if (!field) return clusters;
  constexpr std::uint64_t most = 65535;
  for (const JsonField& count : field->elements())
    clusters.push_back(static_cast<std::uint32_t>(count.number(0, most)));
  return clusters;
}

std::variant<DerivedTopology, std::string> derive_from_fields(const Recording& recording) {
  if (recording.library.name != cublaslt_library)
    return fmt::format("there is no model of {} {} yet", recording.library.name,
                       recording.library.version);
  if (recording.algorithm.is_null()) return "the file has no algorithm fields";
  const auto problem = cublaslt_problem(recording);
  if (const auto* why = std::get_if<std::string>(&problem)) return "no rule: " + *why;
  cublaslt::Outcome outcome =
      predict(std::get<cublaslt::Problem>(problem),
              read_algorithm(recording.algorithm, recording.name + ": algorithm"),
              {recording.library.version, capability(recording), recorded_clusters(recording)});
  if (const auto* none = std::get_if<cublaslt::NoRule>(&outcome)) return "no rule: " + none->why;
  auto& prediction = std::get<cublaslt::Prediction>(outcome);
  return DerivedTopology{
      std::move(prediction.topology), prediction.operands,
      fmt::format("{} (algorithm id {})", prediction.rule->name, prediction.rule->id)};
}

}  // namespace whybits
