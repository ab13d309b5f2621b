// What bits that do not depend on the batch cost: four ways to multiply, at batches from 1 to 4096
// of the four layers of Llama-3-8B (docs/price.md). Time, hash of row 0, and distance from exact.
//
//   whybits-price FOLDER [LAYER…]
//
// writes price.tsv and every-m.tsv, and prints a table of each layer;
//
//   whybits-price tune FOLDER LAYER M…
//
// writes tune-LAYER.tsv: launch parameters of fixed.gemm, timed.
//
// LAYER as in whybits gates: qkv, o, gate-up, down.
// Exit codes: 0 fixed.gemm gave every row the same bits at every batch, 1 it did not, 2 bad usage,
// 3 no GPU or no library.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "exact/exact_gemm.hpp"
#include "gpu/fixed_schedule.hpp"
#include "gpu/kernel_table.hpp"
#include "gpu/price/bench.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/inputs.hpp"
#include "lab/recording.hpp"
#include "lab/text_table.hpp"
#include "lab/vector_source.hpp"
#include "sim/arith.hpp"
#include "sim/libraries/cublaslt/atlas.hpp"

namespace {

using namespace whybits;
using cublaslt::Layer;

constexpr std::uint64_t batches[] = {1,   2,   4,   8,   16,  24,   32,   48,   64,   96,  128,
                                     192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096};
constexpr std::uint64_t most_m = 4096;
constexpr const char *input_a = "uniform:11", *input_b = "uniform:12";
constexpr std::uint64_t most_splits = 12;

using Words = std::vector<std::uint8_t>;

Words words_of(const char* input, std::uint64_t count) {
  return words_from_codes(
      formats::bf16, read_all(*open_input(parse_input_spec(input), formats::bf16, {count, {}})));
}

/// k×n words of 16 bits as n×k, in squares that fit the first-level cache.
Words turned(const Words& words, std::uint64_t k, std::uint64_t n) {
  constexpr std::uint64_t side = 64;
  Words out(words.size());
  for (std::uint64_t i0 = 0; i0 < k; i0 += side)
    for (std::uint64_t j0 = 0; j0 < n; j0 += side)
      for (std::uint64_t j = j0; j < std::min(n, j0 + side); ++j)
        for (std::uint64_t i = i0; i < std::min(k, i0 + side); ++i)
          std::copy_n(&words[(i * n + j) * 2], 2, &out[(j * k + i) * 2]);
  return out;
}

exact::OperandWords bf16_words(const Words& words, std::size_t count) {
  return {formats::bf16, std::span(reinterpret_cast<const std::uint16_t*>(words.data()), count)};
}

double rms_error(const Format& format, const Words& row, const std::vector<Dyadic>& exact_row) {
  const VectorSource source(format, row);
  double squares = 0;
  for (std::size_t j = 0; j < exact_row.size(); ++j) {
    const double error = (Dyadic::from_code(format, source[j]) - exact_row[j]).to_double();
    squares += error * error;
  }
  return std::sqrt(squares / static_cast<double>(exact_row.size()));
}

/// A layer's operands on the device, and what row 0 should be.
class LayerPrice {
 public:
  explicit LayerPrice(const Layer& layer) : layer_(layer) {
    const Words a = words_of(input_a, most_m * layer.k), b = words_of(input_b, layer.k * layer.n);
    exact_.resize(layer.n);
    exact::exact_gemm(bf16_words(a, layer.k), bf16_words(b, layer.k * layer.n),
                      {1, layer.n, layer.k},
                      [&](std::size_t, std::size_t column, const Superaccumulator& sum) {
                        exact_[column] = sum.value();
                      });
    bench_.emplace(gpu::Shape{most_m, layer.n, layer.k}, a, turned(b, layer.k, layer.n));
    for (std::uint64_t splits = most_splits; splits >= 1; --splits) {
      const Words sums = bench_->sums(splits);
      trees_[xxh3_128_hex(rounded(sums))] = {splits, rms_error(formats::f32, sums, exact_)};
    }
  }

  struct Tree {
    std::uint64_t splits;
    double rms;  ///< of the f32 sums
  };
  /// The chain of slices that gives exactly this row 0; null if none of those that were tried does.
  const Tree* tree_of(const std::string& hash) const {
    const auto found = trees_.find(hash);
    return found == trees_.end() ? nullptr : &found->second;
  }
  double rms(const Words& row) const { return rms_error(formats::bf16, row, exact_); }
  gpu::Bench& bench() { return *bench_; }
  const Layer& layer() const { return layer_; }
  gpu::LaunchParams schedule(std::uint64_t m) const {
    return gpu::fixed_schedule({m, layer_.n, layer_.k}, bench_->multiprocessors());
  }

