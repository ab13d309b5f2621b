#include "sim/notation.hpp"

namespace whybits {
namespace {

struct Printer {
  std::string of(const Schema& schema) const { return std::visit(*this, schema.form); }

  std::string operator()(const Fold& f) const {
    switch (f.start) {
      case Start::automatic:
        break;
      case Start::first:
        return "fold(" + unit_name(f.unit) + ", from=first)";
      case Start::zero:
        return "fold(" + unit_name(f.unit) + ", from=0)";
      case Start::c:
        return "fold(" + unit_name(f.unit) + ", from=c)";
    }
    return "fold(" + unit_name(f.unit) + ")";
  }
  std::string operator()(const Pairs& f) const { return "pairs(" + unit_name(f.unit) + ")"; }
  std::string operator()(const Halves& f) const { return "halves(" + unit_name(f.unit) + ")"; }
  std::string operator()(const Any& f) const { return "any(" + unit_name(f.unit) + ")"; }

  std::string operator()(const Slices& f) const {
    return "slices(" + std::to_string(f.size) + merged(f.each, f.merge, f.ragged);
  }
  std::string operator()(const Parts& f) const {
    return "parts(" + std::to_string(f.count) + by(f.by) + merged(f.each, f.merge);
  }
  std::string operator()(const Lanes& f) const {
    const bool other = f.rest != 0 && f.rest != f.by;
    return "lanes(" + std::to_string(f.count) + by(f.by) +
           (other ? ", rest=" + std::to_string(f.rest) : "") + merged(f.each, f.merge);
  }
  std::string operator()(const Cut& f) const {
    return "cut(" + numbers(f.borders) + merged(f.each, f.merge);
  }
  std::string operator()(const Rotate& f) const {
    return "rotate(" + std::to_string(f.by) + ", " + of(*f.inner) + ")";
  }
  std::string operator()(const Reverse& f) const { return "reverse(" + of(*f.inner) + ")"; }
  std::string operator()(const Order& f) const {
    return "order(" + numbers(f.permutation) + ", " + of(*f.inner) + ")";
  }
  std::string operator()(const Take& f) const {
    return "take(" + std::to_string(f.begin) + ".." + std::to_string(f.end) + ", " + of(*f.inner) +
           ")";
  }
  std::string operator()(const Explicit& f) const {
    std::string text = "tree(" + unit_name(f.unit) + ", ";
    append(text, f.root);
    return text + ")";
  }
  std::string operator()(const RoundTo& f) const {
    return of(*f.inner) + " > " + conversion_name(f.conversion);
  }
  std::string operator()(const AddOperand& f) const { return of(*f.inner) + " + " + f.operand; }

 private:
  static std::string by(std::uint64_t by) { return by == 1 ? "" : ", by=" + std::to_string(by); }

  std::string merged(const SchemaPtr& each, const Merge& merge,
                     const SchemaPtr& ragged = nullptr) const {
    return ", " + of(*each) + ", " + (ragged ? "ragged=" + of(*ragged) + ", " : "") +
           (merge ? of(*merge) : "chain") + ")";
  }

  static std::string numbers(const std::vector<std::uint64_t>& list) {
    std::string text;
    for (const std::uint64_t number : list) {
      if (!text.empty()) text += ' ';
      text += std::to_string(number);
    }
    return text;
  }

  static void append(std::string& text, const Nested& nested) {
    if (nested.items.empty()) {
      text += std::to_string(nested.leaf);
      return;
    }
    text += '(';
    for (std::size_t i = 0; i < nested.items.size(); ++i) {
      if (i > 0) text += ' ';
      append(text, nested.items[i]);
    }
    text += ')';
  }
};

}  // namespace

std::string print(const Schema& schema) {
  return Printer{}.of(schema);
}

std::string print(const TopologyMap& map) {
  std::string text = "{ ";
  for (std::size_t i = 0; i < map.regions.size(); ++i) {
    const MapRegion& region = map.regions[i];
    if (i > 0) text += "; ";
    text += "[" + std::to_string(region.begin) + "," + std::to_string(region.end) +
            "): " + print(*region.topology);
  }
  return text + " }";
}

}  // namespace whybits
