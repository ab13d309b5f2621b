#include "sim/bound_recipe.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "sim/nearest_name.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t max_elements = std::uint64_t{1} << 60;

bool is_identifier(const std::string& name) {
  const auto word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), word);
}

std::string shape_name(const TensorType& type) {
  return std::to_string(type.rows) + "×" + std::to_string(type.columns);
}

bool broadcasts_to(const TensorType& from, const TensorType& to) {
  return (from.rows == to.rows || from.rows == 1) &&
         (from.columns == to.columns || from.columns == 1);
}

class Binder {
 public:
  Binder(const Recipe& recipe, const TensorTypes& inputs) : given_(inputs) {
    bound_.recipe = recipe;
  }

  BoundRecipe bind() {
    where_ = "inputs";
    for (const std::string& name : bound_.recipe.inputs) {
      const auto type = given_.find(name);
      if (type == given_.end()) fail("'" + name + "' is not given");
      check_size(name, type->second);
      define(name, type->second);
    }
    for (const auto& [name, type] : given_)
      if (!bound_.types.contains(name))
        fail("'" + name + "' is given, but the recipe does not take it");
    for (const RecipeStep& step : bound_.recipe.steps) {
      where_ = "step '" + (step.names.empty() ? "" : step.names.front()) + "'";
      bound_.steps.emplace_back();
      std::visit([&](const auto& work) { bind(step, work); }, step.work);
    }
    where_ = "outputs";
    if (bound_.recipe.outputs.empty()) fail("a recipe has at least one");
    for (const std::string& name : bound_.recipe.outputs) type_of(name);
    return std::move(bound_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw RecipeError(where_ + ": " + message);
  }

  // --- names and types -------------------------------------------------------------------------
  void define(const std::string& name, const TensorType& type) {
    if (!is_identifier(name))
      fail("'" + name + "' is no name: letters, digits and _, not a digit first");
    if (!bound_.types.emplace(name, type).second) fail("'" + name + "' is defined twice");
  }

  void define_only(const RecipeStep& step, const TensorType& type) {
    if (step.names.size() != 1)
      fail("defines one tensor, but has " + std::to_string(step.names.size()) + " names");
    check_size(step.names[0], type);
    define(step.names[0], type);
  }

  void check_size(const std::string& name, const TensorType& type) const {
    if (type.columns != 0 && type.rows > max_elements / type.columns)
      fail("'" + name + "' would be " + shape_name(type) + "; at most 2^60 elements are supported");
  }

  const TensorType& type_of(const std::string& name) const {
    const auto found = bound_.types.find(name);
    if (found != bound_.types.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [candidate, type] : bound_.types) known.push_back(candidate);
    const auto near = nearest_name(name, known);
    fail("'" + name + "' is not defined before this" +
         (near ? "; did you mean " + *near + "?" : ""));
  }

  /// The shape of an elementwise combination; the format is left as in `a`.
  TensorType broadcast(const TensorType& a, const TensorType& b) const {
    const auto side = [&](std::uint64_t x, std::uint64_t y) {
      if (x != y && x != 1 && y != 1)
        fail("shapes " + shape_name(a) + " and " + shape_name(b) +
             " do not match; a dimension must be equal, or 1");
      return x == 1 ? y : x;
    };
    return {side(a.rows, b.rows), side(a.columns, b.columns), a.format};
  }

  void enters(const std::string& name, const Format& to, const std::string& what) const {
    const Format& from = type_of(name).format;
    if (!widens_exactly(from, to))
      fail(what + " takes " + format_name(to) + ", but '" + name + "' is " + format_name(from) +
           "; no narrowing is written, so convert it first");
  }

  // --- constant and map ------------------------------------------------------------------------
  void bind(const RecipeStep& step, const Constant& constant) {
    const Format& format = constant.value.format;
    if ((constant.value.code & ~format.code_mask()) != 0)
      fail("the constant has bits above the " + std::to_string(format.code_bits()) + " of " +
           format_name(format));
    define_only(step, {1, 1, format});
  }

  void bind(const RecipeStep& step, const Map& map) {
    const MapOperation& operation = map.operation;
    if (operation.kind == MapOperation::Kind::given && !operation.function)
      fail("the operation " + operation.name + " has no function");
    if (map.operands.size() != operation.arity() || map.operands.empty())
      fail(operation.name + " takes " + std::to_string(operation.arity()) + " operands, not " +
           std::to_string(map.operands.size()));
    TensorType type = type_of(map.operands[0]);
    for (std::size_t i = 0; i < map.operands.size(); ++i) {
      enters(map.operands[i], operation.operands[i], operation.name);
      type = broadcast(type, type_of(map.operands[i]));
    }
    type.format = operation.result;
    define_only(step, type);
  }

  // --- reduce ----------------------------------------------------------------------------------
  void bind(const RecipeStep& step, const Reduce& reduce) {
    const TensorType a = type_of(reduce.a);
    TensorType type = a;
    std::uint64_t n = 0;
    const bool matrix = reduce.along == Along::matrix || reduce.along == Along::matrix_transposed;
    if (matrix) {
      if (reduce.b.empty()) fail("a matrix product needs two operands");
      const TensorType& b = type_of(reduce.b);
      const bool transposed = reduce.along == Along::matrix_transposed;
      const std::uint64_t k = transposed ? b.columns : b.rows;
      if (a.columns != k)
        fail("'" + reduce.a + "' has " + std::to_string(a.columns) + " columns, but '" + reduce.b +
             "' has " + std::to_string(k) + (transposed ? " columns" : " rows"));
      n = k;
      type.columns = transposed ? b.rows : b.columns;
    } else {
      if (!reduce.b.empty()) type = broadcast(a, type_of(reduce.b));
      std::uint64_t& cut = reduce.along == Along::columns ? type.columns : type.rows;
      n = cut;
      cut = 1;
    }
    bound_.steps.back().length = n;
    type.format = reduced_format(reduce, n, type);
    for (const Reduce::Operand& operand : reduce.operands)
      beside(operand.tensor, type, "the operand " + operand.name);
    if (!reduce.c.empty()) beside(reduce.c, type, "the accumulator");
    define_only(step, type);
  }

  void beside(const std::string& name, const TensorType& outputs, const std::string& what) const {
    if (!broadcasts_to(type_of(name), outputs))
      fail(what + " '" + name + "' is " + shape_name(type_of(name)) + ", the outputs are " +
           shape_name(outputs));
  }

  Format reduced_format(const Reduce& reduce, std::uint64_t n, const TensorType& outputs) {
    if (reduce.product && reduce.b.empty())
      fail("there are no products to round: only one operand");
    if (const auto* operation = std::get_if<MapOperation>(&reduce.by))
      return folded_format(reduce, *operation, n);
    const LeafTypes leaves = leaf_types(reduce);
    if (const auto* topology = std::get_if<SchemaPtr>(&reduce.by))
      return expand(*topology, n, leaves);
    const auto& regions = std::get<TopologyMap>(reduce.by).regions;
    std::uint64_t covered = 0;
    std::optional<Format> format;
    for (const MapRegion& region : regions) {
      if (region.begin != covered || region.end <= region.begin) break;
      const Format next = expand(region.topology, n, leaves);
      if (format && !(*format == next))
        fail("the map's regions end in different formats, " + format_name(*format) + " and " +
             format_name(next));
      format = next;
      covered = region.end;
    }
    const std::uint64_t elements = outputs.rows * outputs.columns;
    if (!format || covered < elements)
      fail("the map gives no topology to output " + std::to_string(covered) + " of " +
           std::to_string(elements));
    return *format;
  }

  Format expand(const SchemaPtr& topology, std::uint64_t n, const LeafTypes& leaves) {
    if (!topology) fail("has no topology");
    try {
      bound_.steps.back().reductions.push_back(make_reduction(topology, n, leaves));
    } catch (const TopologyError& error) {
      fail(error.what());
    }
    return bound_.steps.back().reductions.back().result;
  }

  LeafTypes leaf_types(const Reduce& reduce) const {
    LeafTypes types;
    types.a = type_of(reduce.a).format;
    if (!reduce.b.empty()) types.b = type_of(reduce.b).format;
    types.product = reduce.product;
    if (!reduce.c.empty()) types.c = type_of(reduce.c).format;
    std::set<std::string> names;
    for (const Reduce::Operand& operand : reduce.operands) {
      if (!names.insert(operand.name).second) fail("two operands are named '" + operand.name + "'");
      enters(operand.tensor, formats::f32, "+ " + operand.name);
      types.operands.emplace_back(operand.name, type_of(operand.tensor).format);
    }
    return types;
  }

  Format folded_format(const Reduce& reduce, const MapOperation& operation, std::uint64_t n) const {
    const std::string& name = operation.name;
    const Format& format = operation.result;
    if (operation.arity() != 2 || operation.operands[0] != format ||
        operation.operands[1] != format)
      fail(name + " cannot fold: it must take two operands of the format of its result");
    if (operation.kind == MapOperation::Kind::given && !operation.function)
      fail("the operation " + name + " has no function");
    if (!reduce.b.empty()) fail(name + " takes values, not products; multiply them in a map first");
    if (!reduce.operands.empty()) fail(name + " takes no named operands");
    if (n == 0 && reduce.c.empty()) fail(name + " of nothing: give it a value to begin from");
    if (!reduce.c.empty()) enters(reduce.c, format, name);
    enters(reduce.a, format, name);
    return format;
  }

  // --- scan ------------------------------------------------------------------------------------
  void bind(const RecipeStep& step, const Scan& scan) {
    if (!scan.body) fail("a scan needs a body");
    if (scan.block == 0) fail("the block length must be at least 1");
    if (scan.blocks.empty()) fail("a scan needs a tensor to cut into blocks");
    if (scan.state.empty() || step.names.size() != scan.state.size())
      fail("a scan has one name for each state: " + std::to_string(step.names.size()) + " for " +
           std::to_string(scan.state.size()));
    if (scan.body->outputs.size() != scan.state.size())
      fail("the body gives " + counted_plainly(scan.body->outputs.size(), "output") + " for " +
           counted_plainly(scan.state.size(), "state"));
    const std::uint64_t n = axis_length(scan);
    BoundStep& bound = bound_.steps.back();
    bound.length = n;

    TensorTypes state;
    for (const Scan::State& s : scan.state) state[s.name] = type_of(s.initial);
    const std::uint64_t whole = n == 0 ? scan.block : std::min(n, scan.block);
    const BoundRecipe body = settled_body(scan, whole, state);
    if (n >= scan.block)
      bound.body = std::make_shared<const BoundRecipe>(body);
    else if (n > 0)
      bound.ragged_body = std::make_shared<const BoundRecipe>(body);
    if (n > scan.block && n % scan.block != 0)
      bound.ragged_body =
          std::make_shared<const BoundRecipe>(settled_body(scan, n % scan.block, state));
    for (std::size_t i = 0; i < scan.state.size(); ++i)
      define(step.names[i], state[scan.state[i].name]);
  }

  std::uint64_t axis_length(const Scan& scan) const {
    std::optional<std::uint64_t> n;
    for (const Scan::Block& block : scan.blocks) {
      if (block.axis != Along::rows && block.axis != Along::columns)
        fail("'" + block.tensor + "' is cut along rows or columns");
      const TensorType& type = type_of(block.tensor);
      const std::uint64_t length = block.axis == Along::rows ? type.rows : type.columns;
      if (n && *n != length)
        fail("the scanned axis has " + std::to_string(*n) + " places in '" + scan.blocks[0].tensor +
             "' and " + std::to_string(length) + " in '" + block.tensor + "'");
      n = length;
    }
    return *n;
  }

  /// Binds the body for blocks of `length`. A state takes the shape of its update, since its
  /// initial value may be one number for all; it must then keep it.
  BoundRecipe settled_body(const Scan& scan, std::uint64_t length, TensorTypes& state) const {
    for (;;) {
      BoundRecipe body = bound_body(scan, length, state);
      bool settled = true;
      for (std::size_t i = 0; i < scan.state.size(); ++i) {
        TensorType& type = state[scan.state[i].name];
        const TensorType& next = body.type(body.recipe.outputs[i]);
        if (next.format != type.format)
          fail("the state '" + scan.state[i].name + "' begins as " + format_name(type.format) +
               " and goes on as " + format_name(next.format));
        if (next == type) continue;
        if (!broadcasts_to(type, next))
          fail("the state '" + scan.state[i].name + "' is " + shape_name(type) + ", its update " +
               shape_name(next));
        type = next;
        settled = false;
      }
      if (settled) return body;
    }
  }

  BoundRecipe bound_body(const Scan& scan, std::uint64_t length, const TensorTypes& state) const {
    TensorTypes inputs = state;
    const auto give = [&](const std::string& name, const TensorType& type) {
      if (!inputs.emplace(name, type).second) fail("the body is given '" + name + "' twice");
    };
    if (inputs.size() != scan.state.size()) fail("two states of the body have one name");
    for (const Scan::Block& block : scan.blocks) {
      TensorType type = type_of(block.tensor);
      (block.axis == Along::rows ? type.rows : type.columns) = length;
      give(block.name, type);
    }
    for (const Scan::Whole& tensor : scan.whole) give(tensor.name, type_of(tensor.tensor));
    try {
      return Binder(*scan.body, inputs).bind();
    } catch (const RecipeError& error) {
      fail(std::string("in the body, ") + error.what());
    }
  }

  const TensorTypes& given_;
  BoundRecipe bound_;
  std::string where_;
};

}  // namespace

BoundRecipe bind_recipe(const Recipe& recipe, const TensorTypes& inputs) {
  return Binder(recipe, inputs).bind();
}

}  // namespace whybits
