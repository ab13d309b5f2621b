// Predictions: an option, a number, or a value of a format.
#include <fmt/format.h>

#include <algorithm>

#include "exact/distance.hpp"
#include "exercises/judge_value.hpp"
#include "exercises/trimmed.hpp"
#include "exercises/verdict.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"

namespace whybits::course {
namespace {

std::string unreadable_text(const UsageError& error) {
  return error.remedy.empty() ? error.what() : std::string(error.what()) + "\n" + error.remedy;
}

/// The first known wrong answer that `matches`.
template <class Matches>
const WrongAnswer* recognize(const std::vector<WrongAnswer>& wrong, Matches matches) {
  const auto found = std::find_if(wrong.begin(), wrong.end(), matches);
  return found == wrong.end() ? nullptr : &*found;
}

Verdict judge(const ChoiceAnswer& answer, const std::vector<WrongAnswer>& wrong,
              const std::string& typed, Language language) {
  std::string id = typed;
  std::transform(id.begin(), id.end(), id.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (id.size() == 1 && id[0] >= '1' && id[0] < '1' + static_cast<int>(answer.options.size()))
    id = answer.options[static_cast<std::size_t>(id[0] - '1')].id;
  std::vector<std::string> ids;
  for (const auto& option : answer.options) ids.push_back(option.id);
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) {
    const auto near = nearest_name(id, ids);
    return {
        Outcome::unreadable,
        fmt::format(
            fmt::runtime(say(language, "'{}' is none of {}{}", "“{}”不在 {} 之中{}")), typed,
            fmt::join(ids, ", "),
            near ? fmt::format(fmt::runtime(say(language, "; did you mean {}?", "；是不是 {}？")),
                               *near)
                 : ""),
        nullptr};
  }
  if (id == answer.right) return {Outcome::passed, "", nullptr};
  return {Outcome::wrong, "", recognize(wrong, [&](const WrongAnswer& w) { return w.says == id; })};
}

Verdict judge(const NumberAnswer& answer, const std::vector<WrongAnswer>& wrong,
              const std::string& typed, Language language) {
  const mpq_class number = parse_plain_number(typed);
  if (answer.from <= number && number <= answer.to) {
    if (answer.from == answer.to) return {Outcome::passed, "", nullptr};
    return {Outcome::passed,
            fmt::format(
                fmt::runtime(say(language, "Near enough: it is {}.", "足够接近：准确值是 {}。")),
                answer.text),
            nullptr};
  }
  const WrongAnswer* known = recognize(wrong, [&](const WrongAnswer& w) {
    if (w.range) return w.range->first <= number && number <= w.range->second;
    return parse_plain_number(w.says) == number;
  });
  return {Outcome::wrong,
          std::string(number > answer.to ? say(language, "Too large.", "太大。")
                                         : say(language, "Too small.", "太小。")),
          known};
}

Verdict judge(const ValueAnswer& answer, const std::vector<WrongAnswer>& wrong,
              const std::string& typed, Language language) {
  const Format& format = answer.format;
  const auto digits = static_cast<std::size_t>(format.word_bits() / 4);
  // Where a word is asked for, its digits alone are one.
  const bool bare_word = answer.as_word && typed.size() == digits &&
                         typed.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  const TypedValue value = read_typed_value(bare_word ? "0x" + typed : typed, format);
  if (answer.as_word && !value.is_word)
    return {Outcome::unreadable,
            fmt::format(
                fmt::runtime(say(language, "The word is asked for: 0x and {} hexadecimal digits.",
                                 "要求的是字：0x 加 {} 位十六进制数。")),
                digits),
            nullptr};
  if (value.exactly && same_code(format, value.code, answer.code))
    return {Outcome::passed, "", nullptr};
  const WrongAnswer* known = recognize(wrong, [&](const WrongAnswer& w) {
    if (w.says == typed) return true;
    const TypedValue says = read_typed_value(w.says, format);
    return says.exactly && value.exactly && same_code(format, says.code, value.code);
  });
  const std::string name = format_name(format);
  // What it would become is not said: the rounding may be what is asked.
  if (!value.exactly)
    return {
        Outcome::wrong,
        fmt::format(fmt::runtime(say(language, "{} is not a number of {}.", "{} 不是 {} 中的数。")),
                    typed, name),
        known};
  std::string text = fmt::format(
      fmt::runtime(say(language, "Your answer, as {}:\n  {}", "你的答案作为 {}：\n  {}")), name,
      code_line(format, value.code));
  if (const auto ulp = exact::ulp_distance(format, value.code, format, answer.code))
    text += fmt::format(
        fmt::runtime(say(language, "\nSteps from one number to the next, from there: {}.",
                         "\n从那里一步一个数地数，相差 {} 步。")),
        grouped(*ulp));
  return {Outcome::wrong, text, known};
}

}  // namespace

Verdict judge_prediction(const Predict& work, const std::vector<WrongAnswer>& wrong,
                         std::string_view typed, Language language) {
  try {
    return std::visit(
        [&](const auto& answer) { return judge(answer, wrong, trimmed(typed), language); },
        work.answer);
  } catch (const UsageError& error) {
    return {Outcome::unreadable, unreadable_text(error), nullptr};
  }
}

Verdict judge_answer(const Task& task, std::string_view typed, Language language) {
  const std::string plain = trimmed(typed);
  if (plain.empty() || plain == "?" || plain == "？") return {Outcome::unanswered, "", nullptr};
  if (const auto* topology = std::get_if<WriteTopology>(&task.work))
    return judge_topology(*topology, task.wrong, plain, language);
  return judge_prediction(std::get<Predict>(task.work), task.wrong, plain, language);
}

}  // namespace whybits::course
