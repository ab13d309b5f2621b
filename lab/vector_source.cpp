#include "lab/vector_source.hpp"

#include <bit>
#include <cassert>
#include <cstring>
#include <stdexcept>

namespace whybits {
namespace {

static_assert(std::endian::native == std::endian::little, "words are copied as they lie in files");

template <typename Word>
Bits load(const std::uint8_t* bytes, std::uint64_t index) {
  Word word;
  std::memcpy(&word, bytes + index * sizeof(Word), sizeof(Word));
  return word;
}

/// Calls visit with a value of the unsigned type that holds a storage word of the format.
template <typename Visit>
decltype(auto) with_word_type(int word_bits, Visit visit) {
  switch (word_bits) {
    case 8:
      return visit(std::uint8_t{});
    case 16:
      return visit(std::uint16_t{});
    case 32:
      return visit(std::uint32_t{});
    default:
      return visit(std::uint64_t{});
  }
}

}  // namespace

VectorSource::VectorSource(const Format& format, std::vector<std::uint8_t> little_endian_words)
    : format_(format), word_bytes_(format.word_bytes()), bytes_(std::move(little_endian_words)) {
  if (bytes_.size() % word_bytes_ != 0)
    throw std::invalid_argument(std::to_string(bytes_.size()) +
                                " bytes are not a whole number of " + std::to_string(word_bytes_) +
                                "-byte words");
  const int used_bits = format_.code_bits() + format_.word_shift();
  if (used_bits == format_.word_bits()) return;
  with_word_type(format_.word_bits(), [&]<typename Word>(Word) {
    for (std::uint64_t i = 0; i < size(); ++i)
      if (load<Word>(bytes_.data(), i) >> used_bits != 0)
        throw std::invalid_argument("word " + std::to_string(i) + " has bits above the " +
                                    std::to_string(used_bits) + " of its format");
  });
}

VectorSource VectorSource::from_codes(const Format& format, std::span<const Bits> codes) {
  return {format, words_from_codes(format, codes)};
}

void VectorSource::read(std::uint64_t first, std::uint64_t stride, std::span<Bits> out) const {
  assert(out.empty() || first + (out.size() - 1) * stride < size());
  const int shift = format_.word_shift();
  with_word_type(format_.word_bits(), [&]<typename Word>(Word) {
    std::uint64_t index = first;
    for (Bits& code : out) {
      code = load<Word>(bytes_.data(), index) >> shift;
      index += stride;
    }
  });
}

Bits VectorSource::operator[](std::uint64_t index) const {
  Bits code = 0;
  read(index, 1, {&code, 1});
  return code;
}

std::vector<Bits> read_all(const CodeSource& source) {
  std::vector<Bits> codes(source.size());
  source.read(0, 1, codes);
  return codes;
}

std::vector<std::uint8_t> words_from_codes(const Format& format, std::span<const Bits> codes) {
  std::vector<std::uint8_t> bytes(codes.size() * format.word_bytes());
  with_word_type(format.word_bits(), [&]<typename Word>(Word) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const auto word = static_cast<Word>(word_from_code(format, codes[i]));
      std::memcpy(bytes.data() + i * sizeof(Word), &word, sizeof(Word));
    }
  });
  return bytes;
}

}  // namespace whybits
