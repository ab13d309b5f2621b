// A lesson as data: what exercises/NN_name/lesson.json says (exercises/README.md is its manual).
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "exercises/language.hpp"
#include "lab/arithmetic.hpp"
#include "sim/schema.hpp"

namespace whybits::course {

/// A command whose output shows what the lesson says.
struct Evidence {
  std::string command;  ///< "whybits …"
  int exit = 0;
  std::vector<std::string> contains;
};

/// A topology as it was written, and parsed.
struct WrittenTopology {
  std::string text;
  SchemaPtr schema;  ///< null: none was written
};

/// What a learner's function must compute, or what a wrong one does.
struct Reference {
  WrittenTopology topology;     ///< of sum and dot
  Arithmetic operation{};       ///< of convert and binary
  std::vector<Format> formats;  ///< from, to; or the one format
  RoundRule rule;
};

struct ChoiceAnswer {
  struct Option {
    std::string id;
    Bilingual text;
  };
  std::string right;  ///< id of one of them
  std::vector<Option> options;
};
struct NumberAnswer {
  std::string text;
  mpq_class value, from, to;  ///< from ≤ value ≤ to; what lies between passes
};
struct ValueAnswer {
  std::string text;
  Format format;
  Bits code = 0;
  bool as_word = false;  ///< written as a word: then a word is asked for
};
struct Predict {
  std::variant<ChoiceAnswer, NumberAnswer, ValueAnswer> answer;
};

struct WriteTopology {
  WrittenTopology stub, solution;
  WrittenTopology same_as;                   ///< none: any that meets the other conditions
  std::vector<WrittenTopology> not_same_as;  ///< on some of the data the bits must differ
  std::optional<std::uint64_t> depth_at_most;
  Format a;
  std::optional<Format> b;       ///< leaves are products a·b, else values of a
  std::vector<std::uint64_t> n;  ///< lengths on which it is judged
};

enum class Signature : std::uint8_t { sum, dot, convert, binary };
struct WriteCode {
  Signature signature{};
  std::string function;
  Reference same_as;
  std::vector<std::uint64_t> n;  ///< of sum and dot
  std::pair<Format, Format> operands{formats::f32,
                                     formats::f32};  ///< of dot: whose values a and b hold

  bool takes_vectors() const { return signature == Signature::sum || signature == Signature::dot; }
};

struct WrongAnswer {
  std::string says;                                      ///< as an answer is written
  std::optional<std::pair<mpq_class, mpq_class>> range;  ///< a number from … to
  WrittenTopology topology;                              ///< of a topology task
  Reference reference;                                   ///< of a code task
  Bilingual reply;
  bool surprise = false;  ///< what most readers say
};

struct Task {
  std::string id;
  Bilingual question, because;
  std::vector<Bilingual> hints;
  std::vector<Evidence> see;
  std::vector<WrongAnswer> wrong;
  std::variant<Predict, WriteTopology, WriteCode> work;

  std::string_view kind() const;  ///< "predict", "topology", "code"
  bool is_code() const { return std::holds_alternative<WriteCode>(work); }
};

struct Lesson {
  std::string id;                ///< the folder's name
  std::vector<std::string> was;  ///< former ids: progress is kept
  Bilingual title;
  std::uint64_t minutes = 0;
  std::string scene;  ///< preset of the visualizer, or empty
  std::vector<Task> tasks;
  std::vector<Evidence> checks;
  struct Given {
    std::string number, why;
  };
  std::vector<Given> given;

  const Task* find(std::string_view task) const;
};

/// Throws UsageError "WHERE: path: …". What needs more than the file (texts, stubs) is lint's.
Lesson parse_lesson(std::string_view text, const std::string& where);

/// A number as people type it: "8,388,608", "-3/4", "2^23", "1.5e3", "0x800000". Throws UsageError.
mpq_class parse_plain_number(std::string_view text);

/// The answer that passes, as a learner would type it. Precondition: no code task.
std::string right_answer(const Task& task);

}  // namespace whybits::course
