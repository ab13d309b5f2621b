#include "lab/decoder_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "lab/progress.hpp"
#include "lab/study.hpp"
#include "sim/arith.hpp"
#include "sim/fast/gemm.hpp"
#include "sim/fast/run_recipe.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

using formats::bf16;
using formats::f32;

/// A tensor as A and as B have it, and as B's order makes it of A's inputs.
struct ThreeRows {
  std::vector<Bits> a, b, b_of_a;
};

/// A cache whose last key of every head is the token's own.
class CacheWithOwn final : public CodeSource {
 public:
  CacheWithOwn(std::shared_ptr<const CodeSource> cache, std::vector<Bits> own, std::uint64_t keys,
               std::uint64_t head_size)
      : cache_(std::move(cache)), own_(std::move(own)), keys_(keys), head_size_(head_size) {}
  Format format() const override { return bf16; }
  std::uint64_t size() const override { return cache_->size(); }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
    cache_->read(first, stride, out);
    const std::uint64_t head = keys_ * head_size_, last = first + (out.size() - 1) * stride;
    for (std::uint64_t h = out.empty() ? last : first / head; h <= last / head; ++h) {
      const std::uint64_t begin = (h + 1) * head - head_size_;  // of the own key
      const std::uint64_t from = std::max(begin, first);
      for (std::uint64_t i = from + (stride - (from - first) % stride) % stride;
           i <= last && i < begin + head_size_; i += stride)
        out[(i - first) / stride] = own_[h * head_size_ + (i - begin)];
    }
  }

 private:
  std::shared_ptr<const CodeSource> cache_;
  std::vector<Bits> own_;
  std::uint64_t keys_, head_size_;
};

std::vector<Bits> part_of_row(const std::vector<Bits>& row, std::uint64_t begin,
                              std::uint64_t count) {
  const auto at = row.begin() + static_cast<std::ptrdiff_t>(begin);
  return {at, at + static_cast<std::ptrdiff_t>(count)};
}

std::vector<Bits> residual_add(const std::vector<Bits>& x, const std::vector<Bits>& y) {
  std::vector<Bits> sum(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] = add(bf16, x[i], y[i]);
  return sum;
}

// ----------------------------------------------------------------------------------------- norms

/// y of one row; of x + residual, where the kernel adds one.
std::vector<Bits> normalise(const DecoderRequest& request, const NormSide& side,
                            const std::vector<Bits>& x, const std::vector<Bits>& residual,
                            const std::shared_ptr<const CodeSource>& w) {
  const TensorType row{1, request.sizes.hidden, bf16};
  InputTensors inputs{{"x", input_tensor(row, x)}, {"w", {1, request.sizes.hidden, w}}};
  if (side.config.kernel.residual) inputs.emplace("residual", input_tensor(row, residual));
  const Recipe recipe =
      rms_norm_recipe(side.config, side.order, request.eps, request.functions.rsqrt);
  return fast::run(bind_recipe(recipe, types_of(inputs)), inputs, {{.tensor = "y"}}).at("y").codes;
}

std::string norm_kernel(const NormSide& side) {
  return fmt::format("{}, {} threads", side.config.kernel.name, side.order.threads);
}

bool same_sums(const NormSide& a, const NormSide& b) {
  const LeafTypes types = square_types(a);
  return make_reduction(a.order.sum, a.config.hidden, types).tree ==
         make_reduction(b.order.sum, b.config.hidden, square_types(b)).tree;
}

// -------------------------------------------------------------------------------------- products

/// Columns with one topology under A and one under B.
struct RowPiece {
  std::uint64_t begin, end;
  Reduction a, b;
};

std::vector<RowPiece> pieces_of(const TopologyMap& a, const TopologyMap& b, std::uint64_t k) {
  const LeafTypes types{.a = bf16, .b = bf16};
  std::vector<RowPiece> pieces;
  for (const MapRegion& of_a : a.regions)
    for (const MapRegion& of_b : b.regions) {
      const std::uint64_t begin = std::max(of_a.begin, of_b.begin);
      const std::uint64_t end = std::min(of_a.end, of_b.end);
      if (begin < end)
        pieces.push_back({begin, end, make_reduction(of_a.topology, k, types),
                          make_reduction(of_b.topology, k, types)});
    }
  return pieces;
}

