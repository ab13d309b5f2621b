#include "lab/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lab/hash_xxh3.hpp"
#include "lab/kernel_runs.hpp"
#include "lab/text_table.hpp"
#include "lab/verify.hpp"

namespace whybits {
namespace {

SweepSetting changed(const KernelRequest& base, const JsonField& change) {
  change.allow_only({"kernel", "params"});
  SweepSetting setting{base.kernel, base.params};
  if (const auto kernel = change.find("kernel")) setting.kernel = &kernel_named(kernel->text());
  if (const auto params = change.find("params"))
    for (const std::string& knob : params->keys())
      set_knob(*setting.kernel, setting.params, knob, params->at(knob));
  return setting;
}

SweepRequest read_sweep(const JsonField& entry) {
  SweepRequest request{read_request(entry, {"knob", "values", "settings"}), {}};
  const auto knob = entry.find("knob");
  const auto settings = entry.find("settings");
  if (knob.has_value() == settings.has_value())
    entry.fail("must have either 'knob' with 'values', or 'settings'");
  if (knob) {
    for (const JsonField& value : entry.at("values").elements()) {
      SweepSetting setting{request.base.kernel, request.base.params};
      set_knob(*setting.kernel, setting.params, knob->text(), value);
      request.settings.push_back(setting);
    }
  } else {
    for (const JsonField& change : settings->elements())
      request.settings.push_back(changed(request.base, change));
  }
  if (request.settings.empty()) entry.fail("has no settings");
  return request;
}

KernelRequest with(const KernelRequest& base, const SweepSetting& setting) {
  KernelRequest request = base;
  request.kernel = setting.kernel;
  request.params = setting.params;
  return request;
}

std::uint64_t count_different(const std::vector<std::uint8_t>& x,
                              const std::vector<std::uint8_t>& y, std::size_t word) {
  if (x.size() != y.size()) return std::max(x.size(), y.size()) / word;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < x.size(); i += word)
    if (!std::equal(x.begin() + static_cast<std::ptrdiff_t>(i),
                    x.begin() + static_cast<std::ptrdiff_t>(i + word),
                    y.begin() + static_cast<std::ptrdiff_t>(i)))
      ++count;
  return count;
}

}  // namespace

std::vector<SweepRequest> read_sweeps(const JsonField& list) {
  std::vector<SweepRequest> requests;
  for (const JsonField& entry : list.elements()) requests.push_back(read_sweep(entry));
  return requests;
}

bool SweepResult::as_claimed() const {
  return std::ranges::all_of(
      groups, [](const SweepGroup& g) { return g.hashes == 1 && g.wrong == 0 && g.compared > 0; });
}

SweepResult run_sweep(const SweepRequest& request) {
  SweepResult result{request.base.name, 0, {}};
  std::map<std::string_view, LiveKernel> kernels;  // operands are on the device once for each
  std::vector<std::set<std::string>> hashes;
  std::vector<std::uint8_t> reference;
  for (const SweepSetting& setting : request.settings) {
    const KernelRequest one = with(request.base, setting);
    LiveKernel& live = kernels.try_emplace(setting.kernel->name, one).first->second;
    Recording recording = blank_recording(one, live.architecture());
    const std::vector<std::uint8_t> words = live.run(setting.params).words;
    const std::string hash = xxh3_128_hex(words);
    if (reference.empty()) reference = words;
    auto group = std::ranges::find(result.groups, *recording.topology, &SweepGroup::topology);
    if (group == result.groups.end()) {
      SweepGroup fresh;
      fresh.topology = *recording.topology;
      fresh.first =
          fmt::format("{} {}", setting.kernel->name, knobs_text(*setting.kernel, setting.params));
      fresh.hash = hash;
      const auto word = recording.types.out.word_bytes();
      result.outputs = words.size() / word;
      fresh.differ = count_different(words, reference, word);
      set_output(recording, kept_words(recording, words));
      const Verification v = verify(recording, false);
      fresh.wrong = v.wrong;
      fresh.compared = v.compared;
      result.groups.push_back(fresh);
      hashes.emplace_back();
      group = result.groups.end() - 1;
    }
    std::set<std::string>& seen = hashes[static_cast<std::size_t>(group - result.groups.begin())];
    seen.insert(hash);
    ++group->settings;
    group->hashes = seen.size();
  }
  return result;
}

std::string sweeps_text(const std::vector<SweepResult>& results) {
  using enum TextTable::Align;
  TextTable table({"sweep", "settings", "different outputs", "compared", "wrong",
                   "differ from first", "topology", "first setting"},
                  {left, right, right, right, right, right, left, left});
  for (const SweepResult& result : results)
    for (const SweepGroup& g : result.groups)
      table.row({result.name, grouped(g.settings), grouped(g.hashes), grouped(g.compared),
                 grouped(g.wrong),
                 fmt::format("{} of {}", grouped(g.differ), grouped(result.outputs)),
                 g.topology.size() > 90 ? g.topology.substr(0, 87) + "..." : g.topology, g.first});
  return table.text();
}

nlohmann::json sweeps_json(const std::vector<SweepResult>& results) {
  nlohmann::json out{{"whybits_sweeps", 1}, {"sweeps", nlohmann::json::array()}};
  for (const SweepResult& result : results) {
    nlohmann::json groups = nlohmann::json::array();
    for (const SweepGroup& g : result.groups)
      groups.push_back({{"topology", g.topology},
                        {"first", g.first},
                        {"settings", g.settings},
                        {"hashes", g.hashes},
                        {"xxh3_128", g.hash},
                        {"compared", g.compared},
                        {"wrong", g.wrong},
                        {"differ_from_first", g.differ}});
    out["sweeps"].push_back({{"name", result.name},
                             {"outputs", result.outputs},
                             {"as_claimed", result.as_claimed()},
                             {"groups", std::move(groups)}});
  }
  return out;
}

}  // namespace whybits
