// Predicts cuBLASLt's outputs from the reported fields before each run, runs, and compares every
// bit of row 0: how far the rules hold on this machine's GPU.
//
//   whybits-cublaslt-sweep FOLDER [TYPES]
//
// TYPES as in whybits predict; without it all of them, one after the other. Into FOLDER it writes
// runs-TYPES.tsv, one line a run with its fields and the hash of row 0; recordings of the first
// runs of every kernel family and of runs that have no rule or another outcome; and, of those,
// what their kernels answer to pairs of masked addends (gpu/cublaslt/pair_probe.hpp).
// Exit codes: 0 no prediction was wrong, 1 some were, 2 bad usage, 3 no GPU or no library.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include "gpu/cublaslt/cluster_occupancy.hpp"
#include "gpu/cublaslt/heuristics.hpp"
#include "gpu/cublaslt/pair_probe.hpp"
#include "gpu/not_available.hpp"
#include "gpu/run_kernel.hpp"
#include "lab/cublaslt_row.hpp"
#include "lab/derive.hpp"
#include "lab/gpu_source.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/inputs.hpp"
#include "lab/recording.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/ceil_div.hpp"
#include "sim/libraries/cublaslt/atlas.hpp"
#include "sim/libraries/cublaslt/codes.hpp"

namespace {

using namespace whybits;
using cublaslt::AtlasKey;
using cublaslt::StorageB;
using cublaslt::TypeKind;

constexpr int proposals_each = 3;
constexpr std::uint64_t batches[] = {1, 4, 16, 48, 128, 304, 1024};
constexpr std::size_t recordings_of_a_family = 4;
constexpr std::uint64_t widest_recording = 2560;  ///< columns: files stay small
constexpr std::uint64_t widest_missed = 6144;     ///< of runs that have no rule or differ
constexpr std::chrono::seconds probing_time{60};
constexpr const char *input_a = "uniform:101", *input_b = "uniform:102",
                     *input_bias = "uniform:103";

/// What the library may use; an empty name is the usual.
struct Setting {
  std::string_view name;
  gpu::Preferences preferences;
  bool bias;
};
constexpr std::uint64_t usual_workspace = std::uint64_t{32} << 20;
constexpr Setting settings[] = {
    {"", {usual_workspace, 7}, false},           {"workspace 0", {0, 7}, false},
    {"workspace 1 KiB", {1024, 7}, false},       {"bias", {usual_workspace, 7}, true},
    {"in place", {usual_workspace, 1}, false},   {"compute type", {usual_workspace, 2}, false},
    {"output type", {usual_workspace, 4}, false}};
constexpr std::uint64_t widest_of_settings = 6144;  ///< other than the usual

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

struct Tally {
  std::uint64_t runs = 0, right = 0, no_rule = 0;
};

class Sweep {
 public:
  Sweep(std::filesystem::path folder, std::string_view types)
      : folder_(std::move(folder)),
        gpu_(gpu::gpu_environment()),
        place_{library_.version(), fmt::format("{}.{}", gpu_.major, gpu_.minor),
               gpu::clusters_at_once()},
        runs_(folder_ / fmt::format("runs-{}.tsv", types)) {
    runs_ << fmt::format(
        "# cuBLASLt runs, version 1\n# device: {}\n# capability: {}\n# driver: {}\n"
        "# library: {}\n# date: {}\n# clusters at once: {}\n# a {}, b {}, bias {}\n"
        "setting\tm\tn\tk\tlayout\ttypes",
        gpu_.device, place_.capability, gpu_.driver, place_.library_version, utc_date(),
        fmt::join(place_.clusters, " "), input_a, input_b, input_bias);
    for (const cublaslt::FieldName& field : cublaslt::algorithm_fields) runs_ << '\t' << field.name;
    runs_ << "\toutcome\txxh3_128\n";
  }

