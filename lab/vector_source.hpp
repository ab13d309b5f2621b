// An operand held in memory as its storage words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/stored_source.hpp"

namespace whybits {

/// Codes kept at the width of their storage word, little endian, as files hold them: a bf16
/// operand takes two bytes an element, not eight.
class VectorSource final : public StoredSource {
 public:
  /// Takes words as read from a file. A tf32 operand read from f32 words that keep their low bits
  /// has format f32 (see stored_format). Throws std::invalid_argument if the bytes are not a whole
  /// number of words or a word of a format below its width has bits above the code.
  VectorSource(const Format& format, std::vector<std::uint8_t> little_endian_words);
  static VectorSource from_codes(const Format& format, std::span<const Bits> codes);

  Format format() const override { return format_; }
  std::uint64_t size() const override { return bytes_.size() / word_bytes_; }
  void read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const override;
  const std::byte* stored_words() const override {
    return reinterpret_cast<const std::byte*>(bytes_.data());
  }
  Bits operator[](std::uint64_t index) const;

  /// The storage words, for hashing and writing.
  std::span<const std::uint8_t> words() const { return bytes_; }

 private:
  Format format_;
  std::uint64_t word_bytes_;
  std::vector<std::uint8_t> bytes_;
};

/// All codes of a source, and the words that would hold them.
std::vector<Bits> read_all(const CodeSource& source);
std::vector<std::uint8_t> words_from_codes(const Format& format, std::span<const Bits> codes);

}  // namespace whybits
