#include "lab/text_table.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/plural.hpp"

namespace whybits {

TextTable::TextTable(std::vector<std::string> header, std::vector<Align> align)
    : rows_{std::move(header)}, align_(std::move(align)) {}

void TextTable::row(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == widths.size()) widths.push_back(0);
      widths[c] = std::max(widths[c], display_width(row[c]));
    }
  std::string out;
  for (const auto& row : rows_) {
    if (row.empty()) continue;
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - display_width(row[c]), ' ');
      const bool right = c < align_.size() && align_[c] == Align::right;
      if (c > 0) line += "  ";
      line += right ? pad + row[c] : row[c] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::size_t display_width(const std::string& text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) == 0x80) continue;
    // Three-byte sequences from U+3000 to U+DFFF are CJK, U+FF01 to U+FF60 are full-width forms.
    const std::string_view form = std::string_view(text).substr(i, 3);
    const bool full = "\uff01" <= form && form <= "\uff60";
    width += (byte >= 0xe3 && byte <= 0xed) || full ? 2 : 1;
  }
  return width;
}

std::string grouped(unsigned long long number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string counted(unsigned long long number, const std::string& noun) {
  return grouped(number) + " " + plural(number, noun);
}

std::string how_many_differ(unsigned long long differ, unsigned long long all,
                            const std::string& noun) {
  return grouped(differ) + " of " + counted(all, noun) + (differ == 1 ? " differs" : " differ");
}

}  // namespace whybits
