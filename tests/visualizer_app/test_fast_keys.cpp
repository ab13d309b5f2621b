// Keys that are struck faster than frames are drawn.
#include <filesystem>
#include <string>

#include "tests/support/catch.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/null_host.hpp"
#include "visualizer/text/text.hpp"

using namespace whybits::viz;

namespace {

struct Opened {
  Application app{Settings{}};
  NullHost host{app, 1600, 1000};

  Opened() {
    app.folder = app.sessions = std::filesystem::temp_directory_path();
    app.document().open(find_preset("in-order-or-pairs"));
    app.wait();
    host.settle();
    app.run("level.matrix");
    host.settle();
  }
  void strike(Key key) {
    host.key_goes(key, true);
    host.key_goes(key, false);
  }
  Level level() const { return std::get<SumState>(app.document().state()).view.level; }
};

}  // namespace

TEST_CASE("a chord that is struck and let go between two frames is not lost") {
  Opened o;
  o.host.ctrl_goes(true);
  o.strike(Key::k);
  o.host.ctrl_goes(false);
  o.host.settle();
  CHECK(o.app.has_overlay());
  CHECK(o.level() == Level::matrix);  // K without Ctrl looks along K
}

TEST_CASE("a chord keeps a Ctrl that was held before and goes in the same frame") {
  Opened o;
  o.host.ctrl_goes(true);
  o.host.frame();
  o.strike(Key::k);
  o.host.ctrl_goes(false);
  o.host.settle();
  CHECK(o.app.has_overlay());
  CHECK(o.level() == Level::matrix);
}

TEST_CASE("a key after Ctrl was let go is no chord, however fast") {
  Opened o;
  o.host.ctrl_goes(true);
  o.host.frame();
  o.host.ctrl_goes(false);
  o.strike(Key::k);
  o.host.settle();
  CHECK_FALSE(o.app.has_overlay());
  CHECK(o.level() == Level::axis);
}

TEST_CASE("a Ctrl that comes after a key does not make it a chord") {
  Opened o;
  o.strike(Key::k);
  o.host.ctrl_goes(true);
  o.host.settle();
  CHECK_FALSE(o.app.has_overlay());
  CHECK(o.level() == Level::axis);
}

TEST_CASE("what is typed right after Ctrl+K reaches the palette") {
  Opened o;
  const ThemeName before = o.app.settings().theme;
  o.host.ctrl_goes(true);
  o.strike(Key::k);
  o.host.ctrl_goes(false);
  const std::string label = text("command.theme.next");
  for (const char letter : label) {
    const std::string one(1, letter);
    const bool in_alphabet = letter >= 'a' && letter <= 'z';
    const Key key =
        in_alphabet ? static_cast<Key>(static_cast<int>(Key::a) + letter - 'a') : Key::space;
    o.host.key_goes(key, true);
    o.host.character_comes(one);
    o.host.key_goes(key, false);
  }
  o.strike(Key::enter);
  o.host.settle();
  CHECK_FALSE(o.app.has_overlay());
  CHECK(o.app.settings().theme != before);
}

TEST_CASE("of two commands between two frames both run, in their order") {
  Opened o;
  o.strike(Key::s);
  o.strike(Key::k);
  o.host.settle();
  CHECK(o.level() == Level::axis);
  o.strike(Key::k);
  o.strike(Key::s);
  o.host.settle();
  CHECK(o.level() == Level::step);
}
