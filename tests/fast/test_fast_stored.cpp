// Operands whose words lie in memory are not copied, and give the bits of those that are.
#include "sim/arith.hpp"
#include "sim/fast/run_recipe.hpp"
#include "sim/notation.hpp"
#include "sim/stored_source.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

constexpr std::uint64_t rows = 7, columns = 100;

/// Words that it never gives one by one: an evaluator that asks for codes gets wrong ones.
class Stored final : public StoredSource {
 public:
  Stored(const Format& format, std::vector<std::uint16_t> words)
      : format_(format), words_(std::move(words)) {}
  Format format() const override { return format_; }
  std::uint64_t size() const override { return words_.size(); }
  void read(std::uint64_t, std::uint64_t, std::span<Bits> out) const override {
    std::fill(out.begin(), out.end(), 0);
  }
  const std::byte* stored_words() const override {
    return reinterpret_cast<const std::byte*>(words_.data());
  }

 private:
  Format format_;
  std::vector<std::uint16_t> words_;
};

/// NaN, infinities, zeros and subnormals among them.
std::vector<std::uint16_t> words_of(std::uint64_t count) {
  std::vector<std::uint16_t> words(count);
  for (std::uint64_t i = 0; i < count; ++i) words[i] = static_cast<std::uint16_t>(i * 40503 + 77);
  return words;
}

Recipe products_and_sums() {
  return {{"x", "w"},
          {{{"scaled"}, Map{operations::mul(formats::f32), {"x", "w"}}},
           {{"sum"},
            Reduce{.by = parse_topology("lanes(8, fold(f32.fma), pairs(f32))"),
                   .along = Along::matrix_transposed,
                   .a = "x",
                   .b = "x"}}},
          {"scaled", "sum"}};
}

}  // namespace

TEST_CASE("Words in memory give the bits of the same codes, whole and in windows") {
  const Recipe recipe = products_and_sums();
  for (const Format& format : {formats::bf16, formats::f16}) {
    const auto words = words_of(rows * columns), weights = words_of(columns);
    const InputTensors stored{{"x", {rows, columns, std::make_shared<const Stored>(format, words)}},
                              {"w", {1, columns, std::make_shared<const Stored>(format, weights)}}};
    const InputTensors codes{
        {"x", input_tensor({rows, columns, format}, {words.begin(), words.end()})},
        {"w", input_tensor({1, columns, format}, {weights.begin(), weights.end()})}};
    const BoundRecipe bound = bind_recipe(recipe, types_of(codes));
    const IndexSet some_rows = IndexSet::range(2, 5), some_columns = IndexSet::range(30, 61);
    for (const Selection& chosen :
         {all_outputs(recipe), Selection{{"scaled", some_rows, some_columns}},
          Selection{{"sum", some_rows, IndexSet::range(4, 7)}}}) {
      const Patches expected = run(bound, codes, chosen);
      const Patches made = fast::run(bound, stored, chosen);
      for (const auto& [name, patch] : expected) {
        CAPTURE(format_name(format), name);
        CHECK(made.at(name).codes == patch.codes);
      }
    }
  }
}
