// A second reading of the notation, by hand: walks a schema over explicit lists and writes out the
// whole expression, every addend and every step, with no sharing, no runs, no coordinates.
// Expected values and expected equalities come from here.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/schema.hpp"

namespace whybits::test {

struct NaiveTerm;
/// Null is nothing: an empty lane, a sum of no addends.
using TermPtr = std::shared_ptr<const NaiveTerm>;

struct NaiveTerm {
  enum class Kind { leaf, fold, any, round, operand };
  enum class Begin { first, zero, c, term };

  Kind kind = Kind::leaf;
  std::uint64_t leaf = 0;
  Unit unit;  ///< fold, any
  Begin begin = Begin::first;
  TermPtr start;                            ///< begin == term
  std::vector<std::vector<TermPtr>> steps;  ///< what each step adds; one addend for IEEE adds
  Conversion conversion;                    ///< round
  std::string operand;                      ///< operand
  TermPtr inner;                            ///< round, operand
};

/// The schema cannot be run for this n.
struct NaiveRefusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The expression for n addends, in the canonical form that docs/notation.md promises.
TermPtr naive_expression(const Schema& schema, std::uint64_t n, bool has_c = false);

/// The expression as text; two expressions are the same if their texts are.
std::string naive_text(const TermPtr& term);
/// The unit as far as arithmetic goes: aliases have one identity.
std::string naive_unit_identity(const Unit& unit);

struct NaiveLeaves {
  Format a_format;
  std::vector<Bits> a;
  std::optional<Format> b_format;  ///< products a·b
  std::vector<Bits> b;
  bool products_to_f32 = false;  ///< `product > f32`
  std::optional<std::pair<Format, Bits>> c;
  std::pair<Format, Bits> bias;  ///< the named operand "bias"
};

/// The value of an expression, in `result` (to which it widens exactly). Arithmetic is the
/// processor's for f32 and f64, exact integers and naive_round for the rest.
Bits naive_value(const TermPtr& term, const NaiveLeaves& leaves, const Format& result);

}  // namespace whybits::test
