// A value inside a JSON document that knows where it is, so that every complaint names the file
// and the path: "run.json: inputs.a: …".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whybits {

class JsonField {
 public:
  /// The root of a document. `file` must outlive the field, as must the document.
  JsonField(const nlohmann::json& value, const std::string& file) : value_(&value), file_(&file) {}

  const nlohmann::json& value() const { return *value_; }
  std::string path() const { return path_.empty() ? "the document" : path_; }
  [[noreturn]] void fail(const std::string& what, const std::string& remedy = {}) const;

  /// Member of an object: required, or nullopt if absent. Both throw UsageError for a non-object.
  JsonField at(std::string_view key) const;
  std::optional<JsonField> find(std::string_view key) const;
  std::vector<JsonField> elements() const;  ///< of an array
  std::vector<std::string> keys() const;    ///< of an object

  /// Throws UsageError if the object has a key that is not listed: a misspelt optional key must not
  /// pass for an absent one.
  void allow_only(std::initializer_list<std::string_view> allowed) const;

  const std::string& text() const;
  std::uint64_t number(std::uint64_t lowest = 0,
                       std::uint64_t highest = std::numeric_limits<std::uint64_t>::max()) const;

 private:
  JsonField(const nlohmann::json& value, const std::string& file, std::string path)
      : value_(&value), file_(&file), path_(std::move(path)) {}
  void require_object() const;

  const nlohmann::json* value_;
  const std::string* file_;
  std::string path_;
};

}  // namespace whybits
