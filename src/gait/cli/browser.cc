#include "gait/cli/browser.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "gait/base/file_writer.h"

namespace gait::cli {
namespace {

// The address has no character that HTML takes for its own: numbers, hexadecimal digits and ids.
bool WritePage(const std::string& path, const std::string& url) {
  const std::string page = fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><title>gait</title>"
      "<meta http-equiv=\"refresh\" content=\"0; url={0}\"><a href=\"{0}\">gait view</a>\n",
      url);
  return WriteFile(path, {page}, {.only_own = true}).has_value();
}

void Start(const std::string& page) {
  const pid_t child = ::fork();
  if (child != 0) {
    if (child > 0) ::waitpid(child, nullptr, 0);
    return;
  }
  // A grandchild, so that nobody has to wait for the browser.
  if (::fork() != 0) ::_exit(0);
  ::setsid();
  // The server waits for some signals instead of being ended by them; the browser does not.
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (std::freopen("/dev/null", "r", stdin) == nullptr || std::freopen("/dev/null", "w", stdout) == nullptr ||
      std::freopen("/dev/null", "w", stderr) == nullptr) {
    ::_exit(1);
  }
  ::execlp("xdg-open", "xdg-open", page.c_str(), nullptr);
  ::_exit(1);
}

}  // namespace

bool HasDisplay() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

Browser::Browser(const std::string& url) {
  const char* scratch = std::getenv("TMPDIR");
  std::string folder =
      fmt::format("{}/gait-view-XXXXXX", scratch != nullptr && *scratch != '\0' ? scratch : "/tmp");
  if (::mkdtemp(folder.data()) == nullptr) return;
  folder_ = folder;
  page_ = folder + "/open.html";
  if (WritePage(page_, url)) Start(page_);
}

Browser::~Browser() {
  if (!page_.empty()) ::unlink(page_.c_str());
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

}  // namespace gait::cli
