// whybits predict cublaslt: from reported fields, or from the atlas, to the topology.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <memory>
#include <sstream>

#include "lab/commands/layer_options.hpp"
#include "lab/commands/options.hpp"
#include "lab/commands/predict_libraries.hpp"
#include "lab/derive.hpp"
#include "lab/output_text.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace predict_cublaslt_command {
namespace {

constexpr int not_available = 3;

struct Options {
  LayerOptions layer;
  std::uint64_t m = 0;
  std::string algorithm;
  cublaslt::Place place;
  bool bias = false, json = false;
};

constexpr const char* examples =
    R"(Without --algorithm the fields come from the choice atlas: batch sizes that were recorded on an
H200, and no others. Fields that are not given are 0, split_k is 1; split_k=-1 where the kernel
decides.

Examples:
  whybits predict cublaslt --layer down --m 128
  whybits predict cublaslt --n 1024 --k 8192 --m 16 --layout TN --types bf16-f32 \
    --algorithm id=66,tile=312,stages=35,split_k=6,reduction_scheme=2
  whybits predict cublaslt --n 8 --k 11528 --m 1 --types f16-f32 \
    --algorithm id=66,stages=35,split_k=9,reduction_scheme=2
Exit codes: 0 predicted, 2 bad input, 3 no rule for these fields, or not in the atlas.)";

/// "id=66,stages=35,…".
cublaslt::Algorithm algorithm_option(const std::string& text) {
  nlohmann::json fields = algorithm_json({});
  std::string_view rest = text;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::size_t equals = part.find('=');
    const std::string name(part.substr(0, equals));
    std::int64_t value = 0;
    const std::string_view digits = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (!fields.contains(name) || error != std::errc() || digits.empty() ||
        end != digits.data() + digits.size()) {
      std::string names;
      for (const cublaslt::FieldName& field : cublaslt::algorithm_fields)
        names += " " + std::string(field.name);
      throw UsageError(fmt::format("--algorithm: '{}' is not FIELD=NUMBER", part),
                       "fields:" + names);
    }
    if (value >= 0)
      fields[name] = static_cast<std::uint64_t>(value);
    else
      fields[name] = value;
    if (part.size() == rest.size()) break;
    rest.remove_prefix(part.size() + 1);
  }
  return read_algorithm(fields, "--algorithm");
}

/// What is known of the choice and of the topology it leads to.
struct Answer {
  std::optional<cublaslt::Algorithm> algorithm;
  std::string from;      ///< where the choice is from
  std::string compared;  ///< whether bits at this very batch size were
  std::string rule, evidence;
  std::optional<cublaslt::Topology> topology;
  std::optional<Conversion> operands;
  std::string why_not, remedy;
};

void apply_rules(Answer& answer, const cublaslt::Problem& problem, const cublaslt::Place& place) {
  cublaslt::Outcome outcome = predict(problem, *answer.algorithm, place);
  if (const auto* none = std::get_if<cublaslt::NoRule>(&outcome)) {
    answer.why_not = "no rule: " + none->why;
    answer.remedy = "docs/cublaslt.md lists what the rules cover; nothing is guessed";
    return;
  }
  auto& prediction = std::get<cublaslt::Prediction>(outcome);
  answer.topology = std::move(prediction.topology);
  answer.operands = prediction.operands;
  answer.rule = fmt::format("{} (algorithm id {})", prediction.rule->name, prediction.rule->id);
  answer.evidence = prediction.rule->evidence;
}

/// What the bits at this batch size were compared with, beside what the rules say.
std::string comparison(const cublaslt::Choice& point, const cublaslt::AtlasKey& key,
                       const Answer& answer, std::uint64_t m) {
  const auto topology = point.topology(key, m);
  const auto* known = std::get_if<cublaslt::Topology>(&topology);
  if (!known) return point.evidence;
  const std::string text = cublaslt::text_of(*known);
  const bool same = answer.topology && cublaslt::text_of(*answer.topology) == text;
  return point.evidence + (same ? ": this topology" : ": another choice, " + text);
}

/// "132,66,39": for clusters of 1, 2 and 3 thread blocks.
std::vector<std::uint32_t> clusters_option(const std::string& text) {
  constexpr std::uint64_t most = 1024;
  std::vector<std::uint32_t> clusters;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');)
    clusters.push_back(static_cast<std::uint32_t>(index_option("--clusters", part, most + 1)));
  return clusters;
}

Answer answer_for(const Options& o, const cublaslt::AtlasKey& key) {
  cublaslt::Problem problem = problem_of(key.types, {o.m, key.n, key.k}, key.storage_b);
  problem.bias = o.bias;
  Answer answer;
  if (!o.algorithm.empty()) {
    answer.algorithm = algorithm_option(o.algorithm);
    answer.from = "given fields";
    apply_rules(answer, problem, o.place);
    return answer;
  }
  const auto& atlas = cublaslt::Atlas::shipped(key.types);
  const cublaslt::Choice* choice = o.bias ? nullptr : atlas.find(key, o.m);
  if (choice && (atlas.file(*choice).library != o.place.library_version ||
                 atlas.file(*choice).capability != o.place.capability))
    choice = nullptr;
  if (!choice) {
    answer.why_not = o.bias
                         ? "the atlas has no choices with a bias"
                         : fmt::format("m {} of {} with cublasLt {} on {} is not in the atlas", o.m,
                                       text_of(key), o.place.library_version, o.place.capability);
    answer.remedy = not_in_atlas_remedy(key);
    return answer;
  }
  answer.from = choice->evidence.empty()
                    ? fmt::format("atlas, asked on {} ({})", atlas.file(*choice).date,
                                  atlas.file(*choice).device)
                    : "atlas, " + choice->evidence;
  answer.algorithm = choice->algorithm;
  if (choice->algorithm) {
    apply_rules(answer, problem, o.place);
  } else {
    answer.topology = choice->measured;
    answer.rule = "none: the bits were compared with this topology";
  }
  if (const cublaslt::Choice* point = atlas.point(key, o.m); point && point != choice)
    answer.compared = comparison(*point, key, answer, o.m);
  return answer;
}

