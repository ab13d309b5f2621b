// Peak resident memory of an evaluation against what its operands and its result take.
#include <fmt/format.h>
#include <malloc.h>

#include <fstream>

#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/outputs.hpp"

namespace whybits::bench {
namespace {

/// A line "VmRSS:   1234 kB" of /proc/self/status, in bytes; nothing where there is no such file.
std::optional<double> status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (double kilobytes = 0; word == key && file >> kilobytes) return 1024 * kilobytes;
  return std::nullopt;
}

/// Lets VmHWM begin at what is resident now.
bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

std::optional<Result> growth(const std::string& unit, const Format& format, const MatrixSize& size,
                             unsigned threads) {
  malloc_trim(0);
  const std::optional<double> before = status_bytes("VmRSS:");
  const Evaluation evaluation(parse_topology("fold(" + unit + ")"), uniform_operands(format, size));
  malloc_trim(0);
  const bool reset = reset_peak();
  const fast::CodeMatrix out = evaluation.run(threads);
  const std::optional<double> peak = status_bytes("VmHWM:");
  evaluation.check(out);
  if (!before || !peak || !reset) return std::nullopt;
  const fast::LaneOperands& operands = evaluation.operands();
  Result result{fmt::format("peak memory, fold({}) M={} N={} K={}, {} thread{}", unit, size.m,
                            size.n, size.k, threads, threads > 1 ? "s" : ""),
                "byte"};
  result.amount = true;
  result.rate = *peak - *before;
  result.peer = "operands' codes and result";
  result.peer_rate = static_cast<double>(operands.a->bytes() + operands.b.bytes() + out.bytes());
  result.goal = Goal{1.3, true};
  return result;
}

}  // namespace

Results memory(const Settings& settings) {
  const auto scaled = [&](std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    return settings.quick ? MatrixSize{m, n / 32, k / 32} : MatrixSize{m, n, k};
  };
  Results results;
  for (const unsigned threads : {1u, 2u}) {
    for (const auto& [unit, format, size] :
         {std::tuple{"sm90.wgmma.bf16", formats::bf16, scaled(256, 4096, 4096)},
          std::tuple{"sm90.wgmma.e4m3", formats::e4m3, scaled(256, 4096, 4096)},
          std::tuple{"sm90.wgmma.bf16", formats::bf16, scaled(1, 6144, 4096)}})
      if (std::optional<Result> result = growth(unit, format, size, threads))
        results.push_back(std::move(*result));
  }
  if (results.empty()) fmt::print(stderr, "memory: /proc/self does not tell it here, left out\n");
  return results;
}

}  // namespace whybits::bench
