// for_each_output: every chosen output once, with its own leaves, for any number of threads.
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>

#include "sim/arith.hpp"
#include "sim/gemm.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

/// Code i is a simple function of i, so that a leaf tells where it came from.
class Counting final : public CodeSource {
 public:
  Counting(const Format& format, std::uint64_t size, Bits factor)
      : format_(format), size_(size), factor_(factor) {}
  Format format() const override { return format_; }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint64_t index = first + i * stride;
      if (index >= size_) throw std::out_of_range("operand read beyond its end");
      out[i] = code(index);
    }
  }
  /// Small numbers of both signs.
  Bits code(std::uint64_t index) const {
    const std::uint64_t h = (index + 1) * factor_ * 0x9e3779b97f4a7c15U;
    const Bits exponent = static_cast<Bits>(format_.bias()) - (h >> 60);
    return ((h >> 59 & 1) << (format_.code_bits() - 1)) | (exponent << format_.fraction_bits) |
           (h >> 30 & format_.fraction_mask());
  }

 private:
  Format format_;
  std::uint64_t size_;
  Bits factor_;
};

struct Product {
  GemmShape shape;
  Counting a, b, c, bias;
  GemmOperands operands;

  explicit Product(const GemmShape& s)
      : shape(s),
        a(formats::bf16, s.m * s.k, 3),
        b(formats::f16, s.k * s.n, 5),
        c(formats::f32, s.m * s.n, 7),
        bias(formats::bf16, s.n, 11) {
    operands.shape = s;
    operands.a = &a;
    operands.b = &b;
    operands.c = &c;
    operands.bias = &bias;
  }
};

/// The leaves of output (row, column) are row `row` of a, column `column` of b, c[row, column] and
/// bias[column], and nothing else.
bool are_leaves_of(const Product& p, const Leaves& leaves, std::uint64_t row,
                   std::uint64_t column) {
  if (leaves.a->size() != p.shape.k || leaves.b->size() != p.shape.k) return false;
  for (std::uint64_t i = 0; i < p.shape.k; ++i) {
    if (leaves.a->codes()[i] != p.a.code(row * p.shape.k + i)) return false;
    if (leaves.b->codes()[i] != p.b.code(i * p.shape.n + column)) return false;
  }
  const Scalar c{formats::f32, p.c.code(row * p.shape.n + column)};
  const Scalar bias{formats::bf16, p.bias.code(column)};
  return leaves.c == c && leaves.operands.size() == 1 && leaves.operands[0].first == "bias" &&
         leaves.operands[0].second == bias;
}

std::vector<std::uint64_t> chosen_from(Random& random, std::uint64_t size) {
  std::vector<std::uint64_t> list;
  for (std::uint64_t i = 0; i < size; ++i)
    if (random.below(3) != 0) list.push_back(i);
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
  return list;
}

std::vector<Bits> results(const Product& p, const ChosenOutputs& chosen, unsigned threads) {
  const Reduction reduction =
      make_reduction(parse_topology("slices(32, fold(sm90.wgmma.bf16), fold(f32)) + bias > bf16"),
                     p.shape.k, p.operands.types());
  std::vector<Bits> codes(chosen.size());
  for_each_output(p.operands, chosen, {.threads = threads},
                  [&](std::size_t i, std::size_t j, const Leaves& leaves) {
                    codes[i * chosen.columns.size() + j] = evaluate(reduction, leaves);
                  });
  return codes;
}

}  // namespace

TEST_CASE("Every chosen output is visited once, with the leaves that are its own") {
  for_all(60, [](Random& random) {
    const Product p({random.below(40), random.below(80), random.below(20)});
    const ChosenOutputs chosen{chosen_from(random, p.shape.m), chosen_from(random, p.shape.n)};
    const auto threads = static_cast<unsigned>(random.below(5));
    CAPTURE(p.shape.m, p.shape.n, p.shape.k, chosen.rows.size(), chosen.columns.size(), threads);
    std::vector<std::atomic<int>> visits(chosen.size());
    std::atomic<int> wrong{0};
    for_each_output(p.operands, chosen, {.threads = threads},
                    [&](std::size_t i, std::size_t j, const Leaves& leaves) {
                      ++visits.at(i * chosen.columns.size() + j);
                      if (!are_leaves_of(p, leaves, chosen.rows.at(i), chosen.columns.at(j)))
                        ++wrong;
                    });
    CHECK(wrong == 0);
    CHECK(std::all_of(visits.begin(), visits.end(), [](const auto& v) { return v == 1; }));
  });
}

TEST_CASE("Any number of threads gives the same bits, and chosen outputs those of all") {
  Product p({21, 67, 100});
  Counting b(formats::bf16, p.shape.k * p.shape.n, 5);
  p.operands.b = &b;
  const ChosenOutputs all = ChosenOutputs::all(p.shape);
  REQUIRE(all.size() == 21 * 67);
  const std::vector<Bits> expected = results(p, all, 1);
  CHECK(std::set<Bits>(expected.begin(), expected.end()).size() > 500);
  for (const unsigned threads : {0U, 2U, 3U, 7U, 1000U}) {
    CAPTURE(threads);
    CHECK(results(p, all, threads) == expected);
  }
  for_all(20, [&](Random& random) {
    const ChosenOutputs some{chosen_from(random, p.shape.m), chosen_from(random, p.shape.n)};
    const std::vector<Bits> found = results(p, some, 2);
    for (std::size_t i = 0; i < some.rows.size(); ++i)
      for (std::size_t j = 0; j < some.columns.size(); ++j)
        REQUIRE(found[i * some.columns.size() + j] ==
                expected[some.rows[i] * p.shape.n + some.columns[j]]);
  });
}

