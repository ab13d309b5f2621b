// Any text either is refused with a message or prints to a text that reads back the same, lays out
// within its budget for any number of addends, and computes the same bits traced or not.
#include <cstdlib>
#include <string_view>

#include "sim/hash.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "sim/trace.hpp"

namespace {

using namespace whybits;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Everything but NaN, so that equal bits mean equal.
Bits some_code(const Format& format, std::size_t i) {
  return mix(i) & (format.sign_mask() | (format.max_finite() >> 1U));
}

OperandVector some_values(const Format& format, std::size_t n, std::size_t seed) {
  std::vector<Bits> codes(n);
  for (std::size_t i = 0; i < n; ++i) codes[i] = some_code(format, seed + i);
  return {format, codes};
}

void run(const SchemaPtr& schema, const OperandVector& a, const OperandVector* b, bool has_c) {
  Leaves leaves;
  leaves.a = &a;
  leaves.b = b;
  leaves.operands = {{"bias", {formats::f32, 0x3f800001}}};
  if (has_c) leaves.c = Scalar{formats::bf16, 0x3f81};
  try {
    const Reduction reduction = make_reduction(schema, a.size(), LeafTypes::of(leaves));
    const Bits result = evaluate(reduction, leaves);
    require(trace(reduction, leaves).result == result);
  } catch (const TopologyError&) {
  }
}

void lay_out(const Schema& schema, std::uint64_t n, bool has_c) {
  const ExpandOptions options{.has_c = has_c, .max_work = 20'000};
  try {
    const Tree tree = expand(schema, n, options);
    const Tree again = expand(schema, n, options);
    require(tree == again && tree.hash() == again.hash());
    require(tree.statistics().leaves <= n);
  } catch (const TopologyError&) {
  }
}

void check(const SchemaPtr& schema) {
  const std::string text = print(*schema);
  const SchemaPtr again = parse_topology(text);
  require(print(*again) == text);
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{5}, std::uint64_t{64},
        std::uint64_t{1000}, std::uint64_t{1} << 20U, (std::uint64_t{1} << 40U) - 1}) {
    lay_out(*schema, n, false);
    lay_out(*schema, n, true);
  }
  for (const std::size_t n : {0U, 1U, 3U, 4U, 40U}) {
    run(schema, some_values(formats::f32, n, 0), nullptr, n % 2 == 0);
    for (const Format& format : {formats::bf16, formats::e4m3, formats::f64}) {
      const OperandVector b = some_values(format, n, 100);
      run(schema, some_values(format, n, 0), &b, n % 2 == 0);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto parsed = parse_notation(text);
    if (const auto* schema = std::get_if<SchemaPtr>(&parsed)) {
      check(*schema);
    } else {
      const TopologyMap& map = std::get<TopologyMap>(parsed);
      require(print(parse_map(print(map))) == print(map));
    }
  } catch (const NotationError& error) {
    require(error.column() <= size + 1 && !error.pointed().empty());
  }
  return 0;
}
