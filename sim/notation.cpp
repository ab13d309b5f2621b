#include "sim/notation.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <type_traits>

#include "sim/device_table.hpp"
#include "sim/nearest_name.hpp"

namespace whybits {
namespace {

constexpr std::size_t max_text = std::size_t{1} << 24;
constexpr int max_depth = 200;          // nested forms
constexpr int max_list_depth = 10'000;  // nested lists of tree(…)
constexpr std::uint64_t max_number = std::uint64_t{1} << 40;
constexpr int max_aligned_addends = 1024;
constexpr int max_aligned_fraction = 48;  // L · 4 · 2^F stays within 64 bits

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

const std::vector<std::string> form_names{"fold", "pairs", "halves", "slices",  "parts",
                                          "cut",  "lanes", "rotate", "reverse", "order",
                                          "tree", "any",   "take"};

std::vector<std::string> unit_candidates() {
  std::vector<std::string> names = device_unit_names();
  for (const NamedFormat& f : named_formats()) names.emplace_back(f.name);
  for (const char* name : {"f32.fma", "f64.fma", "exact"}) names.emplace_back(name);
  return names;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    if (text.size() > max_text) throw NotationError(text.substr(0, 60), 0, "longer than 16 MiB");
  }

  SchemaPtr whole_topology() {
    return whole([this] { return topology(0); });
  }
  TopologyMap whole_map() {
    return whole([this] { return map(); });
  }
  Unit whole_unit() {
    return whole([this] { return unit(); });
  }
  Conversion whole_conversion() {
    return whole([this] { return conversion(); });
  }
  bool at_map() {
    space();
    return peek() == '{';
  }

