// A sentence without its language: the key of a template in the text table and what fills it.
// visualizer/text/en.json has "why.seam": "Up to leaf {last} every step is equal…".
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace whybits::viz {

struct Phrase {
  std::string key;
  std::vector<std::pair<std::string, std::string>> values;

  const std::string& value(const std::string& name) const;  ///< "" if there is none
  bool operator==(const Phrase&) const = default;
};

/// Puts the values into a template: "{name}". Names without a value stay as they are.
std::string fill(const std::string& text, const Phrase& phrase);

}  // namespace whybits::viz
