// The program without its window: what a frame shows, how input changes the document. Hosts call
// frame() and fulfil wishes (pixels, clipboard, the end of the program).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/app/commands.hpp"
#include "visualizer/app/document.hpp"
#include "visualizer/app/lesson_panel.hpp"
#include "visualizer/app/overlay.hpp"
#include "visualizer/app/scene_view.hpp"
#include "visualizer/app/settings.hpp"
#include "visualizer/draw/ui.hpp"

namespace whybits::viz {

/// What only the host can do, after the frame.
struct Wishes {
  struct Picture {
    std::string panel;
    std::filesystem::path path;
  };
  std::optional<Picture> picture;
  std::optional<std::string> clipboard;
  bool quit = false;
  bool full_screen = false;  ///< on or off
};

class Application {
 public:
  explicit Application(const Settings& settings, const std::function<void()>& wake = {});
  ~Application();

  void frame(Canvas& canvas, const Input& input, const Rect& screen);

  Document& document() { return document_; }
  const Document& document() const { return document_; }
  Settings& settings() { return settings_; }
  Color background() const { return theme(settings_.theme).background; }
  Point last_mouse() const { return memory_.last_mouse; }
  /// Something moves or is being computed: draw again.
  bool animating() const;
  void wait() { document_.wait(); }

  /// Errors: UsageError naming the panels that there are.
  Rect panel_rect(std::string_view name) const;
  const std::map<std::string, Rect>& panels() const { return panels_; }
  /// A panel as SVG, drawn again by the same code.
  std::string panel_svg(std::string_view name);

  const std::vector<Command>& commands() const { return commands_; }
  /// Errors: UsageError for no such name.
  const Command& command(std::string_view name) const;
  /// Runs a command by name, as its key or the palette would. Errors: UsageError for no such name.
  void run(std::string_view command);

  void show(std::unique_ptr<Overlay> overlay);
  void close_overlay() { closing_ = true; }
  bool has_overlay() const { return overlay_ != nullptr; }
  /// A line at the bottom, for a few seconds.
  void notify(std::string message, bool bad = false);
  Wishes take_wishes();
  Wishes& wishes() { return wishes_; }

  /// Guidance of this preset was dismissed.
  bool guidance_hidden() const;
  void hide_guidance(bool hidden);
  /// A lesson's text stands left of the picture. Errors: UsageError.
  void read_lesson(const std::filesystem::path& file);
  void show_or_hide_lesson();
  /// Where exports and sessions go.
  std::filesystem::path folder = std::filesystem::current_path();
  std::filesystem::path sessions;

 private:
  void keys(Ui& ui);
  void top_bar(Ui& ui, Rect area);
  void toast(Ui& ui, const Rect& screen);
  void draw_scene(Ui& ui, const Rect& area);
  std::uint64_t tab_number(std::string_view scene) const;

  Settings settings_;
  Document document_;
  UiMemory memory_;
  std::vector<std::unique_ptr<SceneView>> scenes_;
  std::vector<Command> commands_;
  std::map<std::string, Rect> panels_;
  Rect body_;
  std::unique_ptr<Overlay> overlay_, next_overlay_;
  bool closing_ = false;
  Wishes wishes_;
  std::string message_;
  bool message_bad_ = false;
  float message_left_ = 0;
  std::string guidance_hidden_for_;
  std::optional<LessonPanel> lesson_;
  bool lesson_hidden_ = false;
  bool moving_ = false;
  const Fonts* last_fonts_ = nullptr;
};

}  // namespace whybits::viz
