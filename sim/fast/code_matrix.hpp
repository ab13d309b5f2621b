// Operands as memory and files hold them: codes in storage words of 8, 16, 32 or 64 bits, never
// widened. Evaluators decode them in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/source.hpp"

namespace whybits::fast {

/// rows × columns codes; element (r, c) is word r·row_stride + c·column_stride. Copies share the
/// words.
class CodeMatrix {
 public:
  CodeMatrix() = default;
  /// Reads them from a source whose element (r, c) has the index (row[r])·source_columns +
  /// column[c]. Takes rows·columns words.
  static CodeMatrix read(const CodeSource& source, std::uint64_t source_columns,
                         std::span<const std::uint64_t> rows,
                         std::span<const std::uint64_t> columns);
  /// All of a source, row-major.
  static CodeMatrix read(const CodeSource& source, std::uint64_t rows, std::uint64_t columns);
  static CodeMatrix of(const Format& format, std::uint64_t rows, std::uint64_t columns,
                       std::span<const Bits> codes);
  /// Zeros, to be written.
  static CodeMatrix zeros(const Format& format, std::uint64_t rows, std::uint64_t columns);
  /// To be written as a whole.
  static CodeMatrix unset(const Format& format, std::uint64_t rows, std::uint64_t columns);
  /// Words that live elsewhere, at least as long as this.
  static CodeMatrix borrow(const Format& format, std::uint64_t rows, std::uint64_t columns,
                           const std::byte* words);
  /// The same where row r begins at word r: element (r, c) is word r + c.
  static CodeMatrix borrow_sliding(const Format& format, std::uint64_t rows, std::uint64_t columns,
                                   const std::byte* words);

  const Format& format() const { return format_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t columns() const { return columns_; }
  std::uint64_t row_stride() const { return row_stride_; }
  std::uint64_t column_stride() const { return column_stride_; }
  std::size_t word_bytes() const { return format_.word_bytes(); }
  std::uint64_t bytes() const { return rows_ * columns_ * word_bytes(); }
  const std::byte* word(std::uint64_t r, std::uint64_t c) const {
    return words_ + (r * row_stride_ + c * column_stride_) * word_bytes();
  }

  Bits at(std::uint64_t r, std::uint64_t c) const { return read_word(word(r, c)); }
  /// Precondition for writing: it owns its words.
  void set(std::uint64_t r, std::uint64_t c, Bits code);
  std::byte* words(std::uint64_t r, std::uint64_t c);
  /// Another's words from (row, column) on, row after row.
  void put(std::uint64_t row, std::uint64_t column, const CodeMatrix& from);
  /// It and the other are views of the same words in the same order.
  bool same_words(const CodeMatrix& other) const;
  CodeMatrix transposed() const;
  /// Its only row or column (or both), as often as asked.
  CodeMatrix broadcast(std::uint64_t rows, std::uint64_t columns) const;
  /// A part of it. Precondition: it lies inside.
  CodeMatrix window(std::uint64_t row, std::uint64_t rows, std::uint64_t column,
                    std::uint64_t columns) const;
  /// Row after row without gaps.
  bool dense() const;
  /// The same words in rows of another length. Precondition: dense(), as many words.
  CodeMatrix reshaped(std::uint64_t rows, std::uint64_t columns) const;
  /// Fills row r: its element c has the index first + columns[c] in the source.
  void read_row(std::uint64_t r, const CodeSource& source, std::uint64_t first,
                std::span<const std::uint64_t> columns);
  /// Fills all of it, row after row, with a source's codes from `first` on. Precondition: dense().
  void read_all(const CodeSource& source, std::uint64_t first);
  /// Codes of a row from `column` on.
  void read_codes(std::uint64_t row, std::uint64_t column, std::span<Bits> codes) const;

 private:
  Bits read_word(const std::byte* at) const;
  void allocate();  ///< words of any value

  Format format_;
  std::uint64_t rows_ = 0, columns_ = 0, row_stride_ = 0, column_stride_ = 1;
  const std::byte* words_ = nullptr;
  std::shared_ptr<std::byte[]> owned_;
};

/// Wishes for large pages in memory that is not yet written, where it is large itself.
void wish_for_large_pages(void* memory, std::uint64_t bytes);

}  // namespace whybits::fast
