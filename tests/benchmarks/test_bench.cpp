// What the benchmarks rest on: a wrong result is noticed, a slow path is named.
#include <algorithm>

#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/outputs.hpp"
#include "tests/benchmarks/random_trees.hpp"
#include "tests/benchmarks/single_steps.hpp"
#include "tests/support/catch.hpp"

namespace whybits::bench {
namespace {

Evaluation small(const std::string& topology) {
  return {parse_topology(topology), uniform_operands(formats::bf16, {3, 5, 40})};
}

void list_leaves(const Nested& node, std::vector<std::uint64_t>& leaves, std::size_t& lists) {
  if (node.items.empty()) {
    leaves.push_back(node.leaf);
    return;
  }
  ++lists;
  for (const Nested& item : node.items) list_leaves(item, leaves, lists);
}

void check_tree(const Nested& tree, std::uint64_t n, std::size_t nodes) {
  std::vector<std::uint64_t> leaves;
  std::size_t lists = 0;
  list_leaves(tree, leaves, lists);
  CHECK(lists == nodes);
  std::sort(leaves.begin(), leaves.end());
  REQUIRE(leaves.size() == n);
  for (std::uint64_t i = 0; i < n; ++i) CHECK(leaves[i] == i);
}

TEST_CASE("a wrong bit in a timed result is noticed") {
  const Evaluation evaluation = small("fold(sm90.wgmma.bf16)");
  fast::CodeMatrix out = evaluation.run();
  CHECK_NOTHROW(evaluation.check(out));
  for (const auto& [r, c] : {std::pair{0u, 0u}, std::pair{2u, 4u}}) {
    out.set(r, c, out.at(r, c) ^ 1);
    CHECK_THROWS_AS(evaluation.check(out), WrongResult);
    out.set(r, c, out.at(r, c) ^ 1);
  }
}

TEST_CASE("the kernels of a plan are named, the reference evaluator among them") {
  CHECK(small("fold(sm90.wgmma.bf16)").kernels() == "aligned integers");
  CHECK(small("slices(16, fold(f32.fma), fold(f32))").kernels() == "fma + add");
  CHECK(small("fold(f64.fma.rz)").kernels().find("reference") != std::string::npos);
}

TEST_CASE("random trees take every leaf once in as many lists as asked") {
  check_tree(random_tree(300, 70), 300, 70);
  check_tree(random_tree(8, 7), 8, 7);
  check_tree(random_chain(160, 7, 16), 160, 7);
  check_tree(random_chain(160, 10, 16), 160, 10);
}

TEST_CASE("a goal is a least or a most") {
  Result result{"a", "product", 3, "b", 2};
  result.goal = Goal{1.5};
  CHECK(result.meets_goal());
  result.goal = Goal{1.6};
  CHECK_FALSE(result.meets_goal());
  result.goal = Goal{1.6, true};
  CHECK(result.meets_goal());
  result.goal = Goal{1.4, true};
  CHECK_FALSE(result.meets_goal());
}

TEST_CASE("instructions are counted one by one, the same in every run") {
  const auto turns = [](int n) {
    return count_instructions([n] {
      for (int i = 0; i < n; ++i) keep(i);
    });
  };
  const auto hundred = turns(100), again = turns(100), thousand = turns(1000);
  if (!hundred) return;  // no machine that steps
  CHECK(*hundred == again);
  CHECK(*hundred >= 100);
  CHECK(*thousand >= *hundred + 900);
}

}  // namespace
}  // namespace whybits::bench
