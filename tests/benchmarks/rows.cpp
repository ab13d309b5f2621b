// What a row goes through beside its matrix products, each beside a plain loop in f32 that does the
// same work in whatever order is fastest: attention of one query, RMSNorm, sums of rows.
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "sim/fast/dealt_plan.hpp"
#include "sim/fast/run_recipe.hpp"
#include "sim/fast/turned.hpp"
#include "sim/libraries/attention/flash_recipe.hpp"
#include "sim/libraries/norms/rms_norm.hpp"
#include "sim/notation.hpp"
#include "sim/share_work.hpp"
#include "sim/special/operation.hpp"
#include "sim/stored_source.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/outputs.hpp"

namespace whybits::bench {
namespace {

using formats::bf16;
using formats::f32;

/// bf16 words in memory, some of them as an operand.
using WordList = std::vector<std::uint16_t>;
class WordSource final : public StoredSource {
 public:
  WordSource(const WordList& words, std::uint64_t begin, std::uint64_t size)
      : words_(words.data() + begin), size_(size) {}
  Format format() const override { return bf16; }
  std::uint64_t size() const override { return size_; }
  const std::byte* stored_words() const override {
    return reinterpret_cast<const std::byte*>(words_);
  }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    for (Bits& code : out) {
      code = words_[first];
      first += stride;
    }
  }

 private:
  const std::uint16_t* words_;
  std::uint64_t size_;
};

/// Numbers between 1/8 and 2, of both signs.
WordList random_words(std::uint64_t count, std::uint64_t stream) {
  WordList words(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t h = random_word(stream << 40 | i);
    words[i] = static_cast<std::uint16_t>((h & 0x807f) | (0x3e00 + (h >> 20 & 3) * 0x80));
  }
  return words;
}

float value(std::uint16_t word) {
  return std::bit_cast<float>(std::uint32_t{word} << 16);
}
std::uint16_t rounded(float x) {
  const auto word = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

constexpr std::size_t lanes = 16;

/// Σ by as many accumulators as vectors like.
template <class At>
float plain_sum(std::uint64_t n, const At& at) {
  float sums[4 * lanes] = {};
  for (std::uint64_t i = 0; i < n; i += 4 * lanes)
    for (std::size_t j = 0; j < 4 * lanes; ++j) sums[j] += at(i + j);
  return std::accumulate(std::begin(sums), std::end(sums), 0.0F);
}

// ------------------------------------------------------------------------------------- attention

struct AttentionCase {
  std::uint64_t heads, keys, d = 128;
  WordList q, k, v;

  AttentionCase(std::uint64_t head_count, std::uint64_t key_count)
      : heads(head_count),
        keys(key_count),
        q(random_words(heads * d, 1)),
        k(random_words(heads * keys * d, 2)),
        v(random_words(heads * keys * d, 3)) {}
};

ElementFunctions functions() {
  using special::operation;
  return {"mufu",
          "",
          operation("expf"),
          operation("logf"),
          operation("exp2f"),
          operation("__logf"),
          operation("rsqrtf")};
}

InputTensors head_inputs(const AttentionCase& c, const FlashPlan& plan,
                         const std::vector<FlashSplit>& splits, std::uint64_t head) {
  const auto part = [&](const WordList& words, std::uint64_t begin, std::uint64_t rows) {
    return InputTensor{rows, c.d, std::make_shared<WordSource>(words, begin, rows * c.d)};
  };
  InputTensors inputs{{"q", part(c.q, head * c.d, 1)}};
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::string n = std::to_string(i);
    const std::uint64_t keys = splits[i].end - splits[i].begin;
    const std::uint64_t begin = (head * c.keys + splits[i].begin) * c.d;
    inputs["k" + n] = part(c.k, begin, keys);
    inputs["v" + n] = part(c.v, begin, keys);
    inputs["first" + n] = input_tensor({keys, 4}, flash_columns(plan, keys, true));
    inputs["rest" + n] = input_tensor({keys, 4}, flash_columns(plan, keys, false));
  }
  return inputs;
}

void plain_attention(const AttentionCase& c, std::vector<float>& y) {
  const float scale = 1 / std::sqrt(static_cast<float>(c.d));
  std::vector<float> p(c.keys), q(c.d);
  for (std::uint64_t head = 0; head < c.heads; ++head) {
    const std::uint16_t* const k = c.k.data() + head * c.keys * c.d;
    const std::uint16_t* const v = c.v.data() + head * c.keys * c.d;
    for (std::uint64_t i = 0; i < c.d; ++i) q[i] = value(c.q[head * c.d + i]) * scale;
    float most = -INFINITY, sum = 0;
    for (std::uint64_t key = 0; key < c.keys; ++key) {
      const std::uint16_t* const row = k + key * c.d;
      p[key] = plain_sum(c.d, [&](std::uint64_t i) { return q[i] * value(row[i]); });
      most = std::max(most, p[key]);
    }
    float* const out = y.data() + head * c.d;
    std::fill_n(out, c.d, 0.0F);
    for (std::uint64_t key = 0; key < c.keys; ++key) {
      const float weight = std::exp(p[key] - most);
      sum += weight;
      for (std::uint64_t i = 0; i < c.d; ++i) out[i] += weight * value(v[key * c.d + i]);
    }
    for (std::uint64_t i = 0; i < c.d; ++i) out[i] /= sum;
  }
}

/// One query of every head over all keys, as one launch cuts them. Threads take whole heads.
class AttentionLaunch {
 public:
  explicit AttentionLaunch(const AttentionCase& c)
      : plan_(flash_plan(*find_flash_kernel("torch"), {1, c.heads, c.heads, 1, c.keys, c.d})) {
    const std::vector<FlashSplit> splits = flash_split_ranges(plan_, c.keys);
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(c.d)));
    recipe_ = flash_recipe(plan_, splits.size(), std::bit_cast<std::uint32_t>(scale), functions());
    for (std::uint64_t head = 0; head < c.heads; ++head)
      inputs_.push_back(head_inputs(c, plan_, splits, head));
  }

  void run(unsigned threads) {
    const BoundRecipe bound = bind_recipe(recipe_, types_of(inputs_[0]));
    const fast::RecipePlan compiled = fast::compile(bound);
    const fast::PreparedRun prepared = fast::prepare(bound, compiled, {{.tensor = "y"}}, 1);
    made_.resize(inputs_.size());
    share_work(inputs_.size(), threads,
               [&](std::uint64_t head) { made_[head] = fast::run(prepared, inputs_[head]); });
  }
  /// Throws WrongResult.
  void check() const {
    if (made_[0].at("y").codes != whybits::run(recipe_, inputs_[0]).at("y").codes)
      throw WrongResult("attention of head 0 is wrong");
  }

 private:
  FlashPlan plan_;
  Recipe recipe_;
  std::vector<InputTensors> inputs_;
  std::vector<Patches> made_;
};

