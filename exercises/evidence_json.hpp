// {"command": "whybits …", "exit": 1, "contains": ["…"]}
#pragma once

#include "exercises/lesson.hpp"
#include "lab/json_field.hpp"

namespace whybits::course {

/// Throws UsageError. "exit" may be left out: 0.
inline Evidence read_evidence(const JsonField& field) {
  field.allow_only({"command", "exit", "contains"});
  Evidence evidence{field.at("command").text(), 0, {}};
  if (!evidence.command.starts_with("whybits "))
    field.at("command").fail("not a command of whybits");
  if (const auto exit = field.find("exit")) evidence.exit = static_cast<int>(exit->number(0, 3));
  for (const JsonField& text : field.at("contains").elements())
    evidence.contains.push_back(text.text());
  return evidence;
}

}  // namespace whybits::course
