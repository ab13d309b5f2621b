// Every step of one reduction, with what it discarded: the ledger.
//
// A node is one unit step or one written rounding. Its ledger entry is result − exact, where exact
// is the exact sum of what the step was given (products of the operands as they were, so that a
// tf32 unit's cut counts). For finite values without overflow, the entries of a reduction add up to
// its result − the exact sum of its leaves: an identity in exact numbers.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "sim/dyadic.hpp"
#include "sim/walk.hpp"

namespace whybits {

/// A set of leaves as a sum of mixed leaf numbers modulo 2^128: equal sets, equal keys, in any
/// order of addition. (Different sets collide with probability 2^-128.)
struct LeafSet {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t count = 0;  ///< leaves; c and named operands count in the key only
  std::int64_t first = -1;
  std::int64_t last = -1;

  void insert(Origin origin);
  void insert(const LeafSet& other);
  bool empty() const { return low == 0 && high == 0; }
  bool same_leaves(const LeafSet& other) const {
    return low == other.low && high == other.high && count == other.count;
  }
};

struct TraceNode {
  const Unit* unit = nullptr;  ///< null: a written rounding or an added operand
  Conversion conversion;       ///< of a written rounding
  bool is_rounding = false;
  Origin accumulator = origin_none;
  std::vector<Origin> inputs;  ///< leaves (their products, or values) and earlier nodes
  Format format;
  Bits code = 0;
  bool finite = true;        ///< result and inputs; else discarded is 0 and means nothing
  Dyadic discarded;          ///< result − exact sum of accumulator and inputs
  LeafSet leaves;            ///< everything below
  std::int64_t parent = -1;  ///< the step that uses it, −1 for the root
};

struct Trace {
  Tree tree;                     ///< keeps the units alive to which the nodes point
  std::vector<TraceNode> nodes;  ///< in the order of evaluation: inputs before their step
  Format format;                 ///< of the result
  Bits result = 0;
  LeafSet leaves;      ///< everything that takes part
  bool finite = true;  ///< every node is

  /// Precondition: 0 ≤ step < nodes.size().
  const TraceNode& node(std::int64_t step) const { return nodes[static_cast<std::size_t>(step)]; }

  /// Sum of all ledger entries. Precondition: finite.
  Dyadic ledger() const;
};

/// Bytes that a trace of this tree would need, about.
std::uint64_t trace_bytes(const Tree& tree);

/// The same bits as evaluate(). O(steps) time and memory.
Trace trace(const Reduction& reduction, const Leaves& leaves);

}  // namespace whybits
