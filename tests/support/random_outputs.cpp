#include "tests/support/random_outputs.hpp"

namespace whybits::test {
namespace {

/// `first` in row 0; other rows of one kind each, so that a block has all kinds side by side.
fast::CodeMatrix rows_of_kinds(Random& random, const Format& format, std::uint64_t rows,
                               const std::vector<Bits>& first) {
  constexpr LeafKind kinds[] = {LeafKind::ordinary, LeafKind::ordinary, LeafKind::wide,
                                LeafKind::special};
  std::vector<Bits> codes = first;
  for (std::uint64_t r = 1; r < rows; ++r) {
    const std::vector<Bits> row =
        random_codes(random, format, first.size(), kinds[random.below(4)]);
    codes.insert(codes.end(), row.begin(), row.end());
  }
  return fast::CodeMatrix::of(format, rows, first.size(), codes);
}

/// `first` in element (0, 0).
fast::CodeMatrix scalars(Random& random, const Format& format, const OutputGrid& grid, Bits first) {
  std::vector<Bits> codes(grid.rows * grid.columns);
  for (Bits& code : codes)
    code = random_code(random, format, random.coin() ? LeafKind::ordinary : LeafKind::wide);
  codes[0] = first;
  return fast::CodeMatrix::of(format, grid.rows, grid.columns, codes);
}

}  // namespace

fast::LaneOperands random_outputs(Random& random, const NaiveLeaves& leaves,
                                  const OutputGrid& grid) {
  fast::LaneOperands made;
  const OutputGrid used{leaves.b_format ? grid.rows : 1, grid.columns};
  made.rows = used.rows;
  made.columns = used.columns;
  made.length = leaves.a.size();
  // Columns of leaves are rows of a transposed matrix.
  if (leaves.b_format) {
    made.a = rows_of_kinds(random, leaves.a_format, used.rows, leaves.a);
    made.b = rows_of_kinds(random, *leaves.b_format, used.columns, leaves.b).transposed();
  } else {
    made.b = rows_of_kinds(random, leaves.a_format, used.columns, leaves.a).transposed();
  }
  if (leaves.products_to_f32) made.product = Conversion{formats::f32, {}};
  if (leaves.c) made.c = scalars(random, leaves.c->first, used, leaves.c->second);
  made.operands.emplace_back("bias", scalars(random, leaves.bias.first, used, leaves.bias.second));
  return made;
}

}  // namespace whybits::test
