#include <fmt/format.h>

#include "lab/decoder_block.hpp"
#include "lab/text_table.hpp"

namespace whybits {
namespace {

std::string moved_text(std::uint64_t differ, std::size_t of) {
  return fmt::format("{} of {}", grouped(differ), grouped(of));
}

std::string ulp_text(std::uint64_t differ, std::uint64_t ulp) {
  return differ > 0 ? grouped(ulp) : "";
}

/// Which order each side has, one line where they are the same.
std::string orders_text(const DecoderRequest& request, const DecoderStudy& study) {
  using enum TextTable::Align;
  TextTable table({"operation", "batch", "order", "evidence"}, {left, right, left, left});
  const std::string both = request.a.batch == request.b.batch
                               ? std::to_string(request.a.batch)
                               : fmt::format("{}, {}", request.a.batch, request.b.batch);
  for (const DecoderOperation& o : study.operations) {
    if (o.by_a == o.by_b) {
      table.row({o.name, both, o.by_a, o.evidence_a});
      continue;
    }
    table.row({o.name, std::to_string(request.a.batch), o.by_a, o.evidence_a});
    table.row({"", std::to_string(request.b.batch), o.by_b, o.evidence_b});
  }
  return table.text(2);
}

nlohmann::ordered_json side_json(const DecoderChoices& choices, const std::string& by,
                                 const std::string& evidence) {
  return {{"batch", choices.batch}, {"order", by}, {"evidence", evidence}};
}

}  // namespace

std::string decoder_text(const DecoderRequest& request, const DecoderStudy& study,
                         bool with_times) {
  using enum TextTable::Align;
  std::vector<std::string> header{"operation",     "differ by itself", "max ulp",
                                  "differ in all", "max ulp",          "cause"};
  std::vector<TextTable::Align> align{left, right, right, right, right, left};
  if (with_times) {
    header.emplace_back("ms");
    align.push_back(right);
  }
  TextTable table(header, align);
  std::chrono::duration<double, std::milli> total{};
  for (const DecoderOperation& o : study.operations) {
    std::vector<std::string> row{o.name,
                                 o.has_order ? moved_text(o.own, o.a.size()) : "",
                                 ulp_text(o.own, o.own_ulp),
                                 moved_text(o.differ, o.a.size()),
                                 ulp_text(o.differ, o.largest_ulp),
                                 o.cause()};
    const std::chrono::duration<double, std::milli> taken = o.seconds;
    total += taken;
    if (with_times) row.push_back(fmt::format("{:.1f}", taken.count()));
    table.row(row);
  }
  std::string out = table.text(2);
  if (with_times)
    out += fmt::format("\n  The block under both batches took {:.2f} s to emulate.\n",
                       total.count() / 1000);
  out += "\n" + orders_text(request, study);
  if (!study.any_differs()) out += "\n  No element differs after any operation.\n";
  return out + fmt::format("\n  exp2, exp and 1/√ are '{}': {}.\n", request.functions.name,
                           request.functions.evidence);
}

nlohmann::ordered_json decoder_json(const DecoderRequest& request, const DecoderStudy& study,
                                    bool with_times) {
  nlohmann::ordered_json operations = nlohmann::ordered_json::array();
  for (const DecoderOperation& o : study.operations)
    operations.push_back(
        {{"operation", o.name},
         {"sides",
          {side_json(request.a, o.by_a, o.evidence_a), side_json(request.b, o.by_b, o.evidence_b)}},
         {"elements", o.a.size()},
         {"same_order", o.same_order},
         {"differ_by_itself", o.own},
         {"largest_ulp_by_itself", o.own_ulp},
         {"differ", o.differ},
         {"largest_ulp", o.largest_ulp},
         {"cause", o.cause()},
         {"seconds", with_times ? nlohmann::ordered_json(o.seconds.count()) : nullptr}});
  return {{"functions", request.functions.name}, {"operations", std::move(operations)}};
}

}  // namespace whybits
