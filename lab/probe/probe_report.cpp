#include "lab/probe/probe_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/text_table.hpp"

namespace whybits {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(const Format& format, Bits code) {
  return fmt::format("{:0{}x}", code, format.word_bits() / 4);
}

std::string hex_list(const Format& format, const std::vector<Bits>& codes) {
  std::vector<std::string> words;
  words.reserve(codes.size());
  for (const Bits code : codes) words.push_back(hex(format, code));
  return fmt::format("{}", fmt::join(words, ","));
}

std::string title(const Claim& claim) {
  return std::string(claim.instruction->name) + (claim.with_c ? "" : " without c");
}

struct ProbeCount {
  std::string name;
  std::uint64_t dots = 0, wrong = 0;
};

/// Vectors by question, in their order.
std::vector<ProbeCount> by_question(const ProbeResult& result) {
  std::vector<ProbeCount> counts;
  for (const VectorResult& v : result.vectors) {
    if (counts.empty() || counts.back().name != v.vector.question)
      counts.push_back({v.vector.question});
    ++counts.back().dots;
    if (v.device != v.model) ++counts.back().wrong;
  }
  return counts;
}

/// Outputs that control r gets wrong, of those that it was given.
ProbeCount control_count(const ProbeResult& result, std::size_t r) {
  ProbeCount count{result.controls[r]};
  for (const KindResult& kind : result.kinds) {
    count.dots += kind.control_dots;
    count.wrong += kind.control_wrong[r];
  }
  return count;
}

std::uint64_t control_vectors(const ProbeResult& result, std::size_t r) {
  return static_cast<std::uint64_t>(
      std::count_if(result.vectors.begin(), result.vectors.end(),
                    [r](const VectorResult& v) { return v.controls[r] != v.device; }));
}

Json example_json(const Claim& claim, const ProbeExample& example) {
  return {{"place", example.place},
          {"a", hex_list(claim.a, example.a)},
          {"b", hex_list(claim.b, example.b)},
          {"c", hex(claim.c, example.c)},
          {"device", hex(claim.c, example.device)},
          {"model", hex(claim.c, example.model)}};
}

}  // namespace

std::string probe_text(const ProbeResult& result) {
  const Claim& claim = result.claim;
  std::string out = fmt::format("{} = {}: {} dot products, {} wrong, {:.1f} s\n", title(claim),
                                claim_topology(*claim.instruction, claim.with_c),
                                grouped(result.dots()), grouped(result.wrong()), result.seconds);
  using enum TextTable::Align;
  TextTable table({"inputs", "dots", "wrong"}, {left, right, right});
  for (const ProbeCount& question : by_question(result))
    table.row({"vectors: " + question.name, grouped(question.dots), grouped(question.wrong)});
  table.row({"vectors mixed", grouped(result.mixed), grouped(result.mixed_wrong)});
  for (const KindResult& kind : result.kinds)
    table.row({std::string(data_kind_name(kind.kind)), grouped(kind.dots), grouped(kind.wrong)});
  for (std::size_t r = 0; r < result.controls.size(); ++r) {
    const ProbeCount count = control_count(result, r);
    table.row({"control: " + count.name,
               fmt::format("{} + {}", grouped(count.dots), result.vectors.size()),
               fmt::format("{} + {}", grouped(count.wrong), control_vectors(result, r))});
  }
  out += table.text(2);
  constexpr std::size_t shown = 40;
  std::size_t wrong_vectors = 0;
  for (const VectorResult& v : result.vectors)
    if (v.device != v.model && ++wrong_vectors <= shown)
      out += fmt::format("  {}: {}: device {} model {}\n", v.vector.question, v.vector.text,
                         hex(claim.c, v.device), hex(claim.c, v.model));
  for (const KindResult& kind : result.kinds)
    for (const ProbeExample& e : kind.examples)
      out += fmt::format("  {} {}: device {} model {}\n    a {}\n    b {}\n    c {}\n",
                         data_kind_name(kind.kind), e.place, hex(claim.c, e.device),
                         hex(claim.c, e.model), hex_list(claim.a, e.a), hex_list(claim.b, e.b),
                         hex(claim.c, e.c));
  return out;
}

nlohmann::ordered_json probe_json(const ProbeResult& result) {
  const Claim& claim = result.claim;
  Json json{{"instruction", claim.instruction->name},
            {"ptx", claim.instruction->ptx},
            {"topology", claim_topology(*claim.instruction, claim.with_c)},
            {"with_c", claim.with_c},
            {"dots", result.dots()},
            {"wrong", result.wrong()},
            {"seconds", result.seconds}};
  json["controls"] = Json::array();
  for (std::size_t r = 0; r < result.controls.size(); ++r) {
    const ProbeCount count = control_count(result, r);
    json["controls"].push_back({{"name", count.name},
                                {"dots", count.dots},
                                {"wrong", count.wrong},
                                {"vectors_wrong", control_vectors(result, r)}});
  }
  json["kinds"] = Json::array();
  for (const KindResult& kind : result.kinds) {
    Json entry{{"kind", data_kind_name(kind.kind)},
               {"dots", kind.dots},
               {"wrong", kind.wrong},
               {"control_dots", kind.control_dots},
               {"control_wrong", kind.control_wrong}};
    for (const ProbeExample& e : kind.examples) entry["examples"].push_back(example_json(claim, e));
    json["kinds"].push_back(std::move(entry));
  }
  json["vectors_mixed"] = {{"dots", result.mixed}, {"wrong", result.mixed_wrong}};
  json["vectors"] = Json::array();
  for (const VectorResult& v : result.vectors)
    json["vectors"].push_back({{"question", v.vector.question},
                               {"text", v.vector.text},
                               {"a", hex_list(claim.a, v.vector.a)},
                               {"b", hex_list(claim.b, v.vector.b)},
                               {"c", hex(claim.c, v.vector.c)},
                               {"device", hex(claim.c, v.device)},
                               {"model", hex(claim.c, v.model)}});
  return json;
}

std::string probe_summary(const std::vector<ProbeResult>& results) {
  using enum TextTable::Align;
  TextTable table({"instruction", "unit", "vectors", "dot products", "wrong"},
                  {left, left, right, right, right});
  std::uint64_t dots = 0, wrong = 0, vectors = 0;
  for (const ProbeResult& r : results) {
    table.row({title(r.claim), claim_topology(*r.claim.instruction, r.claim.with_c),
               grouped(r.vectors.size()), grouped(r.dots()), grouped(r.wrong())});
    dots += r.dots();
    wrong += r.wrong();
    vectors += r.vectors.size();
  }
  table.row({"all", "", grouped(vectors), grouped(dots), grouped(wrong)});
  return table.text();
}

}  // namespace whybits
