// Whoever reads the sources can follow what they cite: documents of this repository exist, and no
// other documents are cited by a bare name.
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/support/catch.hpp"

namespace {

const std::filesystem::path root = WHYBITS_SOURCE_DIR;

std::vector<std::filesystem::path> sources() {
  std::vector<std::filesystem::path> files;
  for (const char* room : {"sim", "exact", "lab", "gpu", "tests"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room))
      if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
        files.push_back(entry.path());
  return files;
}

std::vector<std::string> found(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> all;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    all.push_back(it->str());
  return all;
}

}  // namespace

TEST_CASE("documents that the sources cite are in this repository") {
  const std::regex document("docs/[a-z_]+\\.md");
  const std::regex section("[a-z]+(-[a-z]+)+ \xc2\xa7");  // a hyphenated name and its section
  std::size_t cited = 0;
  const auto files = sources();
  CHECK(files.size() > 200);
  for (const auto& path : files) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    CAPTURE(path.string());
    for (const std::string& name : found(text.str(), document)) {
      CAPTURE(name);
      CHECK(std::filesystem::exists(root / name));
      ++cited;
    }
    CHECK(found(text.str(), section).empty());
  }
  CHECK(cited > 10);
}
