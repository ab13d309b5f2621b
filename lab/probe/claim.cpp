#include "lab/probe/claim.hpp"

#include <algorithm>
#include <memory>

#include "lab/controls.hpp"
#include "lab/generators.hpp"
#include "sim/notation.hpp"
#include "sim/schema_edit.hpp"

namespace whybits {
namespace {

LeafTypes leaf_types(const Claim& claim) {
  LeafTypes types;
  types.a = claim.a;
  types.b = claim.b;
  if (claim.with_c) types.c = claim.c;
  return types;
}

std::uint64_t size(int dimension) {
  return static_cast<std::uint64_t>(dimension);
}

/// Every aligned unit with another e0; null if there is none.
SchemaPtr with_zero_exponent(const SchemaPtr& schema, int more) {
  bool found = false;
  SchemaPtr result = edit_units(schema, [&](const Unit& unit) {
    if (unit.kind != Unit::Kind::aligned) return unit;
    found = true;
    AlignedSum sum = unit.aligned;
    sum.zero_exponent += more;
    return aligned_unit(sum, unit.operand_a, unit.operand_b);
  });
  return found ? result : nullptr;
}

/// A chain of fma in descending order, or with another rounding.
std::vector<Control> chain_controls(const SchemaPtr& schema_of_claim) {
  const auto* fold = std::get_if<Fold>(&schema_of_claim->form);
  if (!fold || fold->unit.kind != Unit::Kind::fma) return {};
  const auto rounded = [&](Rounding rounding) {
    return schema(Fold{ieee_fma(fold->unit.format, {rounding}), fold->start});
  };
  std::vector<Control> controls{{"k descending", schema(Reverse{schema(*fold)})}};
  for (const Rounding rounding : {Rounding::nearest_even, Rounding::zero, Rounding::down})
    if (rounding != fold->unit.rule.rounding)
      controls.push_back({"rounded " + std::string(rounding_name(rounding)), rounded(rounding)});
  return controls;
}

bool all_finite(const Leaves& leaves) {
  const auto finite = [](const OperandVector& operand) {
    return std::all_of(operand.codes().begin(), operand.codes().end(),
                       [&](Bits code) { return unpack(operand.format(), code).finite(); });
  };
  return finite(*leaves.a) && finite(*leaves.b) &&
         (!leaves.c || unpack(leaves.c->format, leaves.c->code).finite());
}

/// What the claim's unit could do otherwise where a result is zero, infinite or NaN.
std::vector<ProbeControl> special_controls(const Claim& claim) {
  const Format c = claim.c;
  if (claim.unit.kind == Unit::Kind::fma)
    return {{"a zero result is +0",
             [c](const Leaves&, Bits code) { return code == c.sign_mask() ? 0 : code; }},
            {"NaN is all ones", [c](const Leaves&, Bits code) {
               return unpack(c, code).cls == FpClass::nan ? c.gpu_nan() : code;
             }}};
  const auto parsed =
      parse_notation(claim.with_c ? "fold(exact, from=c) > f64" : "fold(exact, from=0) > f64");
  const auto exact = std::make_shared<const Reduction>(
      make_reduction(std::get<SchemaPtr>(parsed), size(claim.instruction->k), leaf_types(claim)));
  return {{"a zero result has the sign of the exact sum",
           [c, exact](const Leaves& leaves, Bits code) {
             if (code != 0) return code;
             return (evaluate(*exact, leaves) & formats::f64.sign_mask()) != 0 ? c.sign_mask() : 0;
           }},
          {"products and c all -0 give -0",
           [c](const Leaves& leaves, Bits code) {
             if (code != 0 || (leaves.c && leaves.c->code != c.sign_mask())) return code;
             for (std::size_t i = 0; i < leaves.size(); ++i) {
               const Unpacked x = unpack(leaves.a->format(), leaves.a->codes()[i]);
               const Unpacked y = unpack(leaves.b->format(), leaves.b->codes()[i]);
               const bool zero = x.significand == 0 || y.significand == 0;
               if (!zero || x.negative == y.negative) return code;
             }
             return c.sign_mask();
           }},
          {"overflow is the largest finite number",
           [c](const Leaves& leaves, Bits code) {
             const bool infinite = (code & c.magnitude_mask()) == c.infinity();
             return infinite && all_finite(leaves) ? code - 1 : code;
           }},
          {"NaN has the quiet bit alone", [c](const Leaves&, Bits code) {
             return unpack(c, code).cls == FpClass::nan ? c.ieee_nan() : code;
           }}};
}

}  // namespace

std::string claim_topology(const gpu::MatrixInstruction& instruction, bool with_c) {
  return "fold(" + std::string(instruction.unit) + (with_c ? ")" : ", from=0)");
}

Claim make_claim(const gpu::MatrixInstruction& instruction, bool with_c) {
  Claim claim;
  claim.instruction = &instruction;
  claim.with_c = with_c;
  claim.a = stored_format(*parse_format(instruction.a));
  claim.b = stored_format(*parse_format(instruction.b));
  claim.c = *parse_format(instruction.d);
  claim.unit = parse_unit(instruction.unit);
  const auto parsed = parse_notation(claim_topology(instruction, with_c));
  claim.sum = make_reduction(std::get<SchemaPtr>(parsed), size(instruction.k), leaf_types(claim));
  return claim;
}

std::vector<ProbeControl> claim_controls(const Claim& claim) {
  const SchemaPtr& schema = claim.sum.schema;
  const std::uint64_t k = size(claim.instruction->k);
  std::vector<Control> found = wrong_neighbours(schema, k, claim.with_c);
  for (const int more : {-1, +1})
    if (const SchemaPtr other = with_zero_exponent(schema, more))
      found.push_back({more < 0 ? "e0 one less" : "e0 one more", other});
  for (Control& control : chain_controls(schema)) found.push_back(std::move(control));
  std::vector<ProbeControl> controls;
  for (const Control& control : found) {
    try {
      const auto sum =
          std::make_shared<const Reduction>(make_reduction(control.topology, k, leaf_types(claim)));
      controls.push_back(
          {control.name, [sum](const Leaves& leaves, Bits) { return evaluate(*sum, leaves); }});
    } catch (const TopologyError&) {
      continue;  // cannot run on these operands: no control
    }
  }
  for (ProbeControl& control : special_controls(claim)) controls.push_back(std::move(control));
  return controls;
}

std::vector<Bits> codes_of_words(const Format& format, const std::vector<std::uint8_t>& words,
                                 std::uint64_t first, std::uint64_t count) {
  const auto bytes = format.word_bytes();
  std::vector<Bits> codes(count, 0);
  for (std::uint64_t i = 0; i < count; ++i)
    for (std::uint64_t byte = bytes; byte-- > 0;)
      codes[i] = codes[i] << 8 | words[(first + i) * bytes + byte];
  return codes;
}

void put_code(const Format& format, std::vector<std::uint8_t>& words, std::uint64_t index,
              Bits code) {
  const auto bytes = format.word_bytes();
  for (std::uint64_t byte = 0; byte < bytes; ++byte)
    words[index * bytes + byte] = static_cast<std::uint8_t>(code >> (8 * byte));
}

gpu::TileBatch empty_batch(const Claim& claim, std::uint64_t tiles) {
  const gpu::MatrixInstruction& row = *claim.instruction;
  const auto bytes = [&](const Format& format, int rows, int columns) {
    return tiles * size(rows) * size(columns) * format.word_bytes();
  };
  gpu::TileBatch batch;
  batch.tiles = tiles;
  batch.with_c = claim.with_c;
  batch.a.resize(bytes(claim.a, row.m, row.k));
  batch.b.resize(bytes(claim.b, row.n, row.k));
  batch.c.resize(bytes(claim.c, row.m, row.n));
  return batch;
}

Tile::Tile(const Claim& claim, const gpu::TileBatch& batch, std::uint64_t index) : claim_(claim) {
  const std::uint64_t m = size(claim.instruction->m);
  const std::uint64_t n = size(claim.instruction->n);
  const std::uint64_t k = size(claim.instruction->k);
  for (std::uint64_t i = 0; i < m; ++i)
    rows_.emplace_back(claim.a, codes_of_words(claim.a, batch.a, (index * m + i) * k, k));
  for (std::uint64_t j = 0; j < n; ++j)
    columns_.emplace_back(claim.b, codes_of_words(claim.b, batch.b, (index * n + j) * k, k));
  if (claim.with_c) c_ = codes_of_words(claim.c, batch.c, index * m * n, m * n);
}

Leaves Tile::leaves(std::uint64_t i, std::uint64_t j) const {
  Leaves leaves;
  leaves.a = &rows_[i];
  leaves.b = &columns_[j];
  if (claim_.with_c) leaves.c = Scalar{claim_.c, c_[i * columns_.size() + j]};
  return leaves;
}

}  // namespace whybits
