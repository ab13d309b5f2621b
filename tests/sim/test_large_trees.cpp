// Regular trees of a million leaves are built, compared, hashed and printed at once, and so are
// trees of a billion: their size is that of their regularity. whybits_test_sim "[.figures]" prints
// how long and how large.
#include <chrono>
#include <cstdio>

#include "sim/expand.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

double milliseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since)
      .count();
}

struct Figures {
  double build_ms = 0;    ///< the first time
  double compare_ms = 0;  ///< another build, compared, hashed, its schema printed
  TreeStatistics statistics;
};

Figures measure(const std::string& text, std::uint64_t n) {
  const SchemaPtr schema = parse_topology(text);
  Figures figures;
  auto start = std::chrono::steady_clock::now();
  const Tree tree = expand(*schema, n);
  figures.build_ms = milliseconds(start);
  start = std::chrono::steady_clock::now();
  const Tree again = expand(*parse_topology(print(*schema)), n);
  CHECK(again == tree);
  CHECK(again.hash() == tree.hash());
  figures.compare_ms = milliseconds(start);
  figures.statistics = tree.statistics();
  return figures;
}

const std::vector<std::string> regular{
    "fold(f32)",
    "fold(sm90.wgmma.bf16)",
    "pairs(f32)",
    "halves(f32)",
    "any(f32)",
    "reverse(pairs(f32))",
    "reverse(halves(f32))",
    "rotate(1, fold(bf16))",
    "rotate(12345, pairs(f32))",
    "rotate(12345, halves(f32))",
    "rotate(12345, lanes(256, fold(f32), halves(f32)))",
    "rotate(12345, slices(1000, pairs(f32), fold(f32)))",
    "take(5..99999, halves(f32))",
    "pairs(f32 > bf16)",
    "fold(f32 > bf16) + bias > f16",
    "slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16",
    "slices(104, fold(sm90.mma.bf16.k8), fold(f32)) > bf16",
    "slices(104, fold(sm90.wgmma.bf16), chain) > bf16",
    "slices(1, fold(sm90.wgmma.bf16), chain)",
    "slices(7, halves(f32), pairs(f32))",
    "slices(128, fold(sm90.wgmma.e4m3), fold(f32))",
    "slices(32, lanes(2, by=2, fold(sm90.mma.f16), chain), fold(f32))",
    "parts(12, by=64, fold(sm90.mma.bf16), fold(f32))",
    "parts(4096, pairs(f32), any(f32))",
    "cut(1000 500000, pairs(f32), fold(f32))",
    "lanes(256, fold(f32), slices(32, pairs(f32), fold(f32)))",
    "lanes(64, by=4, lanes(4, fold(f32), fold(f32)), halves(f32))",
    "lanes(1024, by=4, reverse(fold(f32)), halves(f32))",
    "slices(1024, lanes(32, by=8, pairs(f32), halves(f32)), parts(7, fold(f32), pairs(f32)))"};

}  // namespace

TEST_CASE("A regular tree of a million leaves takes under 10 ms and under 1 MB") {
  // The processor may be shared, so that the bound on time is generous; the figures tell.
  for (const std::string& text : regular)
    for (const std::uint64_t n : {1'000'000U, 999'983U, 1U << 20U}) {
      CAPTURE(text, n);
      const Figures figures = measure(text, n);
      CAPTURE(figures.build_ms, figures.compare_ms, figures.statistics.bytes,
              figures.statistics.shapes);
      CHECK(figures.statistics.bytes < 1'000'000);
      CHECK(figures.build_ms < 100);
      CHECK(figures.compare_ms < 200);
    }
}

TEST_CASE("Figures of regular trees of a million leaves", "[.figures]") {
  std::printf("%9s %11s %7s %7s  topology, 10^6 addends\n", "build ms", "compare ms", "shapes",
              "bytes");
  for (const std::string& text : regular) {
    const Figures f = measure(text, 1'000'000);
    std::printf("%9.3f %11.3f %7llu %7llu  %s\n", f.build_ms, f.compare_ms,
                static_cast<unsigned long long>(f.statistics.shapes),
                static_cast<unsigned long long>(f.statistics.bytes), text.c_str());
  }
}

TEST_CASE("Empty pieces cost nothing, however many there are") {
  // Found by random search: 10^6 addends, in each of 10^5 slices hundreds of thousands of empty
  // lanes.
  for (const std::string text :
       {"slices(3, lanes(424597, by=2, lanes(654, by=127, fold(f32), fold(f32)), chain), chain)",
        "slices(3, lanes(424597, by=2, fold(f32), chain), chain)"}) {
    CAPTURE(text);
    const auto start = std::chrono::steady_clock::now();
    const Tree tree = expand(*parse_topology(text), 30'000);
    CHECK(milliseconds(start) < 2000);
    CHECK(tree == expand(*parse_topology("fold(f32)"), 30'000));
  }
}

TEST_CASE("The work for a regular tree does not grow with its leaves") {
  for (const std::string& text : regular) {
    CAPTURE(text);
    const SchemaPtr schema = parse_topology(text);
    for (const std::uint64_t n :
         {std::uint64_t{1'000'000}, std::uint64_t{1} << 35, (std::uint64_t{1} << 40) - 1}) {
      CAPTURE(n);
      CHECK_NOTHROW(expand(*schema, n, {.max_work = 40'000}));
    }
  }
}

TEST_CASE("Statistics of trees that are known") {
  const auto statistics = [](const std::string& text, std::uint64_t n) {
    return expand(*parse_topology(text), n).statistics();
  };
  CHECK(statistics("fold(f32)", 1000).depth == 999);
  CHECK(statistics("fold(f32)", 1000).steps == 999);
  CHECK(statistics("fold(f32)", 1'000'000).shapes == 1);
  CHECK(statistics("pairs(f32)", 1024).depth == 10);
  CHECK(statistics("halves(f32)", 1000).depth == 10);
  CHECK(statistics("halves(f32)", 1000).steps == 999);
  CHECK(statistics("fold(sm90.wgmma.bf16)", 14336).steps == 896);
  CHECK(statistics("fold(sm90.wgmma.bf16)", 14337).steps == 897);
  CHECK(statistics("slices(3584, fold(sm90.wgmma.bf16), fold(f32))", 14336).steps == 899);
  CHECK(statistics("slices(3584, fold(sm90.wgmma.bf16), fold(f32))", 14336).depth == 224 + 3);
  CHECK(statistics("slices(104, fold(sm90.mma.f16), chain)", 1040).steps ==
        70);  // 7 a slice, not 6.5
  CHECK(statistics("take(0..10, fold(f32))", 1000).leaves == 10);
  CHECK(statistics("any(f32)", 5).steps == 4);
  CHECK(statistics("any(f32)", 5).depth == 4);
  CHECK(statistics("any(f32)", 1).depth == 0);
  CHECK(statistics("slices(4, fold(f32), any(f32))", 12).depth == 3 + 2);
  // The deep slice may come first or last: 3 + 2 either way, and a short one changes nothing.
  CHECK(statistics("slices(4, fold(f32), any(f32))", 9).depth == 3 + 2);
  CHECK(statistics("slices(4, fold(f32), fold(f32))", 9).depth == 3 + 2);
  CHECK(statistics("fold(f32)", 0).steps == 0);
  CHECK(statistics("fold(f32)", 1).steps == 0);
}
