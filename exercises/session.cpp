#include "exercises/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "exercises/lesson_text.hpp"
#include "exercises/picture.hpp"
#include "exercises/trimmed.hpp"
#include "lab/shell.hpp"

namespace whybits::course {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds look_every{300};

bool is_hint(const std::string& key) {
  return key == "h" || key == "hint";
}
bool is_leave(const std::string& key) {
  return key == "q" || key == "quit";
}
bool is_skip(const std::string& key) {
  return key == "s" || key == "skip";
}

/// Notices that a file was saved: by time and size, so that it works on every file system.
class FileWatch {
 public:
  explicit FileWatch(fs::path file) : file_(std::move(file)), seen_(look()) {}
  bool changed() {
    const auto now = look();
    return std::exchange(seen_, now) != now;
  }

 private:
  std::pair<fs::file_time_type, std::uintmax_t> look() const {
    std::error_code error;
    const auto time = fs::last_write_time(file_, error);
    const auto size = fs::file_size(file_, error);
    return error ? std::pair(fs::file_time_type{}, std::uintmax_t{0}) : std::pair(time, size);
  }
  fs::path file_;
  std::pair<fs::file_time_type, std::uintmax_t> seen_;
};

}  // namespace

std::string next_hint(Workspace& workspace, const Lesson& lesson, const Task& task,
                      const Style& style) {
  const std::size_t shown = workspace.progress().hints(lesson, task.id);
  workspace.progress().set_hints(lesson, task.id, std::min(shown + 1, task.hints.size()));
  workspace.save();
  return hint_text(task, shown, style);
}

Session::Session(const Course& course, Workspace& workspace, const Toolchain& tools,
                 const Style& style, Console& console, std::ostream& out)
    : course_(course),
      workspace_(workspace),
      tools_(tools),
      style_(style),
      console_(console),
      out_(out) {}

void Session::show_hint(const Lesson& lesson, const Task& task) {
  out_ << '\n' << next_hint(workspace_, lesson, task, style_);
}

void Session::show_check(const Lesson& lesson, const Task& task) {
  if (task.is_code())
    out_ << words("compiling and running …\n", "正在编译并运行……\n") << std::flush;
  const Verdict verdict = workspace_.check(course_, lesson, task, tools_, style_.language);
  out_ << '\n' << verdict_text(task, verdict, style_);
}

void Session::open_picture(const Lesson& lesson, const Task& task) {
  const std::string command = picture_command(workspace_, lesson, style_.language);
  if (command.empty()) {
    out_ << words(
        "The visualizer is not built here. scripts/setup viz installs what it needs, then\n"
        "  cmake --preset release && cmake --build --preset release\n",
        "这里没有构建可视化程序。scripts/setup viz 会安装它需要的东西，然后\n"
        "  cmake --preset release && cmake --build --preset release\n");
    return;
  }
  write_reading(course_, workspace_, lesson, &task, style_.language);
  if (has_display()) {
    picture_open_ = true;
    (void)run_in_shell(command + " >/dev/null 2>&1 &");
    out_ << words("Opened; its text follows you. The picture may tell the answer.\n",
                  "已打开；其中的课文会跟着你走。图里可能看得到答案。\n");
  } else {
    out_ << words("There is no display here. Where there is one:", "这里没有显示器。有的地方请用：")
         << fmt::format("\n  {}\n", command);
  }
}

bool Session::common_key(const std::string& key, const Lesson& lesson, const Task& task) {
  if (is_hint(key)) {
    show_hint(lesson, task);
  } else if (key == "a") {
    out_ << '\n' << solution_text(course_, lesson, task, style_);
    out_ << words("(Shown, not counted: answer it yourself to count it.)\n",
                  "（已显示，不计入：自己作答才算完成。）\n");
  } else if (key == "v") {
    open_picture(lesson, task);
  } else if (key == "?" || key == "？") {
    out_ << words("h hint   s skip   a show the answer   v the picture   q leave   ? keys\n",
                  "h 提示   s 跳过   a 显示答案   v 打开图   q 离开   ? 按键\n");
    if (task.is_code()) out_ << words("c check now\n", "c 立即检查\n");
  } else {
    return false;
  }
  return true;
}

Session::Step Session::ask(const Lesson& lesson, const Task& task) {
  out_ << question_text(task, style_);
  if (picture_open_) write_reading(course_, workspace_, lesson, &task, style_.language);
  if (task.is_code()) return ask_for_code(lesson, task);
  const bool notation = std::holds_alternative<WriteTopology>(task.work);
  out_ << (notation ? words("(a topology; h hint, s skip, v picture, q leave)\n",
                            "（请写拓扑；h 提示，s 跳过，v 图，q 离开）\n")
                    : words("(h hint, s skip, v picture, q leave)\n",
                            "（h 提示，s 跳过，v 图，q 离开）\n"));
  for (;;) {
    out_ << fmt::format("{}> ", task.id) << std::flush;
    const auto line = console_.line();
    if (!line) return Step::quit;
    const std::string typed = trimmed(*line);
    if (typed.empty()) continue;
    if (is_leave(typed)) return Step::quit;
    if (is_skip(typed)) return Step::skipped;
    if (common_key(typed, lesson, task)) continue;
    const Verdict verdict = judge_answer(task, typed, style_.language);
    out_ << '\n' << verdict_text(task, verdict, style_) << '\n';
    if (verdict.outcome != Outcome::unreadable)
      workspace_.write_answer(course_, lesson, task, typed, style_.language);
    if (!verdict.passed()) continue;
    workspace_.progress().set_done(lesson, task.id, today());
    workspace_.save();
    return Step::answered;
  }
}

