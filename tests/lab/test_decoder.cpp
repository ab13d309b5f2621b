// A decoder block in two batches: every operation as the reference evaluators and the processor's
// own arithmetic have it, and choices that no batch moves.
#include <bit>
#include <cmath>

#include "lab/decoder_block.hpp"
#include "lab/inputs.hpp"
#include "lab/study.hpp"
#include "sim/notation.hpp"
#include "sim/run_recipe.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

constexpr DecoderSizes sizes{
    .hidden = 4096, .heads = 4, .kv_heads = 2, .head_size = 64, .ffn = 64, .rope_base = 500000};
constexpr std::uint64_t keys = 700;

std::shared_ptr<const CodeSource> codes(const char* spec, std::uint64_t count) {
  return parse_input(spec, formats::bf16, count);
}

AttentionSide attention(std::uint64_t batch, const FlashWish& wish) {
  const AttentionShape shape{batch, sizes.heads,     sizes.kv_heads, 1,
                             keys,  sizes.head_size, false,          formats::bf16};
  return {"torch", flash_plan(*find_flash_kernel("torch"), shape, wish)};
}

ProductChoice product(const char* topology, std::uint64_t n) {
  return one_topology(parse_topology(topology), n, "");
}

NormSide norm(const char* name, std::uint64_t batch) {
  const RmsNormConfig config{*find_rms_norm_kernel(name), batch, sizes.hidden, formats::bf16};
  return {name, config, rms_norm_order(config)};
}

DecoderRequest small_block() {
  DecoderRequest request;
  request.sizes = sizes;
  request.keys = keys;
  request.eps = 0x3727c5ac;  // 1e-5
  request.inputs = {.x = codes("outliers:1", sizes.hidden),
                    .input_norm = codes("uniform:2", sizes.hidden),
                    .post_norm = codes("uniform:3", sizes.hidden),
                    .qkv = codes("outliers:4", sizes.hidden * sizes.qkv_columns()),
                    .o = codes("outliers:5", sizes.q_columns() * sizes.hidden),
                    .gate_up = codes("outliers:6", sizes.hidden * 2 * sizes.ffn),
                    .down = codes("outliers:7", sizes.ffn * sizes.hidden),
                    .keys = codes("uniform:8", sizes.kv_columns() * keys),
                    .values = codes("uniform:9", sizes.kv_columns() * keys)};
  const char* const chain = "fold(sm90.wgmma.bf16) > bf16";
  const char* const cut = "slices(32, fold(sm90.wgmma.bf16), fold(f32)) > bf16";
  request.a = {1,
               norm("vllm", 1),
               norm("vllm-fused-add", 1),
               product(cut, sizes.qkv_columns()),
               product(chain, sizes.hidden),
               product(chain, 2 * sizes.ffn),
               product(cut, sizes.hidden),
               attention(1, {.splits = 3})};
  request.b = {256,
               norm("vllm", 256),
               norm("vllm-fused-add", 256),
               product(chain, sizes.qkv_columns()),
               product(chain, sizes.hidden),
               product(chain, 2 * sizes.ffn),
               product(chain, sizes.hidden),
               attention(256, {.splits = 1})};
  // Tiles of the output may differ: the middle of o has another order than its ends.
  request.b.o.row.regions = {{0, 100, parse_topology(chain)},
                             {100, 4000, parse_topology(cut)},
                             {4000, sizes.hidden, parse_topology(chain)}};
  return request;
}

std::vector<Bits> read(const CodeSource& source) {
  std::vector<Bits> all(source.size());
  source.read(0, 1, all);
  return all;
}

/// The processor's arithmetic in f32, rounded to bf16 to nearest even. No NaN comes.
float value(Bits code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
}
Bits rounded(float x) {
  const auto word = std::bit_cast<std::uint32_t>(x);
  return (word + 0x7fff + (word >> 16 & 1)) >> 16;
}

std::vector<Bits> reference_norm(const DecoderRequest& request, const NormSide& side,
                                 const std::vector<Bits>& x, const std::vector<Bits>& residual,
                                 const std::shared_ptr<const CodeSource>& w) {
  const TensorType row{1, sizes.hidden, formats::bf16};
  InputTensors inputs{{"x", input_tensor(row, x)}, {"w", {1, sizes.hidden, w}}};
  if (side.config.kernel.residual) inputs.emplace("residual", input_tensor(row, residual));
  return run(rms_norm_recipe(side.config, side.order, request.eps, request.functions.rsqrt), inputs)
      .at("y")
      .codes;
}

