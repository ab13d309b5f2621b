#include "exercises/sandbox_walls.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace whybits::course {
namespace {

// Landlock's interface (Linux, include/uapi/linux/landlock.h), written out: older headers have only
// a part of it, and its numbers are the same on every architecture.
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr std::uint32_t ask_version = 1;
constexpr int rule_path_beneath = 1;
constexpr std::uint64_t write_file = 1 << 1, truncate = 1 << 14;
/// write_file, remove_dir and remove_file, make_char … make_sym; since versions 2 and 3 refer and
/// truncate.
constexpr std::uint64_t writes_v1 = write_file | 0x1ff0, refer = 1 << 13;
struct RulesetAttributes {
  std::uint64_t handled_files = 0, handled_net = 0;
};
struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};
constexpr std::uint64_t tcp_bind_and_connect = 3;

std::uint64_t known_writes(int version) {
  return writes_v1 | (version >= 2 ? refer : 0) | (version >= 3 ? truncate : 0);
}

bool allow(int ruleset, const char* path, std::uint64_t what) {
  const int parent = open(path, O_PATH | O_CLOEXEC);
  if (parent < 0) return false;
  const PathBeneath rule{what, parent};
  const bool done = syscall(add_rule, ruleset, rule_path_beneath, &rule, 0) == 0;
  close(parent);
  return done;
}

}  // namespace

int landlock_version() {
  const long version = syscall(create_ruleset, nullptr, 0, ask_version);
  return version > 0 ? static_cast<int>(version) : 0;
}

Landlock::Landlock(const std::filesystem::path& folder) {
  const int version = landlock_version();
  if (version == 0) return;
  const RulesetAttributes attributes{known_writes(version), tcp_bind_and_connect};
  const std::size_t size = version >= 4 ? sizeof attributes : sizeof attributes.handled_files;
  const int ruleset = static_cast<int>(syscall(create_ruleset, &attributes, size, 0));
  if (ruleset < 0) return;
  const bool allowed = allow(ruleset, folder.c_str(), known_writes(version)) &&
                       allow(ruleset, "/dev/null", write_file | (version >= 3 ? truncate : 0));
  // Out of the way of the descriptors 0 to 3 that the program gets.
  if (allowed) ruleset_ = fcntl(ruleset, F_DUPFD_CLOEXEC, 10);
  close(ruleset);
}

Landlock::~Landlock() {
  if (ruleset_ >= 0) close(ruleset_);
}

bool Landlock::enter() const {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(restrict_self, ruleset_, 0) == 0;
}

// ---- seccomp ---------------------------------------------------------------------------------

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t architecture = 0;  // no filter
#endif

/// Refused whatever the arguments. Calls that an architecture lacks are left out by the list's end.
constexpr std::uint32_t refused[] = {
#ifdef SYS_fork
    SYS_fork,
#endif
#ifdef SYS_vfork
    SYS_vfork,
#endif
    SYS_execve,
    SYS_execveat,
    SYS_socket,
    SYS_socketpair,
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_pidfd_send_signal,
    SYS_ptrace,
    SYS_process_vm_writev,
    SYS_setpriority,
    SYS_io_uring_setup,
    SYS_openat2,
#ifdef SYS_creat
    SYS_creat,
#endif
#ifdef SYS_unlink
    SYS_unlink,
    SYS_rmdir,
    SYS_rename,
    SYS_mkdir,
    SYS_link,
    SYS_symlink,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_mknod,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_unlinkat,
    SYS_renameat2,
    SYS_mkdirat,
    SYS_linkat,
    SYS_symlinkat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_mknodat,
    SYS_truncate,
    SYS_utimensat,
    SYS_setxattr,
    SYS_removexattr,
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_shmget,
    SYS_msgget,
    SYS_semget,
    SYS_memfd_create};

constexpr std::uint32_t allow_it = SECCOMP_RET_ALLOW;
/// Ended by SIGSYS: a call that only failed would leave the learner with wrong bits and no reason.
constexpr std::uint32_t refuse_it = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint32_t pretend_absent = SECCOMP_RET_ERRNO | ENOSYS;

