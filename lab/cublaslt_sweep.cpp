// Predicts cuBLASLt's outputs from the reported fields before each run, runs, and compares every
// bit of row 0: how far the rules hold on this machine's GPU. Writes recordings of the first runs
// of every kernel family.
//
//   whybits-cublaslt-sweep FOLDER [TYPES]
//
// TYPES as in whybits predict; without it all of them, one after the other.
// Exit codes: 0 no prediction was wrong, 1 some were, 2 bad usage, 3 no GPU or no library.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <tuple>

#include "gpu/cublaslt/heuristics.hpp"
#include "gpu/not_available.hpp"
#include "gpu/run_kernel.hpp"
#include "lab/derive.hpp"
#include "lab/explain/predicted.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/inputs.hpp"
#include "lab/recording.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/libraries/cublaslt/atlas.hpp"

namespace {

using namespace whybits;
using cublaslt::AtlasKey;
using cublaslt::StorageB;
using cublaslt::TypeKind;

constexpr std::uint64_t workspace_bytes = std::uint64_t{32} << 20;
constexpr int proposals_each = 3;
constexpr std::uint64_t batches[] = {1, 4, 16, 48, 128, 304, 1024};
constexpr std::size_t recordings_of_a_family = 4;
constexpr std::uint64_t widest_recording = 2560;  ///< columns: files stay small
constexpr const char *input_a = "uniform:101", *input_b = "uniform:102";

struct LayerShape {
  std::uint64_t n, k;
};
constexpr LayerShape shapes[] = {{6144, 4096}, {4096, 4096}, {28672, 4096}, {4096, 14336},
                                 {777, 1544},  {1024, 8192}, {5120, 5120},  {2560, 9728},
                                 {512, 24576}, {256, 16384}, {512, 2048},   {1000, 4104},
                                 {8, 11528},   {1536, 8960}};

std::unique_ptr<CodeSource> operand(const char* input, const Format& format, std::uint64_t count) {
  return open_input(parse_input_spec(input), format, {count, {}});
}

/// k×n words as n×k.
std::vector<std::uint8_t> turned(const std::vector<std::uint8_t>& words, std::uint64_t k,
                                 std::uint64_t n, std::uint64_t width) {
  std::vector<std::uint8_t> out(words.size());
  for (std::uint64_t i = 0; i < k; ++i)
    for (std::uint64_t j = 0; j < n; ++j)
      std::copy_n(&words[(i * n + j) * width], width, &out[(j * k + i) * width]);
  return out;
}

/// Row 0 of a layer under topologies, each computed once.
class Predictions {
 public:
  Predictions(const cublaslt::Problem& problem, const CodeSource& a, const CodeSource& b)
      : out_(problem.out) {
    observed_.operands.shape = {1, problem.shape.n, problem.shape.k};
    observed_.operands.a = &a;
    observed_.operands.b = &b;
    observed_.chosen = ChosenOutputs::all(observed_.operands.shape);
    observed_.out = out_;
  }

  /// Storage words. A map's first row is that of its regions.
  const std::vector<std::uint8_t>& words(const cublaslt::Prediction& prediction) {
    auto& known = known_[{cublaslt::text_of(prediction.topology), prediction.operands.has_value()}];
    if (known.empty()) known = words_from_codes(out_, codes(prediction));
    return known;
  }

 private:
  std::vector<Bits> codes(const cublaslt::Prediction& prediction) const {
    if (const auto* one = std::get_if<SchemaPtr>(&prediction.topology))
      return row(*one, prediction);
    const auto& map = std::get<TopologyMap>(prediction.topology);
    std::map<const Schema*, std::vector<Bits>> rows;
    std::vector<Bits> merged(observed_.chosen.columns.size());
    for (std::size_t j = 0; j < merged.size(); ++j) {
      const SchemaPtr& topology = map.find(j)->topology;
      auto& whole = rows[topology.get()];
      if (whole.empty()) whole = row(topology, prediction);
      merged[j] = whole[j];
    }
    return merged;
  }
  std::vector<Bits> row(const SchemaPtr& topology, const cublaslt::Prediction& prediction) const {
    const Hypothesis hypothesis{"", topology, prediction.operands};
    const Hypothesis* const one[] = {&hypothesis};
    return predicted_outputs(observed_, observed_.chosen, one, {})[0];
  }

