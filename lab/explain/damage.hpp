// What is wrong with outputs that are nearly those of a known order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/explain/hypotheses.hpp"
#include "sim/gemm.hpp"

namespace whybits {

struct Observed;

enum class DamageKind : std::uint8_t {
  not_finite,    ///< NaN or infinity where the order gives a number
  zero,          ///< zero where the order gives another number: not written, perhaps
  moved,         ///< outputs of another place: a tile swapped
  lost_product,  ///< the order without one product gives exactly this
  lost_tail,     ///< … without all products from one on
  scaled,        ///< a power of two times what the order gives
  negated,       ///< the other sign
  ulp,           ///< some steps of the last place away
};
/// By kind.
inline constexpr std::array<std::string_view, 8> damage_names{
    "not_finite", "zero", "moved", "lost_product", "lost_tail", "scaled", "negated", "ulp"};
constexpr std::string_view damage_name(DamageKind kind) {
  return damage_names[static_cast<std::size_t>(kind)];
}

/// Outputs with one kind of damage.
struct Damage {
  DamageKind kind = DamageKind::ulp;
  std::vector<std::size_t> outputs;  ///< indices among the observed ones
  std::string text;                  ///< what exactly, for people
};

/// Names what is wrong with each output that differs from `predicted`. Lost products are looked for
/// in the first few outputs only: each costs k evaluations.
std::vector<Damage> find_damage(const Observed& observed, const Hypothesis& hypothesis,
                                const std::vector<Bits>& predicted, const GemmOptions& options);

}  // namespace whybits
