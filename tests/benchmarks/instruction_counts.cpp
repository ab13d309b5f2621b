// Instructions a product, counted one by one: figures that a busy machine cannot shift.
#include <fmt/format.h>

#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/single_steps.hpp"
#include "tests/benchmarks/units.hpp"

namespace whybits::bench {
namespace {

/// What a call takes, and what each product adds to it: from counts at k and at 2·k.
struct Cost {
  double call, product;
};

template <class CountAt>
std::optional<Cost> cost(const MatrixSize& size, const CountAt& count_at) {
  const std::optional<std::uint64_t> once = count_at(size);
  const std::optional<std::uint64_t> twice = count_at({size.m, size.n, 2 * size.k});
  if (!once || !twice) return std::nullopt;
  const double more = static_cast<double>(*twice) - static_cast<double>(*once);
  return Cost{static_cast<double>(*once) - more, more / size.products()};
}

/// After one call, as what a program does only once does not count.
std::optional<std::uint64_t> count_second(const std::function<void()>& call) {
  call();
  return count_instructions(call);
}

Result amount(std::string name, std::string item, double own, std::string peer, double its) {
  Result result{std::move(name), std::move(item), own, std::move(peer), its};
  result.amount = true;
  return result;
}

}  // namespace

Results instruction_counts(const Settings& settings) {
  if (!OpenBlas::get().found()) return {};  // main says so
  const MatrixSize size = settings.quick ? MatrixSize{1, 64, 32} : MatrixSize{16, 64, 32};
  const auto units = measured_units().first(settings.quick ? 1 : measured_units().size());
  const std::optional<Cost> peer = cost(size, [](const MatrixSize& at) {
    Sgemm sgemm(at);
    return count_second([&] { sgemm.run(); });
  });
  Results results;
  for (const MeasuredUnit& unit : units) {
    const std::optional<Cost> own = cost(size, [&](const MatrixSize& at) {
      const Evaluation evaluation = unit.evaluation(at);
      fast::CodeMatrix out;
      const auto count = count_second([&] { out = evaluation.run(); });
      evaluation.check(out);
      return count;
    });
    if (!own || !peer) {
      fmt::print(stderr, "instruction_counts: this machine cannot step, left out\n");
      return {};
    }
    const std::string name = fmt::format("{} M={} N={}", unit.name(), size.m, size.n);
    results.push_back(
        amount(name + ", a product", "instruction", own->product, sgemm_name(), peer->product));
    results.back().instructions = own->product;
    if (&unit == &units.front())
      results.push_back(
          amount(name + ", a call besides", "instruction", own->call, sgemm_name(), peer->call));
  }
  return results;
}

}  // namespace whybits::bench
