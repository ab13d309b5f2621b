// The K axis of presets as it is drawn, read from the SVG of its panel.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/null_host.hpp"
#include "visualizer/draw/theme.hpp"
#include "visualizer/text/text.hpp"

using namespace whybits;
using namespace whybits::viz;

namespace {

/// A preset looked at along K.
struct Opened {
  Application app{{}};
  NullHost host;

  explicit Opened(const char* preset, int width = 1600, int height = 1000)
      : host(app, width, height) {
    app.folder = app.sessions = std::filesystem::temp_directory_path();
    Session session = find_preset(preset);
    std::visit(
        [](auto& state) {
          if constexpr (requires { state.view.level; }) state.view.level = Level::axis;
        },
        session.state);
    app.document().open(session);
    app.wait();
    host.frame();
    host.frame();
  }
  bool says(const std::string& panel, const std::string& words) {
    return app.panel_svg(panel).find(words) != std::string::npos;
  }
};

using Numbers = std::vector<double>;

/// The numbers of the groups of each match.
std::vector<Numbers> all(const std::string& svg, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<Numbers> out;
  for (auto m = std::sregex_iterator(svg.begin(), svg.end(), expression);
       m != std::sregex_iterator(); ++m) {
    Numbers numbers;
    for (std::size_t i = 1; i < m->size(); ++i) numbers.push_back(std::stod((*m)[i].str()));
    out.push_back(std::move(numbers));
  }
  return out;
}

const std::string number = "([-0-9.]+)";

std::string hex(Color color) {
  char out[8];
  std::snprintf(out, sizeof out, "#%02x%02x%02x", color & 0xFF, (color >> 8) & 0xFF,
                (color >> 16) & 0xFF);
  return out;
}

}  // namespace

TEST_CASE("the K axis says in words what its strips are and what A and B have in common") {
  const auto check = [](const char* preset, const std::vector<std::string>& words) {
    INFO(preset);
    Opened opened(preset);
    for (const std::string& sentence : words) CHECK(opened.says("axis", sentence));
  };
  check("block-sum",
        {text("axis.part.some", "16"), "each is a partial sum of leaves that lie apart"});
  check("batch-64-128",
        {text("axis.part", "3,584"), text("axis.say.beside", "4"), text("axis.say.beside", "2")});
  check("ring-or-tree", {text("axis.say.one_order", "4")});
}

TEST_CASE("a strip of leaves that lie apart is bright only where it takes some") {
  Opened opened("block-sum");
  const std::string svg = opened.app.panel_svg("axis");
  // A's eight warps take 32 leaves of every 256: no magenta strip is longer than a warp's run.
  const auto strips = all(svg, "<rect x=\"" + number + "\" y=\"" + number + "\" width=\"" + number +
                                   "\" height=\"" + number + "\" fill=\"" +
                                   hex(theme(ThemeName::dark).differs) + "\"/>");
  const Rect axis = opened.app.panel_rect("axis");
  REQUIRE(strips.size() > 20);
  for (const Numbers& strip : strips)
    CHECK(strip[2] < static_cast<double>(axis.width()) * 80 / 1000);
}

TEST_CASE("errors along K have dots of both sides, each whole within its plot") {
  Opened opened("block-sum");
  const Theme& dark = theme(ThemeName::dark);
  const std::string svg = opened.app.panel_svg("axis");
  const auto plots =
      all(svg, "<rect x=\"" + number + "\" y=\"" + number + "\" width=\"" + number +
                   "\" height=\"" + number + "\" rx=\"3.00\" fill=\"" + hex(dark.field) + "\"/>");
  REQUIRE(plots.size() == 1);
  const double top = plots[0][1], bottom = plots[0][1] + plots[0][3];
  for (const Color side : {dark.a, dark.b}) {
    int dots = 0;
    for (const Numbers& dot : all(svg, "<circle cx=\"" + number + "\" cy=\"" + number +
                                           "\" r=\"2.50\" fill=\"" + hex(side) + "\"/>")) {
      if (dot[1] < top) continue;  // a joint
      CHECK(dot[1] - 2.5 >= top);
      CHECK(dot[1] + 2.5 <= bottom);
      ++dots;
    }
    CHECK(dots >= 8);
  }
}

TEST_CASE("the lens from all outputs to one begins at the frame of the selected one") {
  for (const char* preset : {"ring-or-tree", "ring-rotation", "batch-64-128"}) {
    INFO(preset);
    Opened opened(preset);
    const Theme& dark = theme(ThemeName::dark);
    const std::string svg = opened.app.panel_svg("stage");
    const auto frames =
        all(svg, "<rect x=\"" + number + "\" y=\"" + number + "\" width=\"" + number +
                     "\" height=\"" + number + "\" rx=\"4.00\" fill=\"none\" stroke=\"" +
                     hex(dark.text) + "\" stroke-width=\"1.5\"/>");
    REQUIRE(frames.size() == 1);
    const double half = 0.75;  // of the stroke
    const double x0 = frames[0][0] - half, bottom = frames[0][1] + frames[0][3] + half;
    const auto lines = all(svg, "<line x1=\"" + number + "\" y1=\"" + number + "\" x2=\"" + number +
                                    "\" y2=\"" + number + "\" stroke=\"" + hex(dark.focus) + "\"");
    CHECK(std::any_of(lines.begin(), lines.end(), [&](const Numbers& line) {
      return std::abs(line[0] - x0) < 0.1 && std::abs(line[1] - bottom) < 0.1 &&
             std::abs(line[2] - x0) < 0.1;
    }));
  }
}

