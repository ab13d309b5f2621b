#include "lab/reveal/pair_mask.hpp"

#include <algorithm>
#include <bit>

#include "sim/arith.hpp"
#include "sim/builders/configuration_error.hpp"
#include "sim/dyadic.hpp"

namespace whybits {
namespace {

Bits power_of_two(const Format& format, int exponent) {
  const auto wide = static_cast<Bits>(exponent + formats::f64.bias()) << formats::f64.fraction_bits;
  return convert(formats::f64, format, wide);
}

/// Sets of addends that are below one child of the node that joins all of `set`: those that meet
/// earlier than at that node.
std::vector<std::vector<std::uint64_t>> children(const PairLeaves& leaves,
                                                 const std::vector<std::uint64_t>& set) {
  std::vector<std::vector<std::uint64_t>> groups;
  for (const std::uint64_t i : set) {
    const auto group = std::ranges::find_if(
        groups, [&](const auto& known) { return leaves[known[0]][i] < set.size(); });
    if (group == groups.end())
      groups.push_back({i});
    else
      group->push_back(i);
  }
  return groups;
}

/// Every pair of different groups meets at the joint node, every pair of one group before.
bool consistent(const PairLeaves& leaves, const std::vector<std::vector<std::uint64_t>>& groups,
                std::size_t size) {
  for (const auto& a : groups)
    for (const auto& b : groups)
      for (const std::uint64_t i : a)
        for (const std::uint64_t j : b) {
          if (i == j) continue;
          const bool joint = leaves[i][j] == size;
          const bool inside = leaves[i][j] < size && leaves[i][j] >= 2;
          if (&a == &b ? !inside : !joint) return false;
        }
  return true;
}

/// Recursion as deep as the tree, at most n.
std::optional<Nested> tree_of(const PairLeaves& leaves, const std::vector<std::uint64_t>& set) {
  if (set.size() == 1) return Nested{set[0], {}};
  auto groups = children(leaves, set);
  if (groups.size() < 2 || !consistent(leaves, groups, set.size())) return std::nullopt;
  std::ranges::stable_sort(groups, std::greater{}, [](const auto& group) { return group.size(); });
  Nested list;
  for (const auto& group : groups) {
    std::optional<Nested> child = tree_of(leaves, group);
    if (!child) return std::nullopt;
    const bool continues = list.items.empty() && !child->items.empty() && groups.size() == 2;
    if (continues)
      list.items = std::move(child->items);  // a list that is continued from the left
    else
      list.items.push_back(std::move(*child));
  }
  return list;
}

}  // namespace

MaskValues mask_values(const Format& format, std::uint64_t n, bool wide_accumulator) {
  // Exponents of mask and unit: apart by more than the significand of what accumulates.
  const int precision = wide_accumulator ? formats::f32.precision() : format.precision();
  int mask = std::min(format.max_exponent(), 100);
  if (format == formats::f64) mask = 200;
  int unit = wide_accumulator ? format.quantum_exponent() : mask - precision - 3;
  if (format.max_exponent() > 60) unit = 0;
  const int counted = std::min(format.precision(), mask - unit);
  if (mask - unit <= precision || n >= (std::uint64_t{1} << std::min(counted, 62)))
    throw ConfigurationError("ranks", n,
                             "too many to be counted in " + format_name(format) + " by masks");
  const Bits large = power_of_two(format, mask);
  const Bits small = unit >= format.min_exponent() ? power_of_two(format, unit)
                                                   : Bits{1} << (unit - format.quantum_exponent());
  return {large, large | format.sign_mask(), small, format};
}

std::optional<Nested> decode_pairs(const PairLeaves& leaves) {
  std::vector<std::uint64_t> all(leaves.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  if (all.empty()) return std::nullopt;
  return tree_of(leaves, all);
}

std::vector<PairLeaves> probe_pairs(
    const MaskValues& values, std::uint64_t n, std::uint64_t elements,
    const std::function<std::vector<Bits>(const std::vector<std::vector<Bits>>&)>& box) {
  std::vector<PairLeaves> found(elements, PairLeaves(n, std::vector<std::uint64_t>(n, 0)));
  // The codes of 0, 1, … n units, in the format: what the box can return.
  std::vector<Bits> counts{0};
  for (std::uint64_t k = 1; k <= n; ++k)
    counts.push_back(add(values.format, counts.back(), values.unit));
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t j = i + 1; j < n; ++j) {
      std::vector<std::vector<Bits>> inputs(n, std::vector<Bits>(elements, values.unit));
      inputs[i].assign(elements, values.mask);
      inputs[j].assign(elements, values.minus_mask);
      const std::vector<Bits> results = box(inputs);
      for (std::uint64_t e = 0; e < elements; ++e) {
        const auto units = std::ranges::find(counts, results[e]);
        const std::uint64_t after =
            units == counts.end() ? n : static_cast<std::uint64_t>(units - counts.begin());
        found[e][i][j] = found[e][j][i] = n - after;
      }
    }
  return found;
}

}  // namespace whybits