  /// All layouts, batches, settings and proposals of one layer. Operands stay on the device.
  void layer(TypeKind types, const LayerShape& shape) {
    const cublaslt::Problem widest =
        problem_of(types, {batches[std::size(batches) - 1], shape.n, shape.k}, StorageB::kn);
    const auto a = operand(input_a, widest.a, widest.shape.m * shape.k);
    const auto b = operand(input_b, widest.b, shape.k * shape.n);
    const auto bias = operand(input_bias, widest.out, shape.n);
    GemmOperands operands;
    operands.shape = {1, shape.n, shape.k};
    operands.a = a.get();
    operands.b = b.get();
    operands.bias = bias.get();
    RowPredictions predictions(operands, widest.out);
    const gpu::DeviceWords device_a(words_from_codes(widest.a, read_all(*a)));
    const gpu::DeviceWords device_bias(words_from_codes(widest.out, read_all(*bias)));
    const bool fp8 = widest.a.word_bytes() == 1;  // the library takes it as TN only
    for (const StorageB storage : {StorageB::kn, StorageB::nk}) {
      if (fp8 && storage == StorageB::kn) continue;
      std::vector<std::uint8_t> words = words_from_codes(widest.b, read_all(*b));
      if (storage == StorageB::nk) words = turned(words, shape.k, shape.n, widest.b.word_bytes());
      const gpu::DeviceWords device_b(words);
      all_settings({shape.n, shape.k, storage, types},
                   {.a = &device_a, .b = &device_b, .bias = &device_bias}, predictions);
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
  struct Run {
    const AtlasKey& key;
    const Setting& setting;
    const cublaslt::Problem& problem;
    const gpu::Proposal& proposal;
  };

  void all_settings(const AtlasKey& key, const gpu::DeviceOperands& operands,
                    RowPredictions& predictions) {
    for (const Setting& setting : settings) {
      if (!setting.name.empty() && key.n > widest_of_settings) continue;
      for (const std::uint64_t m : batches) {
        cublaslt::Problem problem = problem_of(key.types, {m, key.n, key.k}, key.storage_b);
        problem.bias = setting.bias;
        for (const gpu::Proposal& proposal :
             library_.proposals(problem, setting.preferences, proposals_each))
          one_run({key, setting, problem, proposal}, operands, predictions);
      }
    }
  }

  void one_run(const Run& run, const gpu::DeviceOperands& operands, RowPredictions& predictions) {
    const cublaslt::Algorithm& algorithm = run.proposal.algorithm;
    Tally& tally = tallies_[{algorithm.id, run.key.types}];
    ++tally.runs;
    const std::string what =
        fmt::format("m {}, {}{}{}: {}", run.problem.shape.m, text_of(run.key),
                    run.setting.name.empty() ? "" : ", ", run.setting.name, text_of(algorithm));
    const cublaslt::Outcome outcome = predict(run.problem, algorithm, place_);
    const auto* prediction = std::get_if<cublaslt::Prediction>(&outcome);
    // Before the run.
    const std::vector<std::uint8_t> predicted =
        prediction ? predictions.words(*prediction) : std::vector<std::uint8_t>();
    std::vector<std::uint8_t> seen;
    try {
      gpu::PreparedProduct product(library_, run.problem, run.proposal, operands);
      product.run();
      seen = product.rows(1, 1);
    } catch (const gpu::CublasltError& error) {
      std::cout << "refused  " << what << "\n         " << error.what() << '\n';
      --tally.runs;
      return;
    }
    const bool right = prediction && predicted == seen;
    log(run, right ? "right" : prediction ? "differs" : "no rule", seen);
    record(run, seen, !right);
    if (right) {
      ++tally.right;
      return;
    }
    if (prediction) {
      std::cout << "DIFFERS  " << what << "\n         "
                << cublaslt::text_of(prediction->topology).substr(0, 200) << '\n';
    } else {
      ++tally.no_rule;
      std::cout << "no rule  " << what << "\n         " << std::get<cublaslt::NoRule>(outcome).why
                << '\n';
    }
    probe(run);
  }

  void log(const Run& run, std::string_view outcome, const std::vector<std::uint8_t>& row) {
    runs_ << fmt::format("{}\t{}\t{}\t{}\t{}\t{}",
                         run.setting.name.empty() ? "-" : run.setting.name, run.problem.shape.m,
                         run.key.n, run.key.k,
                         cublaslt::layout_names[static_cast<std::size_t>(run.key.storage_b)],
                         name_of(run.key.types));
    for (const cublaslt::FieldName& field : cublaslt::algorithm_fields)
      runs_ << '\t' << static_cast<std::int32_t>(run.proposal.algorithm.*field.field);
    runs_ << fmt::format("\t{}\t{}\n", outcome, xxh3_128_hex(row)) << std::flush;
  }

  /// Once for each kernel and shape, as long as there is time.
  void probe(const Run& run) {
    const cublaslt::Algorithm& f = run.proposal.algorithm;
    const std::string name = fmt::format(
        "pairs-{}-id{}-tile{}-cluster{}-swizzle{}-custom{}-s{}-scheme{}-m{}-n{}-k{}-{}",
        name_of(run.key.types), f.id, f.tile, f.cluster_shape, f.cta_swizzling, f.custom_option,
        static_cast<std::int32_t>(f.split_k), f.reduction_scheme, run.problem.shape.m, run.key.n,
        run.key.k, cublaslt::layout_names[static_cast<std::size_t>(run.key.storage_b)]);
    if (run.problem.bias || probed_for_ > probing_time || !probed_.insert(name).second) return;
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t k = run.key.k;
    gpu::PairProbe probe;
    if (const auto tile = cublaslt::k_tile(f.stages);
        tile && f.split_k == cublaslt::decided_by_kernel) {
      constexpr std::uint64_t output_step = 64;
      probe = {{0, (k - 1) / *tile * *tile}, {}, *tile, output_step, output_step};
    } else {
      for (const std::uint64_t first :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
            std::uint64_t{4}, std::uint64_t{8}, std::uint64_t{16}, std::uint64_t{33},
            std::uint64_t{64}, std::uint64_t{128}, std::uint64_t{257}, k / 2 - 1, k / 2, k - 2,
            k - 1})
        if (first < k) probe.firsts.push_back(first);
      probe.column_step = std::max<std::uint64_t>(1, run.key.n - 1);
      probe.row_step = run.problem.shape.m;
    }
    for (std::uint64_t at = 0; at < k; at += probe.unit_step) probe.seconds.push_back(at);
    gpu::PairAnswers answers;
    try {
      answers = probe_pairs(library_, run.problem, run.proposal, probe);
    } catch (const gpu::CublasltError& error) {
      std::cout << "         not probed: " << error.what() << '\n';
    }
    write_pairs(folder_ / (name + ".txt"), text_of(f), probe, answers);
    probed_for_ += std::chrono::steady_clock::now() - start;
  }

  static void write_pairs(const std::filesystem::path& path, const std::string& fields,
                          const gpu::PairProbe& probe, const gpu::PairAnswers& answers) {
    std::ofstream out(path);
    out << fmt::format("# {}\n# units at multiples of {}\nfirsts {}\nseconds {}\n", fields,
                       probe.unit_step, fmt::join(probe.firsts, " "), probe.seconds.size());
    for (std::size_t list = 0; list < answers.answers.size(); ++list) {
      out << "list " << list << '\n';
      const std::vector<double>& all = answers.answers[list];
      for (std::size_t first = 0; first < probe.firsts.size(); ++first) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * probe.seconds.size());
        out << fmt::format(
            "{}\n",
            fmt::join(begin, begin + static_cast<std::ptrdiff_t>(probe.seconds.size()), " "));
      }
    }
    out << fmt::format("outputs, every {} rows, every {} columns\n", probe.row_step,
                       probe.column_step);
    for (const auto& row : answers.outputs) out << fmt::format("{}\n", fmt::join(row, " "));
  }

