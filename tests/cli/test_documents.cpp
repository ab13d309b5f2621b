// The pages hang together: every link leads somewhere, and the index names every page.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "lab/files.hpp"
#include "tests/support/catch.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path root = WHYBITS_SOURCE_DIR;

std::string read(const fs::path& page) {
  return whybits::read_text_file(page, std::uint64_t{4} << 20);
}

std::vector<fs::path> pages_below(const fs::path& folder) {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  return pages;
}

std::vector<fs::path> all_pages() {
  std::vector<fs::path> pages{root / "README.md", root / "README.zh-CN.md",
                              root / "CONTRIBUTING.md", root / "CHANGELOG.md"};
  for (const char* folder : {"docs", "exercises"})
    for (const fs::path& page : pages_below(root / folder)) pages.push_back(page);
  return pages;
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

/// Names of the headings, as links have them: "## Exit codes" is #exit-codes.
std::set<std::string> anchors(const std::string& page) {
  static const std::regex heading("(?:^|\n)#+ ([^\n]*)");
  std::set<std::string> names;
  for (const std::string& title : matches(page, heading)) {
    std::string name;
    for (const char c : title) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == ' ') name += '-';
      if (byte >= 0x80 || std::isalnum(byte) != 0 || c == '-' || c == '_')
        name += byte >= 0x80 ? c : static_cast<char>(std::tolower(byte));
    }
    names.insert(name);
  }
  return names;
}

}  // namespace

TEST_CASE("every link of the pages leads to a file, and to a heading where it names one") {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::size_t checked = 0;
  for (const fs::path& page : all_pages()) {
    CAPTURE(page.string());
    const std::string text = read(page);
    for (const std::string& target : matches(text, link)) {
      if (target.starts_with("http")) continue;
      CAPTURE(target);
      ++checked;
      const std::size_t hash = target.find('#');
      const std::string file = target.substr(0, hash);
      const fs::path path = file.empty() ? page : page.parent_path() / file;
      REQUIRE(fs::exists(path));
      if (hash != std::string::npos) CHECK(anchors(read(path)).contains(target.substr(hash + 1)));
    }
  }
  CHECK(checked > 100);
}

TEST_CASE("the index of the documentation names every page") {
  const std::string index = read(root / "docs/README.md");
  for (const fs::path& page : pages_below(root / "docs")) {
    const std::string name = fs::relative(page, root / "docs").string();
    CAPTURE(name);
    CHECK((name == "README.md" || index.find("](" + name + ")") != std::string::npos));
  }
}

TEST_CASE("files and folders that a page names in code are there") {
  // Not placeholders: a word in capitals stands for a name of the reader's.
  static const std::regex named(
      R"(`((?:sim|lab|exact|gpu|exercises|visualizer|tests|scripts|docs|app)/[A-Za-z0-9_./-]*)`)");
  static const std::regex placeholder("[A-Z]{3}|NN_");
  for (const fs::path& page : all_pages()) {
    if (page.filename() == "CHANGELOG.md") continue;  // says what was
    CAPTURE(page.string());
    for (const std::string& path : matches(read(page), named)) {
      CAPTURE(path);
      CHECK((std::regex_search(path, placeholder) || fs::exists(root / path)));
    }
  }
}
