#include <fmt/format.h>

#include <map>
#include <set>

#include "lab/tree_outline.hpp"

namespace whybits {
namespace {

class TextWriter {
 public:
  explicit TextWriter(const Outline& outline) : outline_(outline) {
    for (const OutlineEntry& entry : outline.entries)
      for (const OutlinePart& part : entry.parts)
        if (part.entry >= 0) ++uses_[static_cast<std::size_t>(part.entry)];
  }

  std::string text() {
    if (outline_.entries.empty()) return outline_.root + "\n";
    entry(0);
    return out_;
  }

 private:
  /// Entries used in more than one place are numbered, so that they can be named again.
  std::string tag(int index) const {
    const auto uses = uses_.find(static_cast<std::size_t>(index));
    return uses != uses_.end() && uses->second > 1 ? fmt::format("  [{}]", index) : "";
  }

  /// Recurses as deep as the tree: all texts are members, or made in the functions below.
  void entry(int index) {
    if (!head(index)) return;
    const OutlineEntry& e = outline_.entries[static_cast<std::size_t>(index)];
    const std::size_t outside = prefix_.size();
    for (std::size_t i = 0; i < e.parts.size(); ++i) {
      begin_part(e, i);
      if (e.parts[i].entry < 0) continue;
      prefix_ += i + 1 == e.parts.size() ? "   " : "│  ";
      entry(e.parts[i].entry);
      prefix_.resize(outside);
    }
  }

  /// False if its parts are shown above.
  [[gnu::noinline]] bool head(int index) {
    const OutlineEntry& e = outline_.entries[static_cast<std::size_t>(index)];
    const bool again = !shown_.insert(index).second;
    out_ += e.head;
    if (!e.note.empty() && !again) out_ += ": " + e.note;
    out_ += tag(index) + (again ? ", as above\n" : "\n");
    return !again;
  }

  [[gnu::noinline]] void begin_part(const OutlineEntry& e, std::size_t i) {
    const OutlinePart& part = e.parts[i];
    out_ += prefix_ + (i + 1 == e.parts.size() ? "└─ " : "├─ ");
    if (part.entry < 0) {
      out_ += part.text + "\n";
    } else if (part.count > 1 || e.parts.size() > 1) {
      // A rounding has one part and nothing to say about its place.
      out_ += part.text + ": ";
    }
  }

  const Outline& outline_;
  std::map<std::size_t, int> uses_;
  std::set<int> shown_;
  std::string prefix_;  ///< lines of what is above, in front of every line
  std::string out_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string outline_text(const Outline& outline) {
  return TextWriter(outline).text();
}

std::string outline_dot(const Outline& outline) {
  std::string out =
      "digraph topology {\n  rankdir=BT;\n  node [shape=box, fontname=\"sans-serif\"];\n";
  if (outline.entries.empty()) out += "  root [label=" + quoted(outline.root) + "];\n";
  for (std::size_t i = 0; i < outline.entries.size(); ++i) {
    const OutlineEntry& e = outline.entries[i];
    out += fmt::format("  n{} [label={}];\n", i,
                       quoted(e.note.empty() ? e.head : e.head + " | " + e.note));
    for (std::size_t p = 0; p < e.parts.size(); ++p) {
      const OutlinePart& part = e.parts[p];
      if (part.entry >= 0) {
        out += fmt::format("  n{} -> n{} [label={}];\n", part.entry, i, quoted(part.text));
      } else {
        out += fmt::format("  n{}_{} [shape=plaintext, label={}];\n  n{}_{} -> n{};\n", i, p,
                           quoted(part.text), i, p, i);
      }
    }
  }
  return out + "}\n";
}

}  // namespace whybits
