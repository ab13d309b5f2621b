#include "lab/verify_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lab/code_text.hpp"
#include "lab/text_table.hpp"

namespace whybits {
namespace {

std::string file_name(const Verification& v) {
  return std::filesystem::path(v.file).filename().string();
}

std::string verdict(const Verification& v) {
  if (v.unsupported) return "not checked";
  return v.passed() ? "every bit" : "DIFFERS";
}

/// Maps of many regions fill pages; --json has them whole.
std::string shortened(const std::string& topology) {
  constexpr std::size_t most = 240;
  if (topology.size() <= most) return topology;
  const std::size_t at = topology.rfind(';', most);
  if (at == std::string::npos) return topology;
  const auto regions = std::count(topology.begin(), topology.end(), ';') + 1;
  return topology.substr(0, at + 1) + fmt::format(" … }} ({} regions)", regions);
}

void append_file(std::string& out, const Verification& v) {
  if (v.unsupported) {
    out += fmt::format("not checked  {}\n             {}\n", file_name(v), *v.unsupported);
    return;
  }
  out += fmt::format("{:<11}  {}\n             {}{}\n             {}: {}\n", verdict(v),
                     file_name(v), how_many_differ(v.wrong, v.compared, "output"),
                     v.not_finite > 0 ? fmt::format(" ({} of them NaN or infinity on the device)",
                                                    grouped(v.not_finite))
                     : v.hash_only    ? " (compared by hash)"
                                      : "",
                     v.rule.empty() ? std::string(basis_name(v.basis))
                                    : fmt::format("{}, {}", basis_name(v.basis), v.rule),
                     shortened(v.topology));
  if (v.first_wrong)
    out += fmt::format("             first: {}: recorded {}, predicted {}\n", v.first_wrong_place,
                       hex_code(v.format, v.recorded), hex_code(v.format, v.predicted));
  if (v.as_recorded)
    out += *v.as_recorded ? "             live: the recorded bits again\n"
                          : "             live: NOT the recorded bits\n";
  if (v.controls.empty()) return;
  using enum TextTable::Align;
  TextTable controls({}, {left, right, left});
  for (const ControlCount& control : v.controls)
    controls.row(
        {"control: " + control.name, grouped(control.wrong),
         control.wrong > 0 ? "wrong" : "wrong: these outputs cannot tell it from the right one"});
  out += controls.text(13);
}

struct Totals {
  std::uint64_t files = 0, passed = 0, compared = 0, wrong = 0;
};

Totals total(const std::vector<Verification>& list, Basis basis) {
  Totals t;
  for (const Verification& v : list) {
    if (v.unsupported || v.basis != basis) continue;
    ++t.files;
    if (v.passed()) ++t.passed;
    t.compared += v.compared;
    t.wrong += v.wrong;
  }
  return t;
}

constexpr Basis bases[] = {Basis::given, Basis::from_fields, Basis::from_configuration};

std::uint64_t unsupported_count(const std::vector<Verification>& list) {
  return static_cast<std::uint64_t>(std::count_if(
      list.begin(), list.end(), [](const Verification& v) { return v.unsupported.has_value(); }));
}

}  // namespace

std::string verifications_text(const std::vector<Verification>& list) {
  std::string out;
  for (const Verification& v : list) append_file(out, v);
  using enum TextTable::Align;
  TextTable totals({"topology", "files", "every bit", "outputs", "differ"},
                   {left, right, right, right, right});
  for (const Basis basis : bases) {
    const Totals t = total(list, basis);
    if (t.files == 0) continue;
    totals.row({std::string(basis_name(basis)), grouped(t.files), grouped(t.passed),
                grouped(t.compared), grouped(t.wrong)});
  }
  if (const auto missing = unsupported_count(list); missing > 0)
    totals.row({"not checked", grouped(missing), "", "", ""});
  return out + "\n" + totals.text();
}

nlohmann::ordered_json verifications_json(const std::vector<Verification>& list) {
  nlohmann::ordered_json out{{"whybits_verify", 1}, {"files", nlohmann::ordered_json::array()}};
  for (const Verification& v : list) {
    nlohmann::ordered_json file{{"file", v.file},
                                {"device", v.device},
                                {"verdict", v.unsupported ? "not_checked"
                                            : v.passed()  ? "same"
                                                          : "differs"}};
    if (v.unsupported) {
      file["reason"] = *v.unsupported;
    } else {
      file["basis"] = basis_name(v.basis);
      file["topology"] = v.topology;
      file["rule"] = v.rule.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(v.rule);
      file["compared"] = v.compared;
      file["wrong"] = v.wrong;
      file["not_finite"] = v.not_finite;
      file["hash_only"] = v.hash_only;
      if (v.first_wrong)
        file["first_wrong"] = {{"index", *v.first_wrong},
                               {"place", v.first_wrong_place},
                               {"recorded", hex_code(v.format, v.recorded)},
                               {"predicted", hex_code(v.format, v.predicted)}};
      if (v.as_recorded) file["as_recorded"] = *v.as_recorded;
      file["controls"] = nlohmann::ordered_json::array();
      for (const ControlCount& c : v.controls)
        file["controls"].push_back(
            {{"name", c.name}, {"topology", c.topology}, {"wrong", c.wrong}});
    }
    out["files"].push_back(std::move(file));
  }
  for (const Basis basis : bases) {
    const Totals t = total(list, basis);
    out["totals"][std::string(basis_name(basis))] = {
        {"files", t.files}, {"same", t.passed}, {"outputs", t.compared}, {"wrong", t.wrong}};
  }
  out["totals"]["not checked"] = unsupported_count(list);
  return out;
}

std::string verifications_csv(const std::vector<Verification>& list) {
  std::string out = "file,verdict,basis,compared,wrong,controls,controls_separated\n";
  for (const Verification& v : list) {
    const auto separated = std::count_if(v.controls.begin(), v.controls.end(),
                                         [](const ControlCount& c) { return c.wrong > 0; });
    // File names may hold commas and quotes.
    std::string quoted = v.file;
    for (std::size_t i = 0; (i = quoted.find('"', i)) != std::string::npos; i += 2)
      quoted.insert(i, 1, '"');
    out += fmt::format("\"{}\",{},{},{},{},{},{}\n", quoted,
                       v.unsupported ? "not_checked"
                       : v.passed()  ? "same"
                                     : "differs",
                       v.unsupported ? "" : basis_name(v.basis), v.compared, v.wrong,
                       v.controls.size(), separated);
  }
  return out;
}

}  // namespace whybits
