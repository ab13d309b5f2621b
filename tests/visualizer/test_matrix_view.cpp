#include <cmath>
#include <limits>

#include "tests/support/property.hpp"
#include "visualizer/model/matrix_view.hpp"

using namespace whybits::viz;
using whybits::test::for_all;
using whybits::test::Random;

TEST_CASE("a cell of a map at any zoom has what lies under it") {
  for_all(100, [](Random& random) {
    const std::uint64_t rows = 1 + random.below(20), columns = 1 + random.below(200);
    std::vector<float> values(rows * columns);
    std::vector<bool> differs(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      differs[i] = random.below(9) == 0;
      values[i] = random.below(11) == 0 ? std::numeric_limits<float>::quiet_NaN()
                                        : static_cast<float>(random.below(1000));
    }
    const OutputMap map(lay_out(rows, columns, 4), values, differs);
    const std::size_t level = random.below(map.levels());
    const std::uint64_t r = random.below(map.rows(level)), c = random.below(map.columns(level));
    MapCell naive;
    double low = INFINITY, high = -INFINITY;
    const std::uint64_t size = std::uint64_t{1} << level;
    for (std::uint64_t i = r * size; i < (r + 1) * size; ++i)
      for (std::uint64_t j = c * size; j < (c + 1) * size; ++j)
        if (const auto output = map.layout().output_at(i, j)) {
          ++naive.outputs;
          naive.differ += differs[*output] ? 1U : 0U;
          if (std::isnan(values[*output])) continue;
          low = std::min<double>(low, values[*output]);
          high = std::max<double>(high, values[*output]);
        }
    const MapCell& cell = map.cell(level, r, c);
    CHECK(cell.outputs == naive.outputs);
    CHECK(cell.differ == naive.differ);
    if (low <= high) {
      CHECK(cell.min == static_cast<float>(low));
      CHECK(cell.max == static_cast<float>(high));
    } else if (naive.outputs > 0) {
      CHECK(std::isnan(cell.max));
    }
  });
}

TEST_CASE("every output has one place in a layout, also where a row is wrapped") {
  for (const auto& [rows, columns] : {std::pair(1U, 4096U), std::pair(16U, 64U), std::pair(1U, 7U),
                                      std::pair(777U, 1U), std::pair(1U, 6144U)}) {
    const MapLayout layout = lay_out(rows, columns, 4);
    std::vector<int> seen(rows * columns);
    for (std::uint64_t r = 0; r < layout.rows; ++r)
      for (std::uint64_t c = 0; c < layout.columns; ++c)
        if (const auto output = layout.output_at(r, c)) ++seen.at(*output);
    CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(seen.size()));
  }
}
