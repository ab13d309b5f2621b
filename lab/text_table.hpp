// Tables for people: aligned columns, no lines but one under the header.
#pragma once

#include <string>
#include <vector>

namespace whybits {

class TextTable {
 public:
  enum class Align { left, right };

  explicit TextTable(std::vector<std::string> header, std::vector<Align> align = {});
  void row(std::vector<std::string> cells);
  /// Each line begins with `indent` blanks and ends without any.
  std::string text(std::size_t indent = 0) const;

 private:
  std::vector<std::vector<std::string>> rows_;  ///< the header first; empty header: none is printed
  std::vector<Align> align_;
};

/// Columns that a text takes on a terminal (code points; CJK counts two).
std::size_t display_width(const std::string& text);
/// "58,720,256": digits in groups of three.
std::string grouped(unsigned long long number);
/// "1 output", "4,096 outputs".
std::string counted(unsigned long long number, const std::string& noun);
/// "1 of 4,096 outputs differs", "0 of 1 output differ".
std::string how_many_differ(unsigned long long differ, unsigned long long all,
                            const std::string& noun);

}  // namespace whybits
