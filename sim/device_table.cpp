#include "sim/device_table.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sim/expand.hpp"

namespace whybits {
namespace {

using formats::f16;
using formats::f32;
using formats::f64;

// The conversion at the end of a step: ρ of T(L, F, ρ, e0). RZ14 keeps 1 + 13 significand bits and
// lives in an f32 register.
constexpr Format rz14{8, 13, Specials::ieee};

constexpr AlignedSum rz32(int l, int f, int e0) {
  return {l, f, e0, f32, Rounding::zero};
}
constexpr AlignedSum rz14_sum(int l, int f, int e0) {
  return {l, f, e0, rz14, Rounding::zero};
}
constexpr AlignedSum rn16(int l, int f, int e0) {
  return {l, f, e0, f16, Rounding::nearest_even};
}

using Names = std::vector<std::string_view>;
const Names half{"f16"};
const Names halves{"f16", "bf16"};
const Names tf32{"tf32"};
const Names fp8{"e4m3", "e5m2"};
const Names fp8_6_4{"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"};
const Names fp4{"e2m1"};
const Names doubles{"f64"};

constexpr BlockScale mx{formats::e8m0, 32};
constexpr BlockScale nvfp4{formats::e4m3, 16};
/// 64 products in four groups of 16, each summed exactly under one pair of scales.
constexpr AlignedSum grouped{64, 35, -139, f32, Rounding::zero, 16};

constexpr auto measured = Evidence::measured;
constexpr auto literature = Evidence::literature;
constexpr std::string_view mma_sim = "MMA-Sim";
constexpr std::string_view vectors = "MATLAB-tensor-core vectors, 5000 of 5000; MMA-Sim";
constexpr std::string_view probed =
    "this project's H200 probe and recordings (docs/measured-h200.md)";
constexpr std::string_view sass = "machine code of sm_90; MATLAB-tensor-core vectors of B200";

// Exponent floors of f16 accumulators: MATLAB-tensor-core's; MMA-Sim's are one lower. The H200
// agrees with the former, so that other architectures have them too; tcgen05 has MMA-Sim's alone.
std::vector<DeviceRow> make_table() {
  using enum StepModel;
  return {
      // Volta: four products a step.
      {"sm70", "mma", half, false, f32, {4}, aligned, rz32(4, 23, -131), literature, vectors},
      {"sm70", "mma", half, false, f16, {4}, aligned, rn16(4, 23, -19), literature, vectors},
      // Turing, Ampere, Ada: eight products a step, whatever the instruction's k.
      {"sm75", "mma", half, false, f32, {8}, aligned, rz32(8, 24, -132), literature, mma_sim},
      {"sm75", "mma", half, false, f16, {8}, aligned, rn16(8, 24, -20), literature, mma_sim},
      {"sm80", "mma", halves, false, f32, {8, 16}, aligned, rz32(8, 24, -132), literature, vectors},
      {"sm80", "mma", tf32, false, f32, {4, 8}, aligned, rz32(4, 24, -132), literature, vectors},
      {"sm80", "mma", half, false, f16, {8, 16}, aligned, rn16(8, 24, -20), literature, vectors},
      {"sm80", "mma", doubles, false, f64, {4}, fma_chain, {}, literature, mma_sim},
      {"sm86", "mma", halves, false, f32, {8, 16}, aligned, rz32(8, 24, -132), literature, vectors},
      {"sm86", "mma", tf32, false, f32, {4, 8}, aligned, rz32(4, 24, -132), literature, vectors},
      {"sm86", "mma", half, false, f16, {8, 16}, aligned, rn16(8, 24, -20), literature, vectors},
      {"sm86", "mma", doubles, false, f64, {4}, fma_chain, {}, literature, mma_sim},
      {"sm89", "mma", halves, false, f32, {8, 16}, aligned, rz32(8, 24, -132), literature, vectors},
      {"sm89", "mma", tf32, false, f32, {4, 8}, aligned, rz32(4, 24, -132), literature, vectors},
      {"sm89", "mma", half, false, f16, {8, 16}, aligned, rn16(8, 24, -20), literature, vectors},
      {"sm89",
       "mma",
       fp8,
       true,
       f32,
       {16, 32},
       aligned,
       rz14_sum(16, 13, -132),
       literature,
       vectors},
      {"sm89", "mma", fp8, true, f16, {16, 32}, aligned, rn16(16, 13, -20), literature, vectors},
      {"sm89", "mma", doubles, false, f64, {4}, fma_chain, {}, literature, mma_sim},
      // Hopper: a whole instruction is one step.
      {"sm90", "mma", halves, false, f32, {8, 16}, aligned, rz32(16, 25, -133), measured, probed},
      {"sm90", "mma", tf32, false, f32, {4, 8}, aligned, rz32(8, 25, -133), measured, probed},
      {"sm90", "mma", half, false, f16, {8, 16}, aligned, rn16(16, 25, -21), measured, probed},
      {"sm90", "mma", fp8, true, f32, {16, 32}, fp8_by_f16, rz32(16, 25, -133), measured, probed},
      {"sm90", "mma", fp8, true, f16, {16, 32}, fp8_by_f16, rn16(16, 25, -21), measured, probed},
      {"sm90", "mma", doubles, false, f64, {4, 8, 16}, fma_chain, {}, measured, probed},
      {"sm90", "wgmma", halves, false, f32, {16}, aligned, rz32(16, 25, -133), measured, probed},
      {"sm90", "wgmma", tf32, false, f32, {8}, aligned, rz32(8, 25, -133), measured, probed},
      {"sm90", "wgmma", half, false, f16, {16}, aligned, rn16(16, 25, -21), measured, probed},
      {"sm90", "wgmma", fp8, true, f32, {32}, aligned, rz14_sum(32, 13, -133), measured, probed},
      {"sm90", "wgmma", fp8, true, f16, {32}, aligned, rn16(32, 13, -21), measured, probed},
      // Blackwell.
      {"sm100",
       "mma",
       halves,
       false,
       f32,
       {8, 16},
       aligned,
       rz32(16, 25, -133),
       literature,
       vectors},
      {"sm100", "mma", tf32, false, f32, {4, 8}, aligned, rz32(8, 25, -133), literature, vectors},
      {"sm100", "mma", half, false, f16, {8, 16}, aligned, rn16(16, 25, -21), literature, vectors},
      {"sm100", "mma", fp8, true, f32, {16, 32}, fp8_by_f16, rz32(16, 25, -133), literature, sass},
      {"sm100",
       "mma",
       fp8,
       true,
       f16,
       {16, 32},
       fp8_by_f16,
       rn16(16, 25, -21),
       literature,
       vectors},
      {"sm100", "mma", doubles, false, f64, {4, 8, 16}, fma_chain, {}, literature, mma_sim},
      {"sm100",
       "tcgen05",
       halves,
       false,
       f32,
       {16},
       aligned,
       rz32(16, 25, -133),
       literature,
       mma_sim},
      {"sm100", "tcgen05", tf32, false, f32, {8}, aligned, rz32(8, 25, -133), literature, mma_sim},
      {"sm100",
       "tcgen05",
       half,
       false,
       f16,
       {16},
       aligned,
       rn16(16, 25, -133),
       literature,
       mma_sim},
      {"sm100",
       "tcgen05",
       fp8_6_4,
       true,
       f32,
       {32},
       aligned,
       rz32(32, 25, -133),
       literature,
       mma_sim},
      {"sm100",
       "tcgen05",
       fp8_6_4,
       true,
       f16,
       {32},
       aligned,
       rn16(32, 25, -133),
       literature,
       mma_sim},
      // The same with a scale for each block of operands.
      {"sm100",
       "tcgen05.mxf8f6f4",
       fp8_6_4,
       true,
       f32,
       {32},
       aligned,
       rz32(32, 25, -133),
       literature,
       mma_sim,
       mx},
      {"sm100", "tcgen05.mxf4", fp4, false, f32, {64}, aligned, grouped, literature, mma_sim, mx},
      {"sm100",
       "tcgen05.mxf4nvf4",
       fp4,
       false,
       f32,
       {64},
       aligned,
       grouped,
       literature,
       mma_sim,
       nvfp4},
      // RTX Blackwell: fp8 and narrower have a native unit.
      {"sm120",
       "mma",
       halves,
       false,
       f32,
       {8, 16},
       aligned,
       rz32(16, 25, -133),
       literature,
       mma_sim},
      {"sm120", "mma", tf32, false, f32, {4, 8}, aligned, rz32(8, 25, -133), literature, mma_sim},
      {"sm120", "mma", half, false, f16, {8, 16}, aligned, rn16(16, 25, -21), literature, mma_sim},
      {"sm120", "mma", fp8_6_4, true, f32, {32}, aligned, rz32(32, 25, -133), literature, mma_sim},
      {"sm120", "mma", fp8_6_4, true, f16, {32}, aligned, rn16(32, 25, -21), literature, mma_sim},
      {"sm120", "mma", doubles, false, f64, {4, 8, 16}, fma_chain, {}, literature, mma_sim},
  };
}

const std::vector<DeviceRow>& table() {
  static const std::vector<DeviceRow> rows = make_table();
  return rows;
}

std::string accumulator_suffix(const DeviceRow& row) {
  return row.accumulator == f16 ? ".acc16" : "";
}

std::string unit_text(const DeviceRow& row, std::string_view a, std::string_view b, int k) {
  std::string name =
      std::string(row.architecture) + "." + std::string(row.instruction) + "." + std::string(a);
  if (a != b) name += "x" + std::string(b);
  if (k != row.k.back()) name += ".k" + std::to_string(k);
  return name + accumulator_suffix(row);
}

/// Products with k mod 4 in {0, 1}, then those with {2, 3}, in f16 steps from 0; then c.
Unit composite(const DeviceRow& row, int k) {
  AlignedSum sum = row.sum;
  sum.addends = std::min(sum.addends, k / 2);
  const Unit step = aligned_unit(sum, f16, f16);
  const Unit last = ieee_add(row.accumulator);
  const SchemaPtr halves_of_k = schema(Lanes{2, 2, schema(Fold{step, Start::zero}), nullptr});
  const SchemaPtr whole =
      schema(Slices{static_cast<std::uint64_t>(k), halves_of_k, schema(Fold{last, Start::c})});
  Unit unit;
  unit.kind = Unit::Kind::composite;
  unit.format = row.accumulator;
  unit.addends = k;
  unit.inner =
      std::make_shared<const Tree>(expand(*whole, static_cast<std::uint64_t>(k), {.has_c = true}));
  return unit;
}

Unit make_unit(const DeviceRow& row, std::string_view a, std::string_view b, int k) {
  const Format fa = *parse_format(a);
  const Format fb = *parse_format(b);
  Unit unit;
  switch (row.model) {
    case StepModel::fma_chain:
      unit = ieee_fma(row.accumulator, {.nan = NanRule::operand});
      break;
    case StepModel::fp8_by_f16:
      unit = composite(row, k);
      break;
    case StepModel::aligned: {
      AlignedSum sum = row.sum;
      sum.addends = std::min(sum.addends, k);
      unit = aligned_unit(sum);
      break;
    }
  }
  // An fma reads its operands in its own format.
  if (row.model != StepModel::fma_chain) {
    unit.operand_a = fa;
    unit.operand_b = fb;
    unit.scale = row.scale;
  }
  unit.name = unit_text(row, a, b, k);
  return unit;
}

struct Entry {
  const DeviceRow* row;
  Unit unit;
};

/// Calls visit(row, a, b, k) for each unit of the table.
template <class Visit>
void for_each_unit(Visit visit) {
  for (const DeviceRow& row : table())
    for (const std::string_view a : row.operands)
      for (const std::string_view b : row.operands) {
        if (a != b && !row.mixed) continue;
        for (const int k : row.k) visit(row, a, b, k);
      }
}

/// Every unit by its name; the default k may also be written out.
const std::unordered_map<std::string, Entry>& units() {
  static const auto all = [] {
    std::unordered_map<std::string, Entry> map;
    for_each_unit([&](const DeviceRow& row, std::string_view a, std::string_view b, int k) {
      const Entry entry{&row, make_unit(row, a, b, k)};
      map.emplace(entry.unit.name, entry);
      map.emplace(std::string(row.architecture) + "." + std::string(row.instruction) + "." +
                      std::string(a) + (a != b ? "x" + std::string(b) : "") + ".k" +
                      std::to_string(k) + accumulator_suffix(row),
                  entry);
    });
    return map;
  }();
  return all;
}

const Entry* find(std::string_view name) {
  const auto found = units().find(std::string(name));
  return found == units().end() ? nullptr : &found->second;
}

}  // namespace

std::span<const DeviceRow> device_table() {
  return table();
}

std::optional<Unit> find_device_unit(std::string_view name) {
  if (const Entry* entry = find(name)) return entry->unit;
  for (const Rounding rounding : {Rounding::zero, Rounding::up, Rounding::down}) {
    const std::string_view suffix = rounding_suffix(rounding);
    if (!name.ends_with(suffix)) continue;
    const Entry* entry = find(name.substr(0, name.size() - suffix.size()));
    if (!entry || entry->row->model != StepModel::fma_chain) continue;
    Unit unit = entry->unit;
    unit.rule.rounding = rounding;
    unit.name += suffix;
    return unit;
  }
  return std::nullopt;
}

const DeviceRow* find_device_row(std::string_view name) {
  const Entry* entry = find(name);
  return entry ? entry->row : nullptr;
}

std::vector<std::string> device_unit_names() {
  std::vector<std::string> names;
  for_each_unit([&](const DeviceRow& row, std::string_view a, std::string_view b, int k) {
    names.push_back(unit_text(row, a, b, k));
  });
  return names;
}

}  // namespace whybits
