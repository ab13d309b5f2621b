// Recipes in lanes against the reference run.
#include "sim/fast/kernels/kernels.hpp"
#include "sim/fast/row_parts.hpp"
#include "sim/fast/run_recipe.hpp"
#include "sim/notation.hpp"
#include "tests/sim/example_recipes.hpp"
#include "tests/support/random_leaves.hpp"
#include "tests/support/random_recipe.hpp"

namespace whybits::test {
namespace {

using formats::bf16;
using formats::f32;

/// Equal patches and equal work, on every instruction set, with 1 and 2 threads.
void check_run(const Recipe& recipe, const InputTensors& inputs, const Selection& chosen) {
  const BoundRecipe bound = bind_recipe(recipe, types_of(inputs));
  const fast::RecipePlan plan = fast::compile(bound);
  CAPTURE(print(recipe), fast::print(bound, plan));
  Work expected_work;
  const Patches expected = run(bound, inputs, chosen, {.work = &expected_work});
  for (const std::string& set : fast::instruction_sets())
    for (const unsigned threads : {1u, 2u}) {
      Work work;
      REQUIRE(fast::pin_instruction_set(set));
      const Patches got =
          fast::run(bound, plan, inputs, chosen, {.work = &work, .threads = threads});
      REQUIRE(fast::pin_instruction_set(""));
      CAPTURE(set, threads);
      REQUIRE(got.size() == expected.size());
      for (const auto& [name, patch] : expected) {
        const Patch& other = got.at(name);
        CAPTURE(name);
        CHECK(other.type == patch.type);
        CHECK(other.rows == patch.rows);
        CHECK(other.columns == patch.columns);
        REQUIRE(other.codes == patch.codes);
      }
      CHECK(work == expected_work);
    }
}

InputTensor random_tensor(Random& random, const TensorType& type, LeafKind kind) {
  return input_tensor(type, random_codes(random, type.format, type.rows * type.columns, kind));
}

constexpr std::array kinds = {LeafKind::ordinary, LeafKind::wide, LeafKind::special};

/// exp is the oracle's in other tests; here any function serves.
MapOperation quick_exp() {
  return operations::given("exp", {f32}, f32, [](std::span<const Bits> x) {
    return (x[0] & 0x007fffff) | 0x3f000000;  // in [0.5, 1)
  });
}

TEST_CASE("a linear layer with its bias has the reference's bits in lanes") {
  for_all(6, [](Random& random) {
    const std::uint64_t m = 1 + random.below(20), n = 1 + random.below(150),
                        k = 1 + random.below(300);
    const LeafKind kind = random.pick(kinds);
    const Recipe recipe = linear_recipe(
        parse_topology("slices(128, fold(sm90.wgmma.bf16), fold(f32)) + bias > bf16"));
    check_run(recipe,
              {{"a", random_tensor(random, {m, k, bf16}, kind)},
               {"b", random_tensor(random, {k, n, bf16}, kind)},
               {"bias", random_tensor(random, {1, n, f32}, kind)}},
              all_outputs(recipe));
  });
}

TEST_CASE("RMSNorm has the reference's bits in lanes, with blocks of 256 and of 1024 threads") {
  for_all(4, [](Random& random) {
    const std::uint64_t rows = 1 + random.below(80), hidden = 1 + random.below(1500);
    const LeafKind kind = random.pick(kinds);
    const InputTensors inputs{{"x", random_tensor(random, {rows, hidden, bf16}, kind)},
                              {"w", random_tensor(random, {1, hidden, bf16}, kind)}};
    for (const char* block : {"lanes(256, fold(f32.fma), slices(32, pairs(f32), fold(f32)))",
                              "lanes(1024, fold(f32.fma), slices(32, pairs(f32), fold(f32)))"}) {
      const Recipe recipe = rms_norm_recipe(parse_topology(block), 0x45800000, 0x358637bd);
      check_run(recipe, inputs, all_outputs(recipe));
      check_run(recipe, inputs, {chosen_element("y", rows - 1, hidden / 2), {"scale"}});
    }
  });
}

TEST_CASE("an online softmax has the reference's bits in lanes, whatever the block of keys") {
  for_all(6, [](Random& random) {
    const std::uint64_t queries = 1 + random.below(70), keys = random.below(100),
                        depth = 1 + random.below(70), width = 1 + random.below(70);
    const LeafKind kind = random.pick(kinds);
    const InputTensors inputs{{"q", random_tensor(random, {queries, depth, f32}, kind)},
                              {"k", random_tensor(random, {keys, depth, f32}, kind)},
                              {"v", random_tensor(random, {keys, width, f32}, kind)}};
    for (const std::uint64_t block : {1 + random.below(20), std::uint64_t{64}}) {
      const Recipe recipe =
          attention_recipe(block, 0x3e000000, quick_exp(), parse_topology("fold(f32.fma)"),
                           parse_topology("pairs(f32)"), random.coin());
      check_run(recipe, inputs, all_outputs(recipe));
      check_run(recipe, inputs, {chosen_element("y", queries / 2, width - 1), {"m"}});
    }
  });
}

/// How many steps of each kind were run.
struct Kinds {
  int maps = 0, folds = 0, scans = 0, regions = 0, products = 0;
  std::array<int, 5> reduces = {};

