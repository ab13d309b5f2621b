#include "visualizer/model/phrase.hpp"

#include "visualizer/text/text.hpp"

namespace whybits::viz {

std::string phrase_text(const Phrase& phrase) {
  std::vector<std::string> values = phrase.values;
  for (const Phrase& part : phrase.parts) values.push_back(phrase_text(part));
  return text_with(phrase.key, values);
}

}  // namespace whybits::viz
