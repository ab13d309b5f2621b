// Every form of topology under six units, each against the same unit's plain fold.
#include <fmt/format.h>

#include <numeric>

#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/benchmarks/outputs.hpp"
#include "tests/benchmarks/random_trees.hpp"

namespace whybits::bench {
namespace {

struct Kind {
  const char* unit;
  Format operand;
  bool rounded_products;
  const char* every_step;  ///< a format narrower than the accumulator's
  bool adds() const { return parse_unit(unit).takes_values(); }
  std::string name() const {
    return rounded_products ? std::string(unit) + " of rounded products" : unit;
  }
};

const Kind kinds[] = {{"sm90.wgmma.bf16", formats::bf16, false, "bf16"},
                      {"sm90.wgmma.e4m3", formats::e4m3, false, "bf16"},
                      {"sm90.mma.tf32", formats::tf32, false, "bf16"},
                      {"f32.fma", formats::f32, false, "bf16"},
                      {"f32", formats::f32, true, "bf16"},
                      {"sm90.mma.f16.acc16", formats::f16, false, "e5m2"}};

/// Sizes that follow from the unit: `pieces` of whole steps.
struct Extent {
  std::uint64_t pieces, piece, nodes;
  std::uint64_t k() const { return pieces * piece; }
};

Extent extent_of(const Unit& unit, bool quick) {
  const auto step = static_cast<std::uint64_t>(unit.addends);
  return {quick ? 48u : 1024u, std::max<std::uint64_t>(step, 16), quick ? 40u : 1000u};
}

struct Named {
  std::string name;
  SchemaPtr topology;
};

std::vector<Named> topologies_of(const Kind& kind, const Extent& extent) {
  const Unit unit = parse_unit(kind.unit);
  const std::uint64_t k = extent.k();
  const std::string fold = fmt::format("fold({})", kind.unit);
  const auto make = [](const std::string& text) { return parse_topology(text); };
  // Adders merge leaves themselves; what takes products merges pieces of whole steps by f32.
  const auto merged = [&](const std::string& merge) {
    return kind.adds() ? make(merge)
                       : make(fmt::format("slices({}, {}, {})", extent.piece, fold, merge));
  };
  const std::uint64_t off_grid = 3 * static_cast<std::uint64_t>(unit.addends) / 2;
  return {
      {"fold", make(fold)},
      {"slices", make(fmt::format("slices({}, {}, fold(f32))", k / 8, fold))},
      {"parts", make(fmt::format("parts(7, {}, fold(f32))", fold))},
      {"cut", make(fmt::format("cut({} {} {}, {}, fold(f32))", k / 9, k / 3, k / 3 + 5, fold))},
      {"lanes", make(fmt::format("lanes(4, {}, fold(f32))", fold))},
      {"nested lanes",
       make(fmt::format("lanes(8, by=4, lanes(4, {}, fold(f32)), halves(f32))", fold))},
      {"pairs", merged("pairs(f32)")},
      {"halves", merged("halves(f32)")},
      {"tree", kind.adds() ? schema(Explicit{unit, random_tree(k, extent.nodes)})
                           : schema(Explicit{unit, random_chain(k, extent.nodes, extent.piece)})},
      {"slices merged by a tree",
       schema(Slices{
           extent.piece, make(fold),
           schema(Explicit{parse_unit("f32"), random_tree(extent.pieces, extent.pieces - 1)})})},
      {"chain merge",
       make(fmt::format("slices({}, {}, chain)", std::max<std::uint64_t>(off_grid, 24), fold))},
      {"rounding every step", make(fmt::format("fold({} > {})", kind.unit, kind.every_step))}};
}

/// Rows [first, first + count) of the outputs.
fast::LaneOperands some_rows(const fast::LaneOperands& all, std::uint64_t first,
                             std::uint64_t count) {
  fast::LaneOperands some = all;
  some.rows = count;
  some.a = fast::CodeMatrix::borrow(all.a->format(), count, all.length, all.a->word(first, 0));
  return some;
}

/// One topology on all outputs, or a map's regions one after the other.
class Work {
 public:
  explicit Work(std::vector<Evaluation> regions) : regions_(std::move(regions)) {}
  void run() {
    outputs_.clear();
    for (const Evaluation& region : regions_) outputs_.push_back(region.run());
  }
  void check() const {
    for (std::size_t i = 0; i < regions_.size(); ++i) regions_[i].check(outputs_[i]);
  }
  std::string kernels() const { return regions_.back().kernels(); }

 private:
  std::vector<Evaluation> regions_;
  std::vector<fast::CodeMatrix> outputs_;
};

class Bench {
 public:
  Bench(const Kind& kind, const Settings& settings)
      : kind_(kind),
        settings_(settings),
        extent_(extent_of(parse_unit(kind.unit), settings.quick)),
        whole_(operands({settings.quick ? 4u : 32u, settings.quick ? 16u : 128u, extent_.k()})),
        few_(operands({2, 16, extent_.k()})) {}

  Results run() const {
    Results results;
    const std::vector<Named> all = topologies_of(kind_, extent_);
    const auto one = [](const SchemaPtr& topology) {
      return [topology](const fast::LaneOperands& operands) {
        return Work({Evaluation(topology, operands)});
      };
    };
    const auto fold = one(all[0].topology);
    for (const Named& named : all)
      results.push_back(against_fold(named.name, one(named.topology), fold));
    const auto map = [&](const fast::LaneOperands& operands) {
      const std::uint64_t half = operands.rows / 2;
      return Work({Evaluation(all[0].topology, some_rows(operands, 0, half)),
                   Evaluation(all[1].topology, some_rows(operands, half, operands.rows - half))});
    };
    results.push_back(against_fold("map", map, fold));
    return results;
  }

 private:
  fast::LaneOperands operands(const MatrixSize& size) const {
    fast::LaneOperands made = uniform_operands(kind_.operand, size);
    if (kind_.rounded_products) made.product = Conversion{formats::f32, {}};
    return made;
  }

  /// A topology that would take seconds is timed on few outputs, and says so.
  template <class Make, class MakeFold>
  Result against_fold(const std::string& name, const Make& make, const MakeFold& fold) const {
    constexpr double most_seconds = 2;
    Work probe = make(few_);
    const double few_seconds = timed([&] { probe.run(); }).cpu;
    probe.check();
    const auto outputs = [](const fast::LaneOperands& o) {
      return static_cast<double>(o.rows * o.columns);
    };
    const bool slow = few_seconds * outputs(whole_) / outputs(few_) > 32 * most_seconds;
    const fast::LaneOperands& used = slow ? few_ : whole_;
    Work own = make(used), peer = fold(used);
    const Duel duel = in_turns(slow ? 1 : settings_.runs, [&] { own.run(); }, [&] { peer.run(); });
    own.check();
    const double products = outputs(used) * static_cast<double>(used.length);
    Result result =
        line(fmt::format("{}, {}", kind_.name(), name), "product", products,
             fmt::format("its fold, M={} N={} K={}", used.rows, used.columns, used.length),
             products, duel);
    result.goal = Goal{0.5};
    result.note = own.kernels();
    return result;
  }

  const Kind& kind_;
  const Settings& settings_;
  Extent extent_;
  fast::LaneOperands whole_, few_;
};

}  // namespace

Results topologies(const Settings& settings) {
  Results results;
  for (const Kind& kind : kinds)
    for (Result& result : Bench(kind, settings).run()) results.push_back(std::move(result));
  return results;
}

}  // namespace whybits::bench
