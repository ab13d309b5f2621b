// The rules by kernel family; rules.cpp has the table that names them.
#pragma once

#include "sim/ceil_div.hpp"
#include "sim/libraries/cublaslt/rules.hpp"

namespace whybits::cublaslt {

using Derived = std::variant<Topology, NoRule>;

Derived nvjet(const Problem& problem, TypeKind kind, const Algorithm& algorithm,
              const Place& place);
/// Slices of a k that is no multiple of nvjet's k tile: products can be lost.
bool nvjet_ragged(const Problem& problem, const Algorithm& algorithm);
/// Kernels of one wgmma chain.
Derived wgmma_unsplit(const Problem& problem, TypeKind kind, const Algorithm& algorithm,
                      const Place& place);
/// CUTLASS 2.x kernels on tensor cores.
Derived cutlass(const Problem& problem, TypeKind kind, const Algorithm& algorithm,
                const Place& place);
/// Kernels that cut K for some output tiles only (SPLITK_NUM −1).
Derived segmented(const Problem& problem, TypeKind kind, const Algorithm& algorithm,
                  const Place& place);

Derived ffma(const Problem& problem, TypeKind kind, const Algorithm& algorithm, const Place& place);
Derived simt(const Problem& problem, TypeKind kind, const Algorithm& algorithm, const Place& place);
Derived simt_in_place(const Problem& problem, TypeKind kind, const Algorithm& algorithm,
                      const Place& place);
Derived gemm_sn(const Problem& problem, TypeKind kind, const Algorithm& algorithm,
                const Place& place);
Derived gemv(const Problem& problem, TypeKind kind, const Algorithm& algorithm, const Place& place);

/// CUBLASLT_REDUCTION_SCHEME_*.
inline constexpr std::uint32_t in_place = 1, compute_type = 2, output_type = 4;

/// Splits that a field states: nullopt for 0 and for "decided by the kernel".
std::optional<std::uint64_t> stated_splits(const Algorithm& algorithm);

/// The unit of a device table's row. Precondition: the name is in the table.
Unit device_unit(std::string_view name);
SchemaPtr fold_of(const Unit& unit);
/// The accumulator as the problem's output: the bias is added in f32, then one rounding.
SchemaPtr finished(SchemaPtr accumulator, const Problem& problem);

}  // namespace whybits::cublaslt
