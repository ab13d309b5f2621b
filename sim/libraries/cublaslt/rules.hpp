// From cuBLASLt's reported fields to the topology of its outputs.
//
// Each rule is a row with the library version, the compute capability and what was measured; what
// no row covers is answered by "no rule" and why. Nothing is guessed: a number that measurements
// leave open gives no topology either. docs/cublaslt.md explains the rules.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/libraries/cublaslt/problem.hpp"
#include "sim/schema.hpp"

namespace whybits::cublaslt {

/// One topology for every output, or a map where the output tile decides.
using Topology = std::variant<SchemaPtr, TopologyMap>;

struct NoRule {
  std::string why;
};

/// Where it ran. Rules hold for this version and capability and for nothing else.
struct Place {
  std::string library_version = "13.1.0";
  std::string capability = "9.0";
  /// How many clusters of 1, 2, … thread blocks, one a multiprocessor, fit on the GPU at once
  /// (cudaOccupancyMaxActiveClusters): a property of the very GPU. Empty: those of the H200 that
  /// was measured.
  std::vector<std::uint32_t> clusters;
};

/// Where a rule was measured: one line of evidence.
struct RuleRow {
  std::uint32_t id;       ///< ALGO_ID
  std::string_view name;  ///< "nvjet"
  std::vector<TypeKind> types;
  std::string_view library_version;
  std::string_view capability;
  std::string_view evidence;
  /// What it answers for fields that it covers.
  std::variant<Topology, NoRule> (*derive)(const Problem&, TypeKind, const Algorithm&,
                                           const Place&);
  bool computes_f32 = false;  ///< TF32 problems too: operands are not rounded
  /// Null: for all of these types.
  bool (*applies)(const Problem&, const Algorithm&) = nullptr;
};

struct Prediction {
  Topology topology;
  /// Operands are rounded so before they are multiplied (TF32: to nearest even).
  std::optional<Conversion> operands;
  const RuleRow* rule;
};
using Outcome = std::variant<Prediction, NoRule>;

/// Errors: none; a choice that no rule covers is an answer.
Outcome predict(const Problem& problem, const Algorithm& algorithm, const Place& place = {});

/// Fields that stay equal can mean another topology at another m: kernels that cut K so that the
/// GPU is full. Then the number of rows of C that one row of tiles takes; else 0.
std::uint64_t batches_alike(const Problem& problem, const Algorithm& algorithm);

/// As the notation writes it.
std::string text_of(const Topology& topology);

}  // namespace whybits::cublaslt
