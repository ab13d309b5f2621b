#include "lab/suite.hpp"

#include <set>

#include "lab/files.hpp"
#include "lab/json_field.hpp"
#include "lab/strict_json.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t largest_suite_bytes = std::uint64_t{4} << 20;

}  // namespace

Suite parse_suite(std::string_view text, const std::string& file) {
  const nlohmann::json document =
      parse_strict_json(text, file, {}, "suites are JSON files as docs/kernels.md describes them");
  const JsonField root(document, file);
  root.allow_only({"whybits_suite", "runs", "sweeps", "arrivals", "operations"});
  if (root.at("whybits_suite").number() != 1)
    root.at("whybits_suite").fail("only version 1 is known");
  Suite suite;
  std::set<std::string> names;
  if (const auto runs = root.find("runs"))
    for (const JsonField& entry : runs->elements()) {
      suite.runs.push_back(read_request(entry, {}));
      if (!names.insert(suite.runs.back().name).second)
        entry.at("name").fail("'" + suite.runs.back().name + "' is given twice");
    }
  if (const auto operations = root.find("operations"))
    for (const JsonField& entry : operations->elements()) {
      suite.operations.push_back(read_operation_runs(entry));
      if (!names.insert(suite.operations.back().name).second)
        entry.at("name").fail("'" + suite.operations.back().name + "' is given twice");
    }
  if (const auto sweeps = root.find("sweeps")) suite.sweeps = read_sweeps(*sweeps);
  if (const auto arrivals = root.find("arrivals")) suite.arrivals = read_arrivals(*arrivals);
  return suite;
}

Suite read_suite(const std::filesystem::path& path) {
  return parse_suite(read_text_file(path, largest_suite_bytes), path.string());
}

}  // namespace whybits
