// Every form of a reduce against loops in the processor's f32.
#include <cmath>

#include "sim/notation.hpp"
#include "sim/run_recipe.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::f32;

namespace {

struct Matrix {
  std::uint64_t rows;
  std::uint64_t columns;
  std::vector<float> values;

  float at(std::uint64_t r, std::uint64_t c) const { return values[r * columns + c]; }
};

Matrix random_matrix(Random& random, std::uint64_t rows, std::uint64_t columns) {
  Matrix matrix{rows, columns, std::vector<float>(rows * columns)};
  for (float& value : matrix.values) value = wide_float(random);
  return matrix;
}

InputTensor input(const Matrix& matrix) {
  std::vector<Bits> codes;
  for (const float value : matrix.values) codes.push_back(to_code(value));
  return input_tensor({matrix.rows, matrix.columns, f32}, std::move(codes));
}

/// Result of the one reduce, over a and, if they are given, b and c.
Patch reduce(Reduce step, const InputTensors& inputs) {
  Recipe recipe;
  for (const auto& [name, tensor] : inputs) recipe.inputs.push_back(name);
  recipe.steps.push_back({{"out"}, std::move(step)});
  recipe.outputs = {"out"};
  return run(recipe, inputs).at("out");
}

/// expected(r, c) for every output.
template <class Expected>
void check(const Patch& patch, std::uint64_t rows, std::uint64_t columns, Expected expected) {
  REQUIRE(patch.type == TensorType{rows, columns, f32});
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c) REQUIRE(patch.at(r, c) == to_code(expected(r, c)));
}

}  // namespace

TEST_CASE("a reduce adds the values of a row or of a column") {
  for_all(40, [](Random& random) {
    const Matrix x = random_matrix(random, 1 + random.below(6), 1 + random.below(40));
    const InputTensors inputs{{"x", input(x)}};
    const SchemaPtr sum = parse_topology("fold(f32)");
    check(reduce({.by = sum, .along = Along::columns, .a = "x"}, inputs), x.rows, 1,
          [&](std::uint64_t r, std::uint64_t) {
            float total = x.at(r, 0);
            for (std::uint64_t i = 1; i < x.columns; ++i) total += x.at(r, i);
            return total;
          });
    check(reduce({.by = sum, .along = Along::rows, .a = "x"}, inputs), 1, x.columns,
          [&](std::uint64_t, std::uint64_t c) {
            float total = x.at(0, c);
            for (std::uint64_t i = 1; i < x.rows; ++i) total += x.at(i, c);
            return total;
          });
  });
}

TEST_CASE("a reduce adds products along an axis, exact or rounded, and broadcasts") {
  for_all(40, [](Random& random) {
    const std::uint64_t rows = 1 + random.below(5), columns = 1 + random.below(40);
    const Matrix x = random_matrix(random, rows, columns);
    const Matrix row = random_matrix(random, 1, columns);
    const Matrix column = random_matrix(random, rows, 1);
    const SchemaPtr chain = parse_topology("fold(f32.fma)");
    check(reduce({.by = chain, .along = Along::columns, .a = "x", .b = "x"}, {{"x", input(x)}}),
          rows, 1, [&](std::uint64_t r, std::uint64_t) {
            float total = 0;
            for (std::uint64_t i = 0; i < columns; ++i)
              total = std::fma(x.at(r, i), x.at(r, i), total);
            return total;
          });
    check(reduce({.by = chain, .along = Along::columns, .a = "w", .b = "x"},
                 {{"x", input(x)}, {"w", input(row)}}),
          rows, 1, [&](std::uint64_t r, std::uint64_t) {
            float total = 0;
            for (std::uint64_t i = 0; i < columns; ++i)
              total = std::fma(row.at(0, i), x.at(r, i), total);
            return total;
          });
    check(reduce({.by = parse_topology("fold(f32)"),
                  .along = Along::rows,
                  .a = "x",
                  .b = "w",
                  .product = Conversion{f32, {}}},
                 {{"x", input(x)}, {"w", input(column)}}),
          1, columns, [&](std::uint64_t, std::uint64_t c) {
            float total = x.at(0, c) * column.at(0, 0);
            for (std::uint64_t i = 1; i < rows; ++i) total += x.at(i, c) * column.at(i, 0);
            return total;
          });
  });
}

