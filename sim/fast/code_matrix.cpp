#include "sim/fast/code_matrix.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "sim/ceil_div.hpp"
#include "sim/fast/with_word.hpp"

namespace whybits::fast {
namespace {

template <class Word>
Bits load(const std::byte* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

void store(std::byte* at, std::size_t bytes, Bits word) {
  std::memcpy(at, &word, bytes);  // little-endian, as every machine that this runs on
}

/// Codes to words side by side.
void store(std::byte* at, const Format& format, std::span<const Bits> codes) {
  const int up = format.word_shift();
  with_word(format.word_bytes(), [&]<class Word>(Word) {
    for (const Bits code : codes) {
      const auto word = static_cast<Word>(code << up);
      std::memcpy(at, &word, sizeof word);
      at += sizeof word;
    }
  });
}

bool consecutive(std::span<const std::uint64_t> indices) {
  for (std::size_t i = 1; i < indices.size(); ++i)
    if (indices[i] != indices[0] + i) return false;
  return true;
}

constexpr std::uint64_t large_page = std::uint64_t{2} << 20;

/// Large matrices are walked down their columns, a page or less at a time: on large pages the
/// processor finds its way.
std::shared_ptr<std::byte[]> new_words(std::uint64_t bytes) {
  if (bytes < 2 * large_page) return std::make_shared_for_overwrite<std::byte[]>(bytes);
  const std::uint64_t whole = round_up(bytes, large_page);
  void* words = std::aligned_alloc(large_page, whole);
  if (words == nullptr) throw std::bad_alloc();
  wish_for_large_pages(words, whole);
  return {static_cast<std::byte*>(words), [](std::byte* at) { std::free(at); }};
}

}  // namespace

void wish_for_large_pages(void* memory, std::uint64_t bytes) {
#ifdef MADV_HUGEPAGE
  if (bytes < 2 * large_page) return;
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = round_up(at, large_page);
  const std::uintptr_t last = (at + bytes) / large_page * large_page;
  // Without it everything works, more slowly.
  madvise(static_cast<std::byte*>(memory) + (first - at), last - first, MADV_HUGEPAGE);
#else
  (void)memory;
  (void)bytes;
#endif
}

void CodeMatrix::allocate() {
  owned_ = new_words(bytes());
  words_ = owned_.get();
}

CodeMatrix CodeMatrix::unset(const Format& format, std::uint64_t rows, std::uint64_t columns) {
  CodeMatrix made;
  made.format_ = format;
  made.rows_ = rows;
  made.columns_ = made.row_stride_ = columns;
  made.allocate();
  return made;
}

CodeMatrix CodeMatrix::zeros(const Format& format, std::uint64_t rows, std::uint64_t columns) {
  CodeMatrix made = unset(format, rows, columns);
  std::memset(made.owned_.get(), 0, made.bytes());
  return made;
}

CodeMatrix CodeMatrix::borrow(const Format& format, std::uint64_t rows, std::uint64_t columns,
                              const std::byte* words) {
  CodeMatrix made;
  made.format_ = format;
  made.rows_ = rows;
  made.columns_ = made.row_stride_ = columns;
  made.words_ = words;
  return made;
}

CodeMatrix CodeMatrix::borrow_sliding(const Format& format, std::uint64_t rows,
                                      std::uint64_t columns, const std::byte* words) {
  CodeMatrix made = borrow(format, rows, columns, words);
  made.row_stride_ = 1;
  return made;
}

CodeMatrix CodeMatrix::of(const Format& format, std::uint64_t rows, std::uint64_t columns,
                          std::span<const Bits> codes) {
  CodeMatrix made = unset(format, rows, columns);
  store(made.owned_.get(), format, codes);
  return made;
}

CodeMatrix CodeMatrix::read(const CodeSource& source, std::uint64_t source_columns,
                            std::span<const std::uint64_t> rows,
                            std::span<const std::uint64_t> columns) {
  CodeMatrix made = unset(source.format(), rows.size(), columns.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    made.read_row(r, source, rows[r] * source_columns, columns);
  return made;
}

void CodeMatrix::read_row(std::uint64_t r, const CodeSource& source, std::uint64_t first,
                          std::span<const std::uint64_t> columns) {
  constexpr std::size_t most = 1024;  // codes at a time, so that the buffer stays near
  Bits buffer[most];
  const bool together = consecutive(columns);
  for (std::size_t c = 0; c < columns.size(); c += most) {
    const std::span<Bits> codes(buffer, std::min(most, columns.size() - c));
    if (together)
      source.read(first + columns[c], 1, codes);
    else
      for (std::size_t i = 0; i < codes.size(); ++i)
        source.read(first + columns[c + i], 1, codes.subspan(i, 1));
    store(words(r, c), format_, codes);
  }
}

void CodeMatrix::read_all(const CodeSource& source, std::uint64_t first) {
  constexpr std::uint64_t most = 1024;
  Bits buffer[most];
  for (std::uint64_t i = 0; i < rows_ * columns_; i += most) {
    const std::span<Bits> codes(buffer, std::min(most, rows_ * columns_ - i));
    source.read(first + i, 1, codes);
    store(owned_.get() + i * word_bytes(), format_, codes);
  }
}

CodeMatrix CodeMatrix::read(const CodeSource& source, std::uint64_t rows, std::uint64_t columns) {
  CodeMatrix made = unset(source.format(), rows, columns);
  made.read_all(source, 0);
  return made;
}

Bits CodeMatrix::read_word(const std::byte* at) const {
  Bits code = 0;
  with_word(word_bytes(),
            [&]<class Word>(Word) { code = code_from_word(format_, load<Word>(at)); });
  return code;
}

void CodeMatrix::set(std::uint64_t r, std::uint64_t c, Bits code) {
  store(words(r, c), word_bytes(), word_from_code(format_, code));
}

std::byte* CodeMatrix::words(std::uint64_t r, std::uint64_t c) {
  return owned_.get() + (word(r, c) - words_);
}

void CodeMatrix::put(std::uint64_t row, std::uint64_t column, const CodeMatrix& from) {
  for (std::uint64_t r = 0; r < from.rows(); ++r) {
    if (from.column_stride() == 1) {
      std::memcpy(words(row + r, column), from.word(r, 0), from.columns() * word_bytes());
      continue;
    }
    for (std::uint64_t c = 0; c < from.columns(); ++c)
      std::memcpy(words(row + r, column + c), from.word(r, c), word_bytes());
  }
}

bool CodeMatrix::same_words(const CodeMatrix& other) const {
  return format_ == other.format_ && words_ == other.words_ && row_stride_ == other.row_stride_ &&
         column_stride_ == other.column_stride_;
}

CodeMatrix CodeMatrix::transposed() const {
  CodeMatrix turned = *this;
  std::swap(turned.rows_, turned.columns_);
  std::swap(turned.row_stride_, turned.column_stride_);
  return turned;
}

CodeMatrix CodeMatrix::window(std::uint64_t row, std::uint64_t rows, std::uint64_t column,
                              std::uint64_t columns) const {
  CodeMatrix part = *this;
  part.rows_ = rows;
  part.columns_ = columns;
  if (rows == 0 || columns == 0) return part;
  part.words_ = word(row, column);
  // What is written through a window lands in it.
  if (owned_) part.owned_ = {owned_, owned_.get() + (part.words_ - words_)};
  return part;
}

bool CodeMatrix::dense() const {
  return (columns_ <= 1 || column_stride_ == 1) && (rows_ <= 1 || row_stride_ == columns_);
}

CodeMatrix CodeMatrix::reshaped(std::uint64_t rows, std::uint64_t columns) const {
  CodeMatrix other = *this;
  other.rows_ = rows;
  other.columns_ = other.row_stride_ = columns;
  other.column_stride_ = 1;
  return other;
}

void CodeMatrix::read_codes(std::uint64_t row, std::uint64_t column, std::span<Bits> codes) const {
  const auto read = [&]<class Word>(Word) {
    const std::byte* at = word(row, column);
    for (Bits& code : codes) {
      code = code_from_word(format_, load<Word>(at));
      at += column_stride_ * sizeof(Word);
    }
  };
  with_word(word_bytes(), read);
}

CodeMatrix CodeMatrix::broadcast(std::uint64_t rows, std::uint64_t columns) const {
  CodeMatrix wide = *this;
  if (rows_ != rows) wide.row_stride_ = 0;
  if (columns_ != columns) wide.column_stride_ = 0;
  wide.rows_ = rows;
  wide.columns_ = columns;
  return wide;
}

}  // namespace whybits::fast
