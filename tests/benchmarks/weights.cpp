// One token through a layer: bound by reading the weights.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <thread>

#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/outputs.hpp"
#include "tests/benchmarks/read_words.hpp"

namespace whybits::bench {
namespace {

constexpr const char* read_once = "the 2-byte weights read once";

std::span<const std::byte> words_of(const fast::CodeMatrix& matrix) {
  return {matrix.word(0, 0), matrix.bytes()};
}

/// That the reader reads all of it.
void check_reader(std::span<const std::byte> words) {
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < words.size(); i += sizeof expected) {
    std::uint64_t word = 0;
    std::memcpy(&word, words.data() + i, sizeof word);
    expected ^= word;
  }
  if (xor_words(words) != expected) throw WrongResult("the reading loop does not read every word");
}

Evaluation layer(const MatrixSize& size) {
  return {parse_topology("fold(sm90.wgmma.bf16)"), uniform_operands(formats::bf16, size)};
}

std::string size_name(const MatrixSize& size) {
  return fmt::format("M={} N={} K={}", size.m, size.n, size.k);
}

/// One thread, against reading.
Result against_reading(const Settings& settings, const MatrixSize& size) {
  const Evaluation evaluation = layer(size);
  const auto words = words_of(evaluation.operands().b);
  check_reader(words);
  fast::CodeMatrix out;
  const Duel duel =
      in_turns(settings.runs, [&] { out = evaluation.run(); }, [&] { keep(xor_words(words)); });
  evaluation.check(out);
  Result result =
      line("bf16 " + size_name(size), "product", size.products(), read_once, size.products(), duel);
  result.goal = Goal{0.5};
  result.note =
      fmt::format("{:.3g} ms by the clock, {:.3g} GB/s read; {}", 1e3 * duel.own.wall,
                  1e-9 * static_cast<double>(words.size()) / duel.peer.cpu, evaluation.kernels());
  return result;
}

void read_on_two(std::span<const std::byte> words) {
  const std::size_t half = words.size() / 2;
  const std::jthread other([&] { keep(xor_words(words.subspan(half))); });
  keep(xor_words(words.first(half)));
}

/// Two threads against two that read: what the memory of this machine allows. Processor time, half
/// of both threads'.
Result two_against_reading(const Settings& settings, const MatrixSize& size) {
  const Evaluation evaluation = layer(size);
  const auto words = words_of(evaluation.operands().b);
  fast::CodeMatrix out;
  Duel duel =
      in_turns(settings.runs, [&] { out = evaluation.run(2); }, [&] { read_on_two(words); });
  evaluation.check(out);
  Result result{"bf16 " + size_name(size) + ", 2 threads", "product"};
  duel.own.instructions.reset();  // of one thread of two
  result.timing = duel.own;
  result.peer_timing = duel.peer;
  result.rate = 2 * size.products() / duel.own.all_cpu;
  result.peer = "read once by 2 threads";
  result.peer_rate = 2 * size.products() / duel.peer.all_cpu;
  result.goal = Goal{0.5};
  result.note = fmt::format("{:.3g} ms by the clock, {:.3g} GB/s read", 1e3 * duel.own.wall,
                            2e-9 * static_cast<double>(words.size()) / duel.peer.all_cpu);
  return result;
}

/// Two threads by the clock, against a tenth of a second.
Result whole_layer(const Settings& settings, const MatrixSize& size) {
  constexpr double budget = 0.1;
  const Evaluation evaluation = layer(size);
  fast::CodeMatrix out = evaluation.run(2);
  std::vector<Timing> timings;
  for (int run = 0; run < settings.runs; ++run)
    timings.push_back(timed([&] { out = evaluation.run(2); }));
  evaluation.check(out);
  Result result{"bf16 layer " + size_name(size) + ", 2 threads", "layer"};
  result.timing = median(timings);
  result.timing->instructions.reset();  // of one thread of two
  result.rate = 1 / result.timing->wall;
  result.peer = "100 ms";
  result.peer_rate = 1 / budget;
  result.goal = Goal{1};
  result.note = fmt::format("{:.3g} ms by the clock", 1e3 * result.timing->wall);
  return result;
}

}  // namespace

Results weights(const Settings& settings) {
  const MatrixSize projection{1, settings.quick ? 128u : 6144u, settings.quick ? 256u : 4096u};
  const MatrixSize down{1, settings.quick ? 128u : 4096u, settings.quick ? 512u : 14336u};
  return {against_reading(settings, projection), two_against_reading(settings, projection),
          against_reading(settings, down), two_against_reading(settings, down),
          whole_layer(settings, down)};
}

}  // namespace whybits::bench
