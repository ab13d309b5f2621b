#include "sim/fast/tile.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "sim/arith.hpp"
#include "sim/ceil_div.hpp"
#include "sim/fast/leaf_lanes.hpp"
#include "sim/fast/reference_step.hpp"
#include "sim/superaccumulator.hpp"
#include "sim/walk.hpp"

namespace whybits::fast {
namespace {

/// Lanes of one register: so many rows that decoding columns for them costs little. Those at the
/// bottom of deep trees are used most, and stay in the first caches.
std::uint64_t lanes_of_register(const Plan& plan) {
  constexpr std::uint64_t most_bytes = std::uint64_t{2} << 20;  // of all registers
  const std::uint64_t bytes = std::min<std::uint64_t>(plan.registers() == 1 ? 262144 : 32768,
                                                      most_bytes / plan.registers());
  const std::uint64_t lanes =
      bytes / lane_format(plan.lane).word_bytes() / column_unit * column_unit;
  return std::max<std::uint64_t>(lanes, column_unit);
}

std::uint64_t whole_columns(std::uint64_t columns) {
  return round_up(columns, column_unit);
}

/// Where a procedure stands: leaf j of its own is leaf offset + stride · j.
struct Place {
  std::int64_t offset = 0;
  std::int64_t stride = 1;
};

template <class T>
class LaneTile final : public Tile {
 public:
  LaneTile(const Plan& plan, const LaneOperands& operands, const Kernels& kernels,
           const TileShape& shape)
      : plan_(plan),
        operands_(&operands),
        kernels_(kernels),
        lanes_(shape.rows * shape.columns),
        registers_(plan.registers() * lanes_, T{0}) {}

  void take(const LaneOperands& operands) override {
    operands_ = &operands;
    rows_lanes_.forget();
  }

  void run(std::uint64_t row, std::uint64_t rows, std::uint64_t column, std::uint64_t columns,
           CodeMatrix& out) override {
    row_ = row;
    rows_ = rows;
    column_ = column;
    columns_ = columns;
    stride_ = whole_columns(columns);
    run(plan_.procedures[plan_.root], Place{}, 0);
    encode(out);
  }

 private:
  T* reg(std::size_t r) { return registers_.data() + r * lanes_; }
  std::size_t lanes() const { return rows_ * stride_; }

  /// Calls visit(row, column, lane) for every output of the tile.
  template <class Visit>
  void for_each_lane(Visit visit) const {
    for (std::uint64_t r = 0; r < rows_; ++r)
      for (std::uint64_t c = 0; c < columns_; ++c) visit(row_ + r, column_ + c, r * stride_ + c);
  }

  void run(const Plan::Procedure& procedure, const Place& place, std::size_t at) {
    for (const Plan::Op& op : procedure.ops)
      std::visit([&](const auto& work) { run(work, place, at); }, op);
  }

  void run(const Plan::Zero&, const Place&, std::size_t at) {
    std::fill(reg(at), reg(at) + lanes(), T{0});
  }

  void run(const Plan::Accumulator&, const Place&, std::size_t at) { load(*operands_->c, reg(at)); }

  /// Values of the tile's outputs in a matrix.
  void load(const CodeMatrix& from, T* to) {
    for (std::uint64_t r = 0; r < rows_; ++r) {
      T* row = to + r * stride_;
      decode_row(kernels_, from, row_ + r, column_, columns_, loaded_words_, row);
      std::fill(row + columns_, row + stride_, T{0});
    }
  }

  void run(const Plan::Leaf& leaf, const Place& place, std::size_t at) {
    leaves_.assign(1, number(place.offset + place.stride * leaf.leaf));
    if (operands_->product && !native_product_) {
      for_each_lane([&](std::uint64_t r, std::uint64_t c, std::size_t lane) {
        const Scalar value = reference_leaf(*operands_, r, c, leaves_[0]);
        reg(at)[lane] = static_cast<T>(decode_f64(value.format, value.code));
      });
      return;
    }
    copy_leaf(at);
  }