std::string row_order_text(const TopologyMap& row) {
  std::string first = print(*row.regions.front().topology);
  if (row.regions.size() == 1) return first;
  return fmt::format("{} and others, {} regions", first, row.regions.size());
}

/// Weights are generated where they are used, so many words at a time.
constexpr std::uint64_t weight_panel_bytes = std::uint64_t{64} << 20;

class Block {
 public:
  explicit Block(const DecoderRequest& request)
      : request_(request),
        progress_("weights", request.inputs.qkv->size() + request.inputs.o->size() +
                                 request.inputs.gate_up->size() + request.inputs.down->size()) {}

  DecoderStudy run() {
    const DecoderInputs& in = request_.inputs;
    const DecoderSizes& s = request_.sizes;
    const std::vector<Bits> x = read(*in.x);
    const ThreeRows input{x, x, {}};
    ThreeRows row = norm("input norm", request_.a.input_norm, request_.b.input_norm, input, input,
                         in.input_norm);
    row =
        product("q, k, v", *in.qkv, s.hidden, s.qkv_columns(), request_.a.qkv, request_.b.qkv, row);
    row = rope(row);
    row = attention(row);
    row = product("o", *in.o, s.q_columns(), s.hidden, request_.a.o, request_.b.o, row);
    const ThreeRows z = residual(row, input);
    row = norm("post norm", request_.a.post_norm, request_.b.post_norm, row, input, in.post_norm);
    row = product("gate, up", *in.gate_up, s.hidden, 2 * s.ffn, request_.a.gate_up,
                  request_.b.gate_up, row);
    row = silu(row);
    row = product("down", *in.down, s.ffn, s.hidden, request_.a.down, request_.b.down, row);
    residual(row, z);
    return std::move(study_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::vector<Bits> read(const CodeSource& source) {
    std::vector<Bits> codes(source.size());
    source.read(0, 1, codes);
    return codes;
  }

  /// Counts what differs and keeps the rows.
  ThreeRows finish(DecoderOperation operation, ThreeRows rows, Clock::time_point begin) {
    operation.seconds = Clock::now() - begin;
    const OutputComparison own = compare_outputs(bf16, rows.a, bf16, rows.b_of_a);
    const OutputComparison all = compare_outputs(bf16, rows.a, bf16, rows.b);
    operation.own = own.differ;
    operation.own_ulp = own.ulp.largest();
    operation.differ = all.differ;
    operation.largest_ulp = all.ulp.largest();
    operation.a = rows.a;
    operation.b = rows.b;
    study_.operations.push_back(std::move(operation));
    return rows;
  }

  /// by(A's order, A's inputs), by(B's, B's), by(B's, A's).
  template <class Compute>
  static ThreeRows three(const Compute& compute) {
    return {compute(false, false), compute(true, true), compute(true, false)};
  }
  static const std::vector<Bits>& of(const ThreeRows& rows, bool b) { return b ? rows.b : rows.a; }

  DecoderOperation elementwise(std::string name, std::string arithmetic) const {
    DecoderOperation operation;
    operation.name = std::move(name);
    operation.by_a = operation.by_b = std::move(arithmetic);
    operation.evidence_a = operation.evidence_b = "element by element: no order";
    operation.has_order = false;
    return operation;
  }

  ThreeRows norm(std::string name, const NormSide& a, const NormSide& b, const ThreeRows& x,
                 const ThreeRows& added, const std::shared_ptr<const CodeSource>& w) {
    const auto begin = Clock::now();
    DecoderOperation operation;
    operation.name = std::move(name);
    operation.by_a = norm_kernel(a);
    operation.by_b = norm_kernel(b);
    operation.evidence_a = a.config.kernel.evidence;
    operation.evidence_b = b.config.kernel.evidence;
    operation.same_order = same_sums(a, b);
    return finish(std::move(operation), three([&](bool order, bool inputs) {
                    return normalise(request_, order ? b : a, of(x, inputs), of(added, inputs), w);
                  }),
                  begin);
  }

  ThreeRows product(std::string name, const CodeSource& weights, std::uint64_t k, std::uint64_t n,
                    const ProductChoice& a, const ProductChoice& b, const ThreeRows& x) {
    const auto begin = Clock::now();
    DecoderOperation operation;
    operation.name = std::move(name);
    operation.by_a = row_order_text(a.row);
    operation.by_b = row_order_text(b.row);
    operation.evidence_a = a.evidence;
    operation.evidence_b = b.evidence;
    const bool two = x.a != x.b;
    std::vector<Bits> rows = x.a;
    if (two) rows.insert(rows.end(), x.b.begin(), x.b.end());
    const CodeVector row_codes(bf16, std::move(rows));
    GemmOperands operands;
    operands.shape = {two ? 2U : 1U, n, k};
    operands.a = &row_codes;
    operands.b = &weights;
    ThreeRows out{std::vector<Bits>(n), std::vector<Bits>(n), std::vector<Bits>(n)};
    for (const RowPiece& piece : pieces_of(a.row, b.row, k)) {
      const bool same = piece.a.tree == piece.b.tree;
      operation.same_order = operation.same_order && same;
      std::vector<Reduction> reductions{piece.a};
      if (!same) reductions.push_back(piece.b);
      evaluate_piece(piece, reductions, operands, out);
    }
    done_ += weights.size();
    progress_.update(done_);
    return finish(std::move(operation), std::move(out), begin);
  }

  void evaluate_piece(const RowPiece& piece, const std::vector<Reduction>& reductions,
                      const GemmOperands& operands, ThreeRows& out) {
    const std::uint64_t columns = piece.end - piece.begin;
    ChosenOutputs chosen{{0}, {}};
    if (operands.shape.m == 2) chosen.rows.push_back(1);
    for (std::uint64_t c = piece.begin; c < piece.end; ++c) chosen.columns.push_back(c);
    GemmOptions options;
    options.threads = request_.threads;
    options.progress = [&](std::uint64_t outputs) {
      progress_.update(done_ + outputs * operands.shape.k / operands.shape.m);
    };
    const auto codes =
        fast::evaluate_gemm(reductions, operands, chosen, options, weight_panel_bytes);
    const auto copy = [&](std::size_t reduction, std::uint64_t row, std::vector<Bits>& to) {
      const auto from = codes[reduction].begin() + static_cast<std::ptrdiff_t>(row * columns);
      std::copy_n(from, columns, to.begin() + static_cast<std::ptrdiff_t>(piece.begin));
    };
    copy(0, 0, out.a);
    copy(reductions.size() - 1, operands.shape.m - 1, out.b);
    copy(reductions.size() - 1, 0, out.b_of_a);
  }

  /// q and k turned, v as it was.
  ThreeRows rope(const ThreeRows& qkv) {
    const auto begin = Clock::now();
    const DecoderSizes& s = request_.sizes;
    const std::uint64_t turned = s.q_columns() + s.kv_columns();
    return finish(elementwise("RoPE", "bf16 products and sums"), three([&](bool, bool inputs) {
                    const std::vector<Bits>& row = of(qkv, inputs);
                    std::vector<Bits> out = rotate_heads(part_of_row(row, 0, turned), s.head_size,
                                                         request_.keys - 1, s.rope_base);
                    out.insert(out.end(), row.begin() + static_cast<std::ptrdiff_t>(turned),
                               row.end());
                    return out;
                  }),
                  begin);
  }

  ThreeRows attention(const ThreeRows& qkv) {
    const auto begin = Clock::now();
    const AttentionSide &a = request_.a.attention, &b = request_.b.attention;
    DecoderOperation operation;
    operation.name = "attention";
    operation.by_a = plan_text(a.plan);
    operation.by_b = plan_text(b.plan);
    operation.evidence_a = a.plan.kernel.evidence;
    operation.evidence_b = b.plan.kernel.evidence;
    operation.same_order = same_attention(a.plan, b.plan);
    return finish(std::move(operation), three([&](bool order, bool inputs) {
                    return attend(of(qkv, inputs), (order ? b : a).plan);
                  }),
                  begin);
  }

  std::vector<Bits> attend(const std::vector<Bits>& qkv, const FlashPlan& plan) const {
    const DecoderSizes& s = request_.sizes;
    const std::uint64_t q = s.q_columns(), kv = s.kv_columns();
    const auto cache = [&](const std::shared_ptr<const CodeSource>& all, std::uint64_t begin) {
      return std::make_shared<const CacheWithOwn>(all, part_of_row(qkv, begin, kv), request_.keys,
                                                  s.head_size);
    };
    AttentionRequest attention;
    attention.shape = {1, s.heads, s.kv_heads, 1, request_.keys, s.head_size, false, bf16};
    attention.inputs = {std::make_shared<const CodeVector>(bf16, part_of_row(qkv, 0, q)),
                        cache(request_.inputs.keys, q), cache(request_.inputs.values, q + kv)};
    attention.rows = spread_rows(s.heads, s.heads);
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(s.head_size)));
    attention.scale = std::bit_cast<std::uint32_t>(scale);
    attention.functions = request_.functions;
    return run_attention(attention, plan).y;
  }

