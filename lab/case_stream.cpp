#include "lab/case_stream.hpp"

#include <fmt/format.h>

#include <string>

#include "lab/usage_error.hpp"
#include "sim/plural.hpp"

namespace whybits {

namespace {

constexpr std::size_t piece = std::size_t{1} << 16;

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Reads the operands of one line.
class LineReader {
 public:
  LineReader(std::string_view line, std::uint64_t number, const Format& format)
      : line_(line), number_(number), format_(format) {}

  bool at_end() {
    while (at_ < line_.size() && is_space(line_[at_])) ++at_;
    return at_ == line_.size();
  }

  Bits operand(int index, int count) {
    if (at_end())
      refuse(fmt::format("it has {} of {}", index,
                         counted_plainly(static_cast<std::uint64_t>(count), "operand")));
    const std::size_t begin = at_;
    Bits word = 0;
    for (; at_ < line_.size() && !is_space(line_[at_]); ++at_) {
      const int digit = digit_value(line_[at_]);
      if (digit < 0) refuse(fmt::format("'{}' is not a hexadecimal digit", line_[at_]));
      word = word << 4 | static_cast<Bits>(digit);
    }
    const auto most = static_cast<std::size_t>(format_.word_bits() / 4);
    const Bits code = code_from_word(format_, word);
    if (at_ - begin > most || word_from_code(format_, code) != word)
      refuse(fmt::format("'{}' is not a word of {}", line_.substr(begin, at_ - begin),
                         format_name(format_)));
    return code;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    constexpr std::size_t quoted = 60;
    throw UsageError(
        fmt::format("line {}: '{}': {}", number_, line_.substr(0, quoted), why),
        fmt::format("a line has the operands as {} hexadecimal digits each, then anything",
                    format_.word_bits() / 4));
  }

  std::string_view line_;
  std::uint64_t number_;
  const Format& format_;
  std::size_t at_ = 0;
};

void append_hex(std::string& text, Bits value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    text += "0123456789ABCDEF"[(value >> shift) & 15];
}

/// Output in pieces; what is left is written when it goes away, also before an error is reported.
class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) { text_.reserve(2 * piece); }
  ~Writer() { write(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void word(const Format& format, Bits code) {
    append_hex(text_, word_from_code(format, code), format.word_bits() / 4);
    text_ += ' ';
  }
  void end_line(const Flags& flags, bool at_once) {
    append_hex(text_, flags.byte(), 2);
    text_ += '\n';
    if (text_.size() < piece && !at_once) return;
    write();
    if (at_once) out_.flush();
  }

 private:
  void write() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }
  std::ostream& out_;
  std::string text_;
};

}  // namespace

std::uint64_t answer_cases(const CaseStream& cases, std::istream& in, std::ostream& out) {
  const int count = operand_count(cases.operation);
  const auto used = static_cast<std::size_t>(count);
  std::array<Bits, 3> operands{};
  std::uint64_t answered = 0, number = 0;
  std::string line;
  Writer writer(out);
  while (std::getline(in, line)) {
    LineReader reader(line, ++number, cases.format);
    if (reader.at_end()) continue;
    for (int i = 0; i < count; ++i)
      operands[static_cast<std::size_t>(i)] = reader.operand(i, count);
    RoundTrace trace;
    const Bits result = compute(cases.operation, cases.format, cases.result_format,
                                std::span(operands).first(used), cases.rule, &trace);
    for (const Bits operand : std::span(operands).first(used)) writer.word(cases.format, operand);
    writer.word(cases.result_format, result);
    writer.end_line(trace.flags, in.rdbuf()->in_avail() <= 0);
    ++answered;
  }
  return answered;
}

}  // namespace whybits
