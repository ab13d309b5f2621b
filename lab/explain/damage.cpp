#include "lab/explain/damage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "exact/measure.hpp"
#include "lab/explain/explain.hpp"
#include "lab/explain/lost_products.hpp"
#include "lab/explain/sort_stably.hpp"

namespace whybits {
namespace {

/// One output that is not as predicted.
struct Wrong {
  std::size_t index;
  Bits seen, expected;
};

using Groups = std::map<std::pair<DamageKind, std::string>, std::vector<std::size_t>>;

/// Outputs that another place's prediction explains, by the distance to that place.
class Moves {
 public:
  Moves(const Observed& observed, const std::vector<Bits>& predicted)
      : predicted_(predicted), columns_(observed.chosen.columns.size()) {
    for (std::size_t i = 0; i < predicted.size(); ++i) places_.emplace(predicted[i], i);
  }

  /// Takes out of `rest` what lies where something else belongs.
  void take(std::vector<Wrong>& rest, Groups& groups) const {
    constexpr std::size_t fewest = 4, tries = 64;
    for (std::size_t first = 0; first < std::min(rest.size(), tries);) {
      const auto [offset, count] = best_offset(rest, rest[first]);
      // Equal codes come by chance, too: one of them proves nothing.
      if (count < fewest || count * 8 < rest.size()) {
        ++first;
        continue;
      }
      auto& outputs = groups[{DamageKind::moved, text(offset)}];
      std::erase_if(rest, [&](const Wrong& w) {
        if (!explains(offset, w)) return false;
        outputs.push_back(w.index);
        return true;
      });
    }
  }

 private:
  struct Offset {
    std::ptrdiff_t rows = 0, columns = 0;
    bool operator==(const Offset&) const = default;
  };

  std::ptrdiff_t row(std::size_t index) const {
    return static_cast<std::ptrdiff_t>(index / columns_);
  }
  std::ptrdiff_t column(std::size_t index) const {
    return static_cast<std::ptrdiff_t>(index % columns_);
  }

  bool explains(const Offset& offset, const Wrong& wrong) const {
    const std::ptrdiff_t i = row(wrong.index) + offset.rows;
    const std::ptrdiff_t j = column(wrong.index) + offset.columns;
    const auto width = static_cast<std::ptrdiff_t>(columns_);
    if (i < 0 || j < 0 || j >= width) return false;
    const auto from = static_cast<std::size_t>(i * width + j);
    return from < predicted_.size() && predicted_[from] == wrong.seen;
  }

  std::pair<Offset, std::size_t> best_offset(const std::vector<Wrong>& rest,
                                             const Wrong& wrong) const {
    constexpr int most_places = 256;
    std::pair<Offset, std::size_t> best{{}, 0};
    const auto [begin, end] = places_.equal_range(wrong.seen);
    int looked = 0;
    for (auto place = begin; place != end && looked < most_places; ++place, ++looked) {
      const Offset offset{row(place->second) - row(wrong.index),
                          column(place->second) - column(wrong.index)};
      const auto count = static_cast<std::size_t>(
          std::ranges::count_if(rest, [&](const Wrong& other) { return explains(offset, other); }));
      if (count > best.second) best = {offset, count};
    }
    return best;
  }

  std::string text(const Offset& offset) const {
    return fmt::format("hold what belongs {} rows and {} columns on", offset.rows, offset.columns);
  }

  const std::vector<Bits>& predicted_;
  std::size_t columns_;
  std::unordered_multimap<Bits, std::size_t> places_;
};

/// What can be read off the two codes alone.
std::optional<std::pair<DamageKind, std::string>> by_code(const Format& format, const Wrong& w) {
  const Unpacked seen = unpack(format, w.seen), expected = unpack(format, w.expected);
  if (!seen.finite())
    return std::pair(DamageKind::not_finite,
                     std::string(seen.cls == FpClass::infinity ? "are infinite" : "are NaN"));
  if (!expected.finite()) return std::nullopt;
  if (seen.cls == FpClass::zero && expected.cls != FpClass::zero)
    return std::pair(DamageKind::zero, std::string("are zero, as if never written"));
  if (w.seen == (w.expected ^ format.sign_mask()))
    return std::pair(DamageKind::negated, std::string("have the other sign"));
  const Dyadic a = Dyadic::from_code(format, w.seen), b = Dyadic::from_code(format, w.expected);
  if (!b.is_zero() && a.mantissa() == b.mantissa())
    return std::pair(DamageKind::scaled,
                     fmt::format("are 2^{} times what belongs there", a.exponent() - b.exponent()));
  return std::nullopt;
}

std::pair<DamageKind, std::string> by_distance(const Format& format, const Wrong& w) {
  const auto distance = exact::ulp_distance(format, w.seen, w.expected);
  return {DamageKind::ulp, distance ? fmt::format("are {} ulp away", *distance)
                                    : std::string("are numbers where NaN belongs")};
}

}  // namespace

std::vector<Damage> find_damage(const Observed& observed, const Hypothesis& hypothesis,
                                const std::vector<Bits>& predicted, const GemmOptions& options) {
  std::vector<Wrong> rest;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    if (observed.codes[i] != predicted[i]) rest.push_back({i, observed.codes[i], predicted[i]});
  Groups groups;
  std::erase_if(rest, [&](const Wrong& w) {
    const auto what = by_code(observed.out, w);
    const bool alone = what && what->first != DamageKind::scaled;
    if (alone) groups[*what].push_back(w.index);
    return alone;
  });
  Moves(observed, predicted).take(rest, groups);
  constexpr std::size_t most_searched = 4;
  std::size_t searched = 0;
  for (const Wrong& w : rest) {
    auto what = by_code(observed.out, w).value_or(by_distance(observed.out, w));
    const bool one_step = exact::ulp_distance(observed.out, w.seen, w.expected) == 1;
    if (what.first == DamageKind::ulp && !one_step && searched < most_searched) {
      ++searched;
      const LostProducts lost = find_lost_products(observed, hypothesis, w.index, options);
      if (!lost.products.empty())
        what = {DamageKind::lost_product, lost.product_text()};
      else if (!lost.tails.empty())
        what = {DamageKind::lost_tail, lost.tail_text()};
    }
    groups[what].push_back(w.index);
  }
  std::vector<Damage> list;
  for (auto& [what, outputs] : groups)
    list.push_back({what.first, std::move(outputs), what.second});
  sort_stably(list, [&](const Damage& d) { return observed.codes.size() - d.outputs.size(); });
  return list;
}

}  // namespace whybits
