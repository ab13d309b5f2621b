#include "lab/arrivals.hpp"

#include <fmt/format.h>

#include <mutex>
#include <set>

#include "lab/hash_xxh3.hpp"
#include "lab/kernel_runs.hpp"
#include "lab/replay.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/any_order.hpp"
#include "sim/notation.hpp"

namespace whybits {

std::vector<ArrivalRequest> read_arrivals(const JsonField& list) {
  std::vector<ArrivalRequest> requests;
  for (const JsonField& entry : list.elements())
    requests.push_back(
        {read_request(entry, {"times"}), entry.at("times").number(1, std::uint64_t{1} << 20)});
  return requests;
}

ArrivalResult run_arrivals(const ArrivalRequest& request) {
  LiveKernel live(request.base);
  Recording recording = blank_recording(request.base, live.architecture());
  const Model model(parse_notation(*recording.topology), recording.shape.k, leaf_types(recording),
                    recording.shape.m * recording.shape.n);
  if (!model.order_undefined())
    throw UsageError(fmt::format("{}: the order of additions is defined: {}", request.base.name,
                                 *recording.topology),
                     "choose split=atomic and splits above 1");
  ArrivalResult result;
  result.name = request.base.name;
  result.topology = *recording.topology;
  result.runs = request.runs;
  result.outputs = recording.output_elements();
  std::set<std::string> wholes;
  std::vector<std::set<Bits>> seen(result.outputs);
  for (std::uint64_t run = 0; run < request.runs; ++run) {
    const std::vector<std::uint8_t> words = live.run(request.base.params).words;
    wholes.insert(xxh3_128_hex(words));
    const VectorSource kept(recording.types.out, kept_words(recording, words));
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i].insert(kept[i]);
  }
  result.distinct_wholes = wholes.size();
  for (const std::set<Bits>& results : seen) ++result.by_results[results.size()];

  std::mutex mutex;
  for_each_recorded_output(recording, {}, [&](const ReplayedOutput& output) {
    const std::set<Bits> possible = possible_results(model.at(output.element), output.leaves);
    const std::lock_guard lock(mutex);
    result.possible += possible.size();
    for (const Bits code : seen[output.index]) {
      ++result.results;
      if (possible.contains(code)) ++result.members;
      for (const Bits moved : {code - 1, code + 1}) {
        ++result.moved;
        if (!possible.contains(moved)) ++result.moved_outside;
      }
    }
  });
  return result;
}

std::string arrivals_text(const std::vector<ArrivalResult>& results) {
  std::string out;
  for (const ArrivalResult& r : results) {
    out += fmt::format(
        "{}: {}\n"
        "  {} runs gave {} different outputs as a whole\n"
        "  {} outputs showed {} results; {} of them are in the sets (which hold {})\n"
        "  moved by one ulp: {} of {} are not\n",
        r.name, r.topology, grouped(r.runs), grouped(r.distinct_wholes), grouped(r.outputs),
        grouped(r.results), grouped(r.members), grouped(r.possible), grouped(r.moved_outside),
        grouped(r.moved));
    using enum TextTable::Align;
    TextTable table({"different results of an output", "outputs"}, {right, right});
    for (const auto& [count, outputs] : r.by_results) table.row({grouped(count), grouped(outputs)});
    out += table.text(2);
  }
  return out;
}

nlohmann::json arrivals_json(const std::vector<ArrivalResult>& results) {
  nlohmann::json out{{"whybits_arrivals", 1}, {"arrivals", nlohmann::json::array()}};
  for (const ArrivalResult& r : results) {
    nlohmann::json histogram = nlohmann::json::object();
    for (const auto& [count, outputs] : r.by_results) histogram[std::to_string(count)] = outputs;
    out["arrivals"].push_back({{"name", r.name},
                               {"topology", r.topology},
                               {"runs", r.runs},
                               {"outputs", r.outputs},
                               {"distinct_wholes", r.distinct_wholes},
                               {"outputs_by_results", std::move(histogram)},
                               {"results", r.results},
                               {"members", r.members},
                               {"possible", r.possible},
                               {"moved", r.moved},
                               {"moved_outside", r.moved_outside},
                               {"as_claimed", r.as_claimed()}});
  }
  return out;
}

}  // namespace whybits