std::string milliseconds(double seconds) {
  return std::to_string(static_cast<int>(seconds * 1e4) / 10.0).substr(0, 5) + " ms";
}

Results attention(const Settings& settings) {
  const AttentionCase c(settings.quick ? 2 : 32, settings.quick ? 300 : 4096);
  const auto keys = static_cast<double>(c.heads * c.keys);
  AttentionLaunch launch(c);
  std::vector<float> y(c.heads * c.d);
  const Duel duel = in_turns(
      settings.runs, [&] { launch.run(1); },
      [&] {
        plain_attention(c, y);
        keep(y);
      });
  launch.check();
  Result one = line("attention", "key of a head", keys, "plain loop in f32", keys, duel);
  one.note = std::to_string(c.heads) + " heads, " + std::to_string(c.keys) + " keys, " +
             milliseconds(duel.own.cpu);

  constexpr double goal_seconds = 0.05;
  launch.run(2);
  std::vector<Timing> timings;
  for (int i = 0; i < settings.runs; ++i) timings.push_back(timed([&] { launch.run(2); }));
  launch.check();
  const Timing together = median(timings);
  Result two{"attention, two threads by the clock", "key of a head", keys / together.wall,
             "50 ms for 32 heads of 4096 keys", 32 * 4096 / goal_seconds};
  two.timing = together;
  two.timing->instructions.reset();  // of one thread of two
  two.goal = Goal{1};
  two.note = milliseconds(together.wall) + " by the clock";
  return {one, two};
}

// ------------------------------------------------------------------------------------------ norm

