#include "exercises/code_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>

#include "exact/leaf_sums.hpp"
#include "exercises/hidden_data.hpp"
#include "exercises/judge_value.hpp"
#include "lab/code_text.hpp"
#include "lab/number_view.hpp"
#include "sim/arith.hpp"
#include "sim/compare.hpp"
#include "sim/reduction.hpp"

namespace whybits::course {
namespace {

using Words = std::vector<std::uint32_t>;

/// What a signature is: how the function is declared and called, with the words of a case in
/// `words`.
struct SignatureRow {
  std::string_view result, parameters, call;
};
const SignatureRow& row(Signature signature) {
  static constexpr std::array<SignatureRow, 4> rows{{
      {"float", "std::span<const float> x", "floats(words, 0, 1)"},
      {"float", "std::span<const float> a, std::span<const float> b",
       "floats(words, 0, 2), floats(words, 1, 2)"},
      {"std::uint32_t", "std::uint32_t word", "words[0]"},
      {"std::uint32_t", "std::uint32_t a, std::uint32_t b", "words[0], words[1]"},
  }};
  return rows[static_cast<std::size_t>(signature)];
}

void append_floats(Words& words, const Format& from, const std::vector<Bits>& codes) {
  for (const Bits code : codes)
    words.push_back(static_cast<std::uint32_t>(convert(from, formats::f32, code)));
}

std::vector<Bits> row_codes(const CodeSource& source, std::uint64_t row, std::uint64_t n) {
  std::vector<Bits> codes(n);
  if (n > 0) source.read(row * n, 1, codes);
  return codes;
}

std::vector<CodeCase> vector_cases(const WriteCode& work) {
  const bool dot = work.signature == Signature::dot;
  const Format a = dot ? work.operands.first : formats::f32;
  std::vector<CodeCase> cases;
  for (const std::uint64_t n : work.n)
    for (const DataSet& set : data_sets(n)) {
      const auto first = hidden_codes(set, a, n, 0);
      const auto second = dot ? hidden_codes(set, work.operands.second, n, 1) : nullptr;
      for (std::uint64_t v = 0; v < set.vectors; ++v) {
        CodeCase one;
        append_floats(one.words, a, row_codes(*first, v, n));
        if (second) append_floats(one.words, work.operands.second, row_codes(*second, v, n));
        cases.push_back(std::move(one));
      }
    }
  return cases;
}

/// Words around everything where rounding decides: zeros, the smallest and largest numbers, ties.
Words edges(const Format& from, const Format& to) {
  Words words;
  const auto add = [&](Bits code) {
    for (const Bits near : {next_down(from, code), code, next_up(from, code)})
      for (const Bits sign : {Bits{0}, from.sign_mask()})
        words.push_back(static_cast<std::uint32_t>(near ^ sign));
  };
  for (const Bits code : {Bits{0}, from.fraction_mask(), from.max_finite()}) add(code);
  if (from.has_infinity()) add(from.infinity());
  if (from == to || !widens_exactly(to, from)) return words;
  for (const Bits code : {Bits{1}, to.fraction_mask(), to.fraction_mask() + 1, to.max_finite()}) {
    const Bits below = convert(to, from, code);
    add(below);
    const Bits above = convert(to, from, next_up(to, code));
    if (from.has_infinity() && above < from.infinity()) add(below + (above - below) / 2);
  }
  // Halfway to the power of two above the largest number: the first that overflows.
  const Bits largest = convert(to, from, to.max_finite());
  add(largest + (largest - convert(to, from, to.max_finite() - 1)) / 2);
  if (from.fraction_bits <= to.fraction_bits) return words;  // no ties between normal numbers
  const Bits tie = Bits{1} << (from.fraction_bits - to.fraction_bits - 1);
  for (Bits i = 0; i < 64; ++i) add((from.infinity() / 4 + i * 5 * tie) | tie);
  return words;
}

std::vector<CodeCase> word_cases(const WriteCode& work) {
  const Format& from = work.same_as.formats.front();
  const Format& to = work.same_as.formats.back();
  std::vector<CodeCase> cases;
  const Words special = edges(from, to);
  const auto mask = static_cast<std::uint32_t>(from.code_mask());
  const std::uint64_t random_count = 2000;
  const auto draw = [&](DataKind kind, std::uint64_t operand) {
    const auto source = hidden_codes({kind, random_count}, from, 1, operand);
    std::vector<Bits> codes(random_count);
    source->read(0, 1, codes);
    return codes;
  };
  if (work.signature == Signature::convert) {
    for (const std::uint32_t word : special) cases.push_back({{word & mask}});
    for (const DataKind kind : {DataKind::wide, DataKind::words})
      for (const Bits code : draw(kind, 0))
        cases.push_back({{static_cast<std::uint32_t>(code) & mask}});
    return cases;
  }
  for (const std::uint32_t a : special)
    for (const std::uint32_t b : special) cases.push_back({{a & mask, b & mask}});
  for (const DataKind kind : {DataKind::wide, DataKind::words}) {
    const std::vector<Bits> a = draw(kind, 0), b = draw(kind, 1);
    for (std::size_t i = 0; i < a.size(); ++i)
      cases.push_back(
          {{static_cast<std::uint32_t>(a[i]) & mask, static_cast<std::uint32_t>(b[i]) & mask}});
  }
  return cases;
}

/// The leaves of a case, for its reference and for the exact sum.
struct CaseLeaves {
  OperandVector a, b;
  Leaves leaves;

  CaseLeaves(const WriteCode& work, const CodeCase& one)
      : a(format_a(work), codes(work, one, 0)), b(work.operands.second, codes(work, one, 1)) {
    leaves.a = &a;
    if (work.signature == Signature::dot) leaves.b = &b;
  }
  CaseLeaves(const CaseLeaves&) = delete;
  CaseLeaves& operator=(const CaseLeaves&) = delete;
  ~CaseLeaves() = default;