  Observed observed_;
  Format out_;
  std::map<std::pair<std::string, bool>, std::vector<std::uint8_t>> known_;
};

struct Tally {
  std::uint64_t runs = 0, right = 0, no_rule = 0;
};

class Sweep {
 public:
  explicit Sweep(std::filesystem::path folder)
      : folder_(std::move(folder)), gpu_(gpu::gpu_environment()) {}

  /// All batches and proposals of one layer. Operands stay on the device between runs.
  void layer(const AtlasKey& key) {
    const cublaslt::Problem widest =
        problem_of(key.types, {batches[std::size(batches) - 1], key.n, key.k}, key.storage_b);
    const auto a = operand(input_a, widest.a, widest.shape.m * key.k);
    const auto b = operand(input_b, widest.b, key.k * key.n);
    std::vector<std::uint8_t> words_b = words_from_codes(widest.b, read_all(*b));
    if (key.storage_b == StorageB::nk)
      words_b = turned(words_b, key.k, key.n, widest.b.word_bytes());
    const gpu::DeviceWords device_a(words_from_codes(widest.a, read_all(*a)));
    const gpu::DeviceWords device_b(words_b);
    Predictions predictions(widest, *a, *b);
    for (const std::uint64_t m : batches) {
      cublaslt::Problem problem = widest;
      problem.shape.m = m;
      for (const gpu::Proposal& proposal :
           library_.proposals(problem, workspace_bytes, proposals_each))
        one_run(key, problem, proposal, device_a, device_b, predictions);
    }
  }

  /// The table of families; true if no prediction was wrong.
  bool report() const {
    using enum TextTable::Align;
    TextTable table({"id", "types", "runs", "every bit", "differ", "no rule"},
                    {right, left, right, right, right, right});
    Tally all;
    for (const auto& [family, tally] : tallies_) {
      table.row({std::to_string(family.first), std::string(name_of(family.second)),
                 grouped(tally.runs), grouped(tally.right),
                 grouped(tally.runs - tally.right - tally.no_rule), grouped(tally.no_rule)});
      all.runs += tally.runs;
      all.right += tally.right;
      all.no_rule += tally.no_rule;
    }
    const std::uint64_t wrong = all.runs - all.right - all.no_rule;
    table.row(
        {"all", "", grouped(all.runs), grouped(all.right), grouped(wrong), grouped(all.no_rule)});
    std::cout << table.text();
    return wrong == 0;
  }

 private:
  void one_run(const AtlasKey& key, const cublaslt::Problem& problem, const gpu::Proposal& proposal,
               const gpu::DeviceWords& a, const gpu::DeviceWords& b, Predictions& predictions) {
    Tally& tally = tallies_[{proposal.algorithm.id, key.types}];
    ++tally.runs;
    const std::string what =
        fmt::format("m {}, {}: {}", problem.shape.m, text_of(key), text_of(proposal.algorithm));
    const cublaslt::Outcome outcome =
        predict(problem, proposal.algorithm, {library_.version(), capability()});
    const auto* prediction = std::get_if<cublaslt::Prediction>(&outcome);
    // Before the run.
    const std::vector<std::uint8_t> predicted =
        prediction ? predictions.words(*prediction) : std::vector<std::uint8_t>();
    const std::vector<std::uint8_t> seen = library_.run(problem, proposal, a, b, 1);
    record(key, problem, proposal, seen);
    if (!prediction) {
      ++tally.no_rule;
      std::cout << "no rule  " << what << "\n         " << std::get<cublaslt::NoRule>(outcome).why
                << '\n';
    } else if (predicted == seen) {
      ++tally.right;
    } else {
      std::cout << "DIFFERS  " << what << "\n         "
                << cublaslt::text_of(prediction->topology).substr(0, 200) << '\n';
    }
  }

  std::string capability() const { return fmt::format("{}.{}", gpu_.major, gpu_.minor); }