TEST_CASE("a matrix product may begin from c, be transposed and add named operands") {
  for_all(25, [](Random& random) {
    const std::uint64_t m = 1 + random.below(20), n = 1 + random.below(6), k = 1 + random.below(30);
    const Matrix a = random_matrix(random, m, k), b = random_matrix(random, k, n);
    const Matrix c = random_matrix(random, m, 1), bias = random_matrix(random, 1, n);
    Matrix transposed{n, k, {}};
    for (std::uint64_t j = 0; j < n; ++j)
      for (std::uint64_t i = 0; i < k; ++i) transposed.values.push_back(b.at(i, j));
    const auto expected = [&](std::uint64_t r, std::uint64_t j) {
      float total = c.at(r, 0);
      for (std::uint64_t i = 0; i < k; ++i) total = std::fma(a.at(r, i), b.at(i, j), total);
      return total + bias.at(0, j);
    };
    Reduce step{.by = parse_topology("fold(f32.fma) + bias"),
                .along = Along::matrix,
                .a = "a",
                .b = "b",
                .c = "start",
                .operands = {{"bias", "row"}}};
    InputTensors inputs{
        {"a", input(a)}, {"b", input(b)}, {"start", input(c)}, {"row", input(bias)}};
    check(reduce(step, inputs), m, n, expected);
    step.along = Along::matrix_transposed;
    inputs["b"] = input(transposed);
    check(reduce(step, inputs), m, n, expected);
  });
}

TEST_CASE("a map gives every region its topology") {
  // Four ranks, two chunks: a ring begins each chunk at another rank (columns are elements).
  for_all(40, [](Random& random) {
    const Matrix x = random_matrix(random, 4, 10);
    const Reduce step{
        .by = parse_map("{ [0,6): rotate(1, fold(f32)); [6,10): rotate(2, fold(f32)) }"),
        .along = Along::rows,
        .a = "x"};
    check(reduce(step, {{"x", input(x)}}), 1, 10, [&](std::uint64_t, std::uint64_t c) {
      const std::uint64_t first = c < 6 ? 1 : 2;
      float total = x.at(first, c);
      for (std::uint64_t i = 1; i < 4; ++i) total += x.at((first + i) % 4, c);
      return total;
    });
  });
}

TEST_CASE("an operation folds what no topology adds: the maximum") {
  for_all(40, [](Random& random) {
    const Matrix x = random_matrix(random, 3, 1 + random.below(20));
    const Matrix floor = random_matrix(random, 1, 1);
    check(reduce({.by = operations::max(f32), .a = "x"}, {{"x", input(x)}}), 3, 1,
          [&](std::uint64_t r, std::uint64_t) {
            float most = x.at(r, 0);
            for (std::uint64_t i = 1; i < x.columns; ++i) most = std::fmax(most, x.at(r, i));
            return most;
          });
    check(reduce({.by = operations::max(f32), .a = "x", .c = "floor"},
                 {{"x", input(x)}, {"floor", input(floor)}}),
          3, 1, [&](std::uint64_t r, std::uint64_t) {
            float most = floor.at(0, 0);
            for (std::uint64_t i = 0; i < x.columns; ++i) most = std::fmax(most, x.at(r, i));
            return most;
          });
  });
}

TEST_CASE("a reduce of nothing is +0, and of no outputs is nothing") {
  const InputTensors empty{{"x", input_tensor({3, 0, f32}, {})}};
  const Patch zeros = reduce({.by = parse_topology("fold(f32)"), .a = "x"}, empty);
  CHECK(zeros.type == TensorType{3, 1, f32});
  CHECK(zeros.codes == std::vector<Bits>{0, 0, 0});
  const Patch none =
      reduce({.by = parse_topology("fold(f32)"), .along = Along::rows, .a = "x"}, empty);
  CHECK(none.type == TensorType{1, 0, f32});
  CHECK(none.codes.empty());
  const InputTensors flat{{"a", input_tensor({2, 0, f32}, {})},
                          {"b", input_tensor({0, 2, f32}, {})}};
  const Patch product = reduce(
      {.by = parse_topology("fold(f32.fma)"), .along = Along::matrix, .a = "a", .b = "b"}, flat);
  CHECK(product.codes == std::vector<Bits>{0, 0, 0, 0});
}

TEST_CASE("operands of narrower formats widen exactly") {
  for_all(40, [](Random& random) {
    const std::vector<Bits> x = bf16_codes(random, 24, wide_float);
    const std::vector<Bits> y = f32_codes(random, 24, wide_float);
    Recipe recipe;
    recipe.inputs = {"x", "y"};
    recipe.steps = {{{"p"}, Map{operations::mul(f32), {"x", "y"}}},
                    {{"s"}, Reduce{.by = parse_topology("fold(f32)"), .a = "x"}},
                    {{"q"}, Reduce{.by = operations::max(f32), .a = "x"}}};
    recipe.outputs = {"p", "s", "q"};
    const Patches out = run(recipe, {{"x", input_tensor({1, 24, formats::bf16}, x)},
                                     {"y", input_tensor({1, 24, f32}, y)}});
    float sum = bf16_to_float(x[0]), most = sum;
    for (std::size_t i = 0; i < 24; ++i) {
      REQUIRE(out.at("p").codes[i] == to_code(bf16_to_float(x[i]) * to_float(y[i])));
      if (i == 0) continue;
      sum += bf16_to_float(x[i]);
      most = std::fmax(most, bf16_to_float(x[i]));
    }
    REQUIRE(out.at("s").codes[0] == to_code(sum));
    REQUIRE(out.at("q").codes[0] == to_code(most));
  });
}
