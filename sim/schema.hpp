// A topology as the notation writes it: a function of the number of addends.
//
// A schema is immutable shared data. expand() (expand.hpp) turns it into a tree for one n;
// notation.hpp reads and prints it; builders make it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/unit.hpp"

namespace whybits {

struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

/// Where a fold's accumulator begins.
enum class Start : std::uint8_t {
  automatic,  ///< add: the first addend; fma and matrix units: c where there is one, else +0
  first,      ///< the first addend is copied
  zero,       ///< +0
  c           ///< the operand c of the computation, or the accumulator that a chain hands on
};

/// Left fold in index order, L addends a step; a short last step is padded with zero products.
struct Fold {
  Unit unit;
  Start start = Start::automatic;
};
struct Pairs {  ///< neighbours first: distance 1, 2, 4, …; an odd one passes up
  Unit unit;
};
struct Halves {  ///< far first: distance …, 4, 2, 1 over n padded to a power of two
  Unit unit;
};
/// How pieces become one: by a topology over the pieces' results, or (null) by `chain`: the next
/// piece continues the accumulator of the previous one.
using Merge = SchemaPtr;

struct Slices {  ///< consecutive slices of `size`, the last one ragged
  std::uint64_t size;
  SchemaPtr each;
  Merge merge;
  /// Topology of a last slice that is shorter than `size`; null: `each`. Kernels often treat their
  /// last tile otherwise, and a residue-first K loop has another residue there.
  SchemaPtr ragged = nullptr;
};
struct Parts {  ///< `count` consecutive parts, the first n mod count one block of `by` longer
  std::uint64_t count;
  std::uint64_t by;
  SchemaPtr each;
  Merge merge;
};
struct Cut {  ///< explicit borders, ascending
  std::vector<std::uint64_t> borders;
  SchemaPtr each;
  Merge merge;
};
struct Lanes {  ///< blocks of `by` addends dealt round-robin; an empty lane keeps its place
  std::uint64_t count;
  std::uint64_t by;
  SchemaPtr each;
  Merge merge;
  /// What follows the last whole round of count · by addends is dealt in blocks of `rest`, to the
  /// same lanes again from the first on; 0: as the others. Vector loops end in scalar ones.
  std::uint64_t rest = 0;
};
struct Rotate {  ///< element `by` comes first
  std::uint64_t by;
  SchemaPtr inner;
};
struct Reverse {
  SchemaPtr inner;
};
struct Order {  ///< new[i] = x[permutation[i]]
  std::vector<std::uint64_t> permutation;
  SchemaPtr inner;
};
/// Nested lists of leaf indices; a list folds left.
struct Nested {
  std::uint64_t leaf = 0;     ///< if items is empty
  std::vector<Nested> items;  ///< two or more
  bool operator==(const Nested&) const = default;
};
struct Explicit {
  Unit unit;
  Nested root;
};
struct Any {  ///< order not defined: a set of results
  Unit unit;
};
struct Take {  ///< only addends begin ≤ i < end
  std::uint64_t begin;
  std::uint64_t end;
  SchemaPtr inner;
};
struct RoundTo {  ///< T > F
  SchemaPtr inner;
  Conversion conversion;
};
struct AddOperand {  ///< T + name: one add of a named operand in f32
  SchemaPtr inner;
  std::string operand;
};

struct Schema {
  std::variant<Fold, Pairs, Halves, Slices, Parts, Cut, Lanes, Rotate, Reverse, Order, Explicit,
               Any, Take, RoundTo, AddOperand>
      form;
};

template <class Form>
SchemaPtr schema(Form form) {
  return std::make_shared<const Schema>(Schema{std::move(form)});
}

/// Regions of an output tensor with a topology each: [begin, end) of the flattened index.
struct MapRegion {
  std::uint64_t begin;
  std::uint64_t end;
  SchemaPtr topology;
};
struct TopologyMap {
  std::vector<MapRegion> regions;  ///< ascending, disjoint

  /// The region that owns an element, or null.
  const MapRegion* find(std::uint64_t element) const&;
  const MapRegion* find(std::uint64_t) const&& = delete;  ///< it would point into what is gone
};

/// The format of a topology's result for every n: that of the last unit or rounding. nullopt if the
/// result is exact and still has to be rounded (`exact` without `> F`).
std::optional<Format> result_format(const Schema& schema);

}  // namespace whybits
