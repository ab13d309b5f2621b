// What README.md, docs/*.md and the lessons show of whybits is what it prints. A line that holds
// nothing but "…" stands for one line or more; everything else is compared letter by letter.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace whybits::test;

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(std::istream& text) {
  Lines lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

Lines lines_of(const std::string& text) {
  std::istringstream stream(text);
  return lines_of(stream);
}

struct Transcript {
  std::string file;
  std::string arguments;  ///< what follows "whybits "
  Lines shown;
};

/// Every `$ whybits …` of the console blocks, with the lines below it.
void append_transcripts(const std::filesystem::path& path, std::vector<Transcript>& out) {
  std::ifstream stream(path);
  REQUIRE(stream);
  const std::string prompt = "$ ";
  const std::string program = "whybits ";
  const Lines lines = lines_of(stream);
  bool inside = false;
  bool ours = false;  // the lines belong to the last transcript
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("```")) {
      inside = !inside && lines[i] == "```console";
      ours = false;
    } else if (inside && lines[i].starts_with(prompt)) {
      std::string command = lines[i].substr(prompt.size());
      while (command.ends_with('\\')) {
        command.pop_back();
        REQUIRE(++i < lines.size());
        command += lines[i];
      }
      ours = command.starts_with(program);
      if (ours) out.push_back({path.string(), command.substr(program.size()), {}});
    } else if (ours) {
      out.back().shown.push_back(lines[i]);
    }
  }
}

std::vector<Transcript> all_transcripts() {
  const std::filesystem::path root = WHYBITS_SOURCE_DIR;
  std::vector<Transcript> transcripts;
  append_transcripts(root / "README.md", transcripts);
  append_transcripts(root / "README.zh-CN.md", transcripts);
  std::vector<std::filesystem::path> documents;
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "exercises"))
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  std::sort(documents.begin(), documents.end());
  for (const auto& document : documents) append_transcripts(document, transcripts);
  return transcripts;
}

bool is_gap(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin != std::string_view::npos && line.substr(begin) == "…";
}

/// The pieces between the gaps stand in `printed` in their order: the first at its beginning, the
/// last at its end, and each gap leaves out at least one line.
bool shows(const Lines& shown, const Lines& printed) {
  auto at = printed.begin();
  auto piece = shown.begin();
  for (bool first = true;; first = false) {
    const auto end = std::find_if(piece, shown.end(), is_gap);
    const auto length = end - piece;
    const bool last = end == shown.end();
    if (!first) {
      if (at == printed.end()) return false;
      ++at;
    }
    if (printed.end() - at < length) return false;
    if (last && !first)
      at = printed.end() - length;
    else if (!first)
      at = std::search(at, printed.end(), piece, end);
    if (printed.end() - at < length || !std::equal(piece, end, at)) return false;
    at += length;
    if (last) return at == printed.end();
    piece = end + 1;
  }
}

/// Commands that take seconds: whole layers.
bool is_slow(const Transcript& transcript) {
  constexpr std::array<std::string_view, 2> layers{"tests/recordings/cublas-", "--k 14336"};
  return std::any_of(layers.begin(), layers.end(), [&](std::string_view layer) {
    return transcript.arguments.find(layer) != std::string::npos;
  });
}

/// Runs them where a reader would: in the root of the source tree.
int check_transcripts(bool slow) {
  const TemporaryFolder course;  // where `whybits learn` would write
  ::setenv("WHYBITS_COURSE", course.path().c_str(), 1);
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(WHYBITS_SOURCE_DIR);
  int checked = 0;
  for (const Transcript& transcript : all_transcripts()) {
    if (is_slow(transcript) != slow) continue;
    ++checked;
    const CommandResult result = run_whybits(transcript.arguments, true);
    CAPTURE(transcript.file, transcript.arguments, result.exit_code, result.out);
    CHECK(shows(transcript.shown, lines_of(result.out)));
  }
  std::filesystem::current_path(here);
  ::unsetenv("WHYBITS_COURSE");
  return checked;
}

}  // namespace

TEST_CASE("a gap in a transcript stands for one line or more, the rest for itself") {
  const Lines printed{"a", "b", "c", "d"};
  CHECK(shows({"a", "b", "c", "d"}, printed));
  CHECK(shows({"a", "  …", "d"}, printed));
  CHECK(shows({"…", "d"}, printed));
  CHECK(shows({"a", "…"}, printed));
  CHECK(shows({"…", "b", "…", "d"}, printed));
  CHECK(shows({}, {}));
  CHECK_FALSE(shows({"a", "b", "c"}, printed));
  CHECK_FALSE(shows({"b", "c", "d"}, printed));
  CHECK_FALSE(shows({"a", "b", "…", "c", "d"}, printed));
  CHECK_FALSE(shows({"…", "c"}, printed));
  CHECK_FALSE(shows({"…", "c", "…", "b", "…"}, printed));
  CHECK_FALSE(shows({"a", "b", "c", "d", "…"}, printed));
  CHECK_FALSE(shows({"a", "…", "x"}, printed));
  CHECK_FALSE(shows({}, printed));
}

TEST_CASE("what README.md, docs and lessons show of whybits is what it prints") {
  CHECK(check_transcripts(false) >= 6);
}

TEST_CASE("what README.md shows of a whole layer is what whybits prints", "[.full]") {
  CHECK(check_transcripts(true) >= 2);
}

TEST_CASE("docs/library.md shows the program that is built against an installed whybits") {
  const auto read = [](const std::string& path) {
    std::ifstream file(WHYBITS_SOURCE_DIR "/" + path);
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  CHECK_THAT(read("docs/library.md"),
             contains("```cpp\n" + read("tests/consumer/sum.cpp") + "```\n"));
}
