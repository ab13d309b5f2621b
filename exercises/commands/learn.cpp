// whybits learn: the course at the terminal.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "exercises/commands/commands.hpp"
#include "exercises/lesson_text.hpp"
#include "exercises/lint.hpp"
#include "exercises/picture.hpp"
#include "exercises/sandbox.hpp"
#include "exercises/session.hpp"
#include "lab/output_text.hpp"
#include "lab/shell.hpp"
#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"

namespace whybits {
namespace learn_command {
namespace {

using namespace course;
namespace fs = std::filesystem;

struct Options {
  std::string lessons, dir, language;
  std::string lesson, task, answer, screenshot;
  bool json = false, all = false, yes = false, static_only = false;
};

/// Everything that a subcommand needs, from the options.
struct Desk {
  Course course;
  Workspace workspace;
  Style style;
  CommandContext& context;

  Desk(const Options& o, CommandContext& c)
      : course(load_course(o.lessons.empty() ? shared_folder("exercises") : fs::path(o.lessons))),
        workspace(o.dir.empty() ? default_workspace() : fs::path(o.dir)),
        context(c) {
    style.language = choose_language(o);
    style.colour = c.colour;
    style.width = terminal_width();
  }

  std::string_view words(std::string_view en, std::string_view zh) const {
    return say(style.language, en, zh);
  }
  /// The lesson that was named, else the next one to do, else the last.
  const Lesson& lesson(const std::string& name) const {
    if (!name.empty()) return course.find(name);
    const Lesson* next = next_lesson(course, workspace.progress());
    return next != nullptr ? *next : course.lessons.back();
  }
  /// The task that was named, else the first that is not done, else the first.
  const Task& task(const Lesson& lesson, const std::string& name) const {
    if (name.empty()) {
      const auto open = std::find_if(lesson.tasks.begin(), lesson.tasks.end(), [&](const Task& t) {
        return !workspace.progress().done(lesson, t.id);
      });
      return open == lesson.tasks.end() ? lesson.tasks.front() : *open;
    }
    if (const Task* found = lesson.find(name)) return *found;
    std::vector<std::string> names;
    for (const Task& t : lesson.tasks) names.push_back(t.id);
    throw UsageError(fmt::format("lesson {} has no task '{}'", lesson.id, name),
                     fmt::format("its tasks: {}", fmt::join(names, ", ")));
  }

