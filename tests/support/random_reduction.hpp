// Random reductions: a topology with operands that it can run on. For ledgers and divergence, where
// every unit, rounding and kind of data counts, also those that naive_value does not know.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/support/naive_topology.hpp"
#include "tests/support/property.hpp"
#include "tests/support/random_leaves.hpp"

namespace whybits::test {

/// What the leaves are and which units may add them.
enum class Family {
  values,   ///< IEEE adds in f64 … e5m2, all roundings
  fma,      ///< f32.fma and f64.fma, all roundings
  table,    ///< units of the device table, composite ones included
  aligned,  ///< aligned(…) with any parameters
  rounded   ///< products rounded to f32 first
};
inline constexpr std::array all_families = {Family::values, Family::fma, Family::table,
                                            Family::aligned, Family::rounded};
std::string family_name(Family family);

/// Operands of one reduction. Data are uniform, wide, subnormal, cancelling or with NaN and
/// infinities; some have a c.
struct RandomOperands {
  NaiveLeaves leaves;
  std::vector<Unit> product_units;  ///< empty: leaves are values
};
RandomOperands random_operands(Random& random, Family family);

/// A topology for these operands; may have no place for their c.
SchemaPtr random_topology(Random& random, const RandomOperands& operands, Family family);

/// Does the topology take these operands? (One without a place for c does not.)
bool takes(const Schema& schema, const NaiveLeaves& leaves);

}  // namespace whybits::test
