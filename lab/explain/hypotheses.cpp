#include "lab/explain/hypotheses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "lab/explain/sort_stably.hpp"
#include "sim/ceil_div.hpp"
#include "sim/device_table.hpp"
#include "sim/expand.hpp"
#include "sim/reduction.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t most_slices = 128;
/// Slices are multiples of a k tile, of 128 bytes, of 16 bytes, or ceil(k / slices).
constexpr std::array<std::uint64_t, 7> grains{128, 64, 32, 16, 8, 4, 1};

constexpr std::array<std::uint64_t, 4> residue_tiles{16, 32, 64, 128};
constexpr std::array<std::uint64_t, 2> segment_tiles{32, 64};
constexpr std::array<std::uint64_t, 3> warp_counts{2, 4, 8}, warp_blocks{16, 32, 64};
constexpr std::array<std::uint64_t, 5> lane_counts{2, 4, 8, 16, 32};
constexpr std::array<std::uint64_t, 2> gemv_widths{1, 64};
constexpr std::array<std::uint64_t, 5> tail_tiles{8, 16, 32, 64, 128};

SchemaPtr fold(const Unit& unit) {
  return schema(Fold{unit});
}

/// A unit with the operands that it is given.
struct StepArithmetic {
  Unit unit;
  std::optional<Conversion> operands;
  std::string name;
};

/// Collects orders, each tree once.
class Collection {
 public:
  explicit Collection(const HypothesisRequest& request) : request_(request) {}

  void add(const StepArithmetic& arithmetic, const std::string& family, SchemaPtr order,
           const Format& result, int rank = 2) {
    if (request_.bias) order = schema(AddOperand{std::move(order), "bias"});
    const Format before = request_.bias ? formats::f32 : result;
    if (!widens_exactly(before, request_.out))
      order = schema(RoundTo{std::move(order), Conversion{request_.out, {}}});
    LeafTypes types{.a = request_.a, .b = request_.b};
    if (arithmetic.operands) types.a = arithmetic.operands->to, types.b = arithmetic.operands->to;
    if (request_.bias) types.operands = {{"bias", formats::f32}};
    try {
      const Reduction reduction = make_reduction(order, request_.k, types);
      auto& same = seen_[{reduction.tree.hash(), arithmetic.operands.has_value()}];
      if (std::ranges::find(same, reduction.tree) != same.end()) return;
      same.push_back(reduction.tree);
    } catch (const TopologyError&) {
      return;  // these operands or this k do not fit: no order of theirs
    }
    found_.push_back(
        {family + ", " + arithmetic.name, std::move(order), arithmetic.operands, rank});
  }

  std::vector<Hypothesis> take() {
    sort_stably(found_, [](const Hypothesis& h) { return h.rank; });
    return std::move(found_);
  }

 private:
  const HypothesisRequest& request_;
  /// By hash, and whether operands are rounded.
  std::map<std::pair<std::uint64_t, bool>, std::vector<Tree>> seen_;
  std::vector<Hypothesis> found_;
};

/// Units of the architecture that take these operands, each arithmetic once, and fma.
std::vector<StepArithmetic> arithmetics(const HypothesisRequest& request) {
  std::vector<StepArithmetic> all;
  const auto push = [&](StepArithmetic arithmetic) {
    for (const StepArithmetic& other : all)
      if (other.unit.same_arithmetic(arithmetic.unit) && other.operands == arithmetic.operands)
        return;
    all.push_back(std::move(arithmetic));
  };
  std::vector<std::string> names = device_unit_names();
  // Of two names for one arithmetic, the one that libraries use.
  sort_stably(names,
              [](const std::string& name) { return name.find(".wgmma.") == std::string::npos; });
  for (const std::string& name : names) {
    if (!name.starts_with(request.architecture + ".")) continue;
    const Unit unit = *find_device_unit(name);
    if (unit.kind == Unit::Kind::fma && request.a == unit.format && request.b == unit.format)
      push({unit, std::nullopt, name});  // f64: a chain of fma that keeps NaN operands
    if (!unit.operand_a || !unit.operand_b || unit.scale) continue;
    const auto takes = [](const Format& operand, const Format& unit_operand) {
      return operand == unit_operand || (operand == formats::f32 && unit_operand == formats::tf32);
    };
    if (takes(request.a, *unit.operand_a) && takes(request.b, *unit.operand_b))
      push({unit, std::nullopt, name});
    // cuBLAS rounds f32 operands to TF32; the instruction itself cuts them.
    if (request.a == formats::f32 && request.b == formats::f32 &&
        *unit.operand_a == formats::tf32 && *unit.operand_b == formats::tf32)
      push({unit, Conversion{formats::tf32, {}}, name + " of rounded operands"});
  }
  const bool wide = request.a == formats::f64 || request.b == formats::f64;
  push({ieee_fma(wide ? formats::f64 : formats::f32), std::nullopt, wide ? "f64.fma" : "f32.fma"});
  return all;
}