 private:
  static Words rounded(const Words& sums) {
    std::vector<Bits> codes = read_all(VectorSource(formats::f32, sums));
    for (Bits& code : codes) code = convert(formats::f32, formats::bf16, code);
    return words_from_codes(formats::bf16, codes);
  }

  Layer layer_;
  std::vector<Dyadic> exact_;
  std::optional<gpu::Bench> bench_;
  std::map<std::string, Tree> trees_;
};

std::string text_of(const gpu::LaunchParams& p) {
  return fmt::format(
      "{} block {}x{}x{} stages {} cluster {} together {} group {} fetch {} ctas {} once {}",
      p.split, p.block_m, p.block_n, p.block_k, p.stages, p.cluster, p.together, p.group_m, p.fetch,
      p.ctas, p.once);
}

struct Contender {
  std::string name, how;
  gpu::TimedLaunch launch;
};

/// Those that this batch has: cuBLASLt's first choice, its first one that does not split K, the
/// persistent kernel, the fixed tree.
std::vector<Contender> contenders(LayerPrice& price, std::uint64_t m) {
  gpu::Bench& bench = price.bench();
  std::vector<Contender> list;
  const auto add = [&](const char* name, const std::vector<gpu::Proposal>& proposals,
                       bool unsplit) {
    for (const gpu::Proposal& proposal : proposals) {
      if (unsplit && proposal.algorithm.split_k != 1) continue;
      list.push_back({name, cublaslt::text_of(proposal.algorithm), bench.cublaslt(m, proposal)});
      return;
    }
  };
  add("own", bench.proposals(m, true, 1), false);
  add("unsplit", bench.proposals(m, false, 8), true);
  list.push_back({"persistent", "wgmma.gemm block 128x128x64 stages 6", bench.persistent(m)});
  const gpu::LaunchParams schedule = price.schedule(m);
  list.push_back({"fixed", text_of(schedule), bench.fixed(m, schedule)});
  return list;
}

void time_batches(LayerPrice& price, std::ostream& tsv) {
  using enum TextTable::Align;
  TextTable table({"m", "own µs", "unsplit µs", "persistent µs", "fixed µs",
                   "faster cuBLASLt / fixed", "slices own", "f32 rms own", "unsplit", "fixed"},
                  std::vector(10, right));
  for (const std::uint64_t m : batches) {
    std::map<std::string, double> us;
    std::map<std::string, const LayerPrice::Tree*> trees;
    for (const Contender& one : contenders(price, m)) {
      us[one.name] = price.bench().time(m, one.launch);
      const Words row = price.bench().row(one.launch);
      const std::string hash = xxh3_128_hex(row);
      const LayerPrice::Tree* const tree = trees[one.name] = price.tree_of(hash);
      tsv << fmt::format("{}\t{}\t{}\t{:.3f}\t{}\t{}\t{}\t{:.4e}\t{}\n", price.layer().name, m,
                         one.name, us[one.name], hash, tree ? std::to_string(tree->splits) : "-",
                         tree ? fmt::format("{:.4e}", tree->rms) : "-", price.rms(row), one.how);
    }
    tsv << std::flush;
    const auto time = [&](const char* name) {
      return us.contains(name) ? fmt::format("{:.2f}", us[name]) : "-";
    };
    const auto rms = [&](const char* name) {
      return trees[name] ? fmt::format("{:.2e}", trees[name]->rms) : "-";
    };
    const double best = us.contains("unsplit") ? std::min(us["own"], us["unsplit"]) : us["own"];
    table.row({std::to_string(m), time("own"), time("unsplit"), time("persistent"), time("fixed"),
               fmt::format("{:.3f}", best / us["fixed"]),
               trees["own"] ? std::to_string(trees["own"]->splits) : "-", rms("own"),
               rms("unsplit"), rms("fixed")});
  }
  std::cout << '\n' << price.layer().name << '\n' << table.text() << std::flush;
}

/// Row 0 at every batch: how many different ones; of fixed.gemm every row, beside those of the
/// largest batch. True if no bit of fixed.gemm depends on the batch.
bool every_batch(LayerPrice& price, std::ostream& tsv) {
  std::map<std::string, std::set<std::string>> hashes;
  std::map<std::string, std::string> before;
  std::uint64_t compared = 0, differ = 0;
  price.bench().keep(price.bench().fixed(most_m, price.schedule(most_m)));
  for (std::uint64_t m = 1; m <= most_m; ++m)
    for (const Contender& one : contenders(price, m)) {
      const std::string hash = xxh3_128_hex(price.bench().row(one.launch));
      hashes[one.name].insert(hash);
      if (before[one.name] == hash) continue;
      before[one.name] = hash;
      const LayerPrice::Tree* const tree = price.tree_of(hash);
      tsv << fmt::format("{}\t{}\t{}\t{}\t{}\n", price.layer().name, one.name, m, hash,
                         tree ? std::to_string(tree->splits) : "-");
    }
  for (std::uint64_t m = 1; m <= most_m; ++m) {
    compared += m * price.layer().n;
    differ += price.bench().differ(m, price.bench().fixed(m, price.schedule(m)));
  }
  tsv << std::flush;
  for (const auto& [name, seen] : hashes)
    std::cout << fmt::format("{}: {} different rows 0 at m = 1…{}\n", name, seen.size(), most_m);
  std::cout << fmt::format(
                   "fixed: {} of {} outputs at m = 1…{}, all rows, differ from those at m = {}\n",
                   differ, compared, most_m, most_m)
            << std::flush;
  return hashes["fixed"].size() == 1 && differ == 0;
}

/// `p` with as many stages as leave room for `blocks` blocks on a multiprocessor; nothing if the
/// kernel does not take it.
std::optional<gpu::LaunchParams> filled(gpu::LaunchParams p, std::uint64_t blocks,
                                        std::uint64_t multiprocessors, const gpu::Shape& shape) {
  constexpr std::uint64_t of_multiprocessor = 233472;  // bytes
  const gpu::FixedShared shared = gpu::fixed_shared(p);
  const std::uint64_t room = of_multiprocessor / blocks - 1024;
  if (room < shared.beside + 2048 + 2 * shared.stage) return {};
  p.stages = std::min<std::uint64_t>(24, (room - shared.beside - 1040) / shared.stage);
  p.ctas = p.split == "cluster" ? 0 : multiprocessors * blocks / p.cluster * p.cluster;
  try {
    const gpu::Kernel& kernel = *gpu::find_kernel("fixed.gemm");
    kernel.check(kernel, p, shape);
  } catch (const ConfigurationError&) {
    return {};  // not compiled, or does not fit
  }
  return p;
}

/// Launch parameters worth a try at m rows.
std::vector<gpu::LaunchParams> candidates(LayerPrice& price, std::uint64_t m) {
  std::vector<gpu::LaunchParams> list;
  const gpu::Shape shape{m, price.layer().n, price.layer().k};
  const auto tiles = [&](gpu::LaunchParams p) {
    for (p.block_n = 64; p.block_n <= 128; p.block_n *= 2)
      for (p.block_k = 64; p.block_k <= 256; p.block_k *= 2)
        for (p.once = 0; p.once <= 1; ++p.once)
          for (p.cluster = 1; p.cluster <= 4; p.cluster *= 2)
            for (const std::uint64_t blocks : {1u, 2u, 3u}) {
              if (p.block_m > 64 && (p.block_k == 256 || blocks > 1)) continue;
              if (const auto fits = filled(p, blocks, price.bench().multiprocessors(), shape))
                list.push_back(*fits);
            }
  };
  for (const std::uint64_t block_m : {8u, 16u, 32u, 64u, 128u, 192u, 256u}) {
    if (block_m < std::min<std::uint64_t>(m, 64) || block_m > std::max<std::uint64_t>(8, 2 * m))
      continue;
    gpu::LaunchParams p = price.schedule(m);
    p.block_m = block_m;
    p.together = 1;
    for (const char* split : {"last_arrival", "running"}) {
      p.split = split;
      // Above, there are tiles enough without slices, and partials fill more than the workspace.
      constexpr std::uint64_t few_rows = 512;
      if (p.split == "last_arrival" && m > few_rows) continue;
      tiles(p);
    }
    p.split = "cluster";
    for (p.together = 1; p.together <= 4; p.together *= 2) tiles(p);
  }
  return list;
}

using Timed = std::multimap<double, gpu::LaunchParams>;  // by µs

/// The fastest with other orders of tiles and other sizes of fetches.
std::vector<gpu::LaunchParams> neighbours(const Timed& timed) {
  constexpr std::size_t fastest = 5;
  std::vector<gpu::LaunchParams> list;
  for (const auto& entry : timed) {
    if (list.size() >= fastest * 5) break;
    for (const std::uint64_t group_m : {4u, 8u, 16u})
      for (const std::uint64_t fetch : {0u, 256u}) {
        gpu::LaunchParams p = entry.second;
        if (p.group_m == group_m && p.fetch == fetch) continue;
        p.group_m = group_m;
        p.fetch = fetch;
        list.push_back(p);
      }
  }
  return list;
}

void tune(LayerPrice& price, std::uint64_t m, std::ostream& tsv) {
  Timed timed;
  const auto try_all = [&](const std::vector<gpu::LaunchParams>& list) {
    for (const gpu::LaunchParams& p : list) {
      const gpu::TimedLaunch launch = price.bench().fixed(m, p);
      const double us = price.bench().time(m, launch);
      const LayerPrice::Tree* const tree = price.tree_of(xxh3_128_hex(price.bench().row(launch)));
      timed.emplace(us, p);
      tsv << fmt::format("{}\t{}\t{:.3f}\t{}\t{}\n", price.layer().name, m, us,
                         tree ? std::to_string(tree->splits) : "-", text_of(p));
    }
  };
  try_all(candidates(price, m));
  try_all(neighbours(timed));
  tsv << std::flush;
  constexpr int most_shown = 4;
  int shown = 0;
  for (const auto& [us, p] : timed)
    if (shown++ < most_shown)
      std::cout << fmt::format("{} m {}: {:.2f} µs {}\n", price.layer().name, m, us, text_of(p));
  std::cout << std::flush;
}

int refuse() {
  std::cerr
      << "usage: whybits-price FOLDER [LAYER…] or whybits-price tune FOLDER LAYER M…; layers: "
         "qkv, o, gate-up, down; M from 1 to 4096\n";
  return 2;
}

const Layer* layer_named(const std::string& name) {
  return cublaslt::find_layer(name);
}

int run_tune(const std::vector<std::string>& words) {
  if (words.size() < 4) return refuse();
  const Layer* const layer = layer_named(words[2]);
  std::vector<std::uint64_t> rows;
  for (std::size_t i = 3; i < words.size(); ++i) {
    std::uint64_t m = 0;
    const char* const end = words[i].data() + words[i].size();
    if (const auto [at, error] = std::from_chars(words[i].data(), end, m);
        error != std::errc() || at != end || m < 1 || m > most_m)
      return refuse();
    rows.push_back(m);
  }
  if (!layer || !std::filesystem::is_directory(words[1])) return refuse();
  std::ofstream tsv(std::filesystem::path(words[1]) / fmt::format("tune-{}.tsv", layer->name));
  tsv << "layer\tm\tus\tslices\tlaunch\n";
  LayerPrice price(*layer);
  for (const std::uint64_t m : rows) tune(price, m, tsv);
  return 0;
}

int run_price(const std::vector<std::string>& words) {
  if (words.empty() || !std::filesystem::is_directory(words[0])) return refuse();
  std::vector<Layer> chosen(std::begin(cublaslt::layers), std::end(cublaslt::layers));
  if (words.size() > 1) chosen.clear();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Layer* const layer = layer_named(words[i]);
    if (!layer) return refuse();
    chosen.push_back(*layer);
  }
  const std::filesystem::path folder = words[0];
  std::ofstream times(folder / "price.tsv"), rows(folder / "every-m.tsv");
  times << "layer\tm\tkernel\tus\trow0_xxh3_128\tslices\tf32_rms\tbf16_rms\thow\n";
  rows << "layer\tkernel\tfrom_m\trow0_xxh3_128\tslices\n";
  bool one_row = true;
  bool first = true;
  for (const Layer& layer : chosen) {
    LayerPrice price(layer);
    if (first)
      std::cout << fmt::format("{}, cuBLASLt {}, {}\n", price.bench().device(),
                               price.bench().library_version(), utc_date());
    first = false;
    time_batches(price, times);
    one_row = every_batch(price, rows) && one_row;
  }
  return one_row ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    return !words.empty() && words[0] == "tune" ? run_tune(words) : run_price(words);
  } catch (const std::runtime_error& error) {
    std::cerr << "whybits-price: " << error.what() << '\n';
    return 3;
  }
}
