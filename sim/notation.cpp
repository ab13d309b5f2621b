#include "sim/notation.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <type_traits>

#include "sim/ascii_lower.hpp"
#include "sim/nearest_name.hpp"
#include "sim/notation_units.hpp"

namespace whybits {
namespace {

constexpr int max_depth = 200;                  // nested forms, postfixes included
constexpr std::size_t max_list_depth = 10'000;  // nested lists of tree(…)
constexpr std::uint64_t max_number = std::uint64_t{1} << 40;

struct FormName {
  std::string_view name;
  std::string_view usage;
};
constexpr std::array forms{FormName{"fold", "fold(U) or fold(U, from=first|0|c)"},
                           FormName{"pairs", "pairs(U)"},
                           FormName{"halves", "halves(U)"},
                           FormName{"slices", "slices(S, T, M)"},
                           FormName{"parts", "parts(P, T, M)"},
                           FormName{"cut", "cut(i j …, T, M)"},
                           FormName{"lanes", "lanes(P, T, M)"},
                           FormName{"rotate", "rotate(R, T)"},
                           FormName{"reverse", "reverse(T)"},
                           FormName{"order", "order(2 0 1, T)"},
                           FormName{"tree", "tree(U, ((0 1) 2))"},
                           FormName{"any", "any(U)"},
                           FormName{"take", "take(a..b, T)"}};

const FormName* find_form(std::string_view name) {
  const auto found =
      std::find_if(forms.begin(), forms.end(), [&](const FormName& f) { return f.name == name; });
  return found == forms.end() ? nullptr : found;
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : cursor_(text) {}

  SchemaPtr whole_topology() {
    SchemaPtr result = topology(0);
    expect_end("expected '> FORMAT', '+ OPERAND' or the end after a topology");
    return result;
  }
  TopologyMap whole_map() {
    TopologyMap result = map();
    expect_end("expected the end after a map (what follows a topology stands inside its region)");
    return result;
  }
  Unit whole_unit() {
    Unit result = read_unit(cursor_);
    expect_end("expected '> FORMAT' or the end after a unit");
    return result;
  }
  Conversion whole_conversion() {
    const Conversion result = read_conversion(cursor_, "here");
    expect_end("expected the end after a format");
    return result;
  }
  bool at_map() { return cursor_.peek() == '{'; }

 private:
  void expect_end(const std::string& message) {
    if (!cursor_.at_end()) fail(cursor_.at(), message + cursor_.found(cursor_.at()));
  }
  [[noreturn]] void fail(std::size_t place, const std::string& message) const {
    cursor_.fail(place, message);
  }
  void deeper_than(int depth, std::size_t place) const {
    if (depth > max_depth)
      fail(place,
           "more than " + std::to_string(max_depth) + " forms and postfixes inside each other");
  }

  // --- topologies ------------------------------------------------------------------------------
  /// Leaves the height of what it read in height_.
  SchemaPtr topology(int depth) {
    deeper_than(depth, cursor_.at());
    SchemaPtr result = form(depth);
    for (;;) {
      const std::size_t place = cursor_.at();
      if (cursor_.accept('>')) {
        result = schema(RoundTo{result, read_conversion(cursor_, "after '>'")});
      } else if (cursor_.accept('+')) {
        result = schema(AddOperand{result, operand_name()});
      } else {
        return result;
      }
      deeper_than(++height_, place);
    }
  }

  std::string operand_name() {
    const std::size_t begin = cursor_.at();
    const std::string_view name = cursor_.word();
    const bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                      std::all_of(name.begin(), name.end(), [](char c) {
                        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                      });
    if (!good)
      fail(begin, "expected the name of an operand after '+', such as bias" + cursor_.found(begin));
    return std::string(name);
  }

  SchemaPtr form(int depth) {
    const std::size_t begin = cursor_.at();
    const std::string_view name = cursor_.word();
    const FormName* known = find_form(name);
    if (!known) fail(begin, explain_unknown_form(begin, name));
    cursor_.expect('(', "after " + std::string(name));
    height_ = 0;
    SchemaPtr result = arguments(*known, depth + 1);
    ++height_;
    if (!cursor_.accept(')'))
      fail(cursor_.at(), "expected ')' to close " + std::string(name) + "( of column " +
                             std::to_string(cursor_.column(begin)) + cursor_.found(cursor_.at()));
    return result;
  }

  std::string explain_unknown_form(std::size_t begin, std::string_view name) const {
    if (name.empty()) return "expected a topology such as fold(f32)" + cursor_.found(begin);
    if (name == "chain")
      return "chain says how slices, parts, cut or lanes go on; it is no topology of its own";
    if (name == "ragged") return "ragged= belongs to slices(S, T, ragged=T2, M)";
    if (name == "rest") return "rest=R belongs to lanes, after by=B: lanes(P, by=B, rest=R, T, M)";
    if (name == "by") return "by=B belongs to parts and lanes: lanes(P, by=B, T, M)";
    if (is_digit(name[0])) return "expected a topology such as fold(f32)" + cursor_.found(begin);
    const std::string plain = ascii_lower(name);
    if (parse_format(plain.substr(0, plain.find('.'))) || plain.rfind("sm", 0) == 0)
      return quoted(name) + " is a unit, and a unit stands inside a form: fold(" + plain + ")";
    std::string message = "unknown form " + quoted(name);
    std::vector<std::string> names;
    for (const FormName& f : forms) names.emplace_back(f.name);
    if (const auto near = nearest_name(plain, names))
      return message + "; did you mean " + *near + "?";
    message += "; the forms are";
    for (const FormName& f : forms) message += " " + std::string(f.name);
    return message;
  }

  SchemaPtr arguments(const FormName& form, int depth) {
    const std::string_view name = form.name;
    if (name == "fold") return fold();
    if (name == "pairs") return schema(Pairs{add_unit(name)});
    if (name == "halves") return schema(Halves{add_unit(name)});
    if (name == "any") return schema(Any{add_unit(name)});
    if (name == "reverse") return schema(Reverse{topology(depth)});
    if (name == "tree") return tree(form);
    if (name == "take") return take(form, depth);
    if (name == "order") return order(form, depth);
    if (name == "rotate") {
      const std::uint64_t by = cursor_.number("the first element R", 0, max_number);
      comma(form, "T");
      return schema(Rotate{by, topology(depth)});
    }
    return cutting(form, depth);
  }

  /// Between arguments; `next` names the argument that must follow.
  void comma(const FormName& form, const std::string& next) {
    if (!cursor_.accept(','))
      fail(cursor_.at(), "expected ', " + next + "' as in " + std::string(form.usage) +
                             cursor_.found(cursor_.at()) +
                             (next == "M" ? "; M adds up the pieces, or is chain" : ""));
  }

  SchemaPtr cutting(const FormName& form, int depth) {
    Slices slices{};  // also carries what the others have in common
    std::uint64_t by = 1, rest = 0;
    std::vector<std::uint64_t> borders;
    if (form.name == "cut") {
      borders = numbers("a border", form);
      for (std::size_t i = 1; i < borders.size(); ++i)
        if (borders[i] <= borders[i - 1])
          fail(numbers_at_, "the borders of cut ascend; " + std::to_string(borders[i]) +
                                " comes after " + std::to_string(borders[i - 1]));
    } else if (form.name == "slices") {
      slices.size = cursor_.number("the slice length S", 1, max_number);
    } else {
      const std::string what = form.name == "parts" ? "parts" : "lanes";
      slices.size = cursor_.number("the number P of " + what, 1, max_number);
      by = option("by", "the block length B").value_or(1);
      if (form.name == "lanes")
        rest = option("rest", "the block length R after the last whole round").value_or(by);
      if (rest == by) rest = 0;
    }
    comma(form, "T");
    slices.each = topology(depth);
    int height = height_;
    comma(form, "M");
    if (form.name == "slices" && cursor_.next_word() == "ragged") {
      cursor_.word();
      cursor_.expect('=', "after ragged");
      slices.ragged = topology(depth);
      height = std::max(height, height_);
      comma(form, "M");
    }
    if (cursor_.next_word() == "chain") {
      cursor_.word();
    } else {
      slices.merge = topology(depth);
      height = std::max(height, height_);
    }
    height_ = height;
    deeper_than(height, cursor_.at());
    if (form.name == "slices") return schema(std::move(slices));
    if (form.name == "parts") return schema(Parts{slices.size, by, slices.each, slices.merge});
    if (form.name == "lanes")
      return schema(Lanes{slices.size, by, slices.each, slices.merge, rest});
    return schema(Cut{std::move(borders), slices.each, slices.merge});
  }

  /// The optional ", NAME=number".
  std::optional<std::uint64_t> option(std::string_view name, const std::string& what) {
    const std::size_t before = cursor_.at();
    if (!cursor_.accept(',') || cursor_.next_word() != name) {
      cursor_.back_to(before);
      return std::nullopt;
    }
    cursor_.word();
    cursor_.expect('=', "after " + std::string(name));
    return cursor_.number(what, 1, max_number);
  }

  SchemaPtr order(const FormName& form, int depth) {
    std::vector<std::uint64_t> places = numbers("a place", form);
    const std::string n = std::to_string(places.size());
    std::vector<bool> seen(places.size());
    for (const std::uint64_t place : places) {
      if (place >= places.size())
        fail(numbers_at_, "order lists " + n + " places, numbered from 0: " +
                              std::to_string(place) + " is none of them");
      if (seen[place])
        fail(numbers_at_,
             "order lists every place once; " + std::to_string(place) + " comes twice");
      seen[place] = true;
    }
    comma(form, "T");
    return schema(Order{std::move(places), topology(depth)});
  }

  SchemaPtr take(const FormName& form, int depth) {
    const std::uint64_t begin = cursor_.number("the first addend a", 0, max_number);
    if (!cursor_.accept(".."))
      fail(cursor_.at(), "expected '..' as in take(0..8, T)" + cursor_.found(cursor_.at()));
    const std::size_t at_end = cursor_.at();
    const std::uint64_t end = cursor_.number("the end b", 0, max_number);
    if (end < begin) fail(at_end, "take(a..b) takes a, …, b − 1, so b is not below a");
    comma(form, "T");
    return schema(Take{begin, end, topology(depth)});
  }

  SchemaPtr fold() {
    Fold form{read_unit(cursor_)};
    if (!cursor_.accept(',')) return schema(std::move(form));
    const std::size_t begin = cursor_.at();
    if (cursor_.word() != "from")
      fail(begin, "expected from=first, from=0 or from=c" + cursor_.found(begin));
    cursor_.expect('=', "after from");
    const std::size_t value = cursor_.at();
    const std::string_view start = cursor_.word();
    if (start == "first")
      form.start = Start::first;
    else if (start == "0")
      form.start = Start::zero;
    else if (start == "c")
      form.start = Start::c;
    else
      fail(value, "from= takes first, 0 or c" + cursor_.found(value));
    if (form.start == Start::first && form.unit.kind != Unit::Kind::add)
      fail(value, "from=first copies the first addend, which only an IEEE add can do; " +
                      form.unit.name + " starts from 0 or c");
    return schema(std::move(form));
  }

  Unit add_unit(std::string_view form) {
    const std::size_t begin = cursor_.at();
    Unit step = read_unit(cursor_);
    if (step.kind != Unit::Kind::add)
      fail(begin, std::string(form) + " combines two values, so its unit is an IEEE add such as " +
                      "f32, not " + step.name);
    return step;
  }

  std::vector<std::uint64_t> numbers(const std::string& what, const FormName& form) {
    numbers_at_ = cursor_.at();
    std::vector<std::uint64_t> list{cursor_.number(what, 0, max_number)};
    while (is_digit(cursor_.peek())) list.push_back(cursor_.number(what, 0, max_number));
    const std::size_t end = cursor_.at();
    if (cursor_.accept(',') && is_digit(cursor_.peek()))
      fail(end, "numbers stand side by side, without commas: " + std::string(form.usage));
    cursor_.back_to(end);
    return list;
  }

  // --- explicit trees --------------------------------------------------------------------------
  SchemaPtr tree(const FormName& form) {
    Unit step = read_unit(cursor_);
    comma(form, "a list");
    Nested root = nested();
    height_ = 0;
    return schema(Explicit{std::move(step), std::move(root)});
  }

  /// Without recursion: lists may nest very deep.
  Nested nested() {
    struct Open {
      std::size_t begin;
      Nested list;
    };
    std::vector<Open> open;  // lists whose ')' has not come yet
    for (;;) {
      Nested done;
      if (!open.empty() && cursor_.accept(')')) {
        if (open.back().list.items.size() < 2)
          fail(open.back().begin,
               "a list has two or more addends; write a single one without parentheses");
        done = std::move(open.back().list);
        open.pop_back();
      } else {
        if (!open.empty()) refuse_unclosed(open.back().begin);
        const std::size_t begin = cursor_.at();
        if (open.size() > max_list_depth)
          fail(begin, "more than " + std::to_string(max_list_depth) + " lists inside each other");
        if (cursor_.accept('(')) {
          open.push_back({begin, {}});
          continue;
        }
        done.leaf = cursor_.number("an addend's number or a list in parentheses", 0, max_number);
      }
      if (open.empty()) return done;
      open.back().list.items.push_back(std::move(done));
    }
  }

  void refuse_unclosed(std::size_t begin) {
    if (cursor_.peek() == ',')
      fail(cursor_.at(), "addends stand side by side, without commas: ((0 1) 2)");
    if (cursor_.at_end()) fail(begin, "this list is never closed");
  }

  // --- maps ------------------------------------------------------------------------------------
  TopologyMap map() {
    TopologyMap result;
    const std::size_t begin = cursor_.at();
    cursor_.expect('{', "to open a map");
    while (!cursor_.accept('}')) {
      result.regions.push_back(region(result));
      if (!cursor_.accept(';') && cursor_.peek() != '}')
        fail(cursor_.at(), "expected ';' before the next region, or '}' to close the map" +
                               cursor_.found(cursor_.at()));
    }
    if (result.regions.empty()) fail(begin, "a map has at least one region: { [0,252): T }");
    return result;
  }

  MapRegion region(const TopologyMap& before) {
    cursor_.expect('[', "to open a region, as in [0,252): T");
    const std::size_t at_begin = cursor_.at();
    const std::uint64_t begin = cursor_.number("the begin of a region", 0, max_number);
    cursor_.expect(',', "between begin and end of a region");
    const std::size_t at_end = cursor_.at();
    const std::uint64_t end = cursor_.number("the end of a region", 0, max_number);
    if (end <= begin) fail(at_end, "a region [begin,end) ends beyond its begin");
    if (!before.regions.empty() && begin < before.regions.back().end)
      fail(at_begin, "regions ascend and do not overlap; the one before ends at " +
                         std::to_string(before.regions.back().end));
    cursor_.expect(')', "to close a region, whose end is not part of it");
    cursor_.expect(':', "after a region");
    return {begin, end, topology(0)};
  }

  NotationCursor cursor_;
  int height_ = 0;              ///< of the topology read last
  std::size_t numbers_at_ = 0;  ///< where the list read last begins
};

}  // namespace

SchemaPtr parse_topology(std::string_view text) {
  return Parser(text).whole_topology();
}
TopologyMap parse_map(std::string_view text) {
  return Parser(text).whole_map();
}
Unit parse_unit(std::string_view text) {
  return Parser(text).whole_unit();
}
Conversion parse_conversion(std::string_view text) {
  return Parser(text).whole_conversion();
}

std::variant<SchemaPtr, TopologyMap> parse_notation(std::string_view text) {
  Parser parser(text);
  if (parser.at_map()) return parser.whole_map();
  return parser.whole_topology();
}

}  // namespace whybits