 private:
  Language choose_language(const Options& o) {
    if (o.language.empty())
      return workspace.progress().language.value_or(language_of_environment());
    const Language language = language_option("--lang", o.language);
    if (workspace.progress().language != language) {
      workspace.progress().language = language;
      workspace.save();
    }
    return language;
  }
  static std::size_t terminal_width() {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40) return 80;
    return std::min<std::size_t>(size.ws_col, 100);
  }
};

bool at_terminal() {
  return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

// ---- what each subcommand does ---------------------------------------------------------------

void list(Desk& desk, const Options& o) {
  if (!o.json) {
    desk.context.out << list_text(desk.course, desk.workspace.progress(), desk.style);
    return;
  }
  nlohmann::ordered_json out{{"whybits_learn", 1},
                             {"folder", desk.workspace.folder().string()},
                             {"lessons", nlohmann::ordered_json::array()}};
  for (const Lesson& lesson : desk.course.lessons) {
    nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
    for (const Task& task : lesson.tasks)
      tasks.push_back({{"id", task.id},
                       {"kind", task.kind()},
                       {"done", desk.workspace.progress().done(lesson, task.id)}});
    out["lessons"].push_back({{"id", lesson.id},
                              {"title", lesson.title.in(desk.style.language)},
                              {"minutes", lesson.minutes},
                              {"done", desk.workspace.progress().done_count(lesson)},
                              {"tasks", tasks}});
  }
  desk.context.out << json_text(out);
}

/// What there is, where, and what to type: for a first time, and where nobody can answer.
void overview(Desk& desk) {
  std::ostream& out = desk.context.out;
  list(desk, {});
  const Lesson* next = next_lesson(desk.course, desk.workspace.progress());
  out << fmt::format(
      fmt::runtime(desk.words("\nYour answers and progress: {}\n", "\n你的答案与进度：{}\n")),
      desk.workspace.folder().string());
  if (next == nullptr) {
    out << desk.words("All of the course is done.\n", "整个课程已全部完成。\n");
    return;
  }
  out << fmt::format("{}\n", desk.words("whybits learn        goes on with the lesson marked >\n"
                                        "whybits learn 3      takes lesson 3; nothing is locked\n"
                                        "whybits learn --lang zh   用中文上课",
                                        "whybits learn        继续标有 > 的一课\n"
                                        "whybits learn 3      上第 3 课；没有任何限制\n"
                                        "whybits learn --lang en   in English"));
}

void start(Desk& desk, const Options& o) {
  if (o.lesson.empty()) {
    overview(desk);
    if (!at_terminal() || next_lesson(desk.course, desk.workspace.progress()) == nullptr) return;
    desk.context.out << '\n';
  }
  StandardConsole console;
  const Toolchain tools = find_toolchain();
  Session session(desk.course, desk.workspace, tools, desk.style, console, desk.context.out);
  session.take_from(desk.lesson(o.lesson));
}

void show(Desk& desk, const Options& o) {
  const Lesson& lesson = desk.lesson(o.lesson);
  for (const TextPart& part : split_at_questions(desk.course.text(lesson, desk.style.language))) {
    desk.context.out << render_markdown(part.text, desk.style.width, desk.style.colour);
    if (const Task* task = lesson.find(part.task))
      desk.context.out << question_text(*task, desk.style) << '\n';
  }
}

void check(Desk& desk, const Options& o) {
  const Toolchain tools = find_toolchain();
  const auto check_lesson = [&](const Lesson& lesson) {
    for (const Task& task : lesson.tasks) {
      if (!o.task.empty() && task.id != o.task) continue;
      const Verdict verdict =
          desk.workspace.check(desk.course, lesson, task, tools, desk.style.language);
      if (!verdict.passed()) desk.context.exit_code = 1;
      desk.context.out << verdict_text(task, verdict, desk.style) << '\n';
    }
  };
  if (o.all && !o.lesson.empty())
    throw UsageError("check takes a lesson, or --all", "as in whybits learn check 3");
  if (!o.task.empty()) (void)desk.task(desk.lesson(o.lesson), o.task);
  if (o.all)
    for (const Lesson& lesson : desk.course.lessons) check_lesson(lesson);
  else
    check_lesson(desk.lesson(o.lesson));
}

void answer(Desk& desk, const Options& o) {
  const Lesson& lesson = desk.course.find(o.lesson);
  const Task& task = desk.task(lesson, o.task);
  if (task.is_code())
    throw UsageError("task " + task.id + " asks for code",
                     "write it in " + desk.workspace.code_file(lesson, task).string() +
                         " and run whybits learn check " + lesson.id);
  desk.workspace.write_answer(desk.course, lesson, task, o.answer, desk.style.language);
  const Verdict verdict = desk.workspace.check(desk.course, lesson, task, {}, desk.style.language);
  if (!verdict.passed()) desk.context.exit_code = 1;
  desk.context.out << verdict_text(task, verdict, desk.style);
}

void hint(Desk& desk, const Options& o) {
  const Lesson& lesson = desk.lesson(o.lesson);
  const Task& task = desk.task(lesson, o.task);
  desk.context.out << question_text(task, desk.style) << '\n'
                   << next_hint(desk.workspace, lesson, task, desk.style);
}

void solution(Desk& desk, const Options& o) {
  const Lesson& lesson = desk.lesson(o.lesson);
  for (const Task& task : lesson.tasks) {
    if (!o.task.empty() && task.id != o.task) continue;
    if (!desk.workspace.progress().done(lesson, task.id) && !o.yes) {
      desk.context.out << fmt::format(
          "· {}: {}\n", task.id,
          desk.words("shown when it is done, or with --yes", "完成后显示，或用 --yes"));
      continue;
    }
    desk.context.out << task.id << '\n' << solution_text(desk.course, lesson, task, desk.style);
  }
}

void watch(Desk& desk, const Options& o) {
  StandardConsole console;
  const Toolchain tools = find_toolchain();
  Session session(desk.course, desk.workspace, tools, desk.style, console, desk.context.out);
  if (session.watch(desk.lesson(o.lesson)) == Session::End::quit) desk.context.exit_code = 1;
}

/// Lesson and preset side by side, up to the first question that is open.
void picture(Desk& desk, const Options& o) {
  constexpr int not_available = 3;
  const Lesson& lesson = desk.lesson(o.lesson);
  const Language language = desk.style.language;
  std::string command = picture_command(desk.workspace, lesson, language);
  if (command.empty()) {
    desk.context.err << "whybits: the visualizer is not built here\n"
                        "  scripts/setup viz installs what it needs; then build whybits-viz\n";
    desk.context.exit_code = not_available;
    return;
  }
  const bool finished = desk.workspace.progress().finished(lesson);
  write_reading(desk.course, desk.workspace, lesson, finished ? nullptr : &desk.task(lesson, ""),
                language);
  if (!o.screenshot.empty()) command += " --screenshot " + shell_quoted(o.screenshot);
  const ShellOutput output = run_in_shell(command + " 2>&1");
  desk.context.out << output.out;
  desk.context.exit_code = output.exit_code;
}

bool agreed(Desk& desk, const Options& o, const std::string& question) {
  if (o.yes) return true;
  if (!at_terminal())
    throw UsageError("reset asks before it acts, and nobody can answer", "add --yes");
  desk.context.out << question << " [y/N] " << std::flush;
  StandardConsole console;
  const auto line = console.line();
  return line && (*line == "y" || *line == "Y" || *line == "yes");
}

void reset(Desk& desk, const Options& o) {
  if (o.all == !o.lesson.empty())
    throw UsageError("reset takes a lesson, or --all", "as in whybits learn reset 3");
  const std::string what = o.all ? std::string(desk.words("all lessons", "所有课")) : o.lesson;
  if (!o.all) (void)desk.course.find(o.lesson);
  if (!agreed(desk, o, fmt::format("{} {}?", desk.words("Begin anew with", "重新开始"), what))) {
    desk.context.out << desk.words("Nothing was changed.\n", "没有任何改动。\n");
    return;
  }
  for (const Lesson& lesson : desk.course.lessons) {
    if (!o.all && lesson.id != desk.course.find(o.lesson).id) continue;
    const fs::path kept = desk.workspace.reset(desk.course, lesson, desk.style.language);
    desk.context.out << lesson.id;
    if (!kept.empty())
      desk.context.out << fmt::format(
          "  {} {}", desk.words("what you wrote is kept in", "你写的内容保存在"), kept.string());
    desk.context.out << '\n';
  }
}

void lint(Desk& desk, const Options& o) {
  const fs::path root = fs::absolute(desk.course.folder).parent_path();
  const CommandRunner run = shell_runner(running_program().string(), root.string());
  const Toolchain tools = find_toolchain();
  std::size_t count = 0;
  for (const Lesson& lesson : desk.course.lessons) {
    if (!o.lesson.empty() && lesson.id != desk.course.find(o.lesson).id) continue;
    Problems problems = lint_texts(desk.course, lesson);
    const auto add = [&](Problems more) {
      std::move(more.begin(), more.end(), std::back_inserter(problems));
    };
    add(lint_tasks(lesson));
    if (!o.static_only) {
      add(lint_code(desk.course, lesson, tools));
      add(lint_numbers(desk.course, lesson, run));
    }
    desk.context.out << fmt::format(
        "{}  {}\n", lesson.id,
        problems.empty() ? "sound" : fmt::format("{} problems", problems.size()));
    for (const std::string& problem : problems) desk.context.out << "  " << problem << '\n';
    desk.context.out << std::flush;
    count += problems.size();
  }
  if (count > 0) desk.context.exit_code = 1;
}

void walls(Desk& desk, const Options&) {
  const SandboxWalls walls = sandbox_walls();
  const Toolchain tools = find_toolchain();
  desk.context.out << fmt::format(
      "compiler   {}\nLandlock   {}\nseccomp    {}\n",
      tools.compiler.empty() ? "none: install g++ or clang++, or set CXX" : tools.compiler,
      walls.landlock ? "yes: code can write only in its private folder"
                     : "this kernel has none: code could write where you can",
      walls.seccomp ? "yes: code cannot start programs, open files for writing or use the network"
                    : "this kernel has none: only the limits on time, memory and files hold");
}

constexpr const char* examples =
    R"(A lesson is named by its number or its name: 3, 03_order, order. Answers and progress lie in a
folder of yours (whybits-course in the home folder; --dir or WHYBITS_COURSE name another), one
text file for progress. Code is compiled and run in a private folder with limits.

Examples:
  whybits learn                          the lessons; at a terminal it goes on where you were
  whybits learn 3                        lesson 3 at the terminal
  whybits learn --lang zh                in Chinese, from now on
  whybits learn answer 1 tenth larger    one answer from the command line
  whybits learn watch 2                  edit the files in your editor, they are checked when saved
  whybits learn picture 10               its text and its picture, in the visualizer
Exit codes: 0 as asked or right, 1 not right yet, 2 bad input, 3 no display or no visualizer.)";

}  // namespace
}  // namespace learn_command

