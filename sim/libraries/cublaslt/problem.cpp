#include "sim/libraries/cublaslt/problem.hpp"

#include <algorithm>

namespace whybits::cublaslt {
namespace {

struct KindRow {
  TypeKind kind;
  Format operands, out;
  Compute compute;
  bool fast_accumulation;
};

constexpr std::array<KindRow, type_kinds> kinds{{
    {TypeKind::bf16, formats::bf16, formats::bf16, Compute::f32, false},
    {TypeKind::bf16_to_f32, formats::bf16, formats::f32, Compute::f32, false},
    {TypeKind::f16, formats::f16, formats::f16, Compute::f32, false},
    {TypeKind::f16_to_f32, formats::f16, formats::f32, Compute::f32, false},
    {TypeKind::f16_compute, formats::f16, formats::f16, Compute::f16, false},
    {TypeKind::f32, formats::f32, formats::f32, Compute::f32, false},
    {TypeKind::tf32, formats::f32, formats::f32, Compute::tf32, false},
    {TypeKind::e4m3, formats::e4m3, formats::bf16, Compute::f32, false},
    {TypeKind::e4m3_fast, formats::e4m3, formats::bf16, Compute::f32, true},
}};

}  // namespace

std::string_view name_of(TypeKind kind) {
  return type_kind_names[static_cast<std::size_t>(kind)];
}

std::optional<TypeKind> find_type_kind(std::string_view name) {
  const auto found = std::ranges::find(type_kind_names, name);
  if (found == type_kind_names.end()) return std::nullopt;
  return static_cast<TypeKind>(found - type_kind_names.begin());
}

std::optional<TypeKind> type_kind(const Problem& problem) {
  const auto found = std::ranges::find_if(kinds, [&](const KindRow& row) {
    return row.operands == problem.a && row.operands == problem.b && row.out == problem.out &&
           row.compute == problem.compute && row.fast_accumulation == problem.fast_accumulation;
  });
  if (found == kinds.end()) return std::nullopt;
  return found->kind;
}

Problem problem_of(TypeKind kind, const GemmShape& shape, StorageB storage_b) {
  const KindRow& row = kinds[static_cast<std::size_t>(kind)];
  return {.shape = shape,
          .a = row.operands,
          .b = row.operands,
          .out = row.out,
          .compute = row.compute,
          .storage_b = storage_b,
          .fast_accumulation = row.fast_accumulation};
}

std::string text_of(const Algorithm& algorithm) {
  std::string text;
  for (const FieldName& field : algorithm_fields) {
    const std::uint32_t value = algorithm.*field.field;
    if (!text.empty()) text += ", ";
    text +=
        std::string(field.name) + ' ' +
        (field.field == &Algorithm::split_k && value == decided_by_kernel ? "-1"
                                                                          : std::to_string(value));
  }
  return text;
}

}  // namespace whybits::cublaslt
