#include "lab/compare_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/code_text.hpp"
#include "lab/output_text.hpp"
#include "lab/tensor_file.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace {

using Dimensions = std::vector<std::uint64_t>;
using Align = TextTable::Align;
using exact::UlpHistogram;

constexpr std::array<std::string_view, 5> kind_texts{
    "finite numbers, by ulp", "an infinity against another number", "NaN against a number",
    "NaN with another payload", "+0 against -0"};

Dimensions without_ones(Dimensions shape) {
  std::erase(shape, 1U);
  return shape;
}

/// Row-major coordinates of an element: 17 of [4, 8] is "[2, 1]".
std::string place(std::uint64_t index, const Dimensions& shape) {
  Dimensions at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    at[d] = index % shape[d];
    index /= shape[d];
  }
  return shape_text(at);
}

std::string bucket_text(std::size_t bucket) {
  const std::uint64_t low = UlpHistogram::bucket_low(bucket);
  const std::uint64_t high = UlpHistogram::bucket_high(bucket);
  return low == high ? grouped(low) : grouped(low) + " - " + grouped(high);
}

std::string headline(const Comparison& c) {
  if (c.elements == 0) return "Both are empty: nothing to compare.\n";
  if (c.all_same())
    return c.elements == 1 ? "SAME: the one word is equal.\n"
                           : fmt::format("SAME: all {} words are equal.\n", grouped(c.elements));
  const double share = 100 * static_cast<double>(c.differ) / static_cast<double>(c.elements);
  return fmt::format("DIFFERENT: {} of {} ({:.3g} %); {} equal.\n", grouped(c.differ),
                     counted(c.elements, "word"), share, grouped(c.same()));
}

std::string kinds_text(const Comparison& c) {
  TextTable table({"kind of difference", "words"}, {Align::left, Align::right});
  for (std::size_t kind = 0; kind < c.kinds.size(); ++kind)
    if (c.kinds[kind] != 0) table.row({std::string(kind_texts[kind]), grouped(c.kinds[kind])});
  return table.text(2);
}

std::string histogram_text(const Comparison& c) {
  TextTable table({"ulp distance", "words"}, {Align::left, Align::right});
  for (std::size_t bucket = 0; bucket < c.histogram.used_buckets(); ++bucket)
    if (c.histogram.buckets()[bucket] != 0)
      table.row({bucket_text(bucket), grouped(c.histogram.buckets()[bucket])});
  if (c.histogram.not_comparable() != 0)
    table.row({"none (NaN)", grouped(c.histogram.not_comparable())});
  return table.text(2);
}

std::string differences_text(const DumpComparison& compared) {
  const Comparison& c = compared.comparison;
  TextTable table(
      {"element", "A", "B", "A", "B", "ulp"},
      {Align::left, Align::left, Align::left, Align::right, Align::right, Align::right});
  for (const Difference& d : c.first)
    table.row({place(d.index, compared.shape), hex_code(c.format, d.a), hex_code(c.format, d.b),
               shortest_decimal(c.format, d.a), shortest_decimal(c.format, d.b),
               d.ulp ? grouped(*d.ulp) : "-"});
  return fmt::format("  first {} of {}\n", c.first.size(), counted(c.differ, "difference")) +
         table.text(2);
}

}  // namespace

DumpComparison compare_dumps(const Dump& a, const Dump& b, std::size_t keep) {
  const bool shaped = a.shape.size() > 1 && b.shape.size() > 1;
  if (shaped && without_ones(a.shape) != without_ones(b.shape))
    throw UsageError(fmt::format("cannot compare shape {} ({}) with {} ({})", shape_text(a.shape),
                                 a.name, shape_text(b.shape), b.name),
                     "compare two dumps of one tensor; transpose or slice one of them");
  return {a.name, b.name, a.shape.size() >= b.shape.size() ? a.shape : b.shape,
          compare_codes(a.codes, b.codes, keep)};
}

std::string comparison_text(const DumpComparison& compared) {
  const Comparison& c = compared.comparison;
  std::string text = fmt::format("A  {}\nB  {}\n   {} {}\n\n", compared.name_a, compared.name_b,
                                 format_name(c.format), shape_text(compared.shape));
  text += headline(c);
  if (c.all_same()) return text;
  text += "\n" + kinds_text(c) + "\n" + histogram_text(c);
  if (!c.first.empty()) text += "\n" + differences_text(compared);
  return text;
}

std::string comparison_json(const DumpComparison& compared) {
  using Json = nlohmann::ordered_json;
  const Comparison& c = compared.comparison;
  Json json{{"whybits_compare", 1},    {"a", compared.name_a},
            {"b", compared.name_b},    {"format", format_name(c.format)},
            {"shape", compared.shape}, {"elements", c.elements},
            {"same", c.same()},        {"differ", c.differ}};
  for (std::size_t kind = 0; kind < c.kinds.size(); ++kind)
    json["kinds"][std::string(difference_kind_names[kind])] = c.kinds[kind];
  json["ulp_histogram"] = Json::array();
  for (std::size_t bucket = 0; bucket < c.histogram.used_buckets(); ++bucket)
    json["ulp_histogram"].push_back({{"low", UlpHistogram::bucket_low(bucket)},
                                     {"high", UlpHistogram::bucket_high(bucket)},
                                     {"count", c.histogram.buckets()[bucket]}});
  json["largest_ulp"] = c.histogram.largest();
  json["differences"] = Json::array();
  for (const Difference& d : c.first)
    json["differences"].push_back(
        {{"index", d.index},
         {"a", hex_code(c.format, d.a)},
         {"b", hex_code(c.format, d.b)},
         {"kind", difference_kind_names[static_cast<std::size_t>(d.kind)]},
         {"ulp", d.ulp ? Json(*d.ulp) : Json()}});
  return json_text(json);
}

std::string comparison_csv(const DumpComparison& compared) {
  const Comparison& c = compared.comparison;
  std::string text = "index,a,b,kind,ulp\n";
  for (const Difference& d : c.first)
    text +=
        fmt::format("{},{},{},{},{}\n", d.index, hex_code(c.format, d.a), hex_code(c.format, d.b),
                    difference_kind_names[static_cast<std::size_t>(d.kind)],
                    d.ulp ? fmt::format("{}", *d.ulp) : "");
  return text;
}

}  // namespace whybits
