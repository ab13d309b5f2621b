// The outputs of a recording as `explain` takes them.
#pragma once

#include <memory>

#include "lab/explain/explain.hpp"
#include "lab/recording.hpp"

namespace whybits {

/// Operands are kept here; `observed` borrows them.
struct RecordedOutputs {
  std::unique_ptr<CodeSource> a, b;
  Observed observed;
};

/// Errors: UsageError for a recording that is no plain matrix product or has no bits.
RecordedOutputs recorded_outputs(const Recording& recording);

}  // namespace whybits
