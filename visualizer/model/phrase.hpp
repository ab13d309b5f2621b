// A sentence without its language: the key of a template in the text table and what fills it, in
// order ({0}, {1}, …): text_with(phrase.key, phrase.values).
#pragma once

#include <string>
#include <vector>

namespace whybits::viz {

struct Phrase {
  std::string key;
  std::vector<std::string> values;

  bool operator==(const Phrase&) const = default;
};

}  // namespace whybits::viz
