// How far from exact a reduction was, from its ledger: result − exact is the sum of the ledger, so
// |result − exact| ≤ Σ|discarded|. How far it can be, before it runs: error_bound.hpp.
#pragma once

#include "sim/trace.hpp"

namespace whybits::exact {

/// Exact totals of a ledger. Precondition: the trace is finite.
struct LedgerTotals {
  Dyadic net;                     ///< Σ discarded = result − exact
  Dyadic magnitude;               ///< Σ |discarded|: the a-posteriori bound
  std::uint64_t inexact = 0;      ///< entries that are not 0
  std::uint64_t toward_zero = 0;  ///< entries whose sign is opposite to the node's value
};
LedgerTotals ledger_totals(const Trace& trace);

}  // namespace whybits::exact