  void record(const AtlasKey& key, const cublaslt::Problem& problem, const gpu::Proposal& proposal,
              const std::vector<std::uint8_t>& row) {
    std::size_t& count =
        recorded_[{proposal.algorithm.id, key.types, proposal.algorithm.split_k != 1}];
    if (count == recordings_of_a_family || key.n > widest_recording) return;
    ++count;
    Recording r;
    r.source = {{"device", gpu_.device}, {"compute_capability", capability()},
                {"driver", gpu_.driver}, {"cuda", gpu_.runtime},
                {"date", utc_date()},    {"command", "whybits-cublaslt-sweep"}};
    r.library = {"cublasLt", library_.version(), {}};
    r.settings = {{"workspace_bytes", workspace_bytes},
                  {"compute", cublaslt::compute_names[static_cast<std::size_t>(problem.compute)]}};
    if (problem.a.word_bytes() == 1) r.settings["fast_accumulation"] = problem.fast_accumulation;
    r.kernel = "cublaslt.matmul";
    r.guarantee = Guarantee::run_to_run;
    r.shape.m = problem.shape.m;
    r.shape.n = problem.shape.n;
    r.shape.k = problem.shape.k;
    r.layout = RecordedLayout{"mk", problem.storage_b == StorageB::nk ? "nk" : "kn"};
    r.types.a = problem.a;
    r.types.b = problem.b;
    r.types.accumulate = problem.compute == cublaslt::Compute::f16 ? formats::f16 : formats::f32;
    r.types.out = problem.out;
    r.inputs = {{"a", parse_input_spec(input_a)}, {"b", parse_input_spec(input_b)}};
    r.algorithm = algorithm_json(proposal.algorithm);
    r.output.rows = {0};
    set_output(r, row);
    write_recording(
        folder_ / fmt::format("cublaslt-{}-id{}-s{}-m{}-n{}-k{}-{}.json", name_of(key.types),
                              proposal.algorithm.id,
                              static_cast<std::int32_t>(proposal.algorithm.split_k),
                              problem.shape.m, key.n, key.k,
                              cublaslt::layout_names[static_cast<std::size_t>(key.storage_b)]),
        r);
  }

  std::filesystem::path folder_;
  gpu::GpuEnvironment gpu_;
  gpu::Cublaslt library_;
  std::map<std::pair<std::uint32_t, TypeKind>, Tally> tallies_;
  std::map<std::tuple<std::uint32_t, TypeKind, bool>, std::size_t> recorded_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<TypeKind> kinds{TypeKind::bf16,        TypeKind::bf16_to_f32, TypeKind::f16,
                              TypeKind::f16_compute, TypeKind::f32,         TypeKind::tf32,
                              TypeKind::e4m3,        TypeKind::e4m3_fast};
  const auto kind = argc == 3 ? cublaslt::find_type_kind(argv[2]) : std::nullopt;
  if (argc < 2 || argc > 3 || (argc == 3 && !kind) || !std::filesystem::is_directory(argv[1])) {
    std::cerr << "usage: whybits-cublaslt-sweep FOLDER [TYPES], a folder for recordings and types "
                 "as in whybits predict\n";
    return 2;
  }
  if (kind) kinds = {*kind};
  try {
    Sweep sweep(argv[1]);
    for (const TypeKind types : kinds) {
      const bool fp8 = types == TypeKind::e4m3 || types == TypeKind::e4m3_fast;
      for (const LayerShape& shape : shapes)
        for (const StorageB storage : {StorageB::kn, StorageB::nk})
          if (!fp8 || storage == StorageB::nk) sweep.layer({shape.n, shape.k, storage, types});
    }
    return sweep.report() ? 0 : 1;
  } catch (const gpu::CublasltError& error) {
    std::cerr << "whybits-cublaslt-sweep: " << error.what() << '\n';
    return 3;
  } catch (const gpu::NotAvailable& error) {
    std::cerr << "whybits-cublaslt-sweep: " << error.what() << '\n';
    return 3;
  } catch (const UsageError& error) {
    std::cerr << "whybits-cublaslt-sweep: " << error.what() << '\n';
    return 2;
  }
}
