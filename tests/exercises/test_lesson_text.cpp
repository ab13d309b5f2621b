// The texts of lessons: where questions stand, what both languages share, and how a terminal gets
// them.
#include <sstream>

#include "exercises/lesson_text.hpp"
#include "lab/text_table.hpp"
#include "tests/support/catch.hpp"

using namespace whybits::course;
using Strings = std::vector<std::string>;

TEST_CASE("a text is split where questions stand") {
  const auto parts = split_at_questions("# 1 T\n\nA\n\n**Question `x_1`**\n\nB\n**问题 `y`**\n");
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].task == "x_1");
  CHECK(parts[1].task == "y");
  CHECK(parts[1].text == "\nB\n");
  CHECK(parts[2].task.empty());
  CHECK(split_at_questions("**Question** `x`\n")[0].task.empty());
}

TEST_CASE("numbers of the prose are those that a reader takes for numbers") {
  CHECK(prose_numbers("# 7 Title\nIt is 4,096 of 0.5, or -3. Not f16, e4m3, x2, 2x, H200, `99`.\n"
                      "[see 12](page34.md) 5.\n```console\n77\n```\n2^100 3–5\n") ==
        Strings{"4096", "0.5", "3", "12", "5", "2", "100", "3", "5"});
  CHECK(all_numbers("f16: 4,096 of 8.25.") == Strings{"16", "4096", "8.25"});
}

TEST_CASE("the structure of a text is its headings, questions, blocks, tables and lists") {
  const std::string en =
      "# 1 A\n\ntext\nmore\n\n## B\n\n- x\n  goes on\n- y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
      "```sh\nls\n```\n**Question `q`**\n";
  CHECK(text_structure(en) ==
        Strings{"#", "##", "list of 2", "table of 2 columns, 3 rows", "```sh\nls", "question q"});
}

TEST_CASE("a line takes no more columns than there are, and wide characters take two") {
  const auto widest = [](const std::string& text) {
    std::size_t most = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      most = std::max(most, whybits::display_width(line));
    return most;
  };
  const std::string en =
      fill("The quick brown fox jumps over the lazy dog and goes on for a while.", 20);
  CHECK(widest(en) <= 20);
  CHECK(en.substr(0, en.find('\n')) == "The quick brown fox");
  const std::string zh =
      fill("计算机里的数是一个由比特组成的字，它有下一个数，两者之间什么也没有。", 20);
  CHECK(widest(zh) <= 22);  // closing punctuation may hang over
  CHECK(zh.find("\n，") == std::string::npos);
  CHECK(zh.find('\n') != std::string::npos);
  CHECK(fill("", 20) == "");
}

TEST_CASE("a terminal gets text without marks, and code as it is") {
  const std::string text = render_markdown(
      "# 1 Title\n\nSome **bold** and *leaning* text, 2 * 3, with a [link](x.md) and `code`\nthat "
      "goes on.\n\n"
      "```console\n$ whybits   bits\n```\n\n- one\n- two\n",
      80, false);
  CHECK(text ==
        "1 Title\n=======\n\nSome bold and leaning text, 2 * 3, with a link and `code` that goes "
        "on.\n\n"
        "    $ whybits   bits\n\n- one\n- two\n");
  CHECK(render_markdown("Text.\n\n| a | `bit` |\n| --- | --- |\n| 10 | *x* |\n| 中 | y |\n\nEnd.\n",
                        80, false) == "Text.\n\n    a   `bit`\n    10  x\n    中  y\n\nEnd.\n");
  CHECK(render_markdown("`a`", 80, true) == "\x1b[36ma\x1b[0m\n");
  CHECK(render_markdown("# 1 位，字", 80, false) == "1 位，字\n========\n");
}
