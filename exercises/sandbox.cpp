#include "exercises/sandbox.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <optional>
#include <utility>

#include "exercises/sandbox_walls.hpp"

namespace whybits::course {
namespace {

using Clock = std::chrono::steady_clock;

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct Pipe {
  Descriptor out, in;
};
std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

bool limit(__rlimit_resource_t resource, std::uint64_t soft, std::uint64_t hard) {
  const rlimit both{soft, hard};
  return setrlimit(resource, &both) == 0;
}
bool limit(__rlimit_resource_t resource, std::uint64_t value) {
  return limit(resource, value, value);
}

/// Everything that the child uses, made before the fork: afterwards nothing may be allocated.
struct Prepared {
  explicit Prepared(const SandboxRequest& request)
      : limits(request.limits),
        folder(std::filesystem::absolute(request.folder).string()),
        program(request.argv[0]),
        words{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=" + folder,
              "TMPDIR=" + folder, "ASAN_OPTIONS=detect_leaks=0"},  // leaks are sought by a process
        landlock(folder),
        alone(request.alone && seccomp_available()) {
    texts = request.argv;
    for (std::string& text : texts) argv.push_back(text.data());
    argv.push_back(nullptr);
    for (std::string& word : words) environment.push_back(word.data());
    environment.push_back(nullptr);
    const char* from = request.input.empty() ? "/dev/null" : request.input.c_str();
    input = Descriptor(open(from, O_RDONLY | O_CLOEXEC));
    results =
        Descriptor(request.results.empty() ? open("/dev/null", O_WRONLY | O_CLOEXEC)
                                           : open(request.results.c_str(),
                                                  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  }

  SandboxLimits limits;
  std::string folder, program;
  std::vector<std::string> texts, words;
  std::vector<char*> argv, environment;
  Descriptor input, results;
  Landlock landlock;
  bool alone;
};

bool set_limits(const SandboxLimits& limits) {
  const auto seconds = static_cast<std::uint64_t>(std::ceil(limits.seconds));
  // SIGXCPU at the soft limit says that time ran out; the kernel asks for the hard one first.
  return limit(RLIMIT_CPU, seconds, seconds + 1) && limit(RLIMIT_FSIZE, limits.file) &&
         limit(RLIMIT_CORE, 0) && (limits.memory == 0 || limit(RLIMIT_AS, limits.memory));
}

/// Becomes the program, or tells errno through `failed` and ends.
[[noreturn]] void become(const Prepared& prepared, int output, int failed) {
  const auto give_up = [&] {
    const int reason = errno;
    [[maybe_unused]] const auto told = write(failed, &reason, sizeof reason);
    _exit(127);
  };
  // A group of its own, so that all of it can be ended, and nobody's terminal.
  if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up();
  if (dup2(prepared.input.get(), 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) give_up();
  // Moved out of the way first: descriptor 3 may be one of ours.
  const int results = fcntl(prepared.results.get(), F_DUPFD, 10);
  const int report = fcntl(failed, F_DUPFD_CLOEXEC, 10);
  if (results < 0 || report < 0 || dup2(results, 3) < 0) give_up();
  close(results);
  failed = report;
  if (chdir(prepared.folder.c_str()) != 0 || !set_limits(prepared.limits)) give_up();
  if (prepared.landlock.ready() && !prepared.landlock.enter()) give_up();
  if (prepared.alone && !enter_seccomp()) give_up();
  execute_marked(prepared.program.c_str(), prepared.argv.data(), prepared.environment.data());
  give_up();
  _exit(127);
}

/// Reads what the program writes until it ends, runs out of time or of room.
class Watch {
 public:
  Watch(pid_t child, const SandboxLimits& limits, int output)
      : child_(child), limits_(limits), output_(output), start_(Clock::now()) {}

  SandboxResult run() {
    for (;;) {
      if (elapsed() > limits_.seconds) return ended(SandboxResult::End::out_of_time);
      pollfd wait{output_, POLLIN, 0};
      if (!closed_) poll(&wait, 1, 20);
      if (!closed_ && wait.revents != 0 && !read_some())
        return ended(SandboxResult::End::out_of_room);
      if (waitpid(child_, &status_, WNOHANG) == child_) return finished();
      if (closed_) usleep(5000);
    }
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// False if there is more than is allowed.
  bool read_some() {
    std::array<char, 4096> buffer{};
    const ssize_t got = read(output_, buffer.data(), buffer.size());
    if (got <= 0) {
      closed_ = true;
      return true;
    }
    const std::size_t room = limits_.output - result_.output.size();
    result_.output.append(buffer.data(), std::min(static_cast<std::size_t>(got), room));
    return static_cast<std::size_t>(got) <= room;
  }

  SandboxResult ended(SandboxResult::End end) {
    kill(-child_, SIGKILL);
    waitpid(child_, &status_, 0);
    result_.end = end;
    return done();
  }

  SandboxResult finished() {
    kill(-child_, SIGKILL);  // whatever it has left running
    const int flags = fcntl(output_, F_GETFL);
    fcntl(output_, F_SETFL, flags | O_NONBLOCK);
    while (!closed_ && read_some()) {
    }
    if (WIFSIGNALED(status_)) {
      result_.code = WTERMSIG(status_);
      result_.end = result_.code == SIGXCPU   ? SandboxResult::End::out_of_time
                    : result_.code == SIGXFSZ ? SandboxResult::End::out_of_room
                    : result_.code == SIGSYS  ? SandboxResult::End::forbidden
                                              : SandboxResult::End::signalled;
    } else {
      result_.code = WEXITSTATUS(status_);
      result_.end = SandboxResult::End::exited;
    }
    return done();
  }

  SandboxResult done() {
    result_.seconds = elapsed();
    return std::move(result_);
  }

  pid_t child_;
  SandboxLimits limits_;
  int output_;
  Clock::time_point start_;
  int status_ = 0;
  bool closed_ = false;
  SandboxResult result_;
};

SandboxResult not_started(int reason) {
  return {SandboxResult::End::not_started, reason, "", 0};
}

}  // namespace

SandboxResult run_in_sandbox(const SandboxRequest& request) {
  const Prepared prepared(request);
  if (prepared.input.get() < 0 || prepared.results.get() < 0) return not_started(errno);
  auto output = make_pipe();
  auto failed = make_pipe();
  if (!output || !failed) return not_started(errno);
  const pid_t child = fork();
  if (child < 0) return not_started(errno);
  if (child == 0) become(prepared, output->in.get(), failed->in.get());
  output->in.reset();
  failed->in.reset();
  int reason = 0;
  if (read(failed->out.get(), &reason, sizeof reason) == sizeof reason) {  // else closed by exec
    waitpid(child, nullptr, 0);
    return not_started(reason);
  }
  return Watch(child, request.limits, output->out.get()).run();
}

SandboxWalls sandbox_walls() {
  return {landlock_version() > 0, seccomp_available()};
}

}  // namespace whybits::course
