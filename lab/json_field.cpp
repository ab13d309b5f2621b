#include "lab/json_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/usage_error.hpp"

namespace whybits {

void JsonField::fail(const std::string& what, const std::string& remedy) const {
  throw UsageError(fmt::format("{}: {}: {}", *file_, path(), what), remedy);
}

void JsonField::require_object() const {
  if (!value_->is_object()) fail("not an object");
}

std::optional<JsonField> JsonField::find(std::string_view key) const {
  require_object();
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return JsonField(*found, *file_,
                   path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key));
}

JsonField JsonField::at(std::string_view key) const {
  auto field = find(key);
  if (!field) fail(fmt::format("'{}' is missing", key));
  return *field;
}

std::vector<JsonField> JsonField::elements() const {
  if (!value_->is_array()) fail("not an array");
  std::vector<JsonField> fields;
  fields.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    fields.push_back(JsonField((*value_)[i], *file_, fmt::format("{}[{}]", path_, i)));
  return fields;
}

std::vector<std::string> JsonField::keys() const {
  require_object();
  std::vector<std::string> names;
  for (const auto& [key, ignored] : value_->items()) names.push_back(key);
  return names;
}

void JsonField::allow_only(std::initializer_list<std::string_view> allowed) const {
  for (const std::string& key : keys())
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      fail(fmt::format("'{}' is not a known key", key),
           fmt::format("known keys: {}", fmt::join(allowed, ", ")));
}

const std::string& JsonField::text() const {
  if (!value_->is_string()) fail("not a string");
  return value_->get_ref<const std::string&>();
}

std::uint64_t JsonField::number(std::uint64_t lowest, std::uint64_t highest) const {
  if (!value_->is_number_unsigned()) fail("not an unsigned integer");
  const auto number = value_->get<std::uint64_t>();
  if (number < lowest || number > highest)
    fail(fmt::format("{} is not between {} and {}", number, lowest, highest));
  return number;
}

}  // namespace whybits
