// scripts/: what each says of itself.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"

namespace fs = std::filesystem;

namespace {

struct Answer {
  int status = 0;
  std::string text;
};

Answer run(const std::string& command) {
  Answer answer;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char part[4096];
  while (const std::size_t count = std::fread(part, 1, sizeof part, pipe))
    answer.text.append(part, count);
  answer.status = pclose(pipe);
  return answer;
}

}  // namespace

TEST_CASE("Every script prints the comment at its top when asked for help, and does nothing") {
  int scripts = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(WHYBITS_SOURCE_DIR "/scripts")) {
    std::ifstream file(entry.path());
    std::string first, second;
    std::getline(file, first);
    std::getline(file, second);
    if (!first.starts_with("#!") || first.find("sh") == std::string::npos) continue;
    CAPTURE(entry.path().string());
    REQUIRE(second.starts_with("# "));
    const Answer answer = run("'" + entry.path().string() + "' --help 2>&1");
    CHECK(answer.status == 0);
    CHECK(answer.text.starts_with(second.substr(2)));
    CHECK(answer.text.find('#') == std::string::npos);
    ++scripts;
  }
  CHECK(scripts >= 4);
}
