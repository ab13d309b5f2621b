#include "lab/strict_json.hpp"

#include <set>
#include <vector>

#include "lab/usage_error.hpp"

namespace whybits {
namespace {

using nlohmann::json;

class Watch {
 public:
  Watch(const std::string& where, const JsonLimits& limits) : where_(where), limits_(limits) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    if (depth > limits_.depth)
      throw UsageError(where_ + ": more than " + std::to_string(limits_.depth) + " levels deep");
    if (++values_ > limits_.values)
      throw UsageError(where_ + ": more than " + std::to_string(limits_.values) + " values");
    switch (event) {
      case json::parse_event_t::object_start:
        keys_.emplace_back();
        break;
      case json::parse_event_t::object_end:
        keys_.pop_back();
        break;
      case json::parse_event_t::key:
        if (!keys_.back().insert(parsed.get<std::string>()).second)
          throw UsageError(where_ + ": key " + parsed.dump() + " occurs twice in one object");
        break;
      default:
        break;
    }
    return true;
  }

 private:
  const std::string& where_;
  JsonLimits limits_;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> keys_;
};

/// "parse error at line 1, column 5: …" without the library's own tag in front.
std::string without_tag(const std::string& message) {
  const auto end = message.find("] ");
  return end == std::string::npos ? message : message.substr(end + 2);
}

}  // namespace

json parse_strict_json(std::string_view text, const std::string& where, const JsonLimits& limits,
                       const std::string& remedy) {
  try {
    Watch watch(where, limits);
    return json::parse(text, std::ref(watch));
  } catch (const json::exception& error) {
    throw UsageError(where + ": " + without_tag(error.what()), remedy);
  } catch (UsageError& error) {
    error.remedy = remedy;
    throw;
  }
}

}  // namespace whybits
