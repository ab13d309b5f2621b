// What rows go through besides sums: maxima along them, words that are turned, results in words.
#include <bit>
#include <cmath>

#include "sim/fast/kernels/kernels.hpp"
#include "sim/fast/run_recipe.hpp"
#include "sim/fast/turned.hpp"
#include "sim/notation.hpp"
#include "tests/sim/example_recipes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_leaves.hpp"

namespace whybits::test {
namespace {

constexpr std::array leaf_kinds = {LeafKind::ordinary, LeafKind::wide, LeafKind::special};

bool is_nan(const Format& format, Bits code) {
  return unpack(format, code).cls == FpClass::nan;
}

template <class Check>
void on_every_set(Check check) {
  for (const std::string& set : fast::instruction_sets()) {
    CAPTURE(set);
    REQUIRE(fast::pin_instruction_set(set));
    check();
    REQUIRE(fast::pin_instruction_set(""));
  }
}

TEST_CASE("the maximum of a row has the reference's bits, NaN and zeros of both signs included") {
  for_all(20, [](Random& random) {
    const Format format = random.pick(
        std::array{formats::f32, formats::bf16, formats::f16, formats::e4m3, formats::f64});
    const std::uint64_t rows = 1 + random.below(70), length = 1 + random.below(2500);
    std::vector<Bits> codes = random_codes(random, format, rows * length, random.pick(leaf_kinds));
    // Rows of nothing but NaN, and of zeros.
    for (std::uint64_t i = 0; i < length; ++i) {
      codes[i] = random_codes(random, format, 1, LeafKind::special)[0];
      if (!is_nan(format, codes[i])) codes[i] = nan_code(format, NanRule::gpu);
      if (rows > 1) codes[length + i] = random.coin() ? 0 : format.sign_mask();
    }
    Recipe recipe{{"x", "start"}, {}, {"most", "from_start"}};
    recipe.steps.push_back({{"most"}, Reduce{.by = operations::max(format), .a = "x"}});
    recipe.steps.push_back(
        {{"from_start"}, Reduce{.by = operations::max(format), .a = "x", .c = "start"}});
    const InputTensors inputs{
        {"x", input_tensor({rows, length, format}, codes)},
        {"start",
         input_tensor({rows, 1, format}, random_codes(random, format, rows, LeafKind::special))}};
    const Patches expected = run(recipe, inputs);
    CAPTURE(format_name(format), rows, length);
    on_every_set([&] {
      for (const unsigned threads : {1u, 2u}) {
        const Patches got = fast::run(bind_recipe(recipe, types_of(inputs)), inputs,
                                      all_outputs(recipe), {.threads = threads});
        REQUIRE(got.at("most").codes == expected.at("most").codes);
        REQUIRE(got.at("from_start").codes == expected.at("from_start").codes);
      }
    });
  });
}

TEST_CASE("turned words are the transpose, whatever their size and number") {
  for_all(60, [](Random& random) {
    const Format format =
        random.pick(std::array{formats::e4m3, formats::bf16, formats::f32, formats::f64});
    const std::uint64_t rows = 1 + random.below(90), columns = 1 + random.below(90);
    const std::uint64_t row = random.below(rows), column = random.below(columns);
    const fast::CodeMatrix whole = fast::CodeMatrix::of(
        format, rows, columns, random_codes(random, format, rows * columns, LeafKind::special));
    const fast::CodeMatrix part = whole.window(row, rows - row, column, columns - column);
    on_every_set([&] {
      const fast::CodeMatrix made = fast::turned(part);
      bool same = made.rows() == part.columns() && made.columns() == part.rows();
      for (std::uint64_t r = 0; r < part.rows(); ++r)
        for (std::uint64_t c = 0; c < part.columns(); ++c)
          same = same && made.at(c, r) == part.at(r, c);
      CHECK(same);
    });
  });
}

TEST_CASE("every code of 8 and 16 bits survives the way through float lanes") {
  for (const Format& format :
       {formats::e4m3, formats::e5m2, formats::f16, formats::bf16, Format{5, 3}, Format{8, 4}}) {
    const std::uint64_t count = format.magnitude_mask() + 1;
    std::vector<Bits> codes;
    for (const Bits sign : {Bits{0}, format.sign_mask()})
      for (Bits code = 0; code < count; ++code)
        if (!is_nan(format, code)) codes.push_back(sign | code);
    const auto words = fast::CodeMatrix::of(format, 1, codes.size(), codes);
    CAPTURE(format_name(format));
    on_every_set([&] {
      std::vector<float> values(codes.size());
      auto back = fast::CodeMatrix::zeros(format, 1, codes.size());
      const fast::Kernels& kernels = *fast::kernels();
      kernels.decode(fast::decoding(format, format), words.word(0, 0), codes.size(), values.data());
      CHECK_FALSE(
          kernels.encode(fast::encoding(format), values.data(), codes.size(), back.words(0, 0)));
      bool same = true;
      for (std::uint64_t i = 0; i < codes.size(); ++i) {
        same = same && back.at(0, i) == codes[i];
        same = same && std::bit_cast<Bits>(static_cast<double>(values[i])) ==
                           std::bit_cast<Bits>(fast::decode_f64(format, codes[i]));
      }
      CHECK(same);
      values[count / 3] = std::nanf("");
      CHECK(kernels.encode(fast::encoding(format), values.data(), codes.size(), back.words(0, 0)));
    });
  }
}

TEST_CASE("exact dot products of the rows of two tensors have the reference's bits") {
  for_all(10, [](Random& random) {
    const std::uint64_t rows = 2 + random.below(70), length = 1 + random.below(300);
    const auto some = [&] {
      return input_tensor(
          {rows, length, formats::f32},
          random_codes(random, formats::f32, rows * length, random.pick(leaf_kinds)));
    };
    for (const char* topology :
         {"fold(exact) > f32", "lanes(32, by=8, fold(exact > f32), halves(f32))"}) {
      Recipe recipe{{"a", "b"}, {}, {"y"}};
      recipe.steps.push_back({{"y"}, Reduce{.by = parse_topology(topology), .a = "a", .b = "b"}});
      const InputTensors inputs{{"a", some()}, {"b", some()}};
      const std::vector<Bits> expected = run(recipe, inputs).at("y").codes;
      on_every_set([&] {
        const Patches got =
            fast::run(bind_recipe(recipe, types_of(inputs)), inputs, all_outputs(recipe));
        CHECK(got.at("y").codes == expected);
      });
    }
  });
}

TEST_CASE(
    "results in words are the patches' codes, and a prepared run gives them again and again") {
  Random random(5);
  const Recipe recipe =
      attention_recipe(64, 0x3e000000,
                       operations::given("same", {formats::f32}, formats::f32,
                                         [](std::span<const Bits> x) { return x[0]; }),
                       parse_topology("fold(f32.fma)"), parse_topology("fold(f32)"));
  const auto inputs = [&] {
    const auto some = [&](std::uint64_t rows, std::uint64_t columns) {
      return input_tensor({rows, columns, formats::f32},
                          random_codes(random, formats::f32, rows * columns, LeafKind::ordinary));
    };
    return InputTensors{{"q", some(9, 40)}, {"k", some(300, 40)}, {"v", some(300, 30)}};
  };
  const BoundRecipe bound = bind_recipe(recipe, types_of(inputs()));
  const fast::RecipePlan plan = fast::compile(bound);
  for (const unsigned threads : {1u, 2u}) {
    const fast::PreparedRun prepared = fast::prepare(bound, plan, all_outputs(recipe), threads);
    for (int i = 0; i < 3; ++i) {
      const InputTensors own = inputs();
      const Patches expected = run(bound, own, all_outputs(recipe));
      const Patches patches = fast::run(prepared, own);
      const fast::TensorWords words = fast::run_words(prepared, own);
      for (const auto& [name, patch] : expected) {
        CHECK(patches.at(name).codes == patch.codes);
        std::vector<Bits> codes;
        for (std::uint64_t r = 0; r < patch.rows.size(); ++r)
          for (std::uint64_t c = 0; c < patch.columns.size(); ++c)
            codes.push_back(words.at(name).at(r, c));
        CHECK(codes == patch.codes);
      }
    }
  }
}

}  // namespace
}  // namespace whybits::test
