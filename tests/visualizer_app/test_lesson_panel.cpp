// A lesson left of the picture.
#include <chrono>
#include <filesystem>

#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/null_host.hpp"

using namespace whybits;
using namespace whybits::viz;
using whybits::test::contains;
using whybits::test::TemporaryFolder;

TEST_CASE("a lesson has a column of its own, and the scene what is left") {
  const TemporaryFolder folder;
  folder.write("reading.txt", "1 Bits\n======\n\nA float has 32 bits.\n");
  Application app{Settings{}};
  NullHost host(app, 1600, 1000);
  app.document().open(find_preset("point-one"));
  host.frame();
  const float left = app.panel_rect("all").x1;
  CHECK(app.panels().count("lesson") == 0);
  app.read_lesson(folder.path() / "reading.txt");
  host.frame();
  const Rect lesson = app.panel_rect("lesson");
  CHECK(lesson.width() > 300);
  for (const auto& [name, rect] : app.panels()) {
    INFO(name);
    if (name != "all" && name != "lesson") CHECK(rect.x0 > lesson.x1);
    CHECK(rect.x1 <= left);
  }
  CHECK_THAT(app.panel_svg("lesson"), contains("A float has 32 bits."));
  app.run("lesson");
  host.frame();
  CHECK(app.panels().count("lesson") == 0);
}

TEST_CASE("the lesson is read again when its file changes, and kept when the file goes") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "reading.txt";
  folder.write("reading.txt", "first\n");
  Application app{Settings{}};
  NullHost host(app, 1600, 1000);
  app.read_lesson(file);
  host.frame();
  folder.write("reading.txt", "second 第二\n");
  std::filesystem::last_write_time(
      file, std::filesystem::last_write_time(file) + std::chrono::seconds(2));
  host.frame();
  CHECK_THAT(app.panel_svg("lesson"), contains("second 第二"));
  CHECK_THAT(app.settings().characters, contains("第"));  // its letters come with the fonts
  std::filesystem::remove(file);
  host.frame();
  CHECK_THAT(app.panel_svg("lesson"), contains("second 第二"));
}

TEST_CASE("a long lesson is scrolled by the wheel, and not past its end") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "line-" + std::to_string(i) + "-\n\n";
  folder.write("reading.txt", text);
  Application app{Settings{}};
  NullHost host(app, 1600, 1000);
  app.read_lesson(folder.path() / "reading.txt");
  host.frame();
  const Point middle = app.panel_rect("lesson").center();
  CHECK_THAT(app.panel_svg("lesson"), contains("line-0-"));
  host.wheel(middle.x, middle.y, -5);
  host.frame();
  CHECK_THAT(app.panel_svg("lesson"), !contains("line-0-"));
  for (int i = 0; i < 200; ++i) host.wheel(middle.x, middle.y, -50);
  host.frame();
  CHECK_THAT(app.panel_svg("lesson"), contains("line-199-"));
}

TEST_CASE("a lesson that is not there is refused with its name") {
  Application app{Settings{}};
  CHECK_THROWS_AS(app.read_lesson("/nowhere/reading.txt"), UsageError);
}
