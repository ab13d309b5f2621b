#include "gpu/cublaslt/pair_probe.hpp"

#include <cmath>
#include <map>

#include "sim/arith.hpp"
#include "sim/ceil_div.hpp"
#include "sim/dyadic.hpp"

namespace whybits::gpu {
namespace {

std::vector<std::uint8_t> word_of(const Format& format, double value) {
  const Bits code = convert(formats::f64, format, std::bit_cast<std::uint64_t>(value));
  std::vector<std::uint8_t> word(format.word_bytes());
  for (std::size_t i = 0; i < word.size(); ++i)
    word[i] = static_cast<std::uint8_t>(code >> (8 * i));
  return word;
}

std::vector<std::uint8_t> filled(const std::vector<std::uint8_t>& word, std::uint64_t count) {
  std::vector<std::uint8_t> words;
  words.reserve(word.size() * count);
  for (std::uint64_t i = 0; i < count; ++i) words.insert(words.end(), word.begin(), word.end());
  return words;
}

/// The mask as large, the unit as small as the format and the accumulator allow.
struct Values {
  double mask, unit;
};
Values values_for(const cublaslt::Problem& problem) {
  if (problem.a == formats::e4m3) return {256, 0x1p-9};
  if (problem.a != formats::f16) return {0x1p60, 1};
  return {0x1p15, problem.compute == cublaslt::Compute::f16 ? 0x1p-10 : 0x1p-24};
}

double value_at(const std::vector<std::uint8_t>& words, const Format& format, std::uint64_t index) {
  Bits code = 0;
  for (std::size_t i = 0; i < format.word_bytes(); ++i)
    code |= Bits{words[index * format.word_bytes() + i]} << (8 * i);
  return Dyadic::from_code(format, code).to_double();
}

}  // namespace

PairAnswers probe_pairs(const Cublaslt& library, const cublaslt::Problem& problem,
                        const Proposal& proposal, const PairProbe& probe) {
  const auto [m, n, k] = problem.shape;
  const Values values = values_for(problem);
  const auto mask = word_of(problem.a, values.mask), minus = word_of(problem.a, -values.mask);
  const auto unit = word_of(problem.a, values.unit), none = word_of(problem.a, 0);
  const std::uint64_t width = problem.a.word_bytes();
  DeviceWords a(filled(none, m * k));
  const DeviceWords b(filled(word_of(problem.b, 1), k * n));
  const auto put = [&](std::uint64_t at, const std::vector<std::uint8_t>& word) {
    a.write_column(at * width, k * width, m, word);
  };
  const auto restore = [&](std::uint64_t at) { put(at, at % probe.unit_step == 0 ? unit : none); };
  for (std::uint64_t at = 0; at < k; at += probe.unit_step) put(at, unit);

  const std::uint64_t rows = ceil_div(m, probe.row_step), columns = ceil_div(n, probe.column_step);
  std::vector<std::vector<double>> seen(rows * columns);
  PreparedProduct product(library, problem, proposal, {.a = &a, .b = &b});
  for (const std::uint64_t first : probe.firsts) {
    put(first, mask);
    for (const std::uint64_t second : probe.seconds) {
      if (first == second) {
        for (auto& list : seen) list.push_back(-1);
        continue;
      }
      put(second, minus);
      product.run();
      const std::vector<std::uint8_t> words = product.rows(probe.row_step, rows);
      for (std::uint64_t i = 0; i < rows; ++i)
        for (std::uint64_t j = 0; j < columns; ++j)
          seen[i * columns + j].push_back(
              value_at(words, problem.out, i * n + j * probe.column_step) / values.unit);
      restore(second);
    }
    restore(first);
  }
  PairAnswers answers;
  std::map<std::vector<double>, std::size_t> known;
  for (std::uint64_t i = 0; i < rows; ++i) {
    answers.outputs.emplace_back();
    for (std::uint64_t j = 0; j < columns; ++j) {
      const auto [place, is_new] = known.emplace(seen[i * columns + j], known.size());
      if (is_new) answers.answers.push_back(place->first);
      answers.outputs.back().push_back(place->second);
    }
  }
  return answers;
}

}  // namespace whybits::gpu