TEST_CASE("of a short chain every step says by how much its rounding moved the sum") {
  Opened opened("ring-or-tree");
  for (const char* amount : {"+1.40e-09", "-4.62e-07", "+3.29e-07", "+1.64e-07"})
    CHECK(opened.says("axis", amount));
}

TEST_CASE("no handle of the strip of batches runs through a label of it") {
  for (const int width : {1280, 1600, 1920}) {
    INFO(width);
    Opened opened("batch-64-1024", width, 720);
    const std::string svg = opened.app.panel_svg("all");
    const auto labels = all(svg, "<text x=\"" + number + "\"[^>]*>one chain<");
    const auto handles = all(svg, "<line x1=\"" + number + "\"[^>]*stroke-width=\"2.5\"/>");
    REQUIRE(labels.size() >= 1);
    REQUIRE(handles.size() >= 2);
    constexpr double least_width = 40;  // of these words in any font
    const auto crossed = std::count_if(labels.begin(), labels.end(), [&](const Numbers& label) {
      return std::any_of(handles.begin(), handles.end(), [&](const Numbers& handle) {
        return handle[0] > label[0] - 2 && handle[0] < label[0] + least_width;
      });
    });
    CHECK(crossed == 0);
  }
}

TEST_CASE("a strip that ends with a rounding says so, and counts only what it adds") {
  Opened opened("split-k-workspace");
  CHECK((opened.says("axis", ">" + text("axis.steps_rounded", "64", "bf16") + "<") ||
         opened.says("axis", ">" + text("axis.steps_rounded.short", "64", "bf16") + "<")));
  CHECK(opened.says("axis", ">" + text("axis.steps", "64") + "<"));
  CHECK(!opened.says("axis", ">" + text("axis.steps", "65") + "<"));
}

TEST_CASE("no edge of the lens runs through an amount that a rounding moved a sum by") {
  for (const int width : {1600, 1920}) {
    INFO(width);
    Opened opened("batch-64-128", width);
    const std::string svg = opened.app.panel_svg("stage");
    const auto labels =
        all(svg, "<text x=\"" + number + "\" y=\"" + number + "\"[^>]*>[-+][0-9.]+e-0[0-9]<");
    const auto lines =
        all(svg, "<line x1=\"" + number + "\" y1=\"" + number + "\" x2=\"" + number + "\" y2=\"" +
                     number + "\" stroke=\"" + hex(theme(ThemeName::dark).focus) + "\"");
    REQUIRE(labels.size() >= 6);
    constexpr double least_width = 54;  // of nine characters in any font
    int vertical = 0;
    for (const Numbers& line : lines) {
      if (line[0] != line[2]) continue;
      ++vertical;
      for (const Numbers& label : labels) {
        if (label[1] < line[1] || label[1] > line[3]) continue;
        CHECK((line[0] < label[0] || line[0] > label[0] + least_width));
      }
    }
    CHECK(vertical >= 2);
  }
}

TEST_CASE("the legend explains what is drawn and nothing else") {
  const auto check = [](const char* preset, const std::vector<std::string>& drawn) {
    INFO(preset);
    Opened opened(preset);
    for (const char* key :
         {"legend.same", "legend.none", "legend.other", "legend.differs", "legend.lost"}) {
      INFO(key);
      const bool is = std::find(drawn.begin(), drawn.end(), key) != drawn.end();
      CHECK(opened.says("stage", ">" + text(key) + "<") == is);
    }
  };
  check("same-tree", {"legend.same"});
  check("block-sum", {"legend.same", "legend.none", "legend.other", "legend.differs"});
  check("ring-or-tree", {"legend.none", "legend.other", "legend.differs", "legend.lost"});
  check("split-k-workspace", {"legend.same", "legend.differs", "legend.lost"});
}

TEST_CASE("notations that begin alike are cut where they part") {
  Opened opened("split-k-workspace");
  CHECK(opened.says("controls", ">…sm90.wgmma.bf16), "));
  CHECK(opened.says("controls", ">…sm90.wgmma.bf16) &gt; bf16"));
}

TEST_CASE(
    "the strip of batches says that narrow bands alternate, and hatching only where there is "
    "some") {
  Opened opened("batch-64-128");
  CHECK(opened.says("gates", text("gates.alternates")));
  CHECK(!opened.says("gates", text("gates.hatched")));
}
