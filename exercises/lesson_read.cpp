// lesson.json → Lesson. Everything that can be checked without other files is checked here.
#include <fmt/format.h>

#include <algorithm>

#include "exercises/bilingual_json.hpp"
#include "exercises/evidence_json.hpp"
#include "exercises/judge_value.hpp"
#include "exercises/lesson.hpp"
#include "lab/strict_json.hpp"
#include "lab/usage_error.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"

namespace whybits::course {
namespace {

constexpr std::uint64_t longest_vector = std::uint64_t{1} << 20;
constexpr const char* manual = "see exercises/README.md";

/// Runs `read` and lets its complaint carry the place.
template <class Read>
auto at_place(const JsonField& field, Read read) {
  try {
    return read();
  } catch (const NotationError& error) {
    field.fail("the topology cannot be read: " + std::string(error.what()));
  } catch (const TopologyError& error) {
    field.fail(error.what());
  } catch (const UsageError& error) {
    field.fail(error.what(), error.remedy);
  }
}

bool read_flag(const JsonField& object, std::string_view key) {
  const auto field = object.find(key);
  if (!field) return false;
  if (!field->value().is_boolean()) field->fail("neither true nor false");
  return field->value().get<bool>();
}

std::string read_word(const JsonField& field) {
  const std::string& text = field.text();
  const bool good = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!good) field.fail("'" + text + "' is not a word of a-z, 0-9 and _");
  return text;
}

Format read_format(const JsonField& field) {
  const auto format = parse_format(field.text());
  if (!format) field.fail("'" + field.text() + "' is not a format", "as f32, bf16 or e4m3");
  return *format;
}

WrittenTopology read_topology(const JsonField& field) {
  return at_place(field,
                  [&] { return WrittenTopology{field.text(), parse_topology(field.text())}; });
}

std::vector<std::uint64_t> read_lengths(const JsonField& field) {
  std::vector<std::uint64_t> n;
  for (const JsonField& length : field.elements()) n.push_back(length.number(0, longest_vector));
  if (n.empty()) field.fail("at least one length is needed");
  return n;
}

std::vector<Evidence> read_evidences(const JsonField& object, std::string_view key) {
  std::vector<Evidence> list;
  if (const auto field = object.find(key))
    for (const JsonField& one : field->elements()) list.push_back(read_evidence(one));
  return list;
}

mpq_class read_plain_number(const JsonField& field) {
  return at_place(field, [&] { return parse_plain_number(field.text()); });
}

ChoiceAnswer read_choice(const JsonField& field) {
  field.allow_only({"choice", "of"});
  ChoiceAnswer answer{read_word(field.at("choice")), {}};
  for (const JsonField& option : field.at("of").elements()) {
    option.allow_only({"id", "text"});
    answer.options.push_back({read_word(option.at("id")), read_bilingual(option.at("text"))});
  }
  if (answer.options.size() < 2 || answer.options.size() > 9)
    field.fail("2 to 9 options are needed");
  const auto same = [&](const ChoiceAnswer::Option& o) { return o.id == answer.right; };
  if (std::count_if(answer.options.begin(), answer.options.end(), same) != 1)
    field.fail("'" + answer.right + "' must be one of the options, once");
  return answer;
}

NumberAnswer read_number(const JsonField& field) {
  field.allow_only({"number", "from", "to"});
  NumberAnswer answer{field.at("number").text(), read_plain_number(field.at("number")), {}, {}};
  const auto bound = [&](std::string_view key) {
    const auto f = field.find(key);
    return f ? read_plain_number(*f) : answer.value;
  };
  answer.from = bound("from");
  answer.to = bound("to");
  if (answer.value < answer.from || answer.to < answer.value) field.fail("not from ≤ number ≤ to");
  return answer;
}

ValueAnswer read_value(const JsonField& field) {
  field.allow_only({"value", "format"});
  ValueAnswer answer{field.at("value").text(), read_format(field.at("format")), 0};
  const TypedValue typed =
      at_place(field.at("value"), [&] { return read_typed_value(answer.text, answer.format); });
  if (!typed.exactly) field.fail("'" + answer.text + "' is not a value of the format");
  answer.code = typed.code;
  answer.as_word = typed.is_word;
  return answer;
}

Predict read_predict(const JsonField& task) {
  const JsonField answer = task.at("answer");
  if (answer.find("choice")) return {read_choice(answer)};
  if (answer.find("number")) return {read_number(answer)};
  if (answer.find("value")) return {read_value(answer)};
  answer.fail("none of choice, number, value", manual);
}

void require_runs(const JsonField& field, const WrittenTopology& topology, const LeafTypes& types,
                  const std::vector<std::uint64_t>& lengths) {
  at_place(field, [&] {
    for (const std::uint64_t n : lengths) (void)make_reduction(topology.schema, n, types);
  });
}

WriteTopology read_write_topology(const JsonField& task) {
  WriteTopology work;
  const JsonField leaves = task.at("leaves");
  leaves.allow_only({"sum", "product"});
  if (const auto sum = leaves.find("sum")) {
    work.a = read_format(*sum);
  } else {
    const auto operands = leaves.at("product").elements();
    if (operands.size() != 2) leaves.at("product").fail("two formats are needed");
    work.a = read_format(operands[0]);
    work.b = read_format(operands[1]);
  }
  work.n = read_lengths(task.at("n"));
  work.stub = read_topology(task.at("stub"));
  if (const auto same = task.find("same_as")) work.same_as = read_topology(*same);
  if (const auto others = task.find("not_same_as"))
    for (const JsonField& other : others->elements())
      work.not_same_as.push_back(read_topology(other));
  if (const auto depth = task.find("depth_at_most")) work.depth_at_most = depth->number(1);
  if (const auto solution = task.find("solution")) work.solution = read_topology(*solution);
  const bool bare = work.not_same_as.empty() && !work.depth_at_most;
  if (!work.same_as.schema && bare) task.fail("'same_as' is missing", manual);
  if (!work.solution.schema) {
    if (!bare) task.fail("'solution' is missing", manual);
    work.solution = work.same_as;
  }
  const LeafTypes types{.a = work.a, .b = work.b};
  for (const WrittenTopology* one : {&work.same_as, &work.solution})
    if (one->schema) require_runs(task, *one, types, work.n);
  for (const WrittenTopology& one : work.not_same_as)
    require_runs(task.at("not_same_as"), one, types, work.n);
  return work;
}

Reference read_reference(const JsonField& field, Signature signature) {
  field.allow_only({"topology", "convert", "add", "mul", "rounding"});
  Reference reference;
  if (const auto rounding = field.find("rounding")) {
    const auto rule = parse_rounding(rounding->text());
    if (!rule)
      rounding->fail("'" + rounding->text() + "' is not a rounding", "as nearest-even or zero");
    reference.rule.rounding = *rule;
  }
  switch (signature) {
    case Signature::sum:
    case Signature::dot:
      reference.topology = read_topology(field.at("topology"));
      break;
    case Signature::convert: {
      const auto pair = field.at("convert").elements();
      if (pair.size() != 2) field.at("convert").fail("two formats are needed");
      reference.operation = Arithmetic::convert;
      reference.formats = {read_format(pair[0]), read_format(pair[1])};
      break;
    }
    case Signature::binary:
      for (const Arithmetic operation : {Arithmetic::add, Arithmetic::mul})
        if (const auto format = field.find(operation_name(operation))) {
          reference.operation = operation;
          reference.formats = {read_format(*format)};
        }
      if (reference.formats.empty()) field.fail("neither add nor mul", manual);
      break;
  }
  for (const Format& format : reference.formats)
    if (format.word_bits() > 32) field.fail("formats of at most 32 bits only");
  return reference;
}

WriteCode read_write_code(const JsonField& task) {
  WriteCode work;
  const std::string signature = task.at("signature").text();
  constexpr std::string_view names[] = {"sum", "dot", "convert", "binary"};
  const auto found = std::find(std::begin(names), std::end(names), signature);
  if (found == std::end(names))
    task.at("signature").fail("'" + signature + "' is none of sum, dot, convert, binary", manual);
  work.signature = static_cast<Signature>(found - std::begin(names));
  work.function = read_word(task.at("function"));
  work.same_as = read_reference(task.at("same_as"), work.signature);
  if (work.takes_vectors()) work.n = read_lengths(task.at("n"));
  if (work.signature == Signature::dot) {
    const auto pair = task.at("operands").elements();
    if (pair.size() != 2) task.at("operands").fail("two formats are needed");
    work.operands = {read_format(pair[0]), read_format(pair[1])};
    for (const Format& format : {work.operands.first, work.operands.second})
      if (!widens_exactly(format, formats::f32)) task.at("operands").fail("not values of a float");
  }
  if (work.takes_vectors()) {
    const bool dot = work.signature == Signature::dot;
    require_runs(task.at("same_as"), work.same_as.topology,
                 {.a = dot ? work.operands.first : formats::f32,
                  .b = dot ? std::optional(work.operands.second) : std::nullopt},
                 work.n);
  }
  return work;
}

std::variant<Predict, WriteTopology, WriteCode> read_work(const JsonField& task) {
  const std::string kind = task.at("kind").text();
  if (kind == "predict") {
    task.allow_only({"id", "kind", "question", "hints", "because", "see", "wrong", "answer"});
    return read_predict(task);
  }
  if (kind == "topology") {
    task.allow_only({"id", "kind", "question", "hints", "because", "see", "wrong", "stub", "leaves",
                     "n", "same_as", "not_same_as", "depth_at_most", "solution"});
    return read_write_topology(task);
  }
  if (kind == "code") {
    task.allow_only({"id", "kind", "question", "hints", "because", "see", "wrong", "signature",
                     "function", "same_as", "n", "operands"});
    return read_write_code(task);
  }
  task.at("kind").fail("'" + kind + "' is none of predict, topology, code");
}

WrongAnswer read_wrong(const JsonField& field, const Task& task) {
  field.allow_only({"says", "from", "to", "reply", "surprise"});
  WrongAnswer wrong;
  wrong.reply = read_bilingual(field.at("reply"));
  wrong.surprise = read_flag(field, "surprise");
  if (const auto* code = std::get_if<WriteCode>(&task.work)) {
    wrong.reference = read_reference(field.at("says"), code->signature);
    wrong.says = field.at("says").value().dump();
    return wrong;
  }
  if (const auto from = field.find("from")) {
    wrong.range = std::pair(read_plain_number(*from), read_plain_number(field.at("to")));
    wrong.says = from->text();
    return wrong;
  }
  wrong.says = field.at("says").text();
  if (std::holds_alternative<WriteTopology>(task.work))
    wrong.topology = read_topology(field.at("says"));
  return wrong;
}

Task read_task(const JsonField& field) {
  Task task{.id = read_word(field.at("id")),
            .question = read_bilingual(field.at("question")),
            .because = read_bilingual(field.at("because")),
            .hints = {},
            .see = read_evidences(field, "see"),
            .wrong = {},
            .work = read_work(field)};
  for (const JsonField& hint : field.at("hints").elements())
    task.hints.push_back(read_bilingual(hint));
  if (task.hints.empty()) field.at("hints").fail("at least one hint is needed");
  if (const auto wrong = field.find("wrong"))
    for (const JsonField& one : wrong->elements()) task.wrong.push_back(read_wrong(one, task));
  return task;
}

}  // namespace

