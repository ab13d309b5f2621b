#include <algorithm>

#include "lab/usage_error.hpp"
#include "visualizer/scenes/gemm/gemm_hardware.hpp"
#include "visualizer/scenes/gemm/gemm_model.hpp"

namespace whybits::viz {
namespace {

/// The recorded stretch with this tree whose batch is nearest.
const GateSegment* recorded_segment(const Layer& layer, const std::string& topology,
                                    std::uint64_t batch) {
  const GateSegment* best = nullptr;
  const auto distance = [&](const GateSegment& s) {
    return s.first > batch ? s.first - batch : batch - s.first;
  };
  for (const GateSegment& segment : layer.segments) {
    if (segment.recording.empty() || segment.topology != topology) continue;
    if (!best || distance(segment) < distance(*best)) best = &segment;
  }
  return best;
}

bool same_inputs(const Recording& recording, const GemmState& state) {
  const auto is = [&](const char* name, const std::string& text) {
    const auto found = recording.inputs.find(name);
    return found != recording.inputs.end() && found->second == parse_input_spec(text);
  };
  return recording.computation == RecordedComputation::gemm && recording.shape.n == state.n &&
         recording.shape.k == state.k && is("a", state.input_a) && is("b", state.input_b);
}

/// Nothing where there is none, or no recording.
std::optional<Recording> recording_at(const std::filesystem::path& path) {
  try {
    return read_recording(path);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

}  // namespace

const Recording* HardwareAnswers::read(const std::string& name) {
  auto found = read_.find(name);
  if (found == read_.end()) found = read_.emplace(name, recording_at(folder_ / name)).first;
  return found->second ? &*found->second : nullptr;
}

std::optional<HardwareAnswer> HardwareAnswers::find(const GemmState& state, const Layer& layer,
                                                    Side side, const Study& study) {
  if (folder_.empty()) return std::nullopt;
  const GemmChoice& choice = side == Side::a ? state.a : state.b;
  const GateSegment* segment = recorded_segment(layer, topology_of(state, side), choice.batch);
  const Recording* recording = segment ? read(segment->recording) : nullptr;
  if (!recording || !same_inputs(*recording, state)) return std::nullopt;
  const auto codes = recording->output_codes();
  const std::vector<std::uint64_t> rows = recording->output_rows();
  if (!codes) return std::nullopt;
  const std::vector<Bits> recorded = read_all(*codes);
  const std::vector<Bits>& computed = study.topologies[side == Side::a ? 0 : 1].after;
  HardwareAnswer answer{side, segment->recording, "", segment->first, 0, 0};
  if (const auto device = recording->source.find("device"); device != recording->source.end())
    answer.device = device->second;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r] >= state.m) continue;
    for (std::uint64_t column = 0; column < state.n; ++column) {
      ++answer.compared;
      const bool same = recorded[r * state.n + column] == computed[rows[r] * state.n + column];
      answer.wrong += same ? 0U : 1U;
    }
  }
  return answer.compared > 0 ? std::optional(answer) : std::nullopt;
}

}  // namespace whybits::viz