std::vector<Bits> reference_product(const ProductChoice& choice, const std::vector<Bits>& x,
                                    const CodeSource& weights) {
  const CodeVector row(formats::bf16, x);
  GemmOperands operands;
  operands.shape = {1, weights.size() / x.size(), x.size()};
  operands.a = &row;
  operands.b = &weights;
  std::vector<Bits> out(operands.shape.n);
  for (const MapRegion& region : choice.row.regions) {
    const Reduction reduction = make_reduction(region.topology, x.size(), operands.types());
    ChosenOutputs chosen{{0}, {}};
    for (std::uint64_t c = region.begin; c < region.end; ++c) chosen.columns.push_back(c);
    for_each_output(operands, chosen, {}, [&](std::size_t, std::size_t j, const Leaves& leaves) {
      out[region.begin + j] = evaluate(reduction, leaves);
    });
  }
  return out;
}

std::vector<Bits> reference_rope(std::vector<Bits> row) {
  const std::uint64_t half = sizes.head_size / 2;
  const std::vector<Bits> old = row;
  for (std::uint64_t head = 0; head < sizes.heads + sizes.kv_heads; ++head)
    for (std::uint64_t i = 0; i < half; ++i) {
      const std::uint64_t at = head * sizes.head_size + i;
      const double angle = (keys - 1) / std::pow(500000.0, static_cast<double>(i) / half);
      const float c = value(rounded(static_cast<float>(std::cos(angle))));
      const float s = value(rounded(static_cast<float>(std::sin(angle))));
      const float x = value(old[at]), y = value(old[at + half]);
      row[at] = rounded(value(rounded(x * c)) - value(rounded(y * s)));
      row[at + half] = rounded(value(rounded(y * c)) + value(rounded(x * s)));
    }
  return row;
}

std::vector<Bits> reference_attention(const DecoderRequest& request, const FlashPlan& plan,
                                      const std::vector<Bits>& qkv) {
  const auto whole = [&](const CodeSource& cache, std::uint64_t begin) {
    std::vector<Bits> all = read(cache);
    for (std::uint64_t head = 0; head < sizes.kv_heads; ++head)
      for (std::uint64_t d = 0; d < sizes.head_size; ++d)
        all[(head * keys + keys - 1) * sizes.head_size + d] =
            qkv[begin + head * sizes.head_size + d];
    return std::make_shared<const CodeVector>(formats::bf16, std::move(all));
  };
  AttentionRequest one;
  one.shape = {1, sizes.heads, sizes.kv_heads, 1, keys, sizes.head_size, false, formats::bf16};
  one.inputs.q = std::make_shared<const CodeVector>(
      formats::bf16, std::vector<Bits>(qkv.begin(), qkv.begin() + 256));
  one.inputs.k = whole(*request.inputs.keys, sizes.q_columns());
  one.inputs.v = whole(*request.inputs.values, sizes.q_columns() + sizes.kv_columns());
  one.rows = {0, 1, 2, 3};
  one.scale = 0x3e000000;  // 1/8
  return run_attention(one, plan).y;
}

std::vector<Bits> reference_silu(const DecoderRequest& request, const std::vector<Bits>& row) {
  std::vector<Bits> out(row.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Bits minus[] = {(row[i] << 16) ^ 0x80000000};
    const auto e = static_cast<std::uint32_t>(request.functions.exp(minus));
    const float silu = value(rounded(value(row[i]) / (1.0F + std::bit_cast<float>(e))));
    out[i] = rounded(silu * value(row[out.size() + i]));
  }
  return out;
}

std::vector<Bits> reference_add(const std::vector<Bits>& x, const std::vector<Bits>& y) {
  std::vector<Bits> out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = rounded(value(x[i]) + value(y[i]));
  return out;
}

