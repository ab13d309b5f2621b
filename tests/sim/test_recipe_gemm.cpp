// A GEMM with its bias in the epilogue, against loops in the processor's f32: where the bias enters
// and how often is rounded shows in the bits.
#include "sim/notation.hpp"
#include "sim/run_recipe.hpp"
#include "tests/sim/example_recipes.hpp"
#include "tests/sim/tiled_gemm.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;

namespace {

constexpr std::uint64_t m = 6, n = 40, k = 256, slice = 64;

struct Data {
  std::vector<Bits> a, b, bias;
};

float dot(const Data& data, std::uint64_t i, std::uint64_t j, std::uint64_t begin,
          std::uint64_t end, float acc) {
  for (std::uint64_t p = begin; p < end; ++p)
    acc = std::fma(bf16_to_float(data.a[i * k + p]), bf16_to_float(data.b[p * n + j]), acc);
  return acc;
}

/// Four slices, folded. `start` is where the first one begins.
float total(const Data& data, std::uint64_t i, std::uint64_t j, float start = 0) {
  float sum = dot(data, i, j, 0, slice, start);
  for (std::uint64_t at = slice; at < k; at += slice) sum += dot(data, i, j, at, at + slice, 0);
  return sum;
}

/// A bias that cancels the first row's totals to what their rounding threw away.
Data drawn(Random& random) {
  Data data{bf16_codes(random, m * k, uniform_float), bf16_codes(random, k * n, uniform_float), {}};
  for (std::uint64_t j = 0; j < n; ++j) data.bias.push_back(float_to_bf16(-total(data, 0, j)));
  return data;
}

InputTensors inputs(const Data& data) {
  return {{"a", input_tensor({m, k, bf16}, data.a)},
          {"b", input_tensor({k, n, bf16}, data.b)},
          {"bias", input_tensor({1, n, bf16}, data.bias)}};
}

template <class Output>
std::vector<Bits> each(Output output) {
  std::vector<Bits> codes;
  for (std::uint64_t i = 0; i < m; ++i)
    for (std::uint64_t j = 0; j < n; ++j) codes.push_back(output(i, j));
  return codes;
}

std::vector<Bits> linear(const Data& data, const std::string& topology) {
  return run(linear_recipe(parse_topology(topology)), inputs(data)).at("y").codes;
}

}  // namespace

TEST_CASE("a bias in the epilogue is added once, after the last slice, and rounded once") {
  for_all(5, [](Random& random) {
    const Data data = drawn(random);
    REQUIRE(linear(data, "slices(64, fold(f32.fma), fold(f32)) + bias > bf16") ==
            each([&](std::uint64_t i, std::uint64_t j) {
              return float_to_bf16(total(data, i, j) + bf16_to_float(data.bias[j]));
            }));
  });
}

TEST_CASE("a bias that enters elsewhere, or one more rounding, gives other bits") {
  Random fixed(31);
  const Data data = drawn(fixed);
  const auto bias = [&](std::uint64_t j) { return bf16_to_float(data.bias[j]); };
  const std::vector<Bits> fused =
      linear(data, "slices(64, fold(f32.fma), fold(f32)) + bias > bf16");

  // The bias as first accumulator: an operand c of the recipe.
  Recipe first = linear_recipe(parse_topology("slices(64, fold(f32.fma), fold(f32)) > bf16"));
  auto& product = std::get<Reduce>(first.steps[0].work);
  product.operands.clear();
  product.c = "bias";
  const std::vector<Bits> before = run(first, inputs(data)).at("y").codes;
  CHECK(before == each([&](std::uint64_t i, std::uint64_t j) {
          return float_to_bf16(total(data, i, j, bias(j)));
        }));
  CHECK(differences(fused, before) == 3);  // of 240

  // A matrix product that is rounded, then a bf16 add: two roundings.
  Recipe separate = linear_recipe(parse_topology("slices(64, fold(f32.fma), fold(f32)) > bf16"));
  std::get<Reduce>(separate.steps[0].work).operands.clear();
  separate.steps[0].names = {"product"};
  separate.steps.push_back({{"y"}, Map{operations::add(bf16), {"product", "bias"}}});
  const std::vector<Bits> twice = run(separate, inputs(data)).at("y").codes;
  CHECK(twice == each([&](std::uint64_t i, std::uint64_t j) {
          return float_to_bf16(bf16_to_float(float_to_bf16(total(data, i, j))) + bias(j));
        }));
  CHECK(differences(fused, twice) == 98);
  // The first row is what the rounding of the total threw away: two roundings leave nothing.
  CHECK(std::count(twice.begin(), twice.begin() + n, Bits{0}) == n);
  CHECK(std::count(fused.begin(), fused.begin() + n, Bits{0}) == 0);
}

