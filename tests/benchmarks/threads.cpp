// The second thread against the first.
#include <fmt/format.h>

#include <thread>

#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/outputs.hpp"

namespace whybits::bench {
namespace {

/// Work in registers alone: what two threads can gain on this machine now.
void spin(std::uint64_t turns) {
  std::uint64_t x = 1;
  for (std::uint64_t i = 0; i < turns; ++i) {
    x = x * 0x9e3779b97f4a7c15U + i;
    keep(x);
  }
}

void spin_on_two(std::uint64_t turns) {
  const std::jthread other([&] { spin(turns / 2); });
  spin(turns / 2);
}

Result two_against_one(const Settings& settings, const std::string& unit, const Format& format) {
  const std::uint64_t side = settings.quick ? 64 : 1024;
  const MatrixSize size{side, side, side};
  const Evaluation evaluation(parse_topology("fold(" + unit + ")"), uniform_operands(format, size));
  const std::uint64_t turns = settings.quick ? 1'000'000 : 50'000'000;
  fast::CodeMatrix out = evaluation.run(2);
  std::vector<Timing> one, two, spin_one, spin_two;
  for (int run = 0; run < settings.runs; ++run) {
    two.push_back(timed([&] { out = evaluation.run(2); }));
    spin_two.push_back(timed([&] { spin_on_two(turns); }));
    one.push_back(timed([&] { keep(evaluation.run(1)); }));
    spin_one.push_back(timed([&] { spin(turns); }));
  }
  evaluation.check(out);
  Result result{fmt::format("fold({}), {}^3, 2 threads", unit, side), "product"};
  result.timing = median(two);
  result.timing->instructions.reset();  // of one thread of two
  result.peer_timing = median(one);
  result.rate = size.products() / result.timing->wall;
  result.peer = "1 thread";
  result.peer_rate = size.products() / result.peer_timing->wall;
  result.goal = Goal{1.8};
  result.note = fmt::format(
      "by the clock; processor time of both {:.3f} times one's; a loop in registers gained {:.2f} "
      "meanwhile",
      result.timing->all_cpu / result.peer_timing->all_cpu,
      median(spin_one).wall / median(spin_two).wall);
  return result;
}

}  // namespace

Results threads(const Settings& settings) {
  return {two_against_one(settings, "sm90.wgmma.bf16", formats::bf16),
          two_against_one(settings, "sm90.wgmma.e4m3", formats::e4m3),
          two_against_one(settings, "f32.fma", formats::f32)};
}

}  // namespace whybits::bench
