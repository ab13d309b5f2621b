// A lesson beside the picture: its text in a column of its own, read again whenever the file
// changes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "visualizer/draw/ui.hpp"
#include "visualizer/model/lesson_text.hpp"

namespace whybits::viz {

class LessonPanel {
 public:
  /// Errors: UsageError if the file cannot be read.
  explicit LessonPanel(std::filesystem::path file);

  /// Reads the file if it has changed; true if it has. What cannot be read leaves the text as it
  /// was.
  bool refresh();
  const std::string& text() const { return text_; }

  /// Takes its column, panel "lesson", off the left of `area`.
  void draw(Ui& ui, std::map<std::string, Rect>& panels, Rect& area);

 private:
  void read();
  void lay_out(Canvas& canvas, float width);

  std::filesystem::path file_;
  std::filesystem::file_time_type time_;
  std::string text_;
  std::vector<LessonBlock> blocks_;
  /// Of the layout: width and scale for which it was made, tops of the blocks and the end.
  float width_ = 0, scale_ = 0;
  std::vector<float> tops_;
  std::vector<std::string> shown_;  ///< texts, code broken into lines
  float scroll_ = 0;
};

}  // namespace whybits::viz
