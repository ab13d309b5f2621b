// What a wrong unit name most likely meant.
#include <algorithm>
#include <array>
#include <cctype>

#include "sim/ascii_lower.hpp"
#include "sim/device_table.hpp"
#include "sim/nearest_name.hpp"
#include "sim/notation_units.hpp"

namespace whybits {
namespace {

struct Product {
  std::string_view name;
  std::string_view architecture;
};
constexpr std::array products{
    Product{"v100", "sm70"},  Product{"t4", "sm75"},    Product{"a100", "sm80"},
    Product{"a30", "sm80"},   Product{"a10", "sm86"},   Product{"l4", "sm89"},
    Product{"l40s", "sm89"},  Product{"h100", "sm90"},  Product{"h200", "sm90"},
    Product{"gh200", "sm90"}, Product{"b200", "sm100"}, Product{"gb200", "sm100"}};

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts{""};
  for (const char c : name) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

/// Distinct values of a column of the device table, in its order, of the rows that match.
template <class Match, class Column>
std::vector<std::string> listed(Match match, Column column) {
  std::vector<std::string> out;
  for (const DeviceRow& row : device_table())
    if (match(row))
      for (const std::string& value : column(row))
        if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
  return out;
}

std::vector<std::string> architectures() {
  return listed([](const DeviceRow&) { return true; },
                [](const DeviceRow& row) { return std::vector{std::string(row.architecture)}; });
}

/// "sm90.mma.…": says which part is not in the table, and what is there.
std::string explain_device_unit(const std::string& name) {
  const std::vector<std::string> parts = parts_of(name);
  const auto has = [](const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  const std::vector<std::string> names = device_unit_names();
  const auto near = nearest_name(name, names);
  const std::string guess = near ? "; did you mean " + *near + "?" : "";
  const auto known = architectures();
  if (!has(known, parts[0]))
    return "no architecture " + quoted(parts[0]) + " (" + joined(known) + ")";
  const auto of_architecture = [&](const DeviceRow& row) { return row.architecture == parts[0]; };
  const auto instructions = listed(of_architecture, [](const DeviceRow& row) {
    return std::vector{std::string(row.instruction)};
  });
  if (parts.size() < 2 || !has(instructions, parts[1]))
    return "the instructions of " + parts[0] + " are " + joined(instructions) + ", as in " +
           parts[0] + "." + instructions[0] + ".f16";
  const std::string instruction = parts[0] + "." + parts[1];
  const auto of_instruction = [&](const DeviceRow& row) {
    return of_architecture(row) && row.instruction == parts[1];
  };
  const auto operands = listed(of_instruction, [](const DeviceRow& row) {
    return std::vector<std::string>(row.operands.begin(), row.operands.end());
  });
  const std::string types = parts.size() < 3 ? "" : parts[2];
  if (!has(operands, types.substr(0, types.find('x'))))
    return instruction + " takes " + joined(operands) + guess;
  std::vector<std::string> of_types;
  const std::string prefix = instruction + "." + types;
  for (const std::string& unit : names)
    if (unit == prefix || unit.rfind(prefix + ".", 0) == 0) of_types.push_back(unit);
  if (of_types.empty()) return instruction + " has no " + types + guess;
  return "there is " + joined(of_types);
}

std::string explain_suffix(std::string_view name) {
  const std::vector<std::string> parts = parts_of(name);
  if (parts.back() == "sat")
    return "a unit does not saturate, a rounding does: " + parts[0] + " > " + parts[0] + ".sat";
  return "an IEEE unit is FORMAT, then .fma, then one of .rz .ru .rd .rna, then .ftz (nearest even "
         "without them)";
}

}  // namespace

std::string explain_unknown_unit(std::string_view name) {
  const std::string message = "unknown unit " + quoted(name) + ": ";
  const auto did_you_mean = [&](const std::string& near) {
    return message + "did you mean " + near + "?";
  };
  const std::string plain = ascii_lower(name);
  const std::vector<std::string> parts = parts_of(plain);
  for (const Product& product : products)
    if (parts[0] == product.name) {
      std::string rest = plain.substr(parts[0].size());
      const std::string unit = std::string(product.architecture) + rest;
      return message + "this GPU is " + std::string(product.architecture) +
             (find_device_unit(unit) ? ", so " + unit
                                     : ", as in " + std::string(product.architecture) + ".mma.f16");
    }
  if (find_device_unit(plain)) return did_you_mean(plain);
  if (parts[0].rfind("sm", 0) == 0) return message + explain_device_unit(plain);
  if (parse_format(parts[0])) return message + explain_suffix(plain);
  const bool like_format = parts[0].size() > 3 && parts[0][0] == 'e' &&
                           parts[0].find_first_not_of("em0123456789") == std::string::npos;
  if (like_format) return message + "eXmY has 2 to 11 exponent and 1 to 52 fraction bits";
  std::vector<std::string> names = device_unit_names();
  for (const NamedFormat& f : named_formats()) names.emplace_back(f.name);
  for (const char* other : {"f32.fma", "f64.fma", "exact", "aligned"}) names.emplace_back(other);
  const std::string ending = "." + plain;
  for (const std::string& device : device_unit_names())  // the architecture left out
    if (device.size() > ending.size() &&
        device.compare(device.size() - ending.size(), std::string::npos, ending) == 0 &&
        device.rfind("sm90", 0) == 0)
      return did_you_mean(device);
  if (const auto near = nearest_name(plain, names)) return did_you_mean(*near);
  return message +
         "there are f64 f32 tf32 f16 bf16 e5m2 e4m3 eXmY (IEEE adds), f32.fma f64.fma, matrix "
         "units "
         "such as sm90.wgmma.bf16, aligned(…) and exact";
}

}  // namespace whybits
