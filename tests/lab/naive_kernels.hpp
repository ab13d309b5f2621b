// The kernels of gpu/kernels as plain loops over threads, lanes and tiles, on the processor's
// floats. They know nothing of recipes and topologies: the independent side of their comparison.
#pragma once

#include <algorithm>
#include <map>

#include "lab/predict_claim.hpp"
#include "sim/arith.hpp"
#include "sim/ceil_div.hpp"
#include "sim/special/functions.hpp"

namespace whybits::test {

using Word = std::uint32_t;  ///< an f32

inline Word add(Word a, Word b) {
  return special::add(a, b, special::Ftz::no);
}
inline Word sub(Word a, Word b) {
  return special::add(a, b ^ 0x80000000, special::Ftz::no);
}
inline Word mul(Word a, Word b) {
  return special::mul(a, b, special::Ftz::no);
}
inline Word fma(Word a, Word b, Word c) {
  return special::fma(a, b, c, special::Ftz::no);
}
inline Word div(Word a, Word b) {
  const float quotient = special::value(a) / special::value(b);
  return quotient != quotient ? 0x7fffffff : special::word(quotient);
}
inline bool is_nan(Word a) {
  return (a & 0x7fffffff) > 0x7f800000;
}
inline Word larger(Word a, Word b) {
  if (is_nan(a)) return b;
  if (is_nan(b)) return a;
  return special::value(a) < special::value(b) ? b : a;
}

constexpr Word minus_infinity = 0xff800000;

/// Operands by name, widened to f32.
struct NaiveRun {
  gpu::RecipeRun run;
  std::map<std::string, std::vector<Word>> in;

