// scripts/: what each says of itself.
#include <filesystem>
#include <fstream>
#include <string>

#include "lab/shell.hpp"
#include "tests/support/catch.hpp"

namespace fs = std::filesystem;

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
    const whybits::ShellOutput answer =
        whybits::run_in_shell("'" + entry.path().string() + "' --help 2>&1");
    CHECK(answer.exit_code == 0);
    CHECK(answer.out.starts_with(second.substr(2)));
    CHECK(answer.out.find('#') == std::string::npos);
    ++scripts;
  }
  CHECK(scripts >= 4);
}
