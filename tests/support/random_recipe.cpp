#include "tests/support/random_recipe.hpp"

#include <array>
#include <utility>

#include "tests/support/random_leaves.hpp"
#include "tests/support/random_schema.hpp"

namespace whybits::test {
namespace {

using formats::bf16;
using formats::f16;
using formats::f32;
using formats::f64;

constexpr std::array alongs = {Along::columns, Along::rows, Along::matrix,
                               Along::matrix_transposed};

MapOperation random_map_operation(Random& random, const Format& format) {
  RoundRule rule;
  if (random.below(4) == 0)
    rule.rounding = random.pick(std::array{Rounding::zero, Rounding::up, Rounding::down});
  switch (random.below(10)) {
    case 0:
      return operations::given("swapped", {format}, format, [=](std::span<const Bits> x) {
        return (x[0] << 3 | x[0] >> 1) & format.code_mask();
      });
    case 1:
      return operations::convert(
          format, {random.pick(std::array{f32, bf16, f16, f64, formats::e4m3}), rule});
    default:
      return random_arithmetic(random, format, rule);
  }
}

class Builder {
 public:
  explicit Builder(Random& random) : random_(random) {}

  RandomRecipe run() {
    const std::uint64_t rows = size(), columns = size(), others = size();
    const Format format = random_.pick(std::array{f32, f32, bf16, f16, f64, formats::e4m3});
    input("x", {rows, columns, format});
    input("y", {random_.coin() ? rows : 1, random_.coin() ? columns : 1, format});
    input("z", {columns, others, random_.pick(std::array{format, f32, bf16})});
    input("w", {others, columns, format});
    input("v", {1, 1, format});
    const std::uint64_t steps = 2 + random_.below(7);
    for (int tries = 0; made_.recipe.steps.size() < steps && tries < 200; ++tries) add_step();
    made_.recipe.outputs = {bound_ ? made_.recipe.steps.back().names[0] : "x"};
    return std::move(made_);
  }

 private:
  std::uint64_t size() {
    return random_.below(3) == 0 ? 1 + random_.below(130) : 1 + random_.below(6);
  }

  void input(const std::string& name, const TensorType& type) {
    constexpr std::array kinds = {LeafKind::ordinary, LeafKind::ordinary, LeafKind::wide,
                                  LeafKind::special};
    made_.recipe.inputs.push_back(name);
    made_.inputs[name] = input_tensor(
        type, random_codes(random_, type.format, type.rows * type.columns, random_.pick(kinds)));
    types_[name] = type;
    names_.push_back(name);
  }

  const std::string& any() { return random_.pick(names_); }

  /// Kept if the recipe can still be bound with it.
  void add_step() {
    RecipeStep step{{"t" + std::to_string(made_.recipe.steps.size())}, Constant{{f32, 0}}};
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2:
        step.work = random_map();
        break;
      case 3: {
        Scan scan = random_scan();
        for (std::size_t s = 1; s < scan.state.size(); ++s)
          step.names.push_back(step.names[0] + "_" + std::to_string(s));
        step.work = std::move(scan);
        break;
      }
      default:
        step.work = random_reduce();
    }
    Recipe longer = made_.recipe;
    longer.steps.push_back(step);
    longer.outputs = {step.names[0]};
    try {
      bound_ = bind_recipe(longer, types_of(made_.inputs));
    } catch (const RecipeError&) {
      return;
    }
    for (const std::string& name : step.names) {
      if (bound_->type(name).rows * bound_->type(name).columns > 20000) return;
      names_.push_back(name);
      types_[name] = bound_->type(name);
    }
    made_.recipe.steps.push_back(std::move(step));
  }

  Map random_map() {
    const std::string& first = any();
    Map map{random_map_operation(random_, types_[first].format), {first}};
    while (map.operands.size() < map.operation.arity()) map.operands.push_back(any());
    return map;
  }

  Reduce random_reduce() {
    Reduce reduce;
    reduce.a = any();
    reduce.along = random_.pick(alongs);
    const bool matrix = reduce.along == Along::matrix || reduce.along == Along::matrix_transposed;
    const TensorType& a = types_[reduce.a];
    if (!matrix && random_.below(4) == 0) {
      reduce.by = random_map_operation(random_, a.format);
      if (random_.coin()) reduce.by = operations::max(a.format);
      if (random_.coin()) reduce.c = any();
      return reduce;
    }
    if (matrix || random_.coin()) reduce.b = any();
    if (!reduce.b.empty() && random_.below(3) == 0)
      reduce.product = Conversion{random_.pick(std::array{f32, bf16}), {}};
    if (random_.below(4) == 0) reduce.c = any();
    if (random_.below(4) == 0) reduce.operands = {{"bias", any()}};
    const auto topology = [&] { return random_topology(reduce); };
    if (random_.below(4) != 0) {
      reduce.by = topology();
      return reduce;
    }
    TopologyMap map;
    const std::uint64_t outputs = 1 + random_.below(400);
    const SchemaPtr choices[] = {topology(), topology()};
    for (std::uint64_t begin = 0; begin < outputs;) {
      const std::uint64_t end = begin + 1 + random_.below(outputs);
      map.regions.push_back({begin, end, choices[random_.below(2)]});
      begin = end;
    }
    map.regions.back().end = std::uint64_t{1} << 40;
    reduce.by = std::move(map);
    return reduce;
  }