  std::uint64_t size(const char* name) const { return run.extent(name); }
  Word held(Word x) const {  ///< rounded to the type and widened again
    return static_cast<Word>(convert(run.type, formats::f32, stored(x)));
  }
  Bits stored(Word x) const { return convert(formats::f32, run.type, x); }
};
using NaiveOutputs = std::map<std::string, std::vector<Bits>>;

/// Of one warp: x[lane] takes x[lane + d] where there is such a lane.
inline Word naive_warp(std::vector<Word> x, bool up) {
  for (std::size_t step = 0; step < 5; ++step) {
    const std::size_t d = up ? std::size_t{1} << step : std::size_t{16} >> step;
    std::vector<Word> next = x;
    for (std::size_t lane = 0; lane + d < x.size(); ++lane) next[lane] = add(x[lane], x[lane + d]);
    x = next;
  }
  return x[0];
}
inline Word naive_block(const std::vector<Word>& threads, bool up) {
  std::vector<Word> totals;
  for (std::size_t warp = 0; warp < threads.size(); warp += 32)
    totals.push_back(naive_warp(
        {threads.begin() + static_cast<std::ptrdiff_t>(warp),
         threads.begin() + static_cast<std::ptrdiff_t>(std::min(warp + 32, threads.size()))},
        up));
  if (!up) return naive_warp(totals, false);
  Word sum = totals[0];
  for (std::size_t w = 1; w < totals.size(); ++w) sum = add(sum, totals[w]);
  return sum;
}

/// own(sum, element) in every thread, then over the block.
template <class Own>
Word naive_row(const NaiveRun& r, std::uint64_t columns, Own own) {
  const gpu::LaunchParams& p = r.run.params;
  std::vector<Word> threads(p.threads, 0);
  for (std::uint64_t t = 0; t < p.threads; ++t)
    for (std::uint64_t base = t * p.vector; base < columns; base += p.threads * p.vector)
      for (std::uint64_t i = base; i < std::min(columns, base + p.vector); ++i)
        threads[t] = own(threads[t], i);
  return naive_block(threads, p.instruction == "up");
}

inline NaiveOutputs naive_norm(const NaiveRun& r, bool residual) {
  NaiveOutputs out;
  const std::uint64_t columns = r.size("columns");
  const Word width = special::word(static_cast<float>(columns));
  for (std::uint64_t row = 0; row < r.size("rows"); ++row) {
    std::vector<Word> x(columns);
    for (std::uint64_t i = 0; i < columns; ++i) {
      x[i] = r.in.at("x")[row * columns + i];
      if (!residual) continue;
      const Word z = add(x[i], r.in.at("residual")[row * columns + i]);
      out["z"].push_back(r.stored(z));
      x[i] = r.held(z);
    }
    const Word squares =
        naive_row(r, columns, [&](Word sum, std::uint64_t i) { return fma(x[i], x[i], sum); });
    const Word scale =
        special::rsqrtf(add(div(squares, width), static_cast<Word>(r.run.parameter)));
    for (std::uint64_t i = 0; i < columns; ++i)
      out["y"].push_back(r.stored(mul(mul(x[i], scale), r.in.at("w")[i])));
  }
  return out;
}

inline NaiveOutputs naive_softmax(const NaiveRun& r) {
  NaiveOutputs out;
  const std::uint64_t columns = r.size("columns");
  for (std::uint64_t row = 0; row < r.size("rows"); ++row) {
    const Word* x = r.in.at("x").data() + row * columns;
    Word most = minus_infinity;
    for (std::uint64_t i = 0; i < columns; ++i) most = larger(most, x[i]);
    const auto e = [&](std::uint64_t i) { return special::expf(sub(x[i], most)); };
    const Word sum =
        naive_row(r, columns, [&](Word total, std::uint64_t i) { return add(total, e(i)); });
    for (std::uint64_t i = 0; i < columns; ++i) out["y"].push_back(r.stored(div(e(i), sum)));
  }
  return out;
}

inline NaiveOutputs naive_attention(const NaiveRun& r) {
  const gpu::LaunchParams& p = r.run.params;
  const std::uint64_t keys = r.size("keys"), d_count = r.size("head_size"),
                      queries = r.size("queries"), shared = r.size("heads") / r.size("kv_heads");
  const Word c = special::word(static_cast<float>(
      double{special::value(static_cast<Word>(r.run.parameter))} * 1.4426950408889634074));
  const std::uint64_t split = ceil_div(ceil_div(keys, p.block_k), p.splits) * p.block_k;
  const auto below = [](Word m) { return m == minus_infinity ? 0 : m; };
  NaiveOutputs out;
  for (std::uint64_t row = 0; row < r.size("heads") * queries; ++row) {
    const Word* q = r.in.at("q").data() + row * d_count;
    const std::uint64_t kv = row / queries / shared * keys * d_count;
    const Word* k = r.in.at("k").data() + kv;
    const Word* v = r.in.at("v").data() + kv;
    std::vector<Word> m, l;
    std::vector<std::vector<Word>> o;
    for (std::uint64_t begin = 0; begin < keys; begin += split) {
      Word most = minus_infinity, sum = 0;
      std::vector<Word> own(d_count, 0);
      const std::uint64_t end = std::min(keys, begin + split);
      for (std::uint64_t tile = begin; tile < end; tile += p.block_k) {
        std::vector<Word> t;
        const Word before = most;
        for (std::uint64_t j = tile; j < std::min(end, tile + p.block_k); ++j) {
          std::vector<Word> lanes(std::min<std::uint64_t>(32, ceil_div(d_count, p.vector)), 0);
          for (std::uint64_t d = 0; d < d_count; ++d) {
            Word& lane = lanes[d / p.vector % 32];
            lane = fma(q[d], k[j * d_count + d], lane);
          }
          const bool seen = p.instruction != "causal" || j <= row % queries + keys - queries;
          t.push_back(seen ? mul(naive_warp(lanes, false), c) : minus_infinity);
          most = larger(most, t.back());
        }
        const Word f = special::exp2f(sub(before, below(most)));
        sum = mul(sum, f);
        for (Word& o_d : own) o_d = mul(o_d, f);
        for (std::size_t j = 0; j < t.size(); ++j) {
          const Word weight = special::exp2f(sub(t[j], below(most)));
          sum = add(sum, weight);
          for (std::uint64_t d = 0; d < d_count; ++d)
            own[d] = fma(weight, v[(tile + j) * d_count + d], own[d]);
        }
      }
      m.push_back(most);
      l.push_back(sum);
      o.push_back(own);
    }
    Word most = minus_infinity, sum = 0;
    for (const Word one : m) most = larger(most, one);
    std::vector<Word> total(d_count, 0);
    for (std::size_t s = 0; s < m.size(); ++s) {
      const Word weight = special::exp2f(sub(m[s], below(most)));
      sum = fma(weight, l[s], sum);
      for (std::uint64_t d = 0; d < d_count; ++d) total[d] = fma(weight, o[s][d], total[d]);
    }
    for (const Word one : total)
      out["y"].push_back(r.stored((sum & 0x7fffffff) == 0 ? 0 : div(one, sum)));
  }
  return out;
}

inline NaiveOutputs naive_combine(const NaiveRun& r) {
  NaiveOutputs out;
  const bool chain = r.run.params.instruction == "chain";
  const std::uint64_t experts = r.size("experts"), columns = r.size("columns");
  for (std::uint64_t t = 0; t < r.size("tokens"); ++t)
    for (std::uint64_t c = 0; c < columns; ++c) {
      Word sum = 0;
      for (std::uint64_t e = t * experts; e < (t + 1) * experts; ++e) {
        Word term = mul(r.in.at("w")[e], r.in.at("x")[e * columns + c]);
        if (chain) term = r.held(term);
        sum = e == t * experts ? term : add(sum, term);
        if (chain) sum = r.held(sum);
      }
      out["y"].push_back(r.stored(sum));
    }
  return out;
}

/// What the kernel's loops give for a case.
inline NaiveOutputs run_naively(const gpu::RecipeKernel& kernel, const OperationCase& one) {
  NaiveRun r{run_of(kernel, one), {}};
  for (const gpu::KernelTensor& t : kernel.inputs(r.run))
    for (const Bits code : input_codes(one, t))
      r.in[t.name].push_back(static_cast<Word>(convert(t.format, formats::f32, code)));
  if (kernel.operation == "rms_norm") return naive_norm(r, false);
  if (kernel.operation == "add_rms_norm") return naive_norm(r, true);
  if (kernel.operation == "softmax") return naive_softmax(r);
  if (kernel.operation == "attention") return naive_attention(r);
  return naive_combine(r);
}

}  // namespace whybits::test
