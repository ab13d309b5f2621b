#include "exact/ledger_totals.hpp"

namespace whybits::exact {

LedgerTotals ledger_totals(const Trace& trace) {
  LedgerTotals totals;
  for (const TraceNode& node : trace.nodes) {
    if (node.discarded.is_zero()) continue;
    ++totals.inexact;
    totals.net += node.discarded;
    totals.magnitude += node.discarded.abs();
    const Dyadic exact = Dyadic::from_code(node.format, node.code) - node.discarded;
    if (exact.sign() != 0 && exact.sign() != node.discarded.sign()) ++totals.toward_zero;
  }
  return totals;
}

}  // namespace whybits::exact