/// null where there is no such text.
nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

nlohmann::ordered_json as_json(const Options& o, const cublaslt::AtlasKey& key, const Answer& a) {
  nlohmann::ordered_json out{
      {"whybits_predict_cublaslt", 1},
      {"library", {{"name", "cublasLt"}, {"version", o.place.library_version}}},
      {"capability", o.place.capability},
      {"shape", {{"m", o.m}, {"n", key.n}, {"k", key.k}}},
      {"layout", o.layer.layout},
      {"types", name_of(key.types)},
      {"bias", o.bias}};
  out["from"] = text_or_null(a.from);
  out["algorithm"] = a.algorithm ? nlohmann::ordered_json(algorithm_json(*a.algorithm)) : nullptr;
  out["rule"] = text_or_null(a.rule);
  out["evidence"] = text_or_null(a.evidence);
  out["compared"] = text_or_null(a.compared);
  out["topology"] = a.topology ? nlohmann::ordered_json(cublaslt::text_of(*a.topology)) : nullptr;
  out["operands"] = a.operands ? nlohmann::ordered_json(conversion_name(*a.operands)) : nullptr;
  out["no_topology"] = text_or_null(a.why_not);
  return out;
}

/// A map of many tiles is told by its topologies.
std::string topology_text(const cublaslt::Topology& topology) {
  constexpr std::size_t most_regions = 8;
  const auto* map = std::get_if<TopologyMap>(&topology);
  if (!map || map->regions.size() <= most_regions) return cublaslt::text_of(topology);
  std::map<std::string, std::uint64_t> outputs;
  for (const MapRegion& region : map->regions)
    outputs[print(*region.topology)] += region.end - region.begin;
  std::string text;
  for (const auto& [one, count] : outputs)
    text += fmt::format("{}{} of {}", text.empty() ? "" : "; ", counted(count, "output"), one);
  return text + " (the map with --json)";
}

std::string as_text(const Options& o, const cublaslt::AtlasKey& key, const Answer& a) {
  TextTable table({}, {TextTable::Align::left, TextTable::Align::left});
  if (!a.from.empty()) table.row({"choice", a.from});
  if (a.algorithm) table.row({"fields", text_of(*a.algorithm)});
  if (!a.rule.empty()) table.row({"rule", a.rule});
  if (!a.evidence.empty()) table.row({"evidence", a.evidence});
  if (!a.compared.empty()) table.row({"compared", a.compared});
  if (a.operands) table.row({"operands", "rounded to " + conversion_name(*a.operands) + " first"});
  if (a.topology) table.row({"topology", topology_text(*a.topology)});
  return fmt::format("cublasLt {}, compute capability {}, m {}, {}{}\n\n{}",
                     o.place.library_version, o.place.capability, o.m, text_of(key),
                     o.bias ? ", bias" : "", table.text());
}

void run(const Options& o, CommandContext& context) {
  if (o.m == 0) throw UsageError("--m: the batch is at least 1");
  const cublaslt::AtlasKey key = layer_key(o.layer);
  const Answer answer = answer_for(o, key);
  if (o.json)
    context.out << json_text(as_json(o, key, answer));
  else
    context.out << printable(as_text(o, key, answer));
  if (answer.topology) return;
  context.exit_code = not_available;
  context.err << "whybits: " << printable(answer.why_not) << "\n  " << printable(answer.remedy)
              << '\n';
}

}  // namespace
}  // namespace predict_cublaslt_command

void add_predict_cublaslt(Command predict, CommandContext& context) {
  using namespace predict_cublaslt_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command command =
      predict.add_subcommand("cublaslt", "A matrix product: from reported fields to the topology");
  add_layer_options(command, o.layer);
  add_count_option(command, "--m", o.m, most_addends, "The batch: rows of the output")->required();
  command->add_option("--algorithm", o.algorithm, "Fields that the library reported, by name")
      ->type_name("FIELDS");
  command->add_flag("--bias", o.bias, "With the bias epilogue");
  command->add_option("--library-version", o.place.library_version, "Of cublasLt")
      ->type_name("VERSION")
      ->capture_default_str();
  command->add_option("--capability", o.place.capability, "Compute capability of the GPU")
      ->type_name("X.Y")
      ->capture_default_str();
  command
      .add_read_option(
          "--clusters", [&o](const std::string& text) { o.place.clusters = clusters_option(text); },
          "How many clusters of 1, 2, … thread blocks the GPU holds at once, as recordings have it "
          "in their settings; without it those of the H200 measured")
      ->type_name("N,N,…");
  command->add_flag("--json", o.json, "One JSON document on standard output");
  command->footer(examples);
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace whybits
