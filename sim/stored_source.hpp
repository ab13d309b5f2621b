// A source whose codes lie in memory as storage words already: evaluators that hold operands in
// words take them where they lie instead of copying them.
#pragma once

#include <cstddef>

#include "sim/source.hpp"

namespace whybits {

class StoredSource : public CodeSource {
 public:
  /// size() words of the format, one behind the other; they live as long as the source.
  virtual const std::byte* stored_words() const = 0;
};

}  // namespace whybits