  void record(const Run& run, const std::vector<std::uint8_t>& row, bool missed) {
    const auto& [key, setting, problem, proposal] = run;
    if (problem.bias) return;  // recordings have no bias
    std::size_t& count = recorded_[{proposal.algorithm.id, key.types,
                                    proposal.algorithm.split_k != 1, setting.name}];
    const bool of_family = count < recordings_of_a_family && key.n <= widest_recording;
    if (of_family) ++count;
    if (!of_family && !(missed && setting.name.empty() && key.n <= widest_missed)) return;
    Recording r;
    r.source = gpu_source(gpu_, "whybits-cublaslt-sweep");
    r.library = {"cublasLt", place_.library_version, {}};
    r.settings = {{"workspace_bytes", setting.preferences.workspace_bytes},
                  {"clusters", place_.clusters},
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
        folder_ / fmt::format("{}-{:04}-{}-id{}-m{}-n{}-k{}-{}.json",
                              missed ? "missed" : "cublaslt", files_++, name_of(key.types),
                              proposal.algorithm.id, problem.shape.m, key.n, key.k,
                              cublaslt::layout_names[static_cast<std::size_t>(key.storage_b)]),
        r);
  }

  std::filesystem::path folder_;
  gpu::GpuEnvironment gpu_;
  gpu::Cublaslt library_;
  cublaslt::Place place_;
  std::ofstream runs_;
  std::map<std::pair<std::uint32_t, TypeKind>, Tally> tallies_;
  std::map<std::tuple<std::uint32_t, TypeKind, bool, std::string_view>, std::size_t> recorded_;
  std::size_t files_ = 0;
  std::set<std::string> probed_;
  std::chrono::nanoseconds probed_for_{0};
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<TypeKind> kinds{TypeKind::bf16,       TypeKind::bf16_to_f32, TypeKind::f16,
                              TypeKind::f16_to_f32, TypeKind::f16_compute, TypeKind::f32,
                              TypeKind::tf32,       TypeKind::e4m3,        TypeKind::e4m3_fast};
  const bool usable = (argc == 2 || argc == 3) && std::filesystem::is_directory(argv[1]);
  if (argc == 3) std::erase_if(kinds, [&](TypeKind kind) { return name_of(kind) != argv[2]; });
  if (!usable || kinds.empty()) {
    std::cerr << "usage: whybits-cublaslt-sweep FOLDER [TYPES], a folder for recordings and types "
                 "as in whybits predict\n";
    return 2;
  }
  try {
    Sweep sweep(argv[1], argc == 3 ? argv[2] : "all");
    for (const TypeKind types : kinds)
      for (const LayerShape& shape : shapes) sweep.layer(types, shape);
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
