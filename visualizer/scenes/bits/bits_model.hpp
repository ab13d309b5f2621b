// The Bits scene: a number in every format, an operation taken apart, bits that can be turned over.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/arithmetic.hpp"
#include "lab/json_field.hpp"
#include "lab/operation_view.hpp"
#include "lab/step_view.hpp"
#include "visualizer/model/bits_view.hpp"
#include "visualizer/scenes/bits/bits_state.hpp"

namespace whybits::viz {

/// A one of a number's significand, and what it is worth.
struct PlaceValue {
  int exponent = 0;
  std::string value;   ///< 2^exponent, in decimal
  std::string so_far;  ///< with all ones before it
};
/// From the highest down; of zero, NaN and infinities none. Magnitudes: the sign is another bit.
std::vector<PlaceValue> place_values(const Format& format, Bits code);

struct BitsResult {
  std::string error, remedy;  ///< not empty: the rest is empty
  std::vector<InputNumber> operands;
  std::vector<CodeRow> rows;  ///< of the operands
  std::optional<OperationView> operation;
  std::optional<CodeRow> result;
  /// Operands, exact result and rounding in columns of equal weight; none of a quotient or a root,
  /// whose digits need not end, and where something is not finite.
  std::optional<StepView> aligned;
  std::optional<NumberLine> line;  ///< around the result, or the number
  std::vector<PlaceValue> places;  ///< of a number that nothing is done with
  /// The selected operand in every format, as `whybits bits` prints them.
  std::vector<InputNumber> in_formats;

  bool valid() const { return error.empty(); }
};
BitsResult compute(const BitsState& state);

/// What the scene can do, by name: "none", then the operations of the command line.
std::vector<std::string> operation_choices();
/// Nothing of "none". Errors: UsageError naming those that there are.
std::optional<Arithmetic> operation_named(const std::string& name);
/// Of an operation, or of looking at one number.
std::size_t operands_of(const std::optional<Arithmetic>& operation);

/// Another operation on the same operands; those that it lacks are 1.
BitsState change_operation(const BitsState& state, const std::string& operation);
/// The state with one bit of the selected operand turned over: the operand becomes that code.
BitsState flip_bit(const BitsState& state, int bit);
/// One number up (+1) or down (−1): to the neighbour; the same state at the ends.
BitsState step_number(const BitsState& state, int direction);
/// The number in another format: rounded as `whybits` rounds what is typed.
BitsState change_format(const BitsState& state, const std::string& format);

nlohmann::ordered_json state_json(const BitsState& state);
BitsState read_bits_state(const JsonField& field);
std::string command_line(const BitsState& state);

}  // namespace whybits::viz
