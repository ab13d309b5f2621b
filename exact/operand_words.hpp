// Operands as memory holds them, so that an exact sum runs at the speed of reading them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

#include "sim/format.hpp"

namespace whybits::exact {

/// Borrowed numbers of one format: storage words of 8, 16 or 32 bits (of a tf32 word the low 13
/// bits do not count, as in word → code), or codes, each in 64 bits.
class OperandWords {
 public:
  using Storage = std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                               std::span<const std::uint32_t>, std::span<const Bits>>;

  /// Throws std::invalid_argument if a word is too narrow for the format.
  template <class Word>
  OperandWords(const Format& format, std::span<const Word> words)
      : format_(format),
        shift_(std::is_same_v<Word, Bits> ? 0 : format.word_shift()),
        storage_(words) {
    if (format.code_bits() + shift_ > static_cast<int>(8 * sizeof(Word)))
      throw std::invalid_argument("words of " + std::to_string(8 * sizeof(Word)) +
                                  " bits do not hold " + format_name(format));
  }

  /// Calls f with the span of words.
  template <class F>
  auto visit(F&& f) const {
    return std::visit(f, storage_);
  }

  const Format& format() const { return format_; }
  /// Zero bits below the code in a word.
  int shift() const { return shift_; }
  std::size_t size() const {
    return visit([](auto words) { return words.size(); });
  }
  Bits code(std::size_t i) const {
    const Bits word = visit([i](auto words) { return Bits{words[i]}; });
    return (word >> shift_) & format_.code_mask();
  }
  OperandWords part(std::size_t first, std::size_t count) const {
    return visit([&](auto words) { return OperandWords(format_, words.subspan(first, count)); });
  }

 private:
  Format format_;
  int shift_;
  Storage storage_;
};

}  // namespace whybits::exact
