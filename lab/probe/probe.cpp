#include "lab/probe/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "sim/ceil_div.hpp"
#include "sim/share_work.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t dots_at_once = std::uint64_t{1} << 19;

/// What the claim and then its controls give for one tile: codes[model][output].
std::vector<std::vector<Bits>> evaluate_tile(const Claim& claim,
                                             const std::vector<ProbeControl>& controls,
                                             const gpu::TileBatch& batch, std::uint64_t tile) {
  const Tile operands(claim, batch, tile);
  const auto n = static_cast<std::uint64_t>(claim.instruction->n);
  std::vector<std::vector<Bits>> codes(1 + controls.size(), std::vector<Bits>(claim.outputs()));
  for (std::uint64_t o = 0; o < claim.outputs(); ++o) {
    const Leaves leaves = operands.leaves(o / n, o % n);
    codes[0][o] = evaluate(claim.sum, leaves);
    for (std::size_t r = 0; r < controls.size(); ++r)
      codes[r + 1][o] = controls[r].result(leaves, codes[0][o]);
  }
  return codes;
}

ProbeExample example_of(const Claim& claim, const gpu::TileBatch& batch, std::uint64_t first_tile,
                        std::uint64_t tile, std::uint64_t output, Bits device, Bits model) {
  const auto n = static_cast<std::uint64_t>(claim.instruction->n);
  const Tile operands(claim, batch, tile);
  const Leaves leaves = operands.leaves(output / n, output % n);
  ProbeExample example;
  example.a.assign(leaves.a->codes().begin(), leaves.a->codes().end());
  example.b.assign(leaves.b->codes().begin(), leaves.b->codes().end());
  if (leaves.c) example.c = leaves.c->code;
  example.device = device;
  example.model = model;
  example.place = fmt::format("tile {}, [{},{}]", first_tile + tile, output / n, output % n);
  return example;
}

void compare_random(const Claim& claim, const std::vector<ProbeControl>& controls, DataKind kind,
                    std::uint64_t dots, std::uint64_t control_dots, const ProbeOptions& options,
                    const RunTiles& run, KindResult& result) {
  result.kind = kind;
  result.control_wrong.assign(controls.size(), 0);
  const std::uint64_t outputs = claim.outputs();
  const std::uint64_t tiles = ceil_div(dots, outputs);
  const std::uint64_t control_tiles = std::min(tiles, ceil_div(control_dots, outputs));
  const std::uint64_t at_once = std::max<std::uint64_t>(1, dots_at_once / outputs);
  const std::vector<ProbeControl> none;
  std::mutex counting;
  for (std::uint64_t first = 0; first < tiles; first += at_once) {
    const std::uint64_t count = std::min(at_once, tiles - first);
    const gpu::TileBatch batch =
        random_tiles(claim, kind, options.seed, first, count, options.threads);
    const std::vector<std::uint8_t> words = run(*claim.instruction, batch);
    share_work(count, options.threads, [&](std::uint64_t t) {
      const bool controlled = first + t < control_tiles;
      const std::vector<std::vector<Bits>> codes =
          evaluate_tile(claim, controlled ? controls : none, batch, t);
      const std::vector<Bits> device = codes_of_words(claim.c, words, t * outputs, outputs);
      const std::lock_guard lock(counting);
      result.dots += outputs;
      if (controlled) result.control_dots += outputs;
      for (std::uint64_t o = 0; o < outputs; ++o) {
        for (std::size_t r = 1; r < codes.size(); ++r)
          if (codes[r][o] != device[o]) ++result.control_wrong[r - 1];
        if (codes[0][o] == device[o]) continue;
        ++result.wrong;
        if (result.examples.size() < options.examples)
          result.examples.push_back(example_of(claim, batch, first, t, o, device[o], codes[0][o]));
      }
    });
  }
}

void compare_vectors(const std::vector<ProbeControl>& controls, const RunTiles& run,
                     ProbeResult& result) {
  const Claim& claim = result.claim;
  const std::vector<ProbeVector> vectors = probe_vectors(claim);
  const gpu::TileBatch batch = vector_tiles(claim, vectors);
  const std::vector<std::uint8_t> words = run(*claim.instruction, batch);
  const std::uint64_t outputs = claim.outputs();
  const auto n = static_cast<std::uint64_t>(claim.instruction->n);
  std::uint64_t next = 0;
  for (std::uint64_t t = 0; t < batch.tiles; ++t) {
    const std::vector<std::vector<Bits>> codes = evaluate_tile(claim, controls, batch, t);
    const std::vector<Bits> device = codes_of_words(claim.c, words, t * outputs, outputs);
    for (std::uint64_t o = 0; o < outputs; ++o) {
      ++result.mixed;
      if (codes[0][o] != device[o]) ++result.mixed_wrong;
    }
    for (; next < vectors.size() && vector_place(claim, next).tile == t; ++next) {
      const VectorPlace place = vector_place(claim, next);
      const std::uint64_t o = place.row * n + place.column;
      VectorResult v{vectors[next], device[o], codes[0][o], {}};
      for (std::size_t r = 1; r < codes.size(); ++r) v.controls.push_back(codes[r][o]);
      --result.mixed;
      if (v.device != v.model) --result.mixed_wrong;
      result.vectors.push_back(std::move(v));
    }
  }
}

}  // namespace

std::uint64_t ProbeResult::dots() const {
  std::uint64_t sum = vectors.size() + mixed;
  for (const KindResult& kind : kinds) sum += kind.dots;
  return sum;
}

std::uint64_t ProbeResult::wrong() const {
  std::uint64_t sum = mixed_wrong;
  for (const KindResult& kind : kinds) sum += kind.wrong;
  for (const VectorResult& v : vectors) sum += v.device != v.model ? 1 : 0;
  return sum;
}

ProbeResult probe_instruction(const gpu::MatrixInstruction& instruction, bool with_c,
                              const std::vector<DataKind>& kinds, const ProbeOptions& options,
                              const RunTiles& run) {
  const auto start = std::chrono::steady_clock::now();
  ProbeResult result;
  result.claim = make_claim(instruction, with_c);
  const std::vector<ProbeControl> controls = claim_controls(result.claim);
  for (const ProbeControl& control : controls) result.controls.push_back(control.name);
  compare_vectors(controls, run, result);
  for (const DataKind kind : kinds)
    compare_random(result.claim, controls, kind, options.dots / kinds.size(),
                   options.control_dots / kinds.size(), options, run, result.kinds.emplace_back());
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::vector<std::uint8_t> predict_tiles(const Claim& claim, const gpu::TileBatch& batch,
                                        unsigned threads) {
  std::vector<std::uint8_t> words(batch.c.size());
  share_work(batch.tiles, threads, [&](std::uint64_t t) {
    const std::vector<std::vector<Bits>> codes = evaluate_tile(claim, {}, batch, t);
    for (std::uint64_t o = 0; o < claim.outputs(); ++o)
      put_code(claim.c, words, t * claim.outputs() + o, codes[0][o]);
  });
  return words;
}

}  // namespace whybits
