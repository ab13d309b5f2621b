#include "exercises/lesson.hpp"

#include <algorithm>
#include <charconv>

#include "exercises/judge_value.hpp"
#include "lab/number_input.hpp"
#include "lab/usage_error.hpp"

namespace whybits::course {

std::string_view Task::kind() const {
  constexpr std::string_view names[] = {"predict", "topology", "code"};
  return names[work.index()];
}

const Task* Lesson::find(std::string_view task) const {
  const auto found =
      std::find_if(tasks.begin(), tasks.end(), [&](const Task& t) { return t.id == task; });
  return found == tasks.end() ? nullptr : &*found;
}

namespace {

/// The part of a quotient or power: anything that `whybits bits` takes but inf and nan.
mpq_class parse_part(std::string_view text, std::string_view whole) {
  const NumberInput input = parse_number(text);
  if (input.kind == NumberInput::Kind::code)
    return mpq_class(mpz_class(std::string(text.substr(2)), 16));
  if (input.kind != NumberInput::Kind::finite)
    throw UsageError("'" + std::string(whole) + "' is not a finite number",
                     "write a number, as 4096, 2^12, 0.5 or 1/3");
  return input.value;
}

}  // namespace

mpq_class parse_plain_number(std::string_view text) {
  const std::string plain = without_grouping(text);
  if (const std::size_t power = plain.find('^'); power != std::string::npos) {
    int exponent = 0;
    const char* end = plain.data() + plain.size();
    const auto read = std::from_chars(plain.data() + power + 1, end, exponent);
    if (plain.substr(0, power) != "2" || read.ec != std::errc{} || read.ptr != end ||
        exponent > 4096 || exponent < -4096)
      throw UsageError("'" + plain + "' is not a power of two", "as in 2^23 or 2^-24");
    mpq_class value(1);
    if (exponent >= 0)
      value <<= static_cast<unsigned long>(exponent);
    else
      value >>= static_cast<unsigned long>(-exponent);
    return value;
  }
  if (const std::size_t slash = plain.find('/'); slash != std::string::npos) {
    const mpq_class below = parse_part(std::string_view(plain).substr(slash + 1), plain);
    if (below == 0) throw UsageError("'" + plain + "' divides by zero", "write a number");
    return parse_part(std::string_view(plain).substr(0, slash), plain) / below;
  }
  return parse_part(plain, plain);
}

std::string right_answer(const Task& task) {
  if (const auto* topology = std::get_if<WriteTopology>(&task.work)) return topology->solution.text;
  const auto& answer = std::get<Predict>(task.work).answer;
  if (const auto* choice = std::get_if<ChoiceAnswer>(&answer)) return choice->right;
  if (const auto* number = std::get_if<NumberAnswer>(&answer)) return number->text;
  return std::get<ValueAnswer>(answer).text;
}

}  // namespace whybits::course