constexpr sock_filter statement(std::uint32_t code, std::uint32_t k) {
  return {static_cast<std::uint16_t>(code), 0, 0, k};
}
constexpr sock_filter jump(std::uint32_t code, std::uint32_t k, std::uint8_t yes, std::uint8_t no) {
  return {static_cast<std::uint16_t>(code), yes, no, k};
}
constexpr std::uint32_t load = BPF_LD | BPF_W | BPF_ABS, give = BPF_RET | BPF_K;
constexpr std::uint32_t equals = BPF_JMP | BPF_JEQ | BPF_K, any_bit = BPF_JMP | BPF_JSET | BPF_K;
/// Offset of the low word of an argument (both architectures are little endian).
constexpr std::uint32_t argument(std::size_t i) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * i);
}
constexpr std::uint32_t call_number = offsetof(seccomp_data, nr);

struct Program {
  std::array<sock_filter, 256> code{};
  std::uint16_t size = 0;

  constexpr void add(sock_filter instruction) { code[size++] = instruction; }
  /// `call` with a bit of `bits` in argument i is `verdict`ed, without it allowed.
  constexpr void if_bits(std::uint32_t call, std::size_t i, std::uint32_t bits,
                         std::uint32_t verdict) {
    add(jump(equals, call, 0, 4));
    add(statement(load, argument(i)));
    add(jump(any_bit, bits, 0, 1));
    add(statement(give, verdict));
    add(statement(give, allow_it));
  }
  /// `call` is allowed if a bit of `bits` is in argument i, or if it equals `bits`, as `test` says.
  constexpr void only_if(std::uint32_t call, std::size_t i, std::uint32_t test,
                         std::uint32_t bits) {
    add(jump(equals, call, 0, 4));
    add(statement(load, argument(i)));
    add(jump(test, bits, 0, 1));
    add(statement(give, allow_it));
    add(statement(give, refuse_it));
  }
};

/// execve is refused once the program runs: the one call that starts it passes on a mark in its
/// sixth argument, which execve does not read.
constexpr std::uint32_t start_mark = 0x77686279;

constexpr Program make_program(std::uint32_t own_pid) {
  constexpr std::uint32_t opens_for_writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  Program p;
  p.add(statement(load, offsetof(seccomp_data, arch)));
  p.add(jump(equals, architecture, 1, 0));
  p.add(statement(give, refuse_it));
  p.add(statement(load, call_number));
  p.add(jump(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));  // x32 calls
  p.add(statement(give, refuse_it));
#ifdef SYS_open
  p.if_bits(SYS_open, 1, opens_for_writing, refuse_it);
#endif
  p.if_bits(SYS_openat, 2, opens_for_writing, refuse_it);
  p.only_if(SYS_clone, 0, any_bit, 0x00010000);  // threads (CLONE_THREAD) only
  p.only_if(SYS_tgkill, 0, equals, own_pid);     // abort() signals itself
  p.only_if(SYS_prlimit64, 0, equals, 0);        // libc asks for its own limits
  p.only_if(SYS_execve, 5, equals, start_mark);
  p.add(
      jump(equals, SYS_clone3, 0, 1));  // its flags are behind a pointer; libc falls back to clone
  p.add(statement(give, pretend_absent));
  for (const std::uint32_t call : refused) {
    p.add(jump(equals, call, 0, 1));
    p.add(statement(give, refuse_it));
  }
  p.add(statement(give, allow_it));
  return p;
}

}  // namespace

bool seccomp_available() {
  if (architecture == 0) return false;
  const std::uint32_t action = refuse_it;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool enter_seccomp() {
  Program program = make_program(static_cast<std::uint32_t>(getpid()));
  const sock_fprog filter{program.size, program.code.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

void execute_marked(const char* path, char* const* argv, char* const* environment) {
  syscall(SYS_execve, path, argv, environment, 0L, 0L, static_cast<long>(start_mark));
}

}  // namespace whybits::course
