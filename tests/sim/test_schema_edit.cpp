// Edits reach every form and change nothing else.
#include "sim/notation.hpp"
#include "sim/schema_edit.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

/// f32 adds become f64 adds.
Unit wider(const Unit& unit) {
  if (!(unit.format == formats::f32)) return unit;
  Unit other = ieee_add(formats::f64, unit.rule);
  other.after = unit.after;
  return other;
}

std::string edited(const std::string& topology) {
  return print(*edit_units(parse_topology(topology), wider));
}

}  // namespace

TEST_CASE("A unit is found in every form of the notation") {
  for (const char* form : {"fold(%)",
                           "fold(%, from=c)",
                           "pairs(%)",
                           "halves(%)",
                           "any(%)",
                           "fold(% > bf16)",
                           "tree(%, ((3 (1 2)) 0))",
                           "slices(4, fold(%), pairs(%))",
                           "slices(4, fold(%), chain)",
                           "slices(8, fold(%), ragged=pairs(%), fold(%))",
                           "parts(3, by=2, fold(%), halves(%))",
                           "cut(1 5, fold(%), fold(%))",
                           "lanes(2, by=4, lanes(2, fold(%), any(%)), pairs(%))",
                           "rotate(1, fold(%))",
                           "reverse(fold(%))",
                           "order(2 0 1, fold(%))",
                           "take(0..2, fold(%))",
                           "fold(%) > bf16",
                           "fold(%) + bias > f16",
                           "slices(4, fold(bf16), fold(%))"}) {
    CAPTURE(form);
    std::string before = form, after = form;
    for (std::size_t at; (at = before.find('%')) != std::string::npos;)
      before.replace(at, 1, "f32");
    for (std::size_t at; (at = after.find('%')) != std::string::npos;) after.replace(at, 1, "f64");
    CHECK(edited(before) == after);
  }
}

TEST_CASE("A unit keeps its rule and its rounding after every step") {
  CHECK(edited("slices(2, fold(f32.rz > bf16), fold(f32.ftz))") ==
        "slices(2, fold(f64.rz > bf16), fold(f64.ftz))");
}

TEST_CASE("A schema without a replacement stays the same object") {
  const SchemaPtr old = parse_topology("slices(4, fold(f32) > bf16, rotate(1, pairs(f32)))");
  CHECK(edit_schema(old, [](const Schema&) { return SchemaPtr(); }) == old);
  // What an edit does not touch is shared with the old one.
  const SchemaPtr other = edit_schema(old, [](const Schema& s) -> SchemaPtr {
    return std::holds_alternative<Pairs>(s.form) ? parse_topology("halves(f32)") : nullptr;
  });
  CHECK(print(*other) == "slices(4, fold(f32) > bf16, rotate(1, halves(f32)))");
  CHECK(std::get<Slices>(other->form).each == std::get<Slices>(old->form).each);
}

TEST_CASE("Edits go from the outside in and do not visit their own replacements") {
  int visits = 0;
  const SchemaPtr result =
      edit_schema(parse_topology("reverse(fold(f32))"), [&](const Schema& s) -> SchemaPtr {
        ++visits;
        if (std::holds_alternative<Reverse>(s.form)) return nullptr;
        return parse_topology("reverse(fold(f32))");
      });
  CHECK(print(*result) == "reverse(reverse(fold(f32)))");
  CHECK(visits == 2);
  CHECK(edit_schema(nullptr, [](const Schema&) { return parse_topology("fold(f32)"); }) ==
        nullptr);  // chain stays chain
}