  ThreeRows residual(const ThreeRows& x, const ThreeRows& y) {
    const auto begin = Clock::now();
    return finish(elementwise("residual add", "one bf16 sum"), three([&](bool, bool inputs) {
                    return residual_add(of(x, inputs), of(y, inputs));
                  }),
                  begin);
  }

  ThreeRows silu(const ThreeRows& gate_up) {
    const auto begin = Clock::now();
    return finish(elementwise("SiLU·mul", "f32, rounded to bf16; one bf16 product"),
                  three([&](bool, bool inputs) {
                    return silu_and_mul(of(gate_up, inputs), request_.functions);
                  }),
                  begin);
  }

  const DecoderRequest& request_;
  Progress progress_;
  std::uint64_t done_ = 0;  ///< weights
  DecoderStudy study_;
};

Bits bf16_code(double value) {
  return convert(formats::f64, bf16, std::bit_cast<Bits>(value));
}

/// c10::BFloat16: an operation in f32, rounded to f32 and then to bf16.
Bits in_f32(Bits (*operation)(const Format&, Bits, Bits, const RoundRule&, RoundTrace*), Bits x,
            Bits y) {
  return convert(f32, bf16,
                 operation(f32, convert(bf16, f32, x), convert(bf16, f32, y), {}, nullptr));
}

}  // namespace