Session::Step Session::ask_for_code(const Lesson& lesson, const Task& task) {
  const fs::path file = workspace_.code_file(lesson, task);
  workspace_.open(course_, lesson, style_.language);
  out_ << fmt::format("\n  {}\n\n", file.string())
       << words(
              "Edit this file and save it: it is checked each time.\n"
              "(h hint, c check now, s skip, v picture, q leave)\n",
              "编辑这个文件并保存：每次保存都会检查。\n（h 提示，c 立即检查，s 跳过，v 图，q "
              "离开）\n");
  FileWatch watch(file);
  out_ << fmt::format("{}> ", task.id) << std::flush;
  for (;;) {
    bool check = watch.changed();
    if (check) out_ << '\n';
    if (!check && console_.wait(look_every)) {
      const auto line = console_.line();
      if (!line) return Step::quit;
      const std::string key = trimmed(*line);
      if (is_leave(key)) return Step::quit;
      if (is_skip(key)) return Step::skipped;
      check = key == "c";
      if (!check) {
        if (!key.empty() && !common_key(key, lesson, task))
          out_ << words("Keys: ? lists them. Code is written in the file.\n",
                        "输入 ? 查看按键。代码写在文件里。\n");
        out_ << fmt::format("{}> ", task.id) << std::flush;
      }
    }
    if (!check) continue;
    show_check(lesson, task);
    if (workspace_.progress().done(lesson, task.id)) {
      out_ << solution_text(course_, lesson, task, style_);
      return Step::answered;
    }
    out_ << fmt::format("\n{}> ", task.id) << std::flush;
  }
}

Session::End Session::take(const Lesson& lesson) {
  workspace_.open(course_, lesson, style_.language);
  for (const TextPart& part : split_at_questions(course_.text(lesson, style_.language))) {
    out_ << render_markdown(part.text, style_.width, style_.colour) << std::flush;
    const Task* task = lesson.find(part.task);
    if (task == nullptr) continue;
    if (workspace_.progress().done(lesson, task->id)) {
      out_ << question_text(*task, style_) << fmt::format("✓ {}\n\n", words("answered", "已答对"));
      continue;
    }
    if (ask(lesson, *task) == Step::quit) {
      out_ << fmt::format(
          "\n{}\n", words("Left. What you answered is kept; the same command comes back here.",
                          "已离开。答过的都已保存；同样的命令会回到这里。"));
      return End::quit;
    }
    out_ << '\n';
  }
  out_ << fmt::format(fmt::runtime(words("\nLesson {}: {} of {}\n", "\n第 {} 课：{} / {}\n")),
                      lesson_number(lesson), workspace_.progress().done_count(lesson),
                      lesson.tasks.size());
  if (picture_open_) write_reading(course_, workspace_, lesson, nullptr, style_.language);
  picture_open_ = false;  // the next lesson has another
  if (!picture_command(workspace_, lesson, style_.language).empty())
    out_ << fmt::format("{} whybits learn picture {}\n", words("Picture:", "图："),
                        lesson_number(lesson));
  return End::finished;
}

void Session::take_from(const Lesson& first) {
  auto lesson = std::find_if(course_.lessons.begin(), course_.lessons.end(),
                             [&](const Lesson& l) { return l.id == first.id; });
  for (;;) {
    if (take(*lesson) == End::quit) return;
    if (++lesson == course_.lessons.end()) break;
    out_ << fmt::format(fmt::runtime(words("Next: {} {}. Go on? [n = next, q = leave] ",
                                           "下一课：{} {}。继续吗？[n = 下一课，q = 离开] ")),
                        lesson_number(*lesson), lesson->title.in(style_.language))
         << std::flush;
    const auto line = console_.line();
    if (!line || is_leave(trimmed(*line))) return;
    out_ << '\n';
  }
  out_ << (next_lesson(course_, workspace_.progress()) == nullptr
               ? words("That was the last lesson, and all of the course is done.\n",
                       "这是最后一课，整个课程已全部完成。\n")
               : words("That was the last lesson. `whybits learn list` shows what was skipped.\n",
                       "这是最后一课。`whybits learn list` 会列出跳过的题。\n"));
}

Session::End Session::watch(const Lesson& lesson) {
  workspace_.open(course_, lesson, style_.language);
  std::map<fs::path, FileWatch> files;
  for (const Task& task : lesson.tasks) {
    const fs::path file = workspace_.file_of(lesson, task);
    if (files.emplace(file, FileWatch(file)).second) out_ << "  " << file.string() << '\n';
  }
  const auto open_tasks = [&](auto visit) {
    for (const Task& task : lesson.tasks)
      if (!workspace_.progress().done(lesson, task.id)) visit(task);
  };
  open_tasks([&](const Task& task) { show_check(lesson, task); });
  while (!workspace_.progress().finished(lesson)) {
    out_ << words("\nwatching; h hint, q leave\n", "\n正在监视；h 提示，q 离开\n") << std::flush;
    bool acted = false;
    while (!acted) {
      if (console_.wait(look_every)) {
        const auto line = console_.line();
        if (line && is_leave(trimmed(*line))) return End::quit;
        if (line && is_hint(trimmed(*line))) {
          bool first = true;
          open_tasks([&](const Task& task) {
            if (std::exchange(first, false)) show_hint(lesson, task);
          });
        }
        acted = line.has_value();
      }
      for (auto& [file, watch] : files) {
        if (!watch.changed()) continue;
        acted = true;
        open_tasks([&](const Task& task) {
          if (workspace_.file_of(lesson, task) == file) show_check(lesson, task);
        });
      }
    }
  }
  out_ << fmt::format("\n{}\n", words("All of this lesson is done.", "这一课全部完成。"));
  return End::finished;
}

}  // namespace whybits::course
