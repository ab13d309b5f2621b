#include <filesystem>
#include <fstream>

#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/null_host.hpp"
#include "visualizer/app/png.hpp"
#include "visualizer/text/text.hpp"

using namespace whybits;
using namespace whybits::viz;
using whybits::test::TemporaryFolder;

namespace {

Image stripes(int width, int height) {
  Image image;
  image.width = width;
  image.height = height;
  for (int i = 0; i < width * height; ++i)
    image.pixels.push_back(rgb(static_cast<std::uint32_t>(i * 7919) & 0xFFFFFF));
  return image;
}

struct TemporaryFile {
  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "picture.png";
};

}  // namespace

TEST_CASE("a PNG comes back pixel for pixel") {
  const TemporaryFile file;
  const Image image = stripes(37, 23);
  write_png(file.path, image);
  const Image read = read_png(file.path);
  CHECK(read.width == 37);
  CHECK(read.height == 23);
  CHECK(read.pixels == image.pixels);
}

TEST_CASE("a file that is no PNG is refused with its name") {
  const TemporaryFile file;
  std::ofstream(file.path) << "no picture";
  CHECK_THROWS_AS(read_png(file.path), UsageError);
}

TEST_CASE("pictures are compared with a tolerance, and sizes without") {
  const Image image = stripes(16, 16);
  Image other = image;
  CHECK(pixels_apart(image, other, 0) == 0U);
  other.pixels[5] ^= 0x20;
  CHECK(pixels_apart(image, other, 40) == 0U);
  CHECK(pixels_apart(image, other, 8) == 1U);
  CHECK(pixels_apart(image, stripes(16, 15), 255) == std::nullopt);
}

TEST_CASE("a crop keeps rows and stays inside the picture") {
  const Image image = stripes(10, 10);
  const Image part = cropped(image, 3, 4, 30, 6);
  CHECK(part.width == 7);
  CHECK(part.height == 2);
  CHECK(part.pixels.front() == image.pixels[43]);
}

namespace {

/// What is on screen, as SVG, has a place for everything and nothing left open.
void check_panels(Application& app, const std::string& name) {
  for (const auto& [panel, rect] : app.panels()) {
    INFO(name << ", " << panel);
    const std::string svg = app.panel_svg(panel);
    CHECK(svg.starts_with("<svg "));
    CHECK(svg.ends_with("</svg>\n"));
    std::size_t open = 0;
    std::size_t closed = 0;
    for (std::size_t at = 0; (at = svg.find("<g ", at)) != std::string::npos; ++at) ++open;
    for (std::size_t at = 0; (at = svg.find("</g>", at)) != std::string::npos; ++at) ++closed;
    CHECK(open == closed);
    // Coordinates, that is: a number on screen may well be nan.
    CHECK(svg.find("=\"nan") == std::string::npos);
    CHECK(svg.find("=\"-nan") == std::string::npos);
  }
}

void check_picture(Application& app, NullHost& host, const Session& session,
                   const std::string& name) {
  app.document().open(session);
  app.wait();
  host.frame();
  host.frame();
  check_panels(app, name);
}

}  // namespace

TEST_CASE("panels of every preset can be written as SVG, well formed") {
  Application app({});
  app.folder = app.sessions = std::filesystem::temp_directory_path();
  NullHost host(app, 1600, 1000);
  for (const Session& preset : presets()) {
    if (preset.preset->name == "million") continue;  // the same views, with more leaves
    check_picture(app, host, preset, preset.preset->name);
  }
}

TEST_CASE("the verdict over the stage is whole, however long the names are") {
  Application app({});
  app.folder = app.sessions = std::filesystem::temp_directory_path();
  for (const int width : {1280, 1600}) {
    NullHost host(app, width, 800);
    SumState sum;
    sum.a = "slices(64, lanes(8, fold(f32), halves(f32)), pairs(f32))";
    sum.b = "slices(64, lanes(8, fold(f32), halves(f32)), pairs(f32)) > f32";
    check_picture(app, host, {sum, std::nullopt}, "long names");
    CHECK(app.panel_svg("headline").find(">" + text("headline.same") + "<") != std::string::npos);
    // What is not common to the names, and the word before it.
    CHECK(app.panel_svg("headline").find(">…pairs(f32))<") != std::string::npos);
    CHECK(app.panel_svg("headline").find(">…pairs(f32)) &gt; f32<") != std::string::npos);
    check_picture(app, host, find_preset("block-k"), "block-k");
    CHECK(app.panel_svg("headline").find(text("headline.same_tree")) != std::string::npos);
    CHECK(app.panel_svg("headline").find(">one chain, by 32<") != std::string::npos);
    CHECK(app.panel_svg("headline").find(">one chain, by 64<") != std::string::npos);
  }
}

TEST_CASE("bits that fall off are called lost, where any do") {
  Application app({});
  app.folder = app.sessions = std::filesystem::temp_directory_path();
  NullHost host(app, 1600, 1000);
  const std::string word = ">" + text("step.lost") + "<";
  check_picture(app, host, find_preset("step-width"), "step-width");
  CHECK(app.panel_svg("step").find(word) != std::string::npos);
  SumState sum;
  sum.input = "ones";
  sum.n = 64;
  sum.view.level = Level::step;
  check_picture(app, host, {sum, std::nullopt}, "ones");
  CHECK(app.panel_svg("step").find(word) == std::string::npos);
}

TEST_CASE("where nothing is lost, one addend or none to lose, every line still has its place") {
  Application app({});
  app.folder = app.sessions = std::filesystem::temp_directory_path();
  NullHost host(app, 1600, 1000);
  SumState sum;
  sum.input = "ones";
  sum.a = "fold(f32)";
  sum.b = "pairs(f32)";
  for (const std::uint64_t n : {1U, 2U, 64U}) {
    sum.n = n;
    check_picture(app, host, {sum, std::nullopt}, "ones, n = " + std::to_string(n));
  }
  sum.input = "hex:7f800000,ff800000";
  sum.n = 2;
  check_picture(app, host, {sum, std::nullopt}, "infinities");
}

TEST_CASE("a panel that is not there is refused with the names of those that are") {
  Application app({});
  NullHost host(app, 1600, 1000);
  app.wait();
  host.frame();
  CHECK_THROWS_AS(app.panel_rect("nonsense"), UsageError);
}