std::vector<Bits> rotate_heads(std::vector<Bits> row, std::uint64_t head_size,
                               std::uint64_t position, double base) {
  const std::uint64_t half = head_size / 2;
  for (std::uint64_t i = 0; i < half; ++i) {
    const double angle =
        static_cast<double>(position) *
        std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(head_size));
    const Bits cosine = bf16_code(std::cos(angle)), sine = bf16_code(std::sin(angle));
    for (std::uint64_t head = 0; head < row.size(); head += head_size) {
      Bits &at_x = row[head + i], &at_y = row[head + half + i];
      const Bits x = at_x, y = at_y;
      at_x = in_f32(sub, in_f32(mul, x, cosine), in_f32(mul, y, sine));
      at_y = in_f32(add, in_f32(mul, y, cosine), in_f32(mul, x, sine));
    }
  }
  return row;
}

std::vector<Bits> silu_and_mul(const std::vector<Bits>& gate_up,
                               const ElementFunctions& functions) {
  constexpr Bits one = 0x3f800000, sign = 0x80000000;
  std::vector<Bits> out(gate_up.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Bits x = convert(bf16, f32, gate_up[i]);
    const Bits minus[] = {x ^ sign};
    const Bits quotient = div(f32, x, add(f32, one, functions.exp(minus)));
    out[i] = in_f32(mul, convert(f32, bf16, quotient), gate_up[out.size() + i]);
  }
  return out;
}

std::string DecoderOperation::cause() const {
  if (has_order && !same_order)
    return own > 0      ? "another order of its sums"
           : differ > 0 ? "another order, which moved nothing; handed on"
                        : "another order, which moved nothing";
  const std::string handed = differ > 0 ? "handed on from its inputs" : "must not differ";
  return (has_order ? "one order: " : "no order: ") + handed;
}

bool DecoderStudy::any_differs() const {
  return std::ranges::any_of(operations, [](const DecoderOperation& o) { return o.differ > 0; });
}

DecoderStudy run_decoder_study(const DecoderRequest& request) {
  return Block(request).run();
}

}  // namespace whybits
