// A sentence without its language: the key of a template in the text table and what fills it, in
// order ({0}, {1}, …): first the values, then the parts, which have a language themselves.
#pragma once

#include <string>
#include <vector>

namespace whybits::viz {

struct Phrase {
  std::string key;
  std::vector<std::string> values = {};
  std::vector<Phrase> parts = {};

  bool operator==(const Phrase&) const = default;
};

/// In the language of the screen.
std::string phrase_text(const Phrase& phrase);

}  // namespace whybits::viz
