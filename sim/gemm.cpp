#include "sim/gemm.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include "sim/ceil_div.hpp"
#include "sim/saturating.hpp"
#include "sim/share_work.hpp"

namespace whybits {
namespace {

constexpr std::size_t rows_at_once = 16;
constexpr std::size_t columns_at_once = 32;  // their codes share cache lines in a row-major b

Scalar element(const CodeSource& source, std::uint64_t index) {
  Bits code = 0;
  source.read(index, 1, std::span<Bits>(&code, 1));
  return {source.format(), code};
}

OperandVector read_vector(const CodeSource& source, std::uint64_t first, std::uint64_t stride,
                          std::uint64_t count) {
  std::vector<Bits> codes(count);
  source.read(first, stride, codes);
  return {source.format(), std::move(codes)};
}

/// A rectangle of chosen outputs.
struct Block {
  std::size_t row, rows, column, columns;
};

class Worker {
 public:
  Worker(const GemmOperands& operands, const ChosenOutputs& chosen,
         const std::function<void(std::size_t, std::size_t, const Leaves&)>& visit)
      : operands_(operands), chosen_(chosen), visit_(visit) {}

  void run(const Block& block) {
    const GemmShape& shape = operands_.shape;
    if (block.row != held_row_ || rows_.empty()) {
      rows_.clear();
      for (std::size_t i = 0; i < block.rows; ++i)
        rows_.push_back(
            read_vector(*operands_.a, chosen_.rows[block.row + i] * shape.k, 1, shape.k));
      held_row_ = block.row;
    }
    for (std::size_t j = 0; j < block.columns; ++j) {
      const std::uint64_t column = chosen_.columns[block.column + j];
      const OperandVector b = read_vector(*operands_.b, column, shape.n, shape.k);
      for (std::size_t i = 0; i < block.rows; ++i) {
        Leaves leaves;
        leaves.a = &rows_[i];
        leaves.b = &b;
        leaves.product = operands_.product;
        const std::uint64_t row = chosen_.rows[block.row + i];
        if (operands_.c) leaves.c = element(*operands_.c, row * shape.n + column);
        if (operands_.bias) leaves.operands.emplace_back("bias", element(*operands_.bias, column));
        visit_(block.row + i, block.column + j, leaves);
      }
    }
  }

 private:
  const GemmOperands& operands_;
  const ChosenOutputs& chosen_;
  const std::function<void(std::size_t, std::size_t, const Leaves&)>& visit_;
  std::vector<OperandVector> rows_;
  std::size_t held_row_ = 0;
};

}  // namespace

LeafTypes GemmOperands::types() const {
  LeafTypes types;
  types.a = a->format();
  types.b = b->format();
  types.product = product;
  if (c) types.c = c->format();
  if (bias) types.operands.emplace_back("bias", bias->format());
  return types;
}

ChosenOutputs ChosenOutputs::all(const GemmShape& shape) {
  ChosenOutputs chosen;
  chosen.rows.resize(shape.m);
  chosen.columns.resize(shape.n);
  std::iota(chosen.rows.begin(), chosen.rows.end(), std::uint64_t{0});
  std::iota(chosen.columns.begin(), chosen.columns.end(), std::uint64_t{0});
  return chosen;
}

std::uint64_t gemm_working_bytes(std::uint64_t k, std::uint64_t chosen_rows,
                                 std::uint64_t chosen_columns, unsigned threads) {
  const std::uint64_t blocks = saturating_product(ceil_div(chosen_rows, rows_at_once),
                                                  ceil_div(chosen_columns, columns_at_once));
  const std::uint64_t busy = std::min<std::uint64_t>(thread_count(threads), blocks);
  const std::uint64_t vectors = std::min<std::uint64_t>(rows_at_once, chosen_rows) + 1;
  return saturating_product(busy * vectors * (sizeof(Bits) + sizeof(Term) + sizeof(Unpacked)), k);
}

void for_each_output(const GemmOperands& operands, const ChosenOutputs& chosen,
                     const GemmOptions& options,
                     const std::function<void(std::size_t, std::size_t, const Leaves&)>& visit) {
  std::vector<Block> blocks;
  for (std::size_t r = 0; r < chosen.rows.size(); r += rows_at_once)
    for (std::size_t c = 0; c < chosen.columns.size(); c += columns_at_once)
      blocks.push_back({r, std::min(rows_at_once, chosen.rows.size() - r), c,
                        std::min(columns_at_once, chosen.columns.size() - c)});
  std::mutex reporting;
  std::uint64_t done = 0;
  share_work(blocks.size(), thread_count(options.threads), options.stop, [&] {
    const auto worker = std::make_shared<Worker>(operands, chosen, visit);
    return [&, worker](std::uint64_t i) {
      worker->run(blocks[i]);
      const std::lock_guard lock(reporting);
      done += blocks[i].rows * blocks[i].columns;
      if (options.progress) options.progress(done);
    };
  });
}

}  // namespace whybits
