#include "lab/nccl_runs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "gpu/run_kernel.hpp"
#include "lab/generators.hpp"
#include "lab/gpu_source.hpp"
#include "lab/vector_source.hpp"
#include "sim/notation.hpp"

extern char** environ;  // NOLINT: POSIX names it so

namespace whybits {
namespace {

Recording blank(const gpu::NcclGroup& group, int ranks, const NcclRun& run,
                const std::string& command) {
  const gpu::GpuEnvironment gpu = gpu::gpu_environment();
  Recording recording;
  recording.source = gpu_source(gpu, command);
  recording.library = {"nccl", group.version(), {}};
  recording.settings = nccl_settings();
  if (run.call.in_place) recording.settings["in_place"] = true;
  recording.kernel = "nccl.all_reduce";
  recording.guarantee = Guarantee::run_to_run;
  recording.computation = RecordedComputation::all_reduce;
  recording.shape.ranks = static_cast<std::uint64_t>(ranks);
  recording.shape.count = run.call.count;
  recording.types.a = recording.types.accumulate = recording.types.out = run.call.type;
  const InputSpec spec = parse_input_spec(run.input);
  for (std::uint64_t r = 0; r < recording.shape.ranks; ++r)
    recording.inputs.emplace("rank" + std::to_string(r), input_spec_for_rank(spec, r));
  return recording;
}

}  // namespace

nlohmann::json nccl_settings() {
  nlohmann::json settings = nlohmann::json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equal = text.find('=');
    const std::string name = text.substr(0, equal);
    if (name.starts_with("NCCL_") && !name.starts_with("NCCL_DEBUG") && equal != std::string::npos)
      settings[name] = text.substr(equal + 1);
  }
  return settings;
}

NcclOutcome record_nccl(gpu::NcclGroup& group, int ranks, const NcclRun& run, int repeats,
                        const std::string& command) {
  NcclOutcome outcome{blank(group, ranks, run, command), true, true};
  std::vector<std::vector<std::uint8_t>> words;
  for (const std::string& operand : outcome.recording.operand_names()) {
    const auto source = outcome.recording.open(operand);
    words.push_back(words_from_codes(run.call.type, read_all(*source)));
  }
  std::vector<std::uint8_t> first;
  for (int i = 0; i < repeats; ++i) {
    const auto outputs = group.all_reduce(run.call, words);
    if (i == 0) first = outputs[0];
    outcome.repeats_equal = outcome.repeats_equal && outputs[0] == first;
    outcome.ranks_equal = outcome.ranks_equal && std::ranges::all_of(outputs, [&](const auto& o) {
                            return o == outputs[0];
                          });
  }
  set_output(outcome.recording, std::move(first));
  return outcome;
}

std::vector<RevealedRegion> reveal_nccl(gpu::NcclGroup& group, int ranks,
                                        const gpu::NcclCall& call) {
  const auto n = static_cast<std::uint64_t>(ranks);
  const bool half = call.type == formats::f16;
  const std::vector<PairLeaves> pairs =
      probe_pairs(mask_values(call.type, n, !half), n, call.count,
                  [&](const std::vector<std::vector<Bits>>& inputs) {
                    std::vector<std::vector<std::uint8_t>> words;
                    for (const auto& rank : inputs)
                      words.push_back(words_from_codes(call.type, rank));
                    const auto outputs = group.all_reduce(call, words);
                    return read_all(VectorSource(call.type, outputs[0]));
                  });
  std::vector<RevealedRegion> regions;
  for (std::uint64_t e = 0; e < call.count; ++e) {
    if (e > 0 && pairs[e] == pairs[e - 1])
      regions.back().end = e + 1;
    else
      regions.push_back({e, e + 1, decode_pairs(pairs[e])});
  }
  return regions;
}

std::vector<LoggedChoice> read_nccl_log(const std::string& text) {
  static const std::regex line(
      R"(AllReduce: (\d+) Bytes -> Algo (\S+) proto (\S+) channel\{Lo\.\.Hi\}=\{(\d+)\.\.(\d+)\})");
  std::vector<LoggedChoice> found;
  for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at)
    found.push_back({std::stoull((*at)[1]), std::stoull((*at)[5]) - std::stoull((*at)[4]) + 1,
                     (*at)[2], (*at)[3]});
  return found;
}

}  // namespace whybits
