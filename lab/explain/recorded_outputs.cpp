#include "lab/explain/recorded_outputs.hpp"

#include "lab/usage_error.hpp"

namespace whybits {

RecordedOutputs recorded_outputs(const Recording& recording) {
  if (recording.computation != RecordedComputation::gemm)
    throw UsageError(recording.name + ": is no gemm", "explain takes matrix products");
  if (recording.types.c || recording.types.product)
    throw UsageError(recording.name + ": has an operand c or rounded products",
                     "explain takes plain products; compare with `whybits gemm`");
  const auto codes = recording.output_codes();
  if (!codes)
    throw UsageError(recording.name + ": has a hash of its output, not the bits",
                     "record it again with the bits");
  RecordedOutputs given;
  given.a = recording.open("a");
  given.b = recording.open("b");
  const RecordedShape& s = recording.shape;
  given.observed.operands.shape = {s.m, s.n, s.k};
  given.observed.operands.a = given.a.get();
  given.observed.operands.b = given.b.get();
  given.observed.chosen = ChosenOutputs::all({1, s.n, 0});
  given.observed.chosen.rows = recording.output_rows();
  given.observed.out = codes->format();
  given.observed.codes = read_all(*codes);
  return given;
}

}  // namespace whybits
