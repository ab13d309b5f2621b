#include "lab/number_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lab/code_text.hpp"
#include "lab/decimal.hpp"
#include "lab/usage_error.hpp"
#include "sim/ascii_lower.hpp"

namespace whybits {

namespace {

constexpr std::size_t max_length = 10'000;
constexpr long max_exponent = 20'000;
constexpr const char* remedy =
    "write a decimal (0.1, -1.5e-3), a hexadecimal value (0x1.8p3), a code (0x3C00), inf or nan";

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  constexpr std::size_t quoted = 40;
  const bool cut = text.size() > quoted;
  throw UsageError(
      fmt::format("'{}{}' is not a number: {}", text.substr(0, quoted), cut ? "…" : "", why),
      remedy);
}

bool is_digit(char c, int base) {
  if (c >= '0' && c <= '9') return true;
  return base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
}

/// Reads digits [. digits] [exponent] in base 10 or 16; `whole` is what errors quote.
class Scanner {
 public:
  Scanner(std::string_view rest, std::string_view whole, int base)
      : rest_(rest), whole_(whole), base_(base) {}

  mpq_class value() {
    take_digits();
    long places = 0;
    if (take('.')) {
      const std::size_t before = digits_.size();
      take_digits();
      places = static_cast<long>(digits_.size() - before);
    }
    if (digits_.empty()) refuse(whole_, "it has no digits");
    const long exponent = take(base_ == 16 ? 'p' : 'e') ? take_exponent() : 0;
    if (!rest_.empty()) refuse(whole_, fmt::format("'{}' is out of place", rest_.front()));

    mpq_class result(mpz_class(digits_, base_));
    const long scale = base_ == 16 ? exponent - 4 * places : exponent - places;
    mpz_class power;
    mpz_ui_pow_ui(power.get_mpz_t(), base_ == 16 ? 2 : 10,
                  static_cast<unsigned long>(std::abs(scale)));
    return scale >= 0 ? mpq_class(result * power) : mpq_class(result / power);
  }

 private:
  bool take(char letter) {
    if (rest_.empty() || rest_.front() != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void take_digits() {
    for (; !rest_.empty() && is_digit(rest_.front(), base_); rest_.remove_prefix(1))
      digits_ += rest_.front();
  }
  long take_exponent() {
    const bool negative = take('-');
    if (!negative) take('+');
    long exponent = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), exponent);
    if (error == std::errc::invalid_argument || rest_.front() == '-')
      refuse(whole_, "its exponent has no digits");
    if (error != std::errc{} || exponent > max_exponent)
      refuse(whole_, fmt::format("exponents go up to ±{}", max_exponent));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return negative ? -exponent : exponent;
  }

  std::string_view rest_;
  std::string_view whole_;
  int base_;
  std::string digits_;
};

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

void read_code(std::string_view digits, std::string_view whole, NumberInput& input) {
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), input.code, 16);
  if (error == std::errc::invalid_argument) refuse(whole, "no hexadecimal digit follows 0x");
  if (error != std::errc{} || digits.size() > 16) refuse(whole, "a code has up to 16 digits");
  if (end != digits.data() + digits.size())
    refuse(whole, fmt::format("'{}' is out of place", *end));
  if (input.negative || whole.front() == '+')
    refuse(whole, "a code has its sign in its first bit; a value in hexadecimal needs a p");
  input.kind = NumberInput::Kind::code;
  input.hex_digits = static_cast<int>(digits.size());
}

}  // namespace

NumberInput parse_number(std::string_view text) {
  if (text.size() > max_length)
    refuse(text, fmt::format("it has {} characters, of {} allowed", text.size(), max_length));
  const std::string folded = ascii_lower(text);
  std::string_view rest = folded;
  NumberInput input;
  input.text = text;
  input.negative = take_prefix(rest, "-");
  if (!input.negative) take_prefix(rest, "+");

  if (rest == "inf" || rest == "infinity") {
    input.kind = NumberInput::Kind::infinity;
  } else if (rest == "nan") {
    input.kind = NumberInput::Kind::nan;
  } else if (take_prefix(rest, "0x")) {
    if (rest.find_first_of(".p") == std::string_view::npos)
      read_code(rest, text, input);
    else
      input.value = Scanner(rest, text, 16).value();
  } else {
    input.value = Scanner(rest, text, 10).value();
  }
  if (input.negative) input.value = -input.value;
  return input;
}

Bits input_code(const NumberInput& input, const Format& format, const RoundRule& rule,
                RoundTrace* trace) {
  if (trace != nullptr) *trace = {};
  switch (input.kind) {
    case NumberInput::Kind::finite:
      return round_rational(format, input.value, input.negative, rule, trace);
    case NumberInput::Kind::infinity:
      return infinity_code(format, input.negative, rule);
    case NumberInput::Kind::nan:
      return nan_code(format, rule.nan);
    case NumberInput::Kind::code:
      break;
  }
  const int bits = format.code_bits() + format.word_shift();
  if (bits < 64 && input.code >> bits != 0)
    throw UsageError(fmt::format("the code {} does not fit {}, which has {} bits", input.text,
                                 format_name(format), bits),
                     fmt::format("the largest is {}", hex_code(format, format.code_mask())));
  const Bits code = code_from_word(format, input.code);
  if (word_from_code(format, code) != input.code)
    throw UsageError(fmt::format("the code {} is no {} word: its {} low bits are not zero",
                                 input.text, format_name(format), format.word_shift()),
                     fmt::format("matrix units drop those bits: {}", hex_code(format, code)));
  return code;
}

}  // namespace whybits
