#include "gait/capture/remote/helper.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>

#include <fmt/format.h>

extern char** environ;  // NOLINT: POSIX has it so

namespace gait::capture::remote {
namespace {

constexpr int kTickMs = 100;
constexpr const char* kName = "gait-capture";

std::atomic<int> interrupts = 0;

// Counts interrupts instead of dying of them, for as long as it lives. Those that were ignored stay so.
class CountedInterrupts {
 public:
  CountedInterrupts() {
    interrupts = 0;
    struct sigaction count{};
    count.sa_handler = [](int) { ++interrupts; };
    for (size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &count, nullptr);
    }
  }
  ~CountedInterrupts() {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  CountedInterrupts(const CountedInterrupts&) = delete;
  CountedInterrupts& operator=(const CountedInterrupts&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
};

struct Started {
  pid_t pid = -1;
  int output = -1;  // to read its lines from
};

// In a process group of its own: Ctrl-C at the terminal is ours, and passed on once.
Result<Started> Start(const std::string& program, const Task& task) {
  std::vector<std::string> words = WordsOfTask(task);
  words.insert(words.begin(), program);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return Unreadable(fmt::format("no pipe to {}: {}.", program, std::strerror(errno)));
  }
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, pipe[1], STDOUT_FILENO);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  Started started{-1, pipe[0]};
  const int error =
      ::posix_spawn(&started.pid, program.c_str(), &files, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  ::close(pipe[1]);
  if (error != 0) {
    ::close(pipe[0]);
    return Unreadable(fmt::format("{} cannot be started: {}.", program, std::strerror(error)));
  }
  return started;
}

// Hands on every whole line of `text` and leaves the rest.
void TakeLines(std::string& text, const std::function<void(const Report&)>& report) {
  size_t begin = 0;
  for (size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    if (const auto line = ReportOfLine(std::string_view(text).substr(begin, end - begin))) report(*line);
  }
  text.erase(0, begin);
}

std::mutex folder_lock;
std::string folder_of_helper;  // empty: nobody named one

std::filesystem::path FolderOfHelper() {
  const std::scoped_lock lock(folder_lock);
  if (!folder_of_helper.empty()) return folder_of_helper;
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

void LookForHelperIn(const std::string& folder) {
  const std::scoped_lock lock(folder_lock);
  folder_of_helper = folder;
}

Result<std::string> FindHelper() {
  const std::filesystem::path beside = FolderOfHelper();
  for (const auto& folder : {beside, beside / ".." / "libexec" / "gait"}) {
    const std::filesystem::path program = (folder / kName).lexically_normal();
    if (::access(program.c_str(), X_OK) == 0) return program.string();
  }
  return Unreadable("this gait was built without remote capture: gait-capture is not beside it.",
                    "Install Debian's libgrpc++-dev and build it again: make build.");
}

Result<void> RunHelper(const std::string& program, const Task& task, const HelperWatch& watch) {
  const CountedInterrupts counted;
  GAIT_TRY(const Started started, Start(program, task));
  int passed_on = 0;
  std::string text;
  std::array<char, 4096> piece{};
  while (true) {
    while (passed_on < interrupts) {
      ::kill(started.pid, SIGINT);
      watch.interrupted(++passed_on);
    }
    pollfd readable{started.output, POLLIN, 0};
    const int ready = ::poll(&readable, 1, kTickMs);
    watch.tick();
    if (ready <= 0) continue;  // time is up, or a signal came
    const ssize_t size = ::read(started.output, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(piece.data(), static_cast<size_t>(size));
    TakeLines(text, watch.report);
  }
  ::close(started.output);
  int status = 0;
  while (::waitpid(started.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    return Unreadable(fmt::format("{} was ended by signal {}.", program, WTERMSIG(status)),
                      "Please report it, with the versions of JAX here and there.");
  }
  if (WEXITSTATUS(status) != 0) {
    return Unreadable(fmt::format("{} ended with exit code {}.", program, WEXITSTATUS(status)),
                      "It and gait have to be of the same version.");
  }
  return {};
}

}  // namespace gait::capture::remote