TEST_CASE("chosen outputs of a product are those of the whole, at their own price") {
  Random fixed(32);
  const Data data = drawn(fixed);
  const Recipe recipe = linear_recipe(parse_topology("fold(f32.fma) + bias > bf16"));
  const std::vector<Bits> all = run(recipe, inputs(data)).at("y").codes;
  for_all(20, [&](Random& random) {
    std::vector<std::uint64_t> rows(1 + random.below(4)), columns(1 + random.below(6));
    for (std::uint64_t& r : rows) r = random.below(m);
    for (std::uint64_t& c : columns) c = random.below(n);
    Work work;
    const Patch patch = run(recipe, inputs(data),
                            {{"y", IndexSet::of(rows), IndexSet::of(columns)}}, {.work = &work})
                            .at("y");
    for (const std::uint64_t r : rows)
      for (const std::uint64_t c : columns) REQUIRE(patch.at(r, c) == all[r * n + c]);
    const std::uint64_t outputs = IndexSet::of(rows).size() * IndexSet::of(columns).size();
    REQUIRE(patch.codes.size() == outputs);
    REQUIRE(work ==
            Work{.elements = 0, .reductions = outputs, .addends = outputs * k, .blocks = 0});
  });
}

TEST_CASE("sources are read where an output needs them, and nowhere else") {
  // A matrix of 2^50 elements exists only as a function; one output reads one row and one column.
  class Counting final : public CodeSource {
   public:
    explicit Counting(std::uint64_t size) : size_(size) {}
    Format format() const override { return bf16; }
    std::uint64_t size() const override { return size_; }
    void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override {
      reads += out.size();
      for (Bits& code : out) {
        code = float_to_bf16(static_cast<float>(first % 7));
        first += stride;
      }
    }
    mutable std::uint64_t reads = 0;

   private:
    std::uint64_t size_;
  };
  constexpr std::uint64_t huge = std::uint64_t{1} << 40;
  const auto a = std::make_shared<Counting>(huge * 8);
  const auto b = std::make_shared<Counting>(8 * huge);
  const Recipe recipe{
      {"a", "b"},
      {{{"y"},
        Reduce{.by = parse_topology("fold(f32.fma)"), .along = Along::matrix, .a = "a", .b = "b"}}},
      {"y"}};
  const InputTensors in{{"a", {huge, 8, a}}, {"b", {8, huge, b}}};
  CHECK_THROWS_WITH(run(recipe, in), contains("at most 2^60 elements"));
  constexpr std::uint64_t large = std::uint64_t{1} << 30;
  const auto c = std::make_shared<Counting>(8 * large);
  const InputTensors fits{{"a", {large, 8, std::make_shared<Counting>(large * 8)}},
                          {"b", {8, large, c}}};
  CHECK_THROWS_WITH(run(recipe, fits),
                    contains("needs 9223372036854775808 bytes, allowed are 8589934592"));
  CHECK(c->reads == 0);
  const Patch one = run(recipe, fits, {chosen_element("y", 5, large - 1)}).at("y");
  CHECK(c->reads == 8);
  float expected = 0;
  for (std::uint64_t p = 0; p < 8; ++p)
    expected = std::fma(static_cast<float>((40 + p) % 7),
                        static_cast<float>((p * large + large - 1) % 7), expected);
  CHECK(one.codes == std::vector<Bits>{to_code(expected)});
}

TEST_CASE("a single reduction of a recipe has the leaves and the bits of its output") {
  Random fixed(33);
  const Data data = drawn(fixed);
  const BoundRecipe recipe = bind_recipe(
      linear_recipe(parse_topology("fold(f32.fma) + bias > bf16")), types_of(inputs(data)));
  const std::vector<Bits> all = run(recipe, inputs(data), {{"y"}}).at("y").codes;
  const SingleReduction one = single_reduction(recipe, inputs(data), "y", 3, 17);
  CHECK(evaluate(one.reduction, one.leaves()) == all[3 * n + 17]);
  CHECK(one.a.codes()[5] == data.a[3 * k + 5]);
  CHECK(one.b->codes()[5] == data.b[5 * n + 17]);
  CHECK(one.operands ==
        std::vector<std::pair<std::string, Scalar>>{{"bias", {bf16, data.bias[17]}}});
  CHECK_THROWS_WITH(single_reduction(recipe, inputs(data), "a", 0, 0),
                    contains("'a' is not the result of a reduce by a topology"));
  CHECK_THROWS_WITH(single_reduction(recipe, inputs(data), "y", m, 0), contains("has no row 6"));
}

TEST_CASE("chosen outputs must exist") {
  Random fixed(34);
  const Data data = drawn(fixed);
  const Recipe recipe = linear_recipe(parse_topology("fold(f32.fma) + bias > bf16"));
  CHECK_THROWS_WITH(run(recipe, inputs(data), {{"z"}}), contains("the recipe defines no 'z'"));
  CHECK_THROWS_WITH(run(recipe, inputs(data), {chosen_element("y", 6, 0)}),
                    contains("'y' is bf16 6×40 and has no row 6"));
  CHECK_THROWS_WITH(run(recipe, inputs(data), {chosen_element("y", 5, 40)}),
                    contains("has no column 40"));
  CHECK(run(recipe, inputs(data), {{"y", IndexSet{}}}).at("y").codes.empty());
  CHECK(run(recipe, inputs(data), Selection{}).empty());
  // Chosen twice: the rows of either and the columns of either.
  const Patch both =
      run(recipe, inputs(data), {chosen_element("y", 1, 2), chosen_element("y", 3, 4)}).at("y");
  CHECK(both.codes.size() == 4);
}
