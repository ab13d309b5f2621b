#include "lab/verify_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "lab/kernel_request.hpp"
#include "lab/predict_claim.hpp"
#include "lab/progress.hpp"
#include "sim/builders/configuration_error.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

std::string case_text(const OperationRecording& recording, const OperationCase& one) {
  std::string text = format_name(one.type);
  for (const auto& [name, size] : one.shape) text += fmt::format(" {}={}", name, size);
  if (recording.kernel != nullptr)
    if (const std::string knobs = knobs_text(*recording.kernel, one.launch); !knobs.empty())
      text += " " + knobs;
  return text;
}

/// A model of a case: the right one, or a wrong neighbour.
struct NamedModel {
  std::string name;
  std::function<std::map<std::string, std::vector<Bits>>()> predict;
};

/// The right one first. Errors: ConfigurationError.
std::vector<NamedModel> models_of(const OperationRecording& recording, const OperationCase& one,
                                  const ElementFunctions& functions, bool with_controls) {
  std::vector<NamedModel> models;
  if (recording.kernel == nullptr) {
    const auto add = [&](std::string name, OperationModel model) {
      models.push_back({std::move(name), [&recording, &one, &functions, model] {
                          return predict_operation(recording, one, functions, model);
                        }});
    };
    add({}, OperationModel::library);
    if (with_controls)
      add(std::string(neighbour_name(recording.operation)), OperationModel::neighbour);
    return models;
  }
  const gpu::RecipeKernel& kernel = *recording.kernel;
  const gpu::RecipeRun run = run_of(kernel, one);
  std::vector<gpu::RecipeClaim> claims{kernel.claim(run)};
  if (with_controls)
    for (gpu::RecipeClaim& neighbour : kernel.neighbours(run))
      claims.push_back(std::move(neighbour));
  for (gpu::RecipeClaim& claim : claims)
    models.push_back(
        {claim.name, [&kernel, &one, claim] { return predict_claim(kernel, one, claim); }});
  return models;
}

/// One output of a file, over its cases.
struct Count {
  Verification result;
  std::size_t cases = 0;
};

void compare(Count& count, const std::string& of_case, const RecordedTensor& recorded,
             const std::vector<Bits>& predicted) {
  Verification& v = count.result;
  ++count.cases;
  v.format = recorded.type;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const Bits want = recorded.codes[i];
    ++v.compared;
    if (!unpack(recorded.type, want).finite()) ++v.not_finite;
    if (predicted[i] == want) continue;
    if (v.wrong++ > 0) continue;
    v.first_wrong = i;
    const std::size_t columns = predicted.size() / recorded.rows.size();
    v.first_wrong_place = fmt::format("{}, [{},{}]", of_case, recorded.rows[i / columns],
                                      i % columns * recorded.column_stride);
    v.recorded = want;
    v.predicted = predicted[i];
  }
}

ControlCount& control_named(Verification& result, const std::string& name) {
  const auto found = std::ranges::find(result.controls, name, &ControlCount::name);
  if (found != result.controls.end()) return *found;
  return result.controls.emplace_back(ControlCount{name, "", 0});
}

}  // namespace

std::vector<Verification> verify_operations(const OperationRecording& recording,
                                            const ElementFunctions& functions, bool with_controls) {
  std::map<std::string, Count> counts;
  std::size_t skipped = 0;
  std::string why;
  Progress progress("cases", recording.cases.size());
  for (std::size_t i = 0; i < recording.cases.size(); ++i) {
    const OperationCase& one = recording.cases[i];
    try {
      const std::vector<NamedModel> models = models_of(recording, one, functions, with_controls);
      const auto right = models.front().predict();
      for (const auto& [name, recorded] : one.outputs)
        compare(counts[name], case_text(recording, one), recorded, right.at(name));
      for (std::size_t m = 1; m < models.size(); ++m) {
        const auto wrong = models[m].predict();
        for (const auto& [name, recorded] : one.outputs) {
          ControlCount& control = control_named(counts[name].result, models[m].name);
          for (std::size_t j = 0; j < recorded.codes.size(); ++j)
            if (wrong.at(name)[j] != recorded.codes[j]) ++control.wrong;
        }
      }
    } catch (const ConfigurationError& error) {
      if (skipped++ == 0) why = case_text(recording, one) + ": " + error.what();
    }
    progress.update(i + 1);
  }
  std::vector<Verification> list;
  for (auto& [name, count] : counts) {
    Verification& v = count.result;
    v.file = recording.name + "#" + name;
    v.basis = Basis::from_configuration;
    v.device = recording.source.at("device");
    v.topology =
        fmt::format("{} of {} {}", recording.kernel ? recording.kernel->name : recording.operation,
                    recording.library, recording.version);
    v.rule = counted_plainly(count.cases, "case");
    if (recording.kernel == nullptr) v.rule += ", functions " + std::string(functions.name);
    if (skipped > 0) v.rule += fmt::format(", {} not modelled ({})", skipped, why);
    list.push_back(std::move(v));
  }
  if (list.empty()) {
    Verification none;
    none.file = recording.name;
    none.unsupported = recording.cases.empty() ? "the file has no cases" : why;
    list.push_back(std::move(none));
  }
  return list;
}

}  // namespace whybits