  /// The lane's own multiply has the leaf exactly, or rounds it as asked.
  void copy_leaf(std::size_t at) {
    const Plan::View& view = plan_.views[0];
    fill_rows(view);
    for (std::uint64_t c = 0; c < columns_; c += column_unit) {
      columns_of_view_.fill(kernels_, view, operands_->b, leaves_, column_ + c,
                            std::min<std::uint64_t>(column_unit, columns_ - c), rows_);
      const T* b = columns_of_view_.values()[0];
      for (std::uint64_t r = 0; r < rows_; ++r) {
        T* to = reg(at) + r * stride_ + c;
        if (!operands_->a) {
          std::copy(b, b + column_unit, to);
          continue;
        }
        const T a = rows_lanes_.values()[r * rows_lanes_.stride() + rows_lanes_.which()[0]];
        for (std::size_t i = 0; i < column_unit; ++i) to[i] = a * b[i];
      }
    }
  }

  static std::uint32_t number(std::int64_t leaf) { return static_cast<std::uint32_t>(leaf); }

  // --- folds over leaves -------------------------------------------------------------------------
  void run(const Plan::Values& values, const Place& place, std::size_t at) {
    const Arithmetic& f = plan_.arithmetics[values.arithmetic];
    first_is_copied_ = values.first_is_copied;
    leaves_.clear();
    const Run& run = values.run;
    for (std::uint64_t r = 0; r < run.repeats; ++r) {
      const std::int64_t first = run.node.offset + static_cast<std::int64_t>(r) * run.repeat_step;
      for (std::uint64_t i = 0; i < run.count; ++i) {
        leaves_.push_back(number(place.offset +
                                 place.stride * (first + static_cast<std::int64_t>(i) * run.step)));
        if (leaves_.size() == ColumnLanes<T>::most_leaves) flush(f, at);
      }
    }
    flush(f, at);
  }

  void run(const Plan::Tree& tree, const Place& place, std::size_t at) {
    const Arithmetic& f = plan_.arithmetics[tree.arithmetic];
    leaves_.clear();
    for (const std::int64_t leaf : tree.leaves)
      leaves_.push_back(number(place.offset + place.stride * leaf));
    fill_rows(plan_.views[f.view], columns_);
    note_range(f);
    const auto run = [&](const Leafs<T>& leafs, std::uint64_t column, std::uint64_t columns) {
      const Block<T> block{reg(at) + column, stride_, rows_, columns};
      if constexpr (std::is_same_v<T, float>)
        kernels_.tree32(f, tree.steps, leafs, block);
      else
        kernels_.tree64(f, tree.steps, leafs, block);
    };
    std::uint64_t c = 0;
    for (const std::uint64_t words = word_columns(f); c < words;) {
      const std::uint64_t columns = std::min<std::uint64_t>(most_tree_lanes, words - c);
      run(word_leafs(c), c, columns);
      c += columns;
    }
    for (; c < columns_; c += column_unit) run(leafs_of(f, c), c, column_unit);
    leaves_.clear();
  }

  void run(const Plan::Products& products, const Place& place, std::size_t at) {
    const Arithmetic& f = plan_.arithmetics[products.arithmetic];
    const auto width = static_cast<std::size_t>(f.unit.addends);
    const std::size_t most = std::max<std::size_t>(1, chunk_leaves(f) / width) * width;
    std::size_t seam_run = 0;
    std::uint64_t seam_index = 0, done = 0;
    const auto next_seam = [&]() -> std::uint64_t {
      if (seam_run == products.seams.size()) return ~std::uint64_t{0};
      const Seam& seam = products.seams[seam_run];
      return seam.first + seam_index * seam.step;
    };
    std::uint64_t border = next_seam();
    leaves_.clear();
    for (const Run& run : products.items.runs())
      for (std::uint64_t r = 0; r < run.repeats; ++r) {
        const std::int64_t first =
            place.offset +
            place.stride * (run.node.offset + static_cast<std::int64_t>(r) * run.repeat_step);
        for (std::uint64_t i = 0; i < run.count; ++i) {
          leaves_.push_back(number(first + place.stride * static_cast<std::int64_t>(i) * run.step));
          ++done;
          if (leaves_.size() < most && done < border) continue;
          flush(f, at);
          if (done < border) continue;
          if (++seam_index == products.seams[seam_run].count) {
            ++seam_run;
            seam_index = 0;
          }
          border = next_seam();
        }
      }
    flush(f, at);
  }

