// An operand whose codes are rounded on their way in: what a kernel does that rounds f32 words to
// TF32 before it multiplies.
#pragma once

#include <memory>

#include "sim/source.hpp"
#include "sim/unit.hpp"

namespace whybits {

class RoundedSource final : public CodeSource {
 public:
  RoundedSource(std::shared_ptr<const CodeSource> inner, const Conversion& conversion)
      : inner_(std::move(inner)), conversion_(conversion) {}

  Format format() const override { return conversion_.to; }
  std::uint64_t size() const override { return inner_->size(); }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override;

 private:
  std::shared_ptr<const CodeSource> inner_;
  Conversion conversion_;
};

/// A source that somebody else keeps.
inline std::shared_ptr<const CodeSource> borrowed(const CodeSource& source) {
  return {std::shared_ptr<const CodeSource>(), &source};
}

}  // namespace whybits