  static Format format_a(const WriteCode& work) {
    return work.signature == Signature::dot ? work.operands.first : formats::f32;
  }
  static std::vector<Bits> codes(const WriteCode& work, const CodeCase& one, std::size_t operand) {
    const bool dot = work.signature == Signature::dot;
    if (operand == 1 && !dot) return {};
    const std::size_t n = dot ? one.words.size() / 2 : one.words.size();
    const Format format = operand == 0 ? format_a(work) : work.operands.second;
    std::vector<Bits> codes;
    for (std::size_t i = 0; i < n; ++i)
      codes.push_back(convert(formats::f32, format, one.words[operand * n + i]));
    return codes;
  }
};

}  // namespace

std::vector<CodeCase> code_cases(const WriteCode& work) {
  return work.takes_vectors() ? vector_cases(work) : word_cases(work);
}

Format code_result_format(const WriteCode& work) {
  return work.takes_vectors() ? formats::f32 : work.same_as.formats.back();
}

std::vector<Bits> expected_results(const WriteCode& work, const Reference& reference,
                                   const std::vector<CodeCase>& cases) {
  std::vector<Bits> results;
  std::map<std::size_t, Reduction> reductions;  // by n
  for (const CodeCase& one : cases) {
    if (!work.takes_vectors()) {
      const std::vector<Bits> operands(one.words.begin(), one.words.end());
      results.push_back(compute(reference.operation, reference.formats.front(),
                                reference.formats.back(), operands, reference.rule));
      continue;
    }
    const CaseLeaves data(work, one);
    const std::size_t n = data.leaves.size();
    auto found = reductions.find(n);
    if (found == reductions.end())
      found =
          reductions
              .emplace(n, make_reduction(reference.topology.schema, n, LeafTypes::of(data.leaves)))
              .first;
    const Bits code = evaluate(found->second, data.leaves);
    results.push_back(convert(found->second.result, formats::f32, code));
  }
  return results;
}

std::string declaration(const WriteCode& work) {
  const SignatureRow& signature = row(work.signature);
  return fmt::format("{} {}({})", signature.result, work.function, signature.parameters);
}

std::string harness_prelude(const WriteCode& work) {
  return fmt::format(
      "#include <cstddef>\n#include <cstdint>\n#include <span>\n\nnamespace learner {{\n{};\n}}\n",
      declaration(work));
}

std::string harness_source(const WriteCode& work) {
  // Numbers are read before the function runs: it may do with standard input what it likes.
  constexpr const char* source = R"({prelude}
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {{

using Words = std::vector<std::uint32_t>;

[[maybe_unused]] std::vector<float> floats(const Words& words, std::size_t part, std::size_t parts) {{
  std::vector<float> values(words.size() / parts);
  if (!values.empty())
    std::memcpy(values.data(), words.data() + part * values.size(), values.size() * sizeof(float));
  return values;
}}

std::vector<Words> read_cases() {{
  std::vector<Words> cases;
  for (std::uint32_t size; std::fread(&size, sizeof size, 1, stdin) == 1;) {{
    Words words(size);
    if (std::fread(words.data(), sizeof(std::uint32_t), size, stdin) != size) break;
    cases.push_back(words);
  }}
  return cases;
}}

}}  // namespace

int main() {{
  for (const Words& words : read_cases()) {{
    const {result} value = learner::{function}({call});
    static_assert(sizeof value == sizeof(std::uint32_t));
    if (write(3, &value, sizeof value) != sizeof value) return 1;
  }}
}}
)";
  const SignatureRow& signature = row(work.signature);
  return fmt::format(fmt::runtime(source), fmt::arg("prelude", harness_prelude(work)),
                     fmt::arg("result", signature.result), fmt::arg("function", work.function),
                     fmt::arg("call", signature.call));
}

std::string harness_input(const std::vector<CodeCase>& cases) {
  std::string bytes;
  const auto append = [&](std::uint32_t word) {
    bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  for (const CodeCase& one : cases) {
    append(static_cast<std::uint32_t>(one.words.size()));
    for (const std::uint32_t word : one.words) append(word);
  }
  return bytes;
}

std::string case_text(const WriteCode& work, const CodeCase& one) {
  if (!work.takes_vectors()) {
    const Format& format = work.same_as.formats.front();
    std::string text;
    constexpr const char* names[] = {"a", "b"};
    for (std::size_t i = 0; i < one.words.size(); ++i)
      text += fmt::format("  {:<8} {}\n", one.words.size() == 1 ? "word" : names[i],
                          code_line(format, one.words[i]));
    return text;
  }
  constexpr std::size_t shown = 8;
  const CaseLeaves data(work, one);
  const auto list = [&](std::string_view name, const OperandVector& values) {
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < std::min(shown, values.size()); ++i)
      numbers.push_back(view_number(values.format(), values.codes()[i]).hex_float);
    return fmt::format("  {:<8} {{{}{}}}, n = {}\n", name, fmt::join(numbers, ", "),
                       values.size() > shown ? ", …" : "", values.size());
  };
  std::string text = list(work.signature == Signature::dot ? "a" : "x", data.a);
  if (work.signature == Signature::dot) text += list("b", data.b);
  if (const auto exact = exact::exact_value(data.leaves, {})) {
    const std::string decimal = exact->to_decimal();
    text +=
        fmt::format("  {:<8} {}\n", "exact",
                    decimal.size() <= 40 ? decimal : fmt::format("{:.17g}…", exact->to_double()));
  }
  return text;
}

}  // namespace whybits::course