  void count(const fast::RecipePlan& plan) {
    for (const auto& step : plan.steps) {
      maps += std::holds_alternative<fast::RecipePlan::Map>(step);
      folds += std::holds_alternative<fast::RecipePlan::Fold>(step);
      scans += std::holds_alternative<fast::RecipePlan::Scan>(step);
      if (const auto* reduce = std::get_if<fast::RecipePlan::Reduce>(&step)) {
        ++reduces[static_cast<std::size_t>(reduce->leaves)];
        regions += reduce->plan.plans.size() > 1;
        products += reduce->product.has_value();
      }
    }
  }
};

TEST_CASE("random recipes have the reference's bits in lanes") {
  Kinds kinds_seen;
  for_all(400, [&](Random& random) {
    const RandomRecipe made = random_recipe(random);
    const BoundRecipe bound = bind_recipe(made.recipe, types_of(made.inputs));
    kinds_seen.count(fast::compile(bound));
    check_run(made.recipe, made.inputs, random_selection(random, bound));
  });
  CHECK(kinds_seen.maps > 0);
  CHECK(kinds_seen.folds > 0);
  CHECK(kinds_seen.scans > 0);
  CHECK(kinds_seen.regions > 0);
  CHECK(kinds_seen.products > 0);
  for (const int seen : kinds_seen.reduces) CHECK(seen > 0);
}

TEST_CASE("threads that share the rows of a scan give the same bits") {
  Random random(12);
  const InputTensors inputs{{"q", random_tensor(random, {41, 40, f32}, LeafKind::ordinary)},
                            {"k", random_tensor(random, {300, 40, f32}, LeafKind::ordinary)},
                            {"v", random_tensor(random, {300, 30, f32}, LeafKind::special)}};
  const Recipe recipe = attention_recipe(
      64, 0x3e000000, quick_exp(), parse_topology("fold(f32.fma)"), parse_topology("fold(f32)"));
  const BoundRecipe bound = bind_recipe(recipe, types_of(inputs));
  const auto parts = [&](const Selection& chosen) {
    return fast::row_parts(bound, fast::compile(bound), fast::chosen_grids(bound, chosen),
                           demand(bound, chosen), 2)
        .size();
  };
  const Selection all{{"y"}, {"m"}, {"c"}};
  const std::uint64_t odd[] = {1, 3, 9,  20, 21, 30, 33, 38, 40, 5,
                               7, 8, 10, 11, 25, 26, 27, 28, 29};
  const Selection some{{"y", IndexSet::of(odd), IndexSet::range(3, 29)}, {"l"}};
  const Selection one{{"y", IndexSet::range(4, 5), {}}};
  CHECK(parts(all) == 2);
  CHECK(parts(some) == 2);
  CHECK(parts(one) == 1);
  for (const Selection& chosen : {all, some, one}) check_run(recipe, inputs, chosen);
}

TEST_CASE("dot products of rows by a matrix unit have the reference's bits") {
  for_all(20, [](Random& random) {
    const std::uint64_t rows = 1 + random.below(90), n = random.below(80);
    const bool shared = random.coin();
    const LeafKind kind = random.pick(kinds);
    const InputTensors inputs{{"a", random_tensor(random, {rows, n, bf16}, kind)},
                              {"b", random_tensor(random, {shared ? 1 : rows, n, bf16}, kind)}};
    Reduce reduce{.by = parse_topology("fold(sm90.mma.bf16)"), .a = "a", .b = "b"};
    if (random.coin()) std::swap(reduce.a, reduce.b);
    const Recipe recipe{{"a", "b"}, {{{"y"}, reduce}}, {"y"}};
    check_run(recipe, inputs, all_outputs(recipe));
  });
}

TEST_CASE("long rows and many outputs have no seams where they are turned") {
  Random random(11);
  const InputTensors inputs{{"x", random_tensor(random, {300, 4100, f32}, LeafKind::ordinary)}};
  const Recipe recipe{
      {"x"},
      {{{"sum"}, Reduce{.by = parse_topology("lanes(32, fold(f32), pairs(f32))"), .a = "x"}},
       {{"most"}, Reduce{.by = operations::max(f32), .a = "x", .c = "sum"}}},
      {"sum", "most"}};
  check_run(recipe, inputs, all_outputs(recipe));
}

TEST_CASE("too many bytes are refused before anything is computed, and enough are not") {
  Random random(3);
  bool called = false;
  const MapOperation given = operations::given("f", {f32}, f32, [&](std::span<const Bits> x) {
    called = true;
    return x[0];
  });
  const Recipe recipe{{"x"}, {{{"y"}, Map{given, {"x"}}}}, {"y"}};
  const InputTensors inputs{{"x", random_tensor(random, {100, 100, f32}, LeafKind::ordinary)}};
  const BoundRecipe bound = bind_recipe(recipe, types_of(inputs));
  // Words of x and of y, and the codes of the patch.
  constexpr std::uint64_t bytes = 10000 * (4 + 4 + 8);
  CHECK_THROWS_AS(fast::run(bound, inputs, all_outputs(recipe), {.most_bytes = bytes - 1}),
                  RecipeError);
  CHECK_FALSE(called);
  CHECK(fast::run(bound, inputs, all_outputs(recipe), {.most_bytes = bytes}).size() == 1);
  CHECK(called);
}

TEST_CASE("a run that is stopped gives no patches, progress ends at all results") {
  Random random(4);
  const Recipe recipe{{"x"},
                      {{{"s"}, Reduce{.by = parse_topology("fold(f32)"), .a = "x"}},
                       {{"y"}, Map{operations::add(f32), {"x", "s"}}}},
                      {"y"}};
  const InputTensors inputs{{"x", random_tensor(random, {20, 30, f32}, LeafKind::ordinary)}};
  const BoundRecipe bound = bind_recipe(recipe, types_of(inputs));
  std::uint64_t last = 0;
  const Selection all = all_outputs(recipe);
  CHECK(fast::run(bound, inputs, all,
                  {.progress =
                       [&](std::uint64_t n) {
                         CHECK(n >= last);
                         last = n;
                       }})
            .size() == 1);
  CHECK(last == 20 + 600);
  std::stop_source source;
  source.request_stop();
  CHECK(fast::run(bound, inputs, all, {.stop = source.get_token()}).empty());
}

TEST_CASE("errors of inputs and of chosen parts are those of the reference run") {
  Random random(5);
  const Recipe recipe{{"x"}, {{{"y"}, Map{operations::negate(f32), {"x"}}}}, {"y"}};
  const InputTensors inputs{{"x", random_tensor(random, {4, 5, f32}, LeafKind::ordinary)}};
  const BoundRecipe bound = bind_recipe(recipe, types_of(inputs));
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const RecipeError& error) {
      return error.what();
    }
    return "";
  };
  const InputTensors other{{"x", random_tensor(random, {5, 5, f32}, LeafKind::ordinary)}};
  for (const auto& [given, chosen] :
       {std::pair{InputTensors{}, all_outputs(recipe)}, std::pair{other, all_outputs(recipe)},
        std::pair{inputs, Selection{chosen_element("y", 4, 0)}},
        std::pair{inputs, Selection{{"nothing"}}}}) {
    const std::string expected = message([&] { run(bound, given, chosen); });
    CHECK_FALSE(expected.empty());
    CHECK(message([&] { fast::run(bound, given, chosen); }) == expected);
  }
}

