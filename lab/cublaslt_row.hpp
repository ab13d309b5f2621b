// Row 0 of a cuBLASLt product under predicted topologies. A row's bits do not depend on the batch
// but by the topology, so one row serves every batch size.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/explain/predicted.hpp"
#include "sim/libraries/cublaslt/rules.hpp"

namespace whybits {

/// Each topology is computed once.
class RowPredictions {
 public:
  /// `operands`: of one row. Borrowed.
  RowPredictions(const GemmOperands& operands, const Format& out);

  /// Storage words. Of a map, what its regions say for row 0.
  const std::vector<std::uint8_t>& words(const cublaslt::Prediction& prediction);

 private:
  std::vector<Bits> codes(const cublaslt::Prediction& prediction) const;
  std::vector<Bits> row(const SchemaPtr& topology, const cublaslt::Prediction& prediction) const;

  Observed observed_;
  std::map<std::pair<std::string, bool>, std::vector<std::uint8_t>> known_;
};

}  // namespace whybits