/// Lengths of slices, each with the number of slices that first led to it.
std::map<std::uint64_t, std::uint64_t> slice_lengths(std::uint64_t k) {
  std::map<std::uint64_t, std::uint64_t> lengths;
  for (const std::uint64_t grain : grains)
    for (std::uint64_t slices = 2; slices <= most_slices; ++slices) {
      const std::uint64_t length = ceil_div(ceil_div(k, grain), slices) * grain;
      if (length < k && ceil_div(k, length) <= most_slices)
        lengths.emplace(length, ceil_div(k, length));
    }
  return lengths;
}

/// What a block does with its k: one chain, or fp8 with promotion.
std::vector<std::pair<std::string, SchemaPtr>> chains(const Unit& unit) {
  std::vector<std::pair<std::string, SchemaPtr>> all{{"", fold(unit)}};
  const bool narrow = unit.kind == Unit::Kind::aligned && unit.aligned.out.precision() < 24 &&
                      unit.format == formats::f32;
  if (narrow)
    for (const std::uint64_t interval : {std::uint64_t{128}, std::uint64_t{256}})
      all.emplace_back(fmt::format("promotion every {}, ", interval),
                       schema(Slices{interval, fold(unit), fold(ieee_add(formats::f32))}));
  return all;
}

/// CUTLASS 2.x begins a slice of `length` with its residue tile.
SchemaPtr residue_first(const Unit& unit, std::uint64_t length, std::uint64_t tile) {
  const std::uint64_t residue = length % tile;
  const bool shows = residue % static_cast<std::uint64_t>(unit.addends) != 0 && length > tile;
  return shows ? schema(Cut{{residue}, fold(unit), nullptr}) : nullptr;
}

void add_slices(Collection& found, const StepArithmetic& arithmetic, std::uint64_t k,
                const Format& out) {
  const Format format = arithmetic.unit.result_format();
  const Unit add = ieee_add(format);
  const bool narrower = !(out == format) && !widens_exactly(format, out);
  const Conversion to_out{out, {}};
  for (const auto& [chain_name, chain] : chains(arithmetic.unit))
    for (const auto& [length, slices] : slice_lengths(k)) {
      const std::string name =
          fmt::format("{}split-K in {} slices of {}", chain_name, slices, length);
      const int rank = length % 64 == 0 ? 1 : length % 8 == 0 ? 3 : 6;
      found.add(arithmetic, name, schema(Slices{length, chain, fold(add)}), format, rank);
      if (slices > 2)
        found.add(arithmetic, name + " merged from the last",
                  schema(Slices{length, chain, schema(Reverse{fold(add)})}), format, rank + 2);
      if (!narrower) continue;
      found.add(arithmetic, name + ", partials rounded",
                schema(Slices{length, schema(RoundTo{chain, to_out}), fold(add)}), format,
                rank + 1);
      found.add(arithmetic, name + ", running total rounded",
                schema(Slices{length, chain, fold(rounded_after(add, to_out))}), out, rank + 1);
    }
}

/// K tiles that are no multiple of the unit's addends: every tile ends in a short step.
void add_odd_tiles(Collection& found, const StepArithmetic& arithmetic) {
  const auto addends = static_cast<std::uint64_t>(arithmetic.unit.addends);
  for (std::uint64_t tile = 8; tile < 128; tile += 8)
    if (tile % addends != 0)
      found.add(arithmetic, fmt::format("k tiles of {}", tile),
                schema(Slices{tile, fold(arithmetic.unit), nullptr}),
                arithmetic.unit.result_format(), 4);
}

void add_residues(Collection& found, const StepArithmetic& arithmetic, std::uint64_t k) {
  const Format format = arithmetic.unit.result_format();
  for (const std::uint64_t tile : residue_tiles) {
    const std::string name = fmt::format("residue tile of {} first", tile);
    if (const SchemaPtr whole = residue_first(arithmetic.unit, k, tile))
      found.add(arithmetic, name, whole, format);
    for (const auto& [length, slices] : slice_lengths(k)) {
      if (length % 4 != 0) continue;
      const SchemaPtr each = residue_first(arithmetic.unit, length, tile);
      const SchemaPtr last = residue_first(arithmetic.unit, k % length, tile);
      if (!each && !last) continue;
      found.add(arithmetic, fmt::format("split-K in {} slices of {}, {}", slices, length, name),
                schema(Slices{length, each ? each : fold(arithmetic.unit), fold(ieee_add(format)),
                              last ? last : fold(arithmetic.unit)}),
                format);
    }
  }
}

/// Kernels that cut k where the device has room (cuBLASLt's algorithms 39 and 43).
void add_segments(Collection& found, const StepArithmetic& arithmetic, std::uint64_t k) {
  constexpr std::uint64_t most_parts = 48;
  const Format format = arithmetic.unit.result_format();
  const Unit add = ieee_add(format);
  for (const std::uint64_t tile : segment_tiles) {
    if (k % tile != 0) continue;
    const std::uint64_t tiles = k / tile;
    for (std::uint64_t parts = 2; parts <= std::min(most_parts, tiles / 3); ++parts) {
      Cut cut;
      std::uint64_t end = 0;
      for (std::uint64_t part = 0; part + 1 < parts; ++part) {
        end += tiles / parts + (part >= parts - tiles % parts ? 1 : 0);
        cut.borders.push_back(end * tile);
      }
      cut.each = fold(arithmetic.unit);
      const std::string name = fmt::format("{} parts of whole k tiles of {}", parts, tile);
      cut.merge = schema(Reverse{schema(Pairs{add})});
      found.add(arithmetic, name + ", merged in pairs", schema(cut), format, 4);
      cut.merge = schema(Reverse{fold(add)});
      found.add(arithmetic, name + ", merged from the last", schema(cut), format, 5);
    }
  }
}