 private:
  // --- characters ------------------------------------------------------------------------------
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool accept(char c) {
    space();
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* why) {
    if (!accept(c)) fail(at_, std::string("expected '") + c + "' " + why + found());
  }
  std::string found() const {
    if (at_ >= text_.size()) return ", found the end";
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 || c > 0x7e) return ", found a character outside ASCII";
    return std::string(", found '") + text_[at_] + "'";
  }
  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    throw NotationError(text_, at, message);
  }
  template <class Parse>
  std::invoke_result_t<Parse> whole(Parse parse) {
    auto result = parse();
    space();
    if (at_ < text_.size())
      fail(at_, "expected the end, or '> FORMAT' or '+ OPERAND' behind a topology" + found());
    return result;
  }

  /// A word of letters, digits, '_' and '.'; empty if none stands here.
  std::string_view word() {
    space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::uint64_t number(const char* what, std::uint64_t least, std::uint64_t most = max_number) {
    space();
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (end == text_.data() + at_)
      fail(begin, std::string("expected ") + what + ", a number" + found());
    at_ = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc() || value < least || value > most)
      fail(begin, std::string(what) + " must be from " + std::to_string(least) + " to " +
                      std::to_string(most));
    return value;
  }

  int signed_number(const char* what, int least, int most) {
    space();
    const std::size_t begin = at_;
    int value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ == begin || error != std::errc() || value < least || value > most)
      fail(begin, std::string(what) + " must be from " + std::to_string(least) + " to " +
                      std::to_string(most));
    return value;
  }

  // --- topologies ------------------------------------------------------------------------------
  SchemaPtr topology(int depth) {
    if (depth > max_depth) fail(at_, "nested deeper than " + std::to_string(max_depth) + " forms");
    SchemaPtr result = form(depth);
    for (int links = 0;; ++links) {
      space();
      if (links > max_depth) fail(at_, "more than " + std::to_string(max_depth) + " postfixes");
      if (accept('>')) {
        result = schema(RoundTo{result, conversion()});
      } else if (accept('+')) {
        space();
        const std::size_t begin = at_;
        const std::string_view name = word();
        if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0 ||
            name.find('.') != std::string_view::npos)
          fail(begin, "expected the name of an operand behind '+', such as bias" + found());
        result = schema(AddOperand{result, std::string(name)});
      } else {
        return result;
      }
    }
  }

  SchemaPtr form(int depth) {
    space();
    const std::size_t begin = at_;
    const std::string_view name = word();
    if (name.empty()) fail(begin, "expected a topology such as fold(f32)" + found());
    if (name == "chain")
      fail(begin,
           "chain says how slices, parts, cut or lanes go on; it is not a topology of its own");
    if (std::find(form_names.begin(), form_names.end(), name) == form_names.end()) {
      std::string message = "unknown form '" + std::string(name) + "'";
      if (const auto near = nearest_name(name, form_names))
        message += "; did you mean " + *near + "?";
      else if (looks_like_unit(name))
        message += "; a unit stands inside a form: fold(" + std::string(name) + ")";
      fail(begin, message +
                      " (forms: fold pairs halves slices parts cut lanes rotate reverse order "
                      "tree any take)");
    }
    expect('(', ("behind " + std::string(name)).c_str());
    SchemaPtr result = arguments(name, depth + 1);
    expect(')', ("to close " + std::string(name) + "(").c_str());
    return result;
  }

  bool looks_like_unit(std::string_view name) const {
    return parse_format(name.substr(0, name.find('.'))).has_value() || name.substr(0, 2) == "sm";
  }

  SchemaPtr arguments(std::string_view name, int depth) {
    if (name == "fold") return fold();
    if (name == "pairs") return schema(Pairs{add_unit(name)});
    if (name == "halves") return schema(Halves{add_unit(name)});
    if (name == "any") return schema(Any{add_unit(name)});
    if (name == "slices") {
      const std::uint64_t size = number("the slice length", 1);
      SchemaPtr ragged;
      auto [each, merge] = each_and_merge(depth, &ragged);
      return schema(Slices{size, each, merge, ragged});
    }
    if (name == "parts") {
      const std::uint64_t count = number("the number of parts", 1);
      const std::uint64_t by = block();
      auto [each, merge] = each_and_merge(depth);
      return schema(Parts{count, by, each, merge});
    }
    if (name == "lanes") {
      const std::uint64_t count = number("the number of lanes", 1);
      const std::uint64_t by = block();
      auto [each, merge] = each_and_merge(depth);
      return schema(Lanes{count, by, each, merge});
    }
    if (name == "cut") {
      std::vector<std::uint64_t> borders = numbers("a border");
      for (std::size_t i = 1; i < borders.size(); ++i)
        if (borders[i] <= borders[i - 1]) fail(at_, "the borders of cut must ascend");
      auto [each, merge] = each_and_merge(depth);
      return schema(Cut{std::move(borders), each, merge});
    }
    if (name == "rotate") {
      const std::uint64_t by = number("the first element", 0);
      comma("behind the first element");
      return schema(Rotate{by, topology(depth)});
    }
    if (name == "reverse") return schema(Reverse{topology(depth)});
    if (name == "order") {
      space();
      const std::size_t begin = at_;
      std::vector<std::uint64_t> places = numbers("a place");
      std::vector<std::uint64_t> sorted = places;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] != i)
          fail(begin, "order lists each of 0 … " + std::to_string(sorted.size() - 1) + " once");
      comma("behind the order");
      return schema(Order{std::move(places), topology(depth)});
    }
    if (name == "tree") {
      Unit step = unit();
      comma("behind the unit");
      space();
      Nested root = nested(0);
      return schema(Explicit{std::move(step), std::move(root)});
    }
    const std::uint64_t begin = number("the first addend", 0);  // take
    space();
    if (text_.substr(at_, 2) != "..") fail(at_, "expected '..' as in take(0..8, T)" + found());
    at_ += 2;
    space();
    const std::size_t at_end = at_;
    const std::uint64_t end = number("the end", 0);
    if (end < begin) fail(at_end, "take(a..b): b must not be below a");
    comma("behind the range");
    return schema(Take{begin, end, topology(depth)});
  }

  void comma(const char* where) { expect(',', where); }

  SchemaPtr fold() {
    Fold form{unit()};
    if (accept(',')) {
      space();
      const std::size_t begin = at_;
      if (word() != "from") fail(begin, "expected from=first, from=0 or from=c" + found());
      expect('=', "behind from");
      space();
      const std::size_t value = at_;
      const std::string_view start = word();
      if (start == "first")
        form.start = Start::first;
      else if (start == "0")
        form.start = Start::zero;
      else if (start == "c")
        form.start = Start::c;
      else
        fail(value, "from= takes first, 0 or c");
      if (form.start == Start::first && form.unit.kind != Unit::Kind::add)
        fail(value, "from=first copies the first addend, which only an IEEE add can do; " +
                        form.unit.name + " starts from 0 or c");
    }
    return schema(std::move(form));
  }

  Unit add_unit(std::string_view form) {
    space();
    const std::size_t begin = at_;
    Unit step = unit();
    if (step.kind != Unit::Kind::add)
      fail(begin, std::string(form) +
                      " combines two values, so its unit must be an IEEE add such as f32, not " +
                      step.name);
    return step;
  }

  std::uint64_t block() {
    const std::size_t before = at_;
    if (!accept(',')) return 1;
    space();
    if (text_.substr(at_, 2) != "by" ||
        is_word_char(at_ + 2 < text_.size() ? text_[at_ + 2] : '\0')) {
      at_ = before;
      return 1;
    }
    at_ += 2;
    expect('=', "behind by");
    return number("by", 1);
  }

  /// T, M or, where a ragged piece may have a topology of its own, T, ragged=T2, M.
  std::pair<SchemaPtr, Merge> each_and_merge(int depth, SchemaPtr* ragged = nullptr) {
    comma("before the topology of a piece");
    SchemaPtr each = topology(depth);
    comma("before the merge: a topology, or chain");
    space();
    std::size_t before = at_;
    std::string_view name = word();
    if (ragged && name == "ragged") {
      expect('=', "behind ragged");
      *ragged = topology(depth);
      comma("before the merge: a topology, or chain");
      space();
      before = at_;
      name = word();
    }
    if (name == "chain") return {each, nullptr};
    at_ = before;
    return {each, topology(depth)};
  }

  std::vector<std::uint64_t> numbers(const char* what) {
    std::vector<std::uint64_t> list{number(what, 0)};
    for (space(); std::isdigit(static_cast<unsigned char>(peek())) != 0; space())
      list.push_back(number(what, 0));
    return list;
  }

  Nested nested(int depth) {
    if (depth > max_list_depth)
      fail(at_, "lists nested deeper than " + std::to_string(max_list_depth));
    Nested result;
    if (!accept('(')) {
      result.leaf = number("an addend, or a list in parentheses", 0);
      return result;
    }
    const std::size_t begin = at_;
    for (space(); peek() != ')'; space()) result.items.push_back(nested(depth + 1));
    ++at_;
    if (result.items.size() < 2) fail(begin, "a list combines two or more addends");
    return result;
  }

  TopologyMap map() {
    TopologyMap result;
    expect('{', "to open a map");
    space();
    while (!accept('}')) {
      expect('[', "to open a region, as in [0,252): T");
      space();
      const std::size_t at_begin = at_;
      const std::uint64_t begin = number("the begin of a region", 0);
      comma("between begin and end of a region");
      space();
      const std::size_t at_end = at_;
      const std::uint64_t end = number("the end of a region", 0);
      if (end <= begin) fail(at_end, "a region must end beyond its begin");
      if (!result.regions.empty() && begin < result.regions.back().end)
        fail(at_begin, "regions must ascend and must not overlap");
      expect(')', "to close a region, which is half open");
      expect(':', "behind a region");
      result.regions.push_back({begin, end, topology(0)});
      if (!accept(';')) {
        expect('}', "to close the map, or ';' before the next region");
        break;
      }
    }
    if (result.regions.empty()) fail(at_, "a map has at least one region");
    return result;
  }

  // --- units and formats -----------------------------------------------------------------------
  Unit unit() {
    Unit step = plain_unit();
    if (accept('>')) step.after = conversion();
    return step;
  }

  Unit plain_unit() {
    space();
    const std::size_t begin = at_;
    const std::string_view name = word();
    if (name.empty()) fail(begin, "expected a unit such as f32 or sm90.wgmma.bf16" + found());
    if (name == "exact") return exact_unit();
    if (name == "aligned") return aligned(begin);
    if (auto device = find_device_unit(name)) return *std::move(device);
    // FORMAT [.fma] [.rz|.ru|.rd|.rna] [.ftz]
    std::string_view rest = name;
    const std::optional<Format> format = parse_format(take_part(rest));
    if (!format) fail(begin, unknown_unit(name));
    bool is_fma = false;
    RoundRule rule;
    while (!rest.empty()) {
      const std::string_view part = take_part(rest);
      if (part == "fma" && !is_fma && rule == RoundRule{})
        is_fma = true;
      else if (!add_suffix(rule, part, false))
        fail(begin, unknown_unit(name));
    }
    return is_fma ? ieee_fma(*format, rule) : ieee_add(*format, rule);
  }

  static std::string unknown_unit(std::string_view name) {
    std::string message = "unknown unit '" + std::string(name) + "'";
    if (const auto near = nearest_name(name, unit_candidates()))
      message += "; did you mean " + *near + "?";
    return message +
           " (an IEEE add: f64 f32 tf32 f16 bf16 e5m2 e4m3 eXmY with .rz .ru .rd .rna .ftz; "
           "f32.fma f64.fma; a matrix unit such as sm90.wgmma.bf16; aligned(…); exact)";
  }

  /// Cuts "a.b.c" into "a" and "b.c".
  static std::string_view take_part(std::string_view& rest) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
    return part;
  }

  static bool add_suffix(RoundRule& rule, std::string_view part, bool conversion) {
    if (part == "ftz" && rule.flush == Flush::none && rule.overflow == Overflow::ieee) {
      rule.flush = Flush::both;
      return true;
    }
    if (conversion && part == "sat" && rule.overflow == Overflow::ieee) {
      rule.overflow = Overflow::saturate;
      return true;
    }
    const bool first = rule.rounding == Rounding::nearest_even && rule.flush == Flush::none &&
                       rule.overflow == Overflow::ieee;
    for (const Rounding r : {Rounding::nearest_away, Rounding::zero, Rounding::up, Rounding::down})
      if (first && part == rounding_suffix(r).substr(1)) {
        rule.rounding = r;
        return true;
      }
    return false;
  }

  Conversion conversion() {
    space();
    const std::size_t begin = at_;
    const std::string_view name = word();
    std::string_view rest = name;
    const std::optional<Format> format = parse_format(take_part(rest));
    Conversion result;
    bool good = format.has_value() && (name.empty() || name.back() != '.');
    while (good && !rest.empty()) good = add_suffix(result.rule, take_part(rest), true);
    if (!good) {
      std::string message = "expected a format behind '>' such as bf16 or e4m3.sat";
      if (name.empty())
        message += found();
      else
        message += ", found '" + std::string(name) + "'";
      std::vector<std::string> names;
      for (const NamedFormat& f : named_formats()) names.emplace_back(f.name);
      if (const auto near = nearest_name(name, names)) message += "; did you mean " + *near + "?";
      fail(begin, message);
    }
    result.to = *format;
    return result;
  }

  Unit aligned(std::size_t begin) {
    AlignedSum sum;
    std::optional<Format> a;
    std::optional<Format> b;
    bool has_l = false, has_f = false;
    expect('(', "behind aligned");
    do {
      space();
      const std::size_t at_key = at_;
      const std::string_view key = word();
      expect('=', "behind a parameter of aligned");
      if (key == "l") {
        sum.addends = signed_number("l", 1, max_aligned_addends);
        has_l = true;
      } else if (key == "f") {
        sum.fraction_bits = signed_number("f", 1, max_aligned_fraction);
        has_f = true;
      } else if (key == "e0") {
        sum.zero_exponent = signed_number("e0", -4096, 4096);
      } else if (key == "out") {
        const std::size_t at_out = at_;
        const Conversion out = conversion();
        if (out.rule.overflow != Overflow::ieee || out.rule.flush != Flush::none)
          fail(at_out, "out= takes a format and a rounding, such as f32.rz");
        sum.out = out.to;
        sum.rounding = out.rule.rounding;
      } else if (key == "in") {
        space();
        const std::size_t at_in = at_;
        const std::string_view names = word();
        const std::size_t cross = names.find('x');
        a = parse_format(names.substr(0, cross));
        b = cross == std::string_view::npos ? a : parse_format(names.substr(cross + 1));
        if (!a || !b) fail(at_in, "in= takes the operands' format: f16, or e4m3xe5m2");
      } else {
        fail(at_key, "aligned takes l=, f=, e0=, out= and in=");
      }
    } while (accept(','));
    expect(')', "to close aligned(");
    if (!has_l || !has_f) fail(begin, "aligned needs l= (products a step) and f= (fraction bits)");
    return aligned_unit(sum, a, b);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

NotationError::NotationError(std::string_view text, std::size_t byte, const std::string& message)
    : std::runtime_error(message),
      line_(text),
      column_(characters(text.substr(0, std::min(byte, text.size()))) + 1) {}

std::string NotationError::pointed() const {
  // Long inputs are shown around the place; control characters as spaces.
  std::string line = line_;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  std::size_t caret = column_ - 1;
  constexpr std::size_t before = 60;
  constexpr std::size_t width = 100;
  if (line.size() > width) {
    std::size_t cut = 0;  // bytes dropped, at a character's border
    for (std::size_t dropped = 0; caret - dropped > before; ++dropped) {
      do ++cut;
      while (cut < line.size() && (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80);
    }
    if (caret > before) caret = before;
    line = (cut > 0 ? "…" : "") + line.substr(cut, width) + (line.size() > cut + width ? "…" : "");
    if (cut > 0) ++caret;
  }
  return line + "\n" + std::string(caret, ' ') + "^ column " + std::to_string(column_) + ": " +
         what();
}

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