  SchemaPtr random_topology(const Reduce& reduce) {
    const TensorType& a = types_[reduce.a];
    SchemaWishes wishes;
    const bool inward = reduce.along != Along::rows;
    wishes.n = inward ? a.columns : a.rows;
    if (wishes.n == 1 && !reduce.b.empty()) {
      const TensorType& b = types_[reduce.b];
      wishes.n = inward ? b.columns : b.rows;
    }
    wishes.operands = !reduce.operands.empty();
    if (!reduce.b.empty() && !reduce.product) {
      wishes.values = std::nullopt;
      wishes.product_units = {ieee_fma(f32), ieee_fma(a.format == f64 ? f64 : f32),
                              aligned_unit({}, {}, {})};
    } else {
      wishes.values = reduce.product ? reduce.product->to : a.format;
    }
    return random_schema(random_, wishes);
  }

  /// A running maximum, a sum of what is left, and a product that a whole tensor takes part in.
  Scan random_scan() {
    Scan scan;
    const std::string& cut = any();
    const TensorType& type = types_[cut];
    const bool rows = random_.coin();
    scan.blocks = {{"block", cut, rows ? Along::rows : Along::columns}};
    scan.block = 1 + random_.below(40);
    scan.descending = random_.coin();
    const std::string& begin = any();
    scan.state = {{"most", begin}, {"sum", begin}};
    scan.whole = {{"whole", any()}};
    const Format& format = type.format;
    const Along along = rows ? Along::rows : Along::columns;
    auto body = std::make_shared<Recipe>();
    body->inputs = {"block", "most", "sum", "whole"};
    body->steps = {
        {{"m"}, Reduce{.by = operations::max(format), .along = along, .a = "block", .c = "most"}},
        {{"d"}, Map{operations::sub(format), {"block", "m"}}},
        {{"s"}, Reduce{.by = schema(Fold{ieee_add(format)}), .along = along, .a = "d"}},
        {{"t"}, Map{operations::add(format), {"s", "sum"}}},
        {{"u"}, Map{operations::mul(format), {"t", random_.coin() ? "whole" : "m"}}}};
    // States may change places.
    body->outputs =
        random_.coin() ? std::vector<std::string>{"m", "u"} : std::vector<std::string>{"u", "m"};
    scan.body = std::move(body);
    return scan;
  }

  Random& random_;
  RandomRecipe made_;
  TensorTypes types_;
  std::vector<std::string> names_;
  std::optional<BoundRecipe> bound_;
};

std::optional<IndexSet> some_indices(Random& random, std::uint64_t n) {
  if (random.coin()) return {};
  std::vector<std::uint64_t> chosen;
  const std::uint64_t count = n == 0 ? 0 : random.below(4);
  for (std::uint64_t i = 0; i < count; ++i) chosen.push_back(random.below(n));
  if (random.below(3) == 0 && n > 0) {
    const std::uint64_t begin = random.below(n);
    return IndexSet::range(begin, begin + random.below(n - begin) + 1);
  }
  return IndexSet::of(chosen);
}

}  // namespace

MapOperation random_arithmetic(Random& random, const Format& format, const RoundRule& rule) {
  switch (random.below(8)) {
    case 0:
      return operations::add(format, rule);
    case 1:
      return operations::sub(format, rule);
    case 2:
      return operations::mul(format, rule);
    case 3:
      return operations::div(format, rule);
    case 4:
      return operations::fma(format, rule);
    case 5:
      return operations::sqrt(format, rule);
    case 6:
      return operations::max(format, rule.nan);
    default:
      return operations::negate(format);
  }
}

RandomRecipe random_recipe(Random& random) {
  return Builder(random).run();
}

Selection random_selection(Random& random, const BoundRecipe& recipe) {
  Selection chosen;
  const bool all = random.below(3) == 0;
  for (const auto& [name, type] : recipe.types) {
    if (all)
      chosen.push_back({name});
    else if (random.below(3) == 0)
      chosen.push_back({name, some_indices(random, type.rows), some_indices(random, type.columns)});
  }
  return chosen;
}

}  // namespace whybits::test