TEST_CASE("Sums of no products start from c, and products of nothing are no outputs") {
  const Product empty_sums({2, 3, 0});
  std::atomic<int> visits{0};
  for_each_output(empty_sums.operands, ChosenOutputs::all(empty_sums.shape), {},
                  [&](std::size_t, std::size_t, const Leaves& leaves) {
                    ++visits;
                    if (leaves.size() != 0 || !leaves.c) visits = 1000;
                  });
  CHECK(visits == 6);
  for (const GemmShape& shape : {GemmShape{0, 3, 4}, GemmShape{3, 0, 4}, GemmShape{0, 0, 0}}) {
    const Product none(shape);
    for_each_output(none.operands, ChosenOutputs::all(shape), {},
                    [&](std::size_t, std::size_t, const Leaves&) { visits = -1; });
    CHECK(visits == 6);
  }
}

TEST_CASE("What a visitor throws comes out, and the threads end") {
  const Product p({40, 200, 8});
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<int> visits{0};
    const auto visit = [&](std::size_t i, std::size_t j, const Leaves&) {
      ++visits;
      if (i == 17 && j == 40) throw std::runtime_error("the visitor gave up");
    };
    CHECK_THROWS_WITH(
        for_each_output(p.operands, ChosenOutputs::all(p.shape), {.threads = threads}, visit),
        "the visitor gave up");
    CHECK(visits < 40 * 200);
  }
}

TEST_CASE("What an operand throws comes out") {
  Product p({4, 4, 16});
  const Counting short_b(formats::f16, 20, 5);
  p.operands.b = &short_b;
  CHECK_THROWS_AS(for_each_output(p.operands, ChosenOutputs::all(p.shape), {.threads = 2},
                                  [](std::size_t, std::size_t, const Leaves&) {}),
                  std::out_of_range);
}

TEST_CASE("A stop leaves the remaining outputs unvisited") {
  const Product p({64, 256, 4});
  for (const unsigned threads : {1U, 3U}) {
    std::stop_source stop;
    std::atomic<int> visits{0};
    for_each_output(p.operands, ChosenOutputs::all(p.shape),
                    {.threads = threads, .stop = stop.get_token()},
                    [&](std::size_t, std::size_t, const Leaves&) {
                      if (++visits == 10) stop.request_stop();
                    });
    CHECK(visits >= 10);
    CHECK(visits < 64 * 256 / 4);
  }
  std::stop_source stopped;
  stopped.request_stop();
  std::atomic<int> visits{0};
  for_each_output(p.operands, ChosenOutputs::all(p.shape), {.stop = stopped.get_token()},
                  [&](std::size_t, std::size_t, const Leaves&) { ++visits; });
  CHECK(visits == 0);
}

TEST_CASE("Progress rises to the number of outputs, one call at a time") {
  const Product p({33, 70, 4});
  std::vector<std::uint64_t> reports;
  std::mutex busy;
  bool overlapped = false;
  for_each_output(p.operands, ChosenOutputs::all(p.shape),
                  {.threads = 3,
                   .progress =
                       [&](std::uint64_t done) {
                         const std::unique_lock lock(busy, std::try_to_lock);
                         overlapped = overlapped || !lock.owns_lock();
                         reports.push_back(done);
                       }},
                  [](std::size_t, std::size_t, const Leaves&) {});
  CHECK_FALSE(overlapped);
  CHECK(std::is_sorted(reports.begin(), reports.end()));
  REQUIRE_FALSE(reports.empty());
  CHECK(reports.back() == 33 * 70);
}

TEST_CASE("A progress report that throws is an error like any other") {
  const Product p({33, 70, 4});
  CHECK_THROWS_WITH(
      for_each_output(p.operands, ChosenOutputs::all(p.shape),
                      {.threads = 2,
                       .progress = [](std::uint64_t) { throw std::runtime_error("no terminal"); }},
                      [](std::size_t, std::size_t, const Leaves&) {}),
      "no terminal");
}

TEST_CASE("Working memory is stated in bytes, and no shape makes it wrap around") {
  const auto bytes = [](std::uint64_t rows, std::uint64_t k, unsigned threads) {
    return gemm_working_bytes(k, rows, 1000, threads);
  };
  // One row of a, one column of b; codes, terms of a matrix unit, and the exact sum's numbers.
  CHECK(bytes(1, 1000, 1) >= 2 * 1000 * (sizeof(Bits) + sizeof(Term)));
  CHECK(bytes(64, 1000, 4) >= 4 * bytes(1, 1000, 1));
  CHECK(bytes(16, 1000, 1000) == bytes(16, 1000, 32));  // 32 blocks are work for 32 threads
  CHECK(bytes(0, 1000, 1) == 0);
  const std::uint64_t huge = std::uint64_t{1} << 40;
  for (const unsigned threads : {1U, 1000U, ~0U}) {
    CAPTURE(threads);
    CHECK(bytes(64, huge, threads) > huge);
    CHECK(bytes(64, ~std::uint64_t{0}, threads) > huge);
    CHECK(bytes(~std::uint64_t{0}, huge, threads) > huge);
  }
}
