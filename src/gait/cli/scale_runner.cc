#include "gait/cli/scale_runner.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/report/numbers.h"

namespace gait::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostDevices = 4096;

// The GPUs to choose from: those that the person lets programs see, else all of the machine.
std::vector<std::string> Gpus() {
  std::vector<std::string> gpus;
  std::error_code error;
  while (fs::exists(fmt::format("/dev/nvidia{}", gpus.size()), error)) {
    gpus.push_back(std::to_string(gpus.size()));
  }
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr || gpus.empty()) return gpus;
  gpus.clear();
  for (std::string_view rest = visible; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (comma > 0) gpus.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return gpus;
}

std::string WithDevices(std::string word, int64_t devices) {
  constexpr std::string_view kMark = "{devices}";
  const std::string number = std::to_string(devices);
  for (size_t at = word.find(kMark); at != std::string::npos; at = word.find(kMark, at + number.size())) {
    word.replace(at, kMark.size(), number);
  }
  return word;
}

std::string Stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:04}{:02}{:02}_{:02}{:02}{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                     local.tm_hour, local.tm_min, local.tm_sec);
}

// The environment of a run: its devices, and nothing of an outer gait.
std::vector<std::string> EnvironmentOf(int64_t devices, const std::vector<std::string>& gpus) {
  std::vector<std::string> variables;
  std::string flags;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    if (variable.starts_with("CUDA_VISIBLE_DEVICES=") && !gpus.empty()) continue;
    if (variable.starts_with("XLA_FLAGS=") && gpus.empty()) {
      flags = variable.substr(std::strlen("XLA_FLAGS="));
      continue;
    }
    variables.emplace_back(variable);
  }
  if (!gpus.empty()) {
    const auto chosen = std::span(gpus).first(static_cast<size_t>(devices));
    variables.push_back(fmt::format("CUDA_VISIBLE_DEVICES={}", fmt::join(chosen, ",")));
  } else {
    variables.push_back(fmt::format("XLA_FLAGS={}{}--xla_force_host_platform_device_count={}", flags,
                                    flags.empty() ? "" : " ", devices));
  }
  return variables;
}

// Runs and waits. The exit status, 128 + n for signal n.
Result<int> Spawn(const std::string& file, std::vector<std::string> words,
                  std::vector<std::string> environment) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> variables;
  for (std::string& variable : environment) variables.push_back(variable.data());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, file.c_str(), &actions, nullptr, arguments.data(), variables.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return Unreadable(fmt::format("gait run could not be started: {}.", std::strerror(failed)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return Unreadable(fmt::format("gait run was lost: {}.", std::strerror(errno)));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

bool GivesProgram() {
  // The parser takes the two dashes for itself.
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string word;
  while (std::getline(file, word, '\0')) {
    if (word == "--") return true;
  }
  return false;
}

Result<std::vector<int64_t>> ParseDevices(const std::string& text) {
  std::vector<int64_t> devices;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int64_t count = 0;
    const auto [next, error] = std::from_chars(at, end, count);
    const bool separated = next == end || *next == ',';
    if (error != std::errc() || !separated || count < 1 || count > kMostDevices) {
      return UsageError(fmt::format("'{}' is no list of numbers of devices.", text), "Give them as: 1,2,4,8");
    }
    devices.push_back(count);
    at = next == end ? end : next + 1;
  }
  return devices;
}

Result<ScaledRuns> RunOnDevices(const ScaleRequest& request) {
  const std::vector<std::string> gpus = Gpus();
  const auto gpu_count = static_cast<int64_t>(gpus.size());
  std::vector<int64_t> counts = request.devices;
  for (int64_t n = 1; request.devices.empty() && n <= 8 && (gpu_count == 0 || n <= gpu_count); n *= 2)
    counts.push_back(n);
  ScaledRuns made{Stamp(), {}};
  for (const int64_t n : counts) {
    if (gpu_count > 0 && n > gpu_count) {
      return UsageError(fmt::format("{} to choose from, not {}.", report::Plural(gpus.size(), "GPU"), n),
                        "CUDA_VISIBLE_DEVICES says which, where it is set.");
    }
    const std::string folder =
        (fs::path(request.directory) / fmt::format("{}gpu_{}", n, made.stamp)).string();
    std::error_code error;
    if (fs::exists(folder, error))
      return Unreadable(fmt::format("{} is there already.", folder), "Try again in a second.");
    std::vector<std::string> words = {"gait", "run", "--dir", folder};
    if (!request.steps.empty()) words.insert(words.end(), {"--steps", request.steps});
    words.emplace_back("--");
    for (const std::string& word : request.command) words.push_back(WithDevices(word, n));
    std::fputs(fmt::format("gait scale: {} device{}, {}\n", n, n == 1 ? "" : "s", folder).c_str(), stderr);
    GAIT_TRY(const int status, Spawn(request.gait, std::move(words), EnvironmentOf(n, gpus)));
    if (status != 0) {
      return Unreadable(
          fmt::format("the program failed on {} device{}: exit status {}.", n, n == 1 ? "" : "s", status),
          "Its own output is above.");
    }
    if (!fs::exists(folder, error)) {
      return Unreadable(
          fmt::format("the program left no capture on {} device{}.", n, n == 1 ? "" : "s"),
          "What gait run says of it is above. A program with steps must run at least as many as are "
          "captured: gait scale --steps 3:7 -- ...");
    }
    made.runs.push_back({n, folder});
  }
  return made;
}

}  // namespace gait::cli