std::vector<std::vector<Bits>> reference_block(const DecoderRequest& request,
                                               const DecoderChoices& by) {
  const DecoderInputs& in = request.inputs;
  const std::vector<Bits> x = read(*in.x);
  std::vector<std::vector<Bits>> rows;
  rows.push_back(reference_norm(request, by.input_norm, x, x, in.input_norm));
  rows.push_back(reference_product(by.qkv, rows.back(), *in.qkv));
  rows.push_back(reference_rope(rows.back()));
  rows.push_back(reference_attention(request, by.attention.plan, rows.back()));
  const std::vector<Bits> o = reference_product(by.o, rows.back(), *in.o);
  const std::vector<Bits> z = reference_add(x, o);
  rows.push_back(o);
  rows.push_back(z);
  rows.push_back(reference_norm(request, by.post_norm, o, x, in.post_norm));
  rows.push_back(reference_product(by.gate_up, rows.back(), *in.gate_up));
  rows.push_back(reference_silu(request, rows.back()));
  rows.push_back(reference_product(by.down, rows.back(), *in.down));
  rows.push_back(reference_add(rows.back(), z));
  return rows;
}

std::uint64_t count_differences(const std::vector<Bits>& a, const std::vector<Bits>& b) {
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ += a[i] != b[i] ? 1U : 0U;
  return differ;
}

}  // namespace

TEST_CASE(
    "Every operation of a decoder block is that of the reference evaluators in both batches") {
  const DecoderRequest request = small_block();
  const DecoderStudy study = run_decoder_study(request);
  const auto a = reference_block(request, request.a);
  const auto b = reference_block(request, request.b);
  REQUIRE(study.operations.size() == a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const DecoderOperation& operation = study.operations[i];
    CAPTURE(i, operation.name);
    CHECK(operation.a == a[i]);
    CHECK(operation.b == b[i]);
    CHECK(operation.differ == count_differences(a[i], b[i]));
  }
  // Something moves, so that rows which know nothing of the batch would be seen.
  for (std::size_t i = 3; i < a.size(); ++i) CHECK(count_differences(a[i], b[i]) > 0);
}

TEST_CASE("What an operation does itself is counted on equal inputs") {
  const DecoderRequest request = small_block();
  const DecoderStudy study = run_decoder_study(request);
  const auto a = reference_block(request, request.a);
  const auto operation = [&](std::size_t i) { return study.operations[i]; };
  const auto own = [&](std::size_t i, const std::vector<Bits>& b_of_a) {
    CAPTURE(i, operation(i).name);
    CHECK(operation(i).own == count_differences(a[i], b_of_a));
  };
  own(1, reference_product(request.b.qkv, a[0], *request.inputs.qkv));
  own(3, reference_attention(request, request.b.attention.plan, a[2]));
  own(4, reference_product(request.b.o, a[3], *request.inputs.o));
  own(6, reference_norm(request, request.b.post_norm, a[4], read(*request.inputs.x),
                        request.inputs.post_norm));
  own(9, reference_product(request.b.down, a[8], *request.inputs.down));
  CHECK(operation(1).own > 0);
  CHECK(operation(4).own > 0);
  CHECK(operation(4).own < operation(4).differ);
  CHECK_FALSE(operation(4).same_order);
  for (const std::size_t i : {2U, 5U, 8U, 10U}) {  // element by element
    CHECK_FALSE(operation(i).has_order);
    CHECK(operation(i).own == 0);
  }
  CHECK(operation(7).same_order);  // gate and up: one order, other inputs
  CHECK(operation(7).own == 0);
  CHECK(operation(7).differ > 0);
}

TEST_CASE("Choices that know no batch leave no difference in any operation") {
  DecoderRequest request = small_block();
  request.a = invariant_choices(1, sizes, attention(1, {.split_keys = 256}));
  request.b = invariant_choices(300, sizes, attention(300, {.split_keys = 256}));
  const DecoderStudy study = run_decoder_study(request);
  CHECK_FALSE(study.any_differs());
  for (const DecoderOperation& operation : study.operations) {
    CAPTURE(operation.name);
    CHECK(operation.same_order);
    CHECK(operation.a == operation.b);
    CHECK(operation.own == 0);
  }
}

TEST_CASE("A batch that the atlas does not have is an answer, not an error") {
  const auto side = [](std::uint64_t batch) {
    const DecoderSizes llama;
    return AttentionSide{"torch", flash_plan(*find_flash_kernel("torch"),
                                             {batch, llama.heads, llama.kv_heads, 1, 4096})};
  };
  for (const std::uint64_t batch : {1U, 64U, 128U, 256U})
    CHECK(std::holds_alternative<DecoderChoices>(library_choices(batch, {}, side(batch))));
  const auto beyond = library_choices(1'000'000, {}, side(1'000'000));
  REQUIRE(std::holds_alternative<MissingChoice>(beyond));
  CHECK_FALSE(std::get<MissingChoice>(beyond).in_atlas);
}
