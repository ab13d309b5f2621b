// Where two topologies part on the same data.
//
// Nodes correspond when they cover the same leaves. The answer to "where does the difference come
// from?" is the largest corresponding nodes that are still equal, the step that follows each of
// them on either side, and the ledger entries that differ: they add up to A − B exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/trace.hpp"

namespace whybits {

enum class Mark : std::uint8_t {
  same_bits,   ///< a node of the other trace covers the same leaves and has the same value
  other_bits,  ///< … and another value
  no_counterpart
};

/// Corresponding nodes with the same bits that are part of no larger such node: differences further
/// down, if there were any, have healed.
struct Agreement {
  std::int64_t a;
  std::int64_t b;
  std::int64_t next_a;  ///< −1: a is the root
  std::int64_t next_b;
};

/// One entry of A − B = ledger A − ledger B (where both add the same addends).
struct LedgerDifference {
  std::int64_t a = -1;  ///< node of A, −1 if only B has it
  std::int64_t b = -1;
  Dyadic amount;  ///< discarded by a − discarded by b
};

struct Divergence {
  bool same_result = false;   ///< bits, in a common format
  bool same_addends = false;  ///< neither leaves out a leaf, c or an operand that the other adds
  std::vector<Mark> marks_a;  ///< one a node
  std::vector<Mark> marks_b;
  std::vector<std::int64_t> counterpart_a;  ///< node of B, −1 if none
  std::vector<std::int64_t> counterpart_b;
  std::vector<Agreement> agreements;     ///< largest first, then by first leaf
  std::vector<LedgerDifference> ledger;  ///< largest magnitude first, zeros left out
  bool ledger_valid = false;             ///< both traces are finite throughout
};

/// O(nodes log nodes).
Divergence diverge(const Trace& a, const Trace& b);

/// In one format the same code, NaN payloads included; in different formats the same number, sign
/// of zero included, or both NaN.
bool same_value(const Format& fa, Bits a, const Format& fb, Bits b);

}  // namespace whybits
