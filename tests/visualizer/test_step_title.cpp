// What a step adds, in words.
#include <set>
#include <string>

#include "lab/story.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/visualizer/random_pair.hpp"
#include "visualizer/model/order_text.hpp"
#include "visualizer/model/step_title.hpp"
#include "visualizer/text/text.hpp"

using namespace whybits;
using namespace whybits::viz;
using namespace whybits::test;

namespace {

/// The screen groups the digits of large numbers, the command line does not.
std::string ungrouped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = i > 0 && i + 1 < text.size() && std::isdigit(text[i - 1]) != 0 &&
                         std::isdigit(text[i + 1]) != 0;
    if (text[i] != ',' || !between) out += text[i];
  }
  return out;
}

Trace trace_of(const std::string& notation, std::uint64_t n) {
  std::vector<Bits> codes(n, 0x3F80'0000);
  const OperandVector values{formats::f32, codes};
  Leaves leaves;
  leaves.a = &values;
  return trace(make_reduction(parse_topology(notation), n, LeafTypes::of(leaves)), leaves);
}

}  // namespace

TEST_CASE("in English a step is called as the command line calls it") {
  std::set<std::string> met;
  for_all(300, [&](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair) return;
    for (std::size_t i = 0; i < pair->a.nodes.size(); ++i) {
      const auto step = static_cast<std::int64_t>(i);
      const StepTitle title = step_title(pair->a, step);
      met.insert(title.full.key);
      CHECK(ungrouped(phrase_text(title.full)) == step_text(pair->a, step));
      CHECK(phrase_text(title.brief).size() <= phrase_text(title.full).size());
      CHECK(phrase_text(title.least).size() <= phrase_text(title.full).size());
    }
  });
  CHECK(met.contains("step.title"));
  CHECK(met.contains("step.rounding"));
}

TEST_CASE("in Chinese a step is called in Chinese") {
  set_language(Language::chinese);
  for (const char* notation : {"pairs(f32)", "lanes(4, fold(f32), halves(f32)) > bf16"}) {
    const Trace traced = trace_of(notation, 40);
    for (std::size_t i = 0; i < traced.nodes.size(); ++i) {
      const std::string title = phrase_text(step_title(traced, static_cast<std::int64_t>(i)).full);
      INFO(title);
      for (const char* word : {"leaf", "leaves", "sum", "onto", "within", " of "})
        CHECK(title.find(word) == std::string::npos);
    }
  }
  set_language(Language::english);
}

TEST_CASE("the order of a small sum is written as one would add it by hand") {
  CHECK(order_text(trace_of("rotate(1, fold(f32))", 4)) == "((1 + 2) + 3) + 0");
  CHECK(order_text(trace_of("reverse(fold(f32))", 4)) == "((3 + 2) + 1) + 0");
  CHECK(order_text(trace_of("pairs(f32)", 4)) == "(0 + 1) + (2 + 3)");
  CHECK(order_text(trace_of("pairs(f32) > bf16", 3)) == "(0 + 1) + 2");
  CHECK(order_text(trace_of("fold(f32)", 9)) == std::nullopt);
}
