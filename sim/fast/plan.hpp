// A plan: a tree compiled into a short program over lane registers.
//
// A register holds one value for every output of a tile of outputs that share the tree. A
// procedure computes one shape into a register and uses those above it for what it needs on the
// way, so that a tree of height h takes at most h registers; equal shapes are one procedure, called
// at many places, so that a plan is as short as its tree. What a lane cannot do is a `reference`
// step: the reference evaluator, one output at a time. Nothing is slow in silence: print() shows
// the kernel of every step.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/fast/element_step.hpp"
#include "sim/fast/lane_rules.hpp"
#include "sim/reduction.hpp"

namespace whybits::fast {

/// Parameters of an aligned step as its kernel reads them (kernels/aligned-inl.hpp).
struct AlignedLanes {
  int addends = 16;
  int fraction_bits = 25;
  int group = 16;            ///< products whose integer sum cannot leave 32 bits
  int acc_min_exponent = 0;  ///< of the accumulator's format
  int low = 0, high = 0;     ///< largest exponents for which the kernel is right as it stands
  enum class Out : std::uint8_t { truncate, half, general } out = Out::general;
  std::uint32_t out_mask = ~0u;  ///< truncate: bits of the f32 result that are kept
};

/// How a fold over leaves or items combines them.
struct Arithmetic {
  enum class Kernel : std::uint8_t {
    aligned,   ///< a matrix unit: aligned integers in 32-bit lanes
    split,     ///< a composite unit: aligned steps from zero, then an add
    fma,       ///< native fused multiply-add of the lane
    add,       ///< native add of the lane (and native product, where leaves are products)
    general,   ///< fma or add by any rule: exact in double, rounded by Rounder
    reference  ///< sim's own step on codes, one lane at a time
  };
  Kernel kernel = Kernel::reference;
  Unit unit;               ///< operand formats resolved
  std::uint32_t view = 0;  ///< how operands enter, for products
  std::optional<AlignedLanes> aligned;
  Unit steps;  ///< aligned, split: the matrix unit whose steps they are
  /// split: the order in which the products of one instruction enter its steps.
  std::vector<int> order;
  std::optional<Rounder> step;   ///< general; aligned: of Out::general
  std::optional<Rounder> after;  ///< `U > F`
  /// fma, add: rounds the lane's own result, by a shortcut; of a narrow unit, or `after`.
  std::optional<Rounder> post;
  /// general: rounds products first; none: the lane's multiply has them exactly or as asked.
  std::optional<Rounder> product;
};

/// Leaves that lie in the first cache for all rows, and places of the stack.
inline constexpr std::uint64_t most_tree_leaves = 64;
inline constexpr std::size_t most_tree_depth = 16;

/// A step of a stack machine over the leaves of a subtree, which enter in order.
struct StackStep {
  enum class Kind : std::uint8_t {
    load,       ///< the top becomes the sum of `count` leaves from left to right
    load_four,  ///< the top becomes the sum of the sums of two and two leaves
    add,        ///< the top takes `count` leaves one by one
    add_pair,   ///< `count` times: the top takes the sum of two leaves
    add_four,   ///< `count` times: the top takes the sum of the sums of two and two leaves
    add_load,   ///< the top takes the sum of `count` leaves from left to right
    push,       ///< there is a new top
    pop         ///< the one below takes the top
  };
  Kind kind;
  std::uint32_t count = 1;
  bool operator==(const StackStep&) const = default;
};

/// Registers are counted from the procedure's own, 0.
struct Plan {
  struct Zero {};
  struct Accumulator {};  ///< c
  struct Leaf {           ///< a value or a rounded product
    std::int64_t leaf;
  };
  struct Products {  ///< register 0 takes products by steps of a unit
    std::uint32_t arithmetic;
    Items items;
    std::vector<Seam> seams;
  };
  struct Values {  ///< register 0 takes leaves one by one
    std::uint32_t arithmetic;
    Run run;
    bool first_is_copied = false;  ///< the first leaf is register 0 itself; Kernel::add only
  };
  /// A small subtree of adds, or small items that register 0 takes one after the other, by a stack
  /// in the first cache; Kernel::add only.
  struct Tree {
    std::uint32_t arithmetic;
    bool continues = false;  ///< the stack begins with register 0, else empty
    std::vector<std::int64_t> leaves = {};
    std::vector<StackStep> steps = {};
  };
  struct Call {  ///< a procedure at every place of a run; its results go to register 0
    std::uint32_t procedure;
    Run run;                   ///< node.shape is not used
    bool first_is_copied;      ///< the first result is register 0 itself
    std::uint32_t arithmetic;  ///< that adds the others
  };
  struct Round {
    std::uint32_t rounding;
  };
  struct AddOperand {
    std::uint32_t operand;
    std::uint32_t arithmetic;  ///< an add in f32
  };
  struct ExactSum {  ///< of leaves and perhaps c, rounded once; a superaccumulator an output
    Items items;
    bool from_c;
    Conversion to;
  };
  struct Reference {  ///< a subtree
    Node node;
  };
  using Op = std::variant<Zero, Accumulator, Leaf, Products, Values, Tree, Call, Round, AddOperand,
                          ExactSum, Reference>;
  struct Procedure {
    std::vector<Op> ops;
    std::uint32_t registers = 1;
  };
  struct Rounding {
    Conversion conversion;
    std::optional<Rounder> rounder;  ///< none: by reference
    Format from;
  };

  Reduction reduction;
  LeafTypes types;
  Lane lane = Lane::f32;
  std::vector<Procedure> procedures;
  std::uint32_t root = 0;
  std::vector<Arithmetic> arithmetics;
  std::vector<Rounding> roundings;
  std::vector<std::string> operands;
  /// The code of a NaN result, where the last step settles it; else NaN results are computed again
  /// by the reference evaluator.
  std::optional<Bits> nan;
  /// Formats in which operands enter their units. The first view is of operands as they are.
  struct View {
    Format a, b;
    bool exponents = false;  ///< some kernel aligns them
  };
  std::vector<View> views;
  bool native_leaf = true;     ///< the lane's multiply gives the leaves that are rounded products
  bool all_reference = false;  ///< lanes cannot hold this tree's formats: one reference step

  std::uint32_t registers() const { return procedures[root].registers; }
};

/// Precondition: make_reduction(types) gave the reduction. O(shapes + runs).
Plan compile(const Reduction& reduction, const LeafTypes& types);

/// The program, a line a step.
std::string print(const Plan& plan);
std::string_view kernel_name(Arithmetic::Kernel kernel);

}  // namespace whybits::fast