TEST_CASE("a printed recipe names the kernel of every step") {
  const Recipe recipe = rms_norm_recipe(parse_topology("lanes(2, fold(f32.fma), pairs(f32))"),
                                        0x40800000, 0x358637bd);
  const BoundRecipe bound = bind_recipe(recipe, {{"x", {64, 4, bf16}}, {"w", {1, 4, bf16}}});
  CHECK(fast::print(bound, fast::compile(bound)) ==
        R"(h = constant
eps = constant
sum = reduce of products, a and b of every output
  lanes of f32, 2 registers
  result:
    r0 = p1
  p1:
    r1 = p0 at leaves 0…1, every 2; r0 takes r1 by f32 [add], the first is copied
  p0:
    r0 = +0
    r0 takes products of leaves 0…1 by f32.fma [fma]
mean = div.f32 [f32 lanes], in one pass with shifted
shifted = add.f32 [f32 lanes]
scale = rsqrt [function, one element at a time]
scaled = mul.f32 [f32 lanes], in one pass with weighted
weighted = mul.f32 [f32 lanes], in one pass with y
y = convert.bf16 [f32 lanes]
)");
}

TEST_CASE("a printed scan names the kernels of its body, and of a last block that is shorter") {
  const Recipe recipe = attention_recipe(
      64, 0x3e000000, quick_exp(), parse_topology("fold(f32.fma)"), parse_topology("fold(f32)"));
  const BoundRecipe bound =
      bind_recipe(recipe, {{"q", {8, 16, f32}}, {"k", {100, 16, f32}}, {"v", {100, 16, f32}}});
  const std::string text = fast::print(bound, fast::compile(bound));
  CHECK_THAT(text, contains("m, l, o = scan\n  s = reduce of rows times columns\n"));
  CHECK_THAT(text, contains("  most = reduce by max.f32 [f32 lanes]\n"));
  CHECK_THAT(text, contains("  last block:\n    s = reduce of rows times columns\n"));
}

TEST_CASE("a step without a kernel is printed as one") {
  const Recipe recipe{
      {"a", "b"},
      {{{"y"}, Reduce{.by = parse_topology("fold(sm90.mma.bf16)"), .a = "a", .b = "b"}},
       {{"z"}, Map{operations::convert(bf16, {formats::e8m0, {}}), {"a"}}}},
      {"y"}};
  const BoundRecipe bound = bind_recipe(recipe, {{"a", {8, 16, bf16}}, {"b", {8, 16, bf16}}});
  const std::string text = fast::print(bound, fast::compile(bound));
  CHECK_THAT(text, contains("by sm90.mma.bf16 [reference, one output at a time]"));
  CHECK_THAT(text, contains("z = convert.e8m0 [reference, one element at a time]"));
}

}  // namespace
}  // namespace whybits::test
