// All-reduces in lanes beside a loop that reads the same words and is bound by memory.
#include <fmt/format.h>

#include <cstring>
#include <numeric>

#include "sim/builders/all_reduce.hpp"
#include "sim/fast/region_plan.hpp"
#include "sim/message_passing/all_reduce.hpp"
#include "sim/tensor.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/outputs.hpp"

namespace whybits::bench {
namespace {

/// A word of a rank: finite numbers of mixed size.
std::uint16_t word_of(std::uint64_t rank, std::uint64_t i) {
  const std::uint64_t h = random_word(rank << 40 | i);
  return static_cast<std::uint16_t>((h & 0x807f) | (0x3f80 + (h >> 20 & 7) * 0x80));
}

/// The reference evaluator's bits of one element.
void check(const TopologyMap& map, const std::vector<Bits>& values, std::uint64_t i, Bits code) {
  const OperandVector vector(formats::bf16, values);
  Leaves leaves;
  leaves.a = &vector;
  const Reduction reduction =
      make_reduction(map.find(i)->topology, values.size(), {.a = formats::bf16});
  if (evaluate(reduction, leaves) != code)
    throw WrongResult(fmt::format("element {} of the all-reduce is wrong", i));
}

/// The ring from words in memory, against a loop that reads every word and writes as many as the
/// result has: what nothing that adds them up can do without.
Result ring(const Settings& settings) {
  const std::uint64_t ranks = 8, count = settings.quick ? 4096 : 10'000'000;
  std::vector<std::uint16_t> words(ranks * count);
  for (std::uint64_t r = 0; r < ranks; ++r)
    for (std::uint64_t i = 0; i < count; ++i) words[r * count + i] = word_of(r, i);
  const TopologyMap map = all_reduce_map({AllReduce::ring, ranks, count, formats::bf16});
  const LeafTypes types{.a = formats::bf16};
  std::vector<Reduction> reductions;
  for (const MapRegion& region : map.regions)
    reductions.push_back(make_reduction(region.topology, ranks, types));
  fast::LaneOperands operands;
  operands.rows = 1;
  operands.columns = count;
  operands.length = ranks;
  operands.b =
      fast::CodeMatrix::borrow(formats::bf16, ranks, count, std::as_bytes(std::span(words)).data());
  const fast::RegionPlan plan = fast::compile(map, reductions, types);
  std::vector<std::uint64_t> columns(count);
  std::iota(columns.begin(), columns.end(), 0);
  const fast::OutputPlaces places{{0}, columns, count};
  fast::CodeMatrix sums;
  std::vector<std::uint64_t> written(count / 4);
  const auto peer = [&] {
    for (std::uint64_t i = 0; i < written.size(); ++i) {
      std::uint64_t all = 0;
      for (std::uint64_t r = 0; r < ranks; ++r) {
        std::uint64_t word = 0;
        std::memcpy(&word, &words[r * count + 4 * i], sizeof word);
        all += word;
      }
      written[i] = all;
    }
    keep(written.back());
  };
  const Duel duel = in_turns(
      settings.runs, [&] { sums = fast::evaluate(plan, operands, places, {.threads = 1}); }, peer);
  for (const std::uint64_t i : {std::uint64_t{0}, count / 3, count / 2, count - 1}) {
    std::vector<Bits> values;
    for (std::uint64_t r = 0; r < ranks; ++r) values.push_back(words[r * count + i]);
    check(map, values, i, sums.at(0, i));
  }
  const auto elements = static_cast<double>(count);
  const double bytes = 2 * elements * static_cast<double>(ranks + 1);
  Result result = line(fmt::format("ring, {} ranks, {} bf16 elements", ranks, count), "element",
                       elements, "all words read, the result written", elements, duel);
  result.goal = Goal{1.0 / 3};
  result.note = fmt::format("{:.3g} ms, {:.3g} GB/s; peer {:.3g} GB/s", 1e3 * duel.own.cpu,
                            1e-9 * bytes / duel.own.cpu, 1e-9 * bytes / duel.peer.cpu);
  return result;
}

/// Ranks that pass messages, on two threads by the clock.
Result messages(const Settings& settings) {
  constexpr double budget = 10;
  const std::uint64_t ranks = settings.quick ? 16 : 1024;
  const std::uint64_t count = settings.quick ? 1024 : 1'000'000;
  std::vector<Bits> words(count);
  for (std::uint64_t i = 0; i < count; ++i) words[i] = word_of(0, i);
  const CodeVector message(formats::bf16, words);
  // Every rank the same words: what is timed is the passing and the adding.
  const std::vector<const CodeSource*> sources(ranks, &message);
  const AllReduceConfig config{AllReduce::ring, ranks, count, formats::bf16};
  std::vector<Bits> results(count);
  const Timing timing = timed([&] {
    message_passing::Simulation simulation = message_passing::all_reduce_ranks(config, sources);
    for (auto& rank : simulation.ranks) rank->deliver = [](const message_passing::Piece&) {};
    simulation.ranks[0]->deliver = [&](const message_passing::Piece& piece) {
      std::copy(piece.codes->begin(), piece.codes->end(),
                results.begin() + static_cast<std::ptrdiff_t>(piece.begin));
    };
    message_passing::run(simulation.ranks, 2);
  });
  const TopologyMap map = all_reduce_map(config);
  for (const std::uint64_t i : {std::uint64_t{0}, count / 2, count - 1})
    check(map, std::vector<Bits>(ranks, words[i]), i, results[i]);
  Result result{fmt::format("messages of {} ranks, {} elements, 2 threads", ranks, count), "run"};
  result.timing = timing;
  result.timing->instructions.reset();  // of one thread of two
  result.rate = 1 / timing.wall;
  result.peer = "10 s";
  result.peer_rate = 1 / budget;
  result.goal = Goal{1};
  result.note = fmt::format("{:.3g} s by the clock", timing.wall);
  return result;
}

}  // namespace

Results collectives(const Settings& settings) {
  return {ring(settings), messages(settings)};
}

}  // namespace whybits::bench
