// The maximum of every row. A NaN loses to any number and +0 is above −0, so that no order changes
// a maximum: lanes run over a row instead of over outputs, and nothing is turned.
#pragma once

#include <optional>
#include <stop_token>

#include "sim/fast/code_matrix.hpp"
#include "sim/fast/element_step.hpp"

namespace whybits::fast {

/// Whether a fold of x, length × outputs, is maxima of rows that lie side by side and fill lanes.
bool are_row_maxima(const ElementStep& step, const CodeMatrix& x);

/// As run_fold(). Precondition: are_row_maxima(step, x).
CodeMatrix row_maxima(const ElementStep& step, const CodeMatrix& x, const CodeMatrix* start,
                      unsigned threads, const std::stop_token& stop);

}  // namespace whybits::fast