Lesson parse_lesson(std::string_view text, const std::string& where) {
  const nlohmann::json document = parse_strict_json(text, where, {}, manual);
  const JsonField root(document, where);
  root.allow_only(
      {"whybits_lesson", "id", "was", "title", "minutes", "scene", "tasks", "checks", "given"});
  (void)root.at("whybits_lesson").number(1, 1);
  Lesson lesson;
  lesson.id = read_word(root.at("id"));
  if (const auto was = root.find("was"))
    for (const JsonField& id : was->elements()) lesson.was.push_back(read_word(id));
  lesson.title = read_bilingual(root.at("title"));
  lesson.minutes = root.at("minutes").number(1, 120);
  if (const auto scene = root.find("scene")) lesson.scene = scene->text();
  for (const JsonField& field : root.at("tasks").elements()) {
    Task task = read_task(field);
    if (lesson.find(task.id)) field.fail("a second task '" + task.id + "'");
    lesson.tasks.push_back(std::move(task));
  }
  if (lesson.tasks.empty()) root.at("tasks").fail("at least one task is needed");
  lesson.checks = read_evidences(root, "checks");
  if (const auto given = root.find("given"))
    for (const JsonField& one : given->elements()) {
      one.allow_only({"number", "why"});
      lesson.given.push_back({one.at("number").text(), one.at("why").text()});
    }
  return lesson;
}

}  // namespace whybits::course
