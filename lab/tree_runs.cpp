#include "lab/tree_runs.hpp"

#include <fmt/format.h>

#include "lab/text_table.hpp"
#include "sim/notation.hpp"

namespace whybits {

std::vector<TreeRun> tree_runs(std::uint64_t first, std::uint64_t last, std::uint64_t n,
                               const LeafTypes& types,
                               const std::function<SchemaPtr(std::uint64_t)>& rule) {
  std::vector<TreeRun> runs;
  std::string notation;
  for (std::uint64_t count = first; count <= last; ++count) {
    const SchemaPtr schema = rule(count);
    std::string text = print(*schema);
    if (!runs.empty() && text == notation) {
      runs.back().last = count;
      continue;
    }
    notation = std::move(text);
    Reduction reduction = make_reduction(schema, n, types);
    if (!runs.empty() && runs.back().reduction.tree == reduction.tree)
      runs.back().last = count;
    else
      runs.push_back({count, count, std::move(reduction)});
  }
  return runs;
}

std::string run_text(const TreeRun& run) {
  return run.first == run.last ? grouped(run.first) : grouped(run.first) + "–" + grouped(run.last);
}

std::string one_way_text(const TreeRun& run, const std::string& noun) {
  return fmt::format(
      "\nA row is added in one way from {} to {}: its bits must not differ, whatever the data.\n",
      grouped(run.first), counted(run.last, noun));
}

}  // namespace whybits