/// Threads and warps that share k.
void add_lanes(Collection& found, const StepArithmetic& arithmetic, std::uint64_t k) {
  const Unit& unit = arithmetic.unit;
  const Format format = unit.result_format();
  const Unit add = ieee_add(format);
  if (unit.kind != Unit::Kind::fma) {
    for (const std::uint64_t warps : warp_counts)
      for (const std::uint64_t block : warp_blocks)
        found.add(arithmetic, fmt::format("{} warps share k tiles of {}", warps, warps * block),
                  schema(Lanes{warps, block, fold(unit), fold(add)}), format);
    return;
  }
  for (std::uint64_t lanes = 2; lanes <= most_slices; ++lanes)
    found.add(arithmetic, fmt::format("k tiles of 8 dealt to {} slices", lanes),
              schema(Lanes{lanes, 8, fold(unit), fold(add)}), format);
  for (const std::uint64_t accumulators : lane_counts)
    found.add(arithmetic, fmt::format("{} accumulators", accumulators),
              schema(Lanes{accumulators, 1, fold(unit), fold(add)}), format);
  for (const auto& [parts, chunk] : {std::pair{2, 256}, {4, 128}})
    found.add(
        arithmetic, fmt::format("{} parts, chains of {}", parts, chunk),
        schema(Slices{ceil_div(k, static_cast<std::uint64_t>(parts)),
                      schema(Slices{static_cast<std::uint64_t>(chunk), fold(unit), fold(add)}),
                      fold(add)}),
        format);
  const SchemaPtr chunks = schema(Slices{16, fold(unit), fold(add)});
  found.add(arithmetic, "16 lanes, chunks of 256", schema(Lanes{16, 1, chunks, fold(add)}), format);
  for (std::uint64_t slices = 1; slices <= 32; ++slices)
    for (const std::uint64_t lanes : lane_counts)
      for (const std::uint64_t width : gemv_widths) {
        const std::uint64_t length = ceil_div(k, slices);
        const std::uint64_t vector = std::min(width, ceil_div(length, lanes));
        const SchemaPtr gemv = schema(Lanes{lanes, vector, fold(unit), schema(Halves{add})});
        found.add(arithmetic,
                  fmt::format("{} lanes read {} k each, {} slices", lanes, vector, slices),
                  slices == 1 ? gemv : schema(Slices{length, gemv, fold(add)}), format);
      }
}

}  // namespace

std::vector<Hypothesis> known_orders(const HypothesisRequest& request) {
  Collection found(request);
  const std::vector<StepArithmetic> all = arithmetics(request);
  for (const StepArithmetic& arithmetic : all)
    for (const auto& [name, chain] : chains(arithmetic.unit))
      found.add(arithmetic, name + "one piece", chain, arithmetic.unit.result_format(), 0);
  for (const StepArithmetic& arithmetic : all) {
    add_slices(found, arithmetic, request.k, request.out);
    add_lanes(found, arithmetic, request.k);
    if (arithmetic.unit.kind == Unit::Kind::fma) continue;
    add_odd_tiles(found, arithmetic);
    add_residues(found, arithmetic, request.k);
    add_segments(found, arithmetic, request.k);
  }
  return found.take();
}

std::vector<Hypothesis> orders_without_tail(const HypothesisRequest& request) {
  Collection found(request);
  std::set<std::uint64_t> ends;
  for (const std::uint64_t tile : tail_tiles) {
    if (request.k > tile) ends.insert(request.k - tile);
    if (request.k % tile != 0) ends.insert(request.k / tile * tile);
  }
  for (std::uint64_t lost = 1; lost < std::min<std::uint64_t>(8, request.k); ++lost)
    ends.insert(request.k - lost);
  ends.erase(0);
  for (const StepArithmetic& arithmetic : arithmetics(request)) {
    const Format format = arithmetic.unit.result_format();
    for (const std::uint64_t end : ends) {
      const std::string lost =
          fmt::format("the last {} of {} products lost, ", request.k - end, request.k);
      for (const auto& [name, chain] : chains(arithmetic.unit)) {
        found.add(arithmetic, lost + name + "one piece", schema(Take{0, end, chain}), format);
        for (const auto& [length, slices] : slice_lengths(request.k))
          if (length % 64 == 0)
            found.add(arithmetic,
                      fmt::format("{}{}split-K in {} slices of {}", lost, name, slices, length),
                      schema(Take{0, end, schema(Slices{length, chain, fold(ieee_add(format))})}),
                      format);
      }
    }
  }
  return found.take();
}

}  // namespace whybits