void add_learn_command(Command app, CommandContext& context) {
  using namespace learn_command;
  auto options = std::make_shared<Options>();
  Options& o = *options;
  Command learn = app.add_subcommand(
      "learn", "The course: from 2048 + 1 to a layer whose bits you can predict");
  learn->require_subcommand(0, 1);
  learn->fallthrough();
  learn->add_option("LESSON", o.lesson, "Take this lesson");
  learn->add_option("--lang", o.language, "en or zh; remembered")->type_name("LANGUAGE");
  learn->add_option("--dir", o.dir, "Folder of your answers and progress")->type_name("FOLDER");
  learn->add_option("--lessons", o.lessons, "Folder of the lessons, to write one")
      ->type_name("FOLDER");
  learn->footer(examples);

  using Action = std::function<void(Desk&, const Options&)>;
  const auto add = [&](const char* name, const char* description, Action action) {
    Command command = learn->add_subcommand(name, description);
    command->callback([options, action = std::move(action), &context] {
      Desk desk(*options, context);
      action(desk, *options);
    });
    return command;
  };
  const auto with_lesson = [&](Command command, bool required = false) {
    command
        ->add_option("LESSON", o.lesson,
                     required ? "The lesson" : "The lesson; the next one if not given")
        ->required(required);
    return command;
  };
  const auto with_task = [&](Command command, bool required = false) {
    command->add_option("TASK", o.task, "The task")->required(required);
    return command;
  };
  add("list", "The lessons and how far you are", list)->add_flag("--json", o.json, "For programs");
  with_lesson(add("show", "The text and the questions of a lesson", show));
  with_task(with_lesson(add("check", "Judge what your files hold", check)))
      ->add_flag("--all", o.all, "All lessons");
  with_lesson(add("watch", "Judge your files whenever they are saved", watch));
  with_task(with_lesson(add("answer", "Answer one question", answer), true), true)
      ->add_option("ANSWER", o.answer, "A number, an option, a topology")
      ->required();
  with_task(with_lesson(add("hint", "The next hint", hint)));
  with_task(with_lesson(add("solution", "Our answers, once yours are right", solution)))
      ->add_flag("--yes", o.yes, "Also of what is not done");
  with_lesson(add("picture", "The lesson's text and its picture side by side", picture))
      ->add_option("--screenshot", o.screenshot, "Write a PNG instead of opening a window")
      ->type_name("FILE");
  Command anew =
      with_lesson(add("reset", "Begin a lesson anew; what you wrote is kept aside", reset));
  anew->add_flag("--all", o.all, "All lessons");
  anew->add_flag("--yes", o.yes, "Do not ask");
  add("sandbox", "What keeps code in bounds on this machine", walls);
  with_lesson(add("lint", "Is a lesson sound? For those who write one", lint))
      ->add_flag("--static", o.static_only, "Without compiling code and running commands");

  learn->fallthrough(false);  // its subcommands still take its options; it takes nobody's

  learn->callback([learn, options, &context] {
    if (learn->chose_subcommand()) return;
    Desk desk(*options, context);
    start(desk, *options);
  });
}

}  // namespace whybits
