#include "sim/fast/reduce_operands.hpp"

namespace whybits::fast {
namespace {

using ReduceLeaves = RecipePlan::Reduce::Leaves;

std::vector<std::uint64_t> members(const IndexSet& set) {
  std::vector<std::uint64_t> all;
  all.reserve(set.size());
  set.for_each([&](std::uint64_t i) { all.push_back(i); });
  return all;
}

bool is_map(const Reduce& reduce) {
  return std::holds_alternative<TopologyMap>(reduce.by);
}

/// Rows of leaves for outputs that all have the same.
CodeMatrix shared_leaves(const Reduce& reduce, const std::string& tensor, std::uint64_t length,
                         const ReadTensor& read) {
  const IndexSet one = IndexSet::all(1);
  return rows_of_leaves(reduce, tensor, length, {one, one}, read);
}

void read_beside(const Reduce& reduce, LaneOperands& lanes,
                 const std::function<CodeMatrix(const std::string&)>& beside) {
  if (!reduce.c.empty()) lanes.c = beside(reduce.c);
  for (const Reduce::Operand& operand : reduce.operands)
    lanes.operands.emplace_back(operand.name, beside(operand.tensor));
}

ReduceOperands matrix_operands(const Reduce& reduce, std::uint64_t length, const TensorType& result,
                               const Need& need, const ReadTensor& read) {
  const IndexSet line = IndexSet::all(length);
  ReduceOperands made;
  made.lanes.rows = need.rows.size();
  made.lanes.columns = need.columns.size();
  made.lanes.a = read(reduce.a, need.rows, line);
  made.lanes.b = reduce.along == Along::matrix ? read(reduce.b, line, need.columns)
                                               : read(reduce.b, need.columns, line).transposed();
  made.lanes.product = reduce.product;
  if (is_map(reduce)) made.places = {members(need.rows), members(need.columns), result.columns};
  read_beside(reduce, made.lanes,
              [&](const std::string& tensor) { return read(tensor, need.rows, need.columns); });
  return made;
}

}  // namespace

CodeMatrix rows_of_leaves(const Reduce& reduce, const std::string& tensor, std::uint64_t length,
                          const Need& need, const ReadTensor& read) {
  const IndexSet line = IndexSet::all(length);
  if (reduce.along == Along::columns) return read(tensor, need.rows, line);
  return read(tensor, line, need.columns).transposed();
}

CodeMatrix row_of_outputs(const Reduce& reduce, const std::string& tensor, const Need& need,
                          const ReadTensor& read) {
  const CodeMatrix found = read(tensor, need.rows, need.columns);
  return reduce.along == Along::columns ? found.transposed() : found;
}

ReduceOperands reduce_operands(const Reduce& reduce, ReduceLeaves leaves, std::uint64_t length,
                               const TensorType& result, const Need& need, const ReadTensor& read,
                               const CodeMatrix* product) {
  if (leaves == ReduceLeaves::matrix) {
    ReduceOperands made = matrix_operands(reduce, length, result, need, read);
    made.lanes.length = length;
    return made;
  }
  const bool columns = reduce.along == Along::columns;
  const IndexSet& outputs = columns ? need.rows : need.columns;
  const auto rows_of = [&](const std::string& tensor) {
    return rows_of_leaves(reduce, tensor, length, need, read);
  };
  ReduceOperands made;
  LaneOperands& lanes = made.lanes;
  lanes.length = length;
  if (leaves == ReduceLeaves::shared_b) {
    lanes.rows = outputs.size();
    lanes.columns = 1;
    lanes.a = rows_of(reduce.a);
    lanes.b = shared_leaves(reduce, reduce.b, length, read).transposed();
    if (is_map(reduce)) made.places = {members(outputs), {0}, 1};
    made.turned = !columns;
    read_beside(reduce, lanes, [&](const std::string& tensor) {
      return row_of_outputs(reduce, tensor, need, read).transposed();
    });
    return made;
  }
  lanes.rows = 1;
  lanes.columns = outputs.size();
  if (is_map(reduce)) made.places = {{0}, members(outputs), 0};
  made.turned = columns;
  if (leaves == ReduceLeaves::values) {
    lanes.b = (product ? *product : rows_of(reduce.a)).transposed();
  } else {
    if (leaves == ReduceLeaves::shared_a)
      lanes.a = shared_leaves(reduce, reduce.a, length, read);
    else
      lanes.paired = rows_of(reduce.a).transposed();
    lanes.b = rows_of(reduce.b).transposed();
  }
  read_beside(reduce, lanes, [&](const std::string& tensor) {
    return row_of_outputs(reduce, tensor, need, read);
  });
  return made;
}

}  // namespace whybits::fast
