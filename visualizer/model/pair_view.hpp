// What the user looks at in a scene with two computations A and B: part of the scene's state, so
// that undo, sessions and presets have it too.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whybits::viz {

enum class Side : std::uint8_t { a, b };

/// The levels of the one zoom, from all outputs down to bits.
enum class Level : std::uint8_t { matrix, axis, step, bits };

/// What the map of outputs shows.
enum class MapMeasure : std::uint8_t {
  differs,  ///< A and B have other bits
  ulp,      ///< how far apart they are
  error_a,  ///< |A − exact|
  error_b
};

/// One step of one side, by its number in the trace.
struct StepChoice {
  Side side = Side::a;
  std::uint64_t step = 0;
  bool operator==(const StepChoice&) const = default;
};

/// A ribbon whose fold the user chose; the others fold by their size on screen.
struct FoldChoice {
  Side side = Side::a;
  std::uint64_t ribbon = 0;
  bool folded = true;
  bool operator==(const FoldChoice&) const = default;
};

struct PairView {
  Level level = Level::axis;
  std::optional<std::uint64_t> output;  ///< among those computed; none: the first that differs
  std::optional<StepChoice> step;       ///< none: the first step after what agrees
  std::optional<int> bit;               ///< counted from the last place
  /// Visible part of the K axis in leaves, [first, last); last = 0: all of it.
  double first = 0, last = 0;
  std::vector<FoldChoice> folds;
  bool before_last_rounding = false;  ///< the map and its counts
  MapMeasure measure = MapMeasure::differs;

  bool operator==(const PairView&) const = default;
};

}  // namespace whybits::viz
