#include "lab/verify_operations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/progress.hpp"
#include "sim/builders/configuration_error.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

std::string case_text(const OperationCase& one) {
  std::string text = format_name(one.type);
  for (const auto& [name, size] : one.shape) text += fmt::format(" {}={}", name, size);
  return text;
}

/// One output of a file, over its cases.
struct Count {
  Verification result;
  std::size_t cases = 0;
};

void compare(Count& count, const OperationCase& one, const RecordedTensor& recorded,
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
    v.first_wrong_place = fmt::format("{}, [{},{}]", case_text(one), recorded.rows[i / columns],
                                      i % columns * recorded.column_stride);
    v.recorded = want;
    v.predicted = predicted[i];
  }
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
      const auto right = predict_operation(recording, one, functions, OperationModel::library);
      for (const auto& [name, recorded] : one.outputs) {
        Count& count = counts[name];
        compare(count, one, recorded, right.at(name));
        if (with_controls && count.result.controls.empty())
          count.result.controls.push_back(
              {std::string(neighbour_name(recording.operation)), "", 0});
      }
      if (with_controls) {
        const auto wrong = predict_operation(recording, one, functions, OperationModel::neighbour);
        for (const auto& [name, recorded] : one.outputs)
          for (std::size_t j = 0; j < recorded.codes.size(); ++j)
            if (wrong.at(name)[j] != recorded.codes[j]) ++counts.at(name).result.controls[0].wrong;
      }
    } catch (const ConfigurationError& error) {
      if (skipped++ == 0) why = case_text(one) + ": " + error.what();
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
        fmt::format("{} of {} {}", recording.operation, recording.library, recording.version);
    v.rule = counted_plainly(count.cases, "case") + ", functions " + std::string(functions.name);
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