Result rms_norm(const Settings& settings) {
  const std::uint64_t rows = settings.quick ? 4 : 1024, h = settings.quick ? 256 : 4096;
  const WordList x = random_words(rows * h, 4), w = random_words(h, 5);
  const RmsNormConfig config{*find_rms_norm_kernel("vllm"), rows, h, bf16};
  const Recipe recipe =
      rms_norm_recipe(config, rms_norm_order(config), 0x3727c5ac, special::operation("rsqrtf"));
  const InputTensors inputs{{"x", {rows, h, std::make_shared<WordSource>(x, 0, x.size())}},
                            {"w", {1, h, std::make_shared<WordSource>(w, 0, h)}}};
  const BoundRecipe bound = bind_recipe(recipe, types_of(inputs));
  const fast::RecipePlan compiled = fast::compile(bound);
  fast::TensorWords made;
  WordList y(rows * h);
  const auto plain = [&] {
    for (std::uint64_t r = 0; r < rows; ++r) {
      const std::uint16_t* const row = x.data() + r * h;
      const float sum =
          plain_sum(h, [&](std::uint64_t i) { return value(row[i]) * value(row[i]); });
      const float scale = 1 / std::sqrt(sum / static_cast<float>(h) + 1e-5F);
      for (std::uint64_t i = 0; i < h; ++i)
        y[r * h + i] = rounded(value(row[i]) * scale * value(w[i]));
    }
    keep(y);
  };
  const Duel duel = in_turns(
      settings.runs,
      [&] { made = fast::run_words(bound, compiled, inputs, {{.tensor = "y"}}, {.threads = 1}); },
      plain);
  const Selection some{{"y", IndexSet::all(1)}};
  const std::vector<Bits> row = run(bound, inputs, some).at("y").codes;
  for (std::uint64_t i = 0; i < h; ++i)
    if (row[i] != made.at("y").at(0, i)) throw WrongResult("row 0 of the norm is wrong");
  Result result = line("rmsnorm", "element", static_cast<double>(rows * h), "plain loop in f32",
                       static_cast<double>(rows * h), duel);
  result.goal = Goal{1.0 / 3};
  return result;
}

// ------------------------------------------------------------------------------------------ sums

struct SumCase {
  const char* name;
  const char* topology;  ///< as torch.sum adds so many rows of so many words
  std::uint64_t rows, n;
};

Result sum_of_rows(const Settings& settings, const SumCase& c) {
  const std::uint64_t rows = settings.quick ? std::min<std::uint64_t>(c.rows, 64) : c.rows;
  const std::uint64_t n = settings.quick ? std::min<std::uint64_t>(c.n, 256) : c.n;
  std::vector<float> x(rows * n);
  for (std::uint64_t i = 0; i < x.size(); ++i)
    x[i] =
        static_cast<float>(static_cast<std::int64_t>(random_word(i) >> 40) - (1 << 23)) * 0x1p-23F;
  const LeafTypes types{.a = f32};
  const Reduction reduction = make_reduction(parse_topology(c.topology), n, types);
  const fast::RegionPlan plan = fast::compile_dealt(reduction, types);
  const auto words = fast::CodeMatrix::borrow(f32, rows, n, std::as_bytes(std::span(x)).data());
  fast::LaneOperands operands;
  operands.rows = 1;
  operands.columns = rows;
  operands.length = n;
  operands.b = words.transposed();
  fast::CodeMatrix made;
  std::vector<float> y(rows);
  const Duel duel = in_turns(
      settings.runs,
      [&] { made = fast::evaluate_turned(plan, operands, {{0}, {}, rows}, {.threads = 1}); },
      [&] {
        for (std::uint64_t r = 0; r < rows; ++r)
          y[r] = plain_sum(n, [&](std::uint64_t i) { return x[r * n + i]; });
        keep(y);
      });
  for (const std::uint64_t r : {std::uint64_t{0}, rows - 1})
    if (evaluate(reduction, fast::OutputLeaves(operands, 0, r).get()) != made.at(0, r))
      throw WrongResult("sum of row " + std::to_string(r) + " is wrong");
  Result result = line(c.name, "addend", static_cast<double>(rows * n), "plain loop in f32",
                       static_cast<double>(rows * n), duel);
  result.note = std::to_string(rows) + " rows of " + std::to_string(n);
  result.goal = Goal{1.0 / 3};
  return result;
}

/// f32 words as torch.sum adds them.
Results sums(const Settings& settings) {
  constexpr SumCase cases[] = {
      {"sums", "lanes(64, by=4, lanes(4, fold(f32, from=0), fold(f32)), halves(f32))", 1024, 4096},
      {"sums, few rows", "lanes(512, by=4, lanes(4, fold(f32, from=0), fold(f32)), halves(f32))", 4,
       std::uint64_t{1} << 20},
      {"sums, short rows", "lanes(32, by=4, lanes(4, fold(f32, from=0), fold(f32)), halves(f32))",
       16384, 256}};
  Results all;
  for (const SumCase& c : cases) all.push_back(sum_of_rows(settings, c));
  return all;
}

}  // namespace

Results rows(const Settings& settings) {
  Results all = attention(settings);
  all.push_back(rms_norm(settings));
  for (Result& result : sums(settings)) all.push_back(std::move(result));
  return all;
}

}  // namespace whybits::bench