  /// With exponents, a quarter of a buffer stays in the first cache, which is read for every four
  /// rows; without, the second keeps up. Words are not put into it.
  std::size_t chunk_leaves(const Arithmetic& f) const {
    const bool small = plan_.views[f.view].exponents && word_columns(f) == 0;
    return ColumnLanes<T>::most_leaves / (small ? 4 : 1);
  }

  /// Hands the gathered leaves to the kernel.
  void flush(const Arithmetic& f, std::size_t at) {
    if (leaves_.empty()) return;
    if (f.kernel == Arithmetic::Kernel::reference) {
      by_reference(f, at);
    } else {
      if (f.kernel == Arithmetic::Kernel::split) split_leaves(f);
      fill_rows(plan_.views[f.view]);
      note_range(f);
      const std::uint64_t done = std::max(fold_words(f, at), fold_in_place(f, at));
      for (std::uint64_t c = done; c < columns_; c += column_unit) fold(f, at, c);
    }
    leaves_.clear();
    first_is_copied_ = false;
  }

  /// The order in which a composite unit's products enter its steps, padded to whole instructions.
  void split_leaves(const Arithmetic& f) {
    const std::size_t width = f.order.size();
    leaves_.resize(round_up(leaves_.size(), width), no_leaf);
    std::vector<std::uint32_t> step(width);
    for (std::size_t i = 0; i < leaves_.size(); i += width) {
      for (std::size_t j = 0; j < width; ++j)
        step[j] = leaves_[i + static_cast<std::size_t>(f.order[j])];
      std::copy(step.begin(), step.end(), leaves_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  /// Decoding costs more than the steps of a few rows, and as much as adding values: 16-bit words
  /// of whole column units go to the kernels as they are. How many columns.
  std::uint64_t word_columns(const Arithmetic& f) const {
    constexpr std::uint64_t few = 2;
    const CodeMatrix& b = operands_->b;
    const bool words = b.format() == formats::f16 || b.format() == formats::bf16;
    if (!std::is_same_v<T, float> || !words || b.column_stride() != 1 ||
        !(plan_.views[f.view].b == b.format()) || !in_place<std::uint16_t>(b.word(0, column_)))
      return 0;
    const bool products = f.kernel == Arithmetic::Kernel::aligned && rows_ <= few &&
                          f.unit.addends <= static_cast<int>(most_word_leaves);
    const bool values = f.kernel == Arithmetic::Kernel::add && !operands_->a && !operands_->paired;
    return products || values ? columns_ / column_unit * column_unit : 0;
  }

  /// The gathered leaves as words, from a column of the tile on.
  Leafs<T> word_leafs(std::uint64_t column) {
    const CodeMatrix& b = operands_->b;
    words_.resize(leaves_.size());
    for (std::size_t i = 0; i < leaves_.size(); ++i)
      words_[i] = b.word(leaves_[i], column_ + column);
    Leafs<T> leafs = row_leafs();
    leafs.words = words_.data();
    leafs.words_are_bf16 = b.format() == formats::bf16;
    return leafs;
  }

  /// Hands them to the kernel. Returns how many columns are done.
  std::uint64_t fold_words(const Arithmetic& f, std::size_t at) {
    const std::uint64_t columns = word_columns(f);
    if (columns == 0) return 0;
    Leafs<T> leafs = word_leafs(0);
    leafs.first_is_copied = first_is_copied_;
    fold_column_ = 0;
    launch(f, leafs, Block<T>{reg(at), stride_, rows_, columns});
    return columns;
  }

  /// Values of one row that need no decoding go to the kernel where they lie, all whole column
  /// units at once. Returns how many columns are done.
  std::uint64_t fold_in_place(const Arithmetic& f, std::size_t at) {
    const CodeMatrix& b = operands_->b;
    const std::uint64_t columns = columns_ / column_unit * column_unit;
    if (f.unit.takes_products() || rows_ > 1 || operands_->a || operands_->paired || columns == 0 ||
        b.format() != lane_format(plan_.lane) || b.column_stride() != 1 ||
        !in_place<T>(b.word(0, column_)))
      return 0;
    values_.resize(leaves_.size());
    for (std::size_t i = 0; i < leaves_.size(); ++i)
      values_[i] = in_place<T>(b.word(leaves_[i], column_));
    Leafs<T> leafs;
    leafs.count = leaves_.size();
    leafs.first_is_copied = first_is_copied_;
    leafs.b = values_.data();
    fold_column_ = 0;
    launch(f, leafs, Block<T>{reg(at), stride_, 1, columns});
    return columns;
  }

  /// Of a fold, whose kernel reads rows once for so many columns; of a tree, for a vector or less.
  void fill_rows(const Plan::View& view) {
    fill_rows(view, columns_ * sizeof(T) / kernels_.fold_bytes);
  }
  void fill_rows(const Plan::View& view, std::uint64_t readings) {
    if (operands_->a)
      rows_lanes_.fill(kernels_, view, *operands_->a, leaves_, row_, rows_, readings);
  }

  /// That a fold asks for which rounds every step.
  void note_range(const Arithmetic& f) {
    if constexpr (std::is_same_v<T, float>)
      if (operands_->a && f.post && f.post->shortcut == Shortcut::brain)
        a_range_ = rows_lanes_.range(kernels_);
  }

  /// The leaves' first operands, as fill_rows left them.
  Leafs<T> row_leafs() const {
    Leafs<T> leafs;
    leafs.count = leaves_.size();
    if (!operands_->a) return leafs;
    leafs.a = rows_lanes_.values();
    leafs.a_stride = rows_lanes_.stride();
    leafs.a_exponents = rows_lanes_.exponents();
    leafs.a_most_exponent = rows_lanes_.most_exponent();
    leafs.a_range = a_range_;
    leafs.which = rows_lanes_.which();
    return leafs;
  }

  void fold(const Arithmetic& f, std::size_t at, std::uint64_t column) {
    Leafs<T> leafs = leafs_of(f, column);
    leafs.first_is_copied = first_is_copied_;
    fold_column_ = column;
    launch(f, leafs, Block<T>{reg(at) + column, stride_, rows_, column_unit});
  }

  /// The gathered leaves of one column unit.
  Leafs<T> leafs_of(const Arithmetic& f, std::uint64_t column) {
    columns_of_view_.fill(kernels_, plan_.views[f.view], operands_->b, leaves_, column_ + column,
                          std::min<std::uint64_t>(column_unit, columns_ - column), rows_);
    Leafs<T> leafs = row_leafs();
    leafs.b = columns_of_view_.values();
    if (operands_->paired)
      leafs.paired =
          operands_->paired->same_words(operands_->b) ? leafs.b : paired_leafs(f, column);
    leafs.b_exponents = columns_of_view_.exponents();
    return leafs;
  }

  /// The gathered leaves' first operands, where every column has its own.
  const T* const* paired_leafs(const Arithmetic& f, std::uint64_t column) {
    const Format& own = plan_.views[f.view].a;
    paired_of_view_.fill(kernels_, {own, own}, *operands_->paired, leaves_, column_ + column,
                         std::min<std::uint64_t>(column_unit, columns_ - column), rows_);
    return paired_of_view_.values();
  }

  void launch(const Arithmetic& f, const Leafs<T>& leafs, const Block<T>& block) {
    if constexpr (std::is_same_v<T, float>) {
      if (leafs.paired) return kernels_.pairs32(f, leafs, block);
      Stepper stepper{this, &f};
      switch (f.kernel) {
        case Arithmetic::Kernel::aligned:
        case Arithmetic::Kernel::split:
          return kernels_.aligned(f, leafs, block, {&LaneTile::step, &stepper});
        case Arithmetic::Kernel::fma:
          return kernels_.fma32(f, leafs, block);
        case Arithmetic::Kernel::add:
          return kernels_.add32(f, leafs, block);
        default:
          return kernels_.general32(f, leafs, block);
      }
    } else {
      if (leafs.paired) return kernels_.pairs64(f, leafs, block);
      switch (f.kernel) {
        case Arithmetic::Kernel::fma:
          return kernels_.fma64(f, leafs, block);
        case Arithmetic::Kernel::add:
          return kernels_.add64(f, leafs, block);
        default:
          return kernels_.general64(f, leafs, block);
      }
    }
  }

  struct Stepper {
    LaneTile* tile;
    const Arithmetic* arithmetic;
  };

  /// One step of one lane for the aligned kernel.
  static float step(void* context, std::size_t row, std::size_t column, std::size_t first,
                    std::size_t count, float acc) {
    const auto& stepper = *static_cast<Stepper*>(context);
    const LaneTile& tile = *stepper.tile;
    const std::uint64_t c = tile.fold_column_ + column;
    if (std::isnan(acc) || c >= tile.columns_) return acc;  // NaN stays; padding is nobody's
    const Unit& unit = stepper.arithmetic->steps;
    const Bits code = reference_products(unit, *tile.operands_, tile.row_ + row, tile.column_ + c,
                                         std::span(tile.leaves_).subspan(first, count),
                                         encode_f64(unit.format, acc));
    return static_cast<float>(decode_f64(unit.format, code));
  }

  void by_reference(const Arithmetic& f, std::size_t at) {
    const Unit& unit = f.unit;
    const auto width = static_cast<std::size_t>(unit.addends);
    for_each_lane([&](std::uint64_t r, std::uint64_t c, std::size_t lane) {
      Scalar acc{unit.format, encode_f64(unit.format, static_cast<double>(reg(at)[lane]))};
      for (std::size_t i = 0; i < leaves_.size(); i += width) {
        const auto some = std::span(leaves_).subspan(i, std::min(width, leaves_.size() - i));
        if (unit.takes_products()) {
          const Bits start =
              acc.format == unit.format ? acc.code : convert(acc.format, unit.format, acc.code);
          acc = reference_after(unit, reference_products(unit, *operands_, r, c, some, start));
        } else {
          acc = reference_add(unit, acc, reference_leaf(*operands_, r, c, some[0]));
        }
      }
      reg(at)[lane] = static_cast<T>(decode_f64(acc.format, acc.code));
    });
  }

  // --- registers ---------------------------------------------------------------------------------
  void run(const Plan::Call& call, const Place& place, std::size_t at) {
    const Plan::Procedure& callee = plan_.procedures[call.procedure];
    const Arithmetic& f = plan_.arithmetics[call.arithmetic];
    const Run& run = call.run;
    bool copied = call.first_is_copied;
    for (std::uint64_t r = 0; r < run.repeats; ++r)
      for (std::uint64_t i = 0; i < run.count; ++i) {
        const std::int64_t offset = run.node.offset +
                                    static_cast<std::int64_t>(r) * run.repeat_step +
                                    static_cast<std::int64_t>(i) * run.step;
        const Place there{place.offset + place.stride * offset, place.stride * run.node.stride};
        this->run(callee, there, at + (copied ? 0 : 1));
        if (!copied)
          sum(f, at);
        else if (f.unit.after)  // the accumulator lives in its format from the start
          round({*f.unit.after, f.after, f.unit.format}, at);
        copied = false;
      }
  }

  /// Register `at` takes the one above it.
  void sum(const Arithmetic& f, std::size_t at) { sum(f, reg(at), reg(at + 1)); }

  void sum(const Arithmetic& f, T* acc, const T* x) {
    if (f.kernel != Arithmetic::Kernel::reference) {
      if constexpr (std::is_same_v<T, float>)
        return kernels_.sum32(f, acc, x, lanes());
      else
        return kernels_.sum64(f, acc, x, lanes());
    }
    for_each_lane([&](std::uint64_t, std::uint64_t, std::size_t lane) {
      const auto scalar = [&](T value) {
        return Scalar{f.unit.format, encode_f64(f.unit.format, static_cast<double>(value))};
      };
      const Scalar total = reference_add(f.unit, scalar(acc[lane]), scalar(x[lane]));
      acc[lane] = static_cast<T>(decode_f64(total.format, total.code));
    });
  }

  void run(const Plan::Round& op, const Place&, std::size_t at) {
    round(plan_.roundings[op.rounding], at);
  }

  void round(const Plan::Rounding& rounding, std::size_t at) {
    if (rounding.rounder) {
      if constexpr (std::is_same_v<T, float>)
        return kernels_.round32(*rounding.rounder, reg(at), lanes());
      else
        return kernels_.round64(*rounding.rounder, reg(at), lanes());
    }
    const Conversion& to = rounding.conversion;
    for_each_lane([&](std::uint64_t, std::uint64_t, std::size_t lane) {
      T& value = reg(at)[lane];
      const Bits code = encode_f64(rounding.from, static_cast<double>(value));
      value = static_cast<T>(decode_f64(to.to, convert(rounding.from, to.to, code, to.rule)));
    });
  }

  void run(const Plan::AddOperand& add, const Place&, std::size_t at) {
    operand_.resize(lanes());
    load(operands_->operands[add.operand].second, operand_.data());
    sum(plan_.arithmetics[add.arithmetic], reg(at), operand_.data());
  }

  void run(const Plan::ExactSum& sum, const Place& place, std::size_t at) {
    leaves_.clear();
    sum.items.for_each([&](const Node& leaf) {
      leaves_.push_back(number(place.offset + place.stride * leaf.offset));
    });
    run(Plan::Zero{}, place, at);
    // Rows are unpacked once a tile; a column once for all rows.
    std::vector<Unpacked> rows;
    const bool products = operands_->a && !operands_->product;
    if (products)
      for (std::uint64_t r = 0; r < rows_; ++r)
        for (const std::uint32_t leaf : leaves_)
          rows.push_back(unpack(operands_->a->format(), operands_->a->at(row_ + r, leaf)));
    std::vector<Unpacked> column(leaves_.size());
    for (std::uint64_t c = 0; c < columns_; ++c) {
      for (std::size_t i = 0; i < leaves_.size(); ++i)
        column[i] = unpack(operands_->b.format(), operands_->b.at(leaves_[i], column_ + c));
      for (std::uint64_t r = 0; r < rows_; ++r) {
        Superaccumulator total;
        if (sum.from_c) total.add(operands_->c->format(), operands_->c->at(row_ + r, column_ + c));
        for (std::size_t i = 0; i < leaves_.size(); ++i) {
          if (products) {
            total.add_product(rows[r * leaves_.size() + i], column[i]);
          } else if (operands_->paired) {
            const CodeMatrix& first = *operands_->paired;
            total.add_product(unpack(first.format(), first.at(leaves_[i], column_ + c)), column[i]);
          } else if (operands_->a) {
            const Scalar leaf = reference_leaf(*operands_, row_ + r, column_ + c, leaves_[i]);
            total.add(leaf.format, leaf.code);
          } else {
            total.add(column[i]);
          }
        }
        // Walk's zero is +0, whatever the signs of the terms.
        const Bits code = total.is_finite() ? total.value().round_to(sum.to.to, sum.to.rule)
                                            : total.round_to(sum.to.to, sum.to.rule);
        reg(at)[r * stride_ + c] = static_cast<T>(decode_f64(sum.to.to, code));
      }
    }
    leaves_.clear();
  }

  void run(const Plan::Reference& reference, const Place& place, std::size_t at) {
    const Node node = placed(reference.node, place.offset, place.stride);
    run(Plan::Zero{}, place, at);
    for_each_lane([&](std::uint64_t r, std::uint64_t c, std::size_t lane) {
      const OutputLeaves leaves(*operands_, r, c);
      IgnoreSteps ignore;
      const Value value = Walk(leaves.get(), ignore).value(node);
      reg(at)[lane] = static_cast<T>(decode_f64(value.format, value.code));
    });
  }

  // --- results -----------------------------------------------------------------------------------
  void encode(CodeMatrix& out) {
    const Format& format = plan_.reduction.result;
    for (std::uint64_t r = 0; r < rows_; ++r) {
      const T* values = reg(0) + r * stride_;
      if (!encode_row(kernels_, format, values, columns_, out.words(row_ + r, column_))) continue;
      for (std::uint64_t c = 0; c < columns_; ++c)
        if (std::isnan(values[c]))
          out.set(row_ + r, column_ + c,
                  plan_.nan ? *plan_.nan : whole_by_reference(row_ + r, column_ + c));
    }
  }

  Bits whole_by_reference(std::uint64_t r, std::uint64_t c) const {
    const OutputLeaves leaves(*operands_, r, c);
    return evaluate(plan_.reduction, leaves.get());
  }

  const Plan& plan_;
  const LaneOperands* operands_;
  const Kernels& kernels_;
  std::size_t lanes_;
  AlignedVector<T> registers_;
  AlignedVector<T> operand_;
  RowLanes<T> rows_lanes_;
  ColumnLanes<T> columns_of_view_, paired_of_view_;
  std::vector<std::uint32_t> leaves_;
  std::vector<const std::byte*> words_;
  std::vector<const T*> values_;
  std::vector<std::byte> loaded_words_;
  bool native_product_ = plan_.native_leaf;
  bool first_is_copied_ = false;
  ExponentRange a_range_ = any_exponents;
  std::uint64_t row_ = 0, rows_ = 0, column_ = 0, columns_ = 0, stride_ = 0;
  std::uint64_t fold_column_ = 0;
};

/// Formats that lanes cannot hold: every output by the reference evaluator.
class ReferenceTile final : public Tile {
 public:
  ReferenceTile(const Plan& plan, const LaneOperands& operands)
      : plan_(plan), operands_(&operands) {}

  void take(const LaneOperands& operands) override { operands_ = &operands; }

  void run(std::uint64_t row, std::uint64_t rows, std::uint64_t column, std::uint64_t columns,
           CodeMatrix& out) override {
    for (std::uint64_t r = row; r < row + rows; ++r)
      for (std::uint64_t c = column; c < column + columns; ++c)
        out.set(r, c, evaluate(plan_.reduction, OutputLeaves(*operands_, r, c).get()));
  }

 private:
  const Plan& plan_;
  const LaneOperands* operands_;
};

}  // namespace

TileShape tile_shape(const Plan& plan, const LaneOperands& operands, unsigned threads) {
  const std::uint64_t most = lanes_of_register(plan);
  TileShape shape;
  shape.rows = std::min(most / column_unit, operands.rows);
  const std::uint64_t wide = std::max(most / shape.rows / column_unit * column_unit, column_unit);
  shape.columns =
      std::clamp(whole_columns(operands.columns), column_unit, std::min<std::uint64_t>(wide, 8192));
  const auto tiles = [&] {
    return ((operands.rows + shape.rows - 1) / shape.rows) *
           ((operands.columns + shape.columns - 1) / shape.columns);
  };
  while (threads > 1 && tiles() < 2 * std::uint64_t{threads} && shape.columns > column_unit)
    shape.columns = whole_columns(shape.columns / 2);
  while (threads > 1 && tiles() < 2 * std::uint64_t{threads} && shape.rows > 1)
    shape.rows = (shape.rows + 1) / 2;
  // At the end a thread may wait for as long as a tile takes: many, while each has so many rows
  // that decoding columns for them costs little.
  constexpr std::uint64_t many = 32, least_rows = 128;
  while (threads > 1 && tiles() < many * threads && shape.rows >= 2 * least_rows)
    shape.rows = (shape.rows + 1) / 2;
  return shape;
}

std::uint64_t tile_bytes(const Plan& plan, const LaneOperands& operands, const TileShape& shape) {
  const std::uint64_t size = lane_format(plan.lane).word_bytes();
  std::uint64_t bytes = (plan.registers() + 1) * shape.rows * shape.columns * size;
  // Decoded leaves: of columns one buffer, of rows at worst a whole span.
  std::uint64_t leaves = ColumnLanes<float>::most_leaves;
  for (const Arithmetic& f : plan.arithmetics)
    leaves = std::max(leaves, static_cast<std::uint64_t>(f.unit.addends));
  bytes += 2 * leaves * ColumnLanes<float>::stride * (size + sizeof(std::int16_t));
  const std::uint64_t span = std::max<std::uint64_t>(leaves, RowLanes<float>::most_span) + 1;
  if (operands.a) {
    bytes += span * shape.rows * (size + sizeof(std::int32_t));
    bytes += std::min(RowLanes<float>::turned_bytes(*operands.a, shape.rows),
                      RowLanes<float>::most_turned_bytes);
  }
  return bytes;
}

Tile& TileStore::tile(const Plan& plan, const LaneOperands& operands, const Kernels& kernels,
                      const TileShape& shape) {
  Held& held = held_[&plan];
  if (held.tile && held.shape == shape) {
    held.tile->take(operands);
  } else {
    held.tile.reset();
    held = {shape, make_tile(plan, operands, &kernels, shape)};
  }
  return *held.tile;
}

std::unique_ptr<Tile> make_tile(const Plan& plan, const LaneOperands& operands,
                                const Kernels* kernels, const TileShape& shape) {
  if (plan.all_reference) return std::make_unique<ReferenceTile>(plan, operands);
  if (plan.lane == Lane::f32)
    return std::make_unique<LaneTile<float>>(plan, operands, *kernels, shape);
  return std::make_unique<LaneTile<double>>(plan, operands, *kernels, shape);
}

}  // namespace whybits::fast
