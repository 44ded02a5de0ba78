#include "gait/capture/remote/token.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

namespace gait::capture::remote {
namespace {

constexpr const char* kServed = "127.0.0.1";

struct Folder {
  std::string path;
  bool shared;  // with other users, who could have made what is in it
};

std::vector<Folder> Folders() {
  std::vector<Folder> folders;
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime != '\0')
    folders.push_back({fmt::format("{}/gait", runtime), false});
  std::error_code error;
  const std::string temporary = std::filesystem::temp_directory_path(error).string();
  folders.push_back({fmt::format("{}/gait-{}", temporary, ::getuid()), true});
  return folders;
}

bool IsOwnFolder(const std::string& path) {
  struct stat folder{};
  return ::lstat(path.c_str(), &folder) == 0 && S_ISDIR(folder.st_mode) && folder.st_uid == ::getuid();
}

// Links are not followed: somebody else's would lead to a file whose first line is none of theirs to see.
std::optional<std::string> FirstLine(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat about{};
  std::array<char, 1024> bytes{};
  ssize_t size = 0;
  if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == ::getuid() &&
      (about.st_mode & (S_IRWXG | S_IRWXO)) == 0) {
    size = ::read(file, bytes.data(), bytes.size());
  }
  ::close(file);
  const std::string text(bytes.data(), static_cast<size_t>(std::max<ssize_t>(size, 0)));
  const std::string line = text.substr(0, text.find('\n'));
  return line.empty() ? std::nullopt : std::optional(line);
}

}  // namespace

std::optional<Token> FindToken(int port) {
  if (const char* token = std::getenv("GAIT_TOKEN"); token != nullptr) return Token{token};
  for (const Folder& folder : Folders()) {
    if (folder.shared && !IsOwnFolder(folder.path)) continue;
    if (auto line = FirstLine(fmt::format("{}/{}.token", folder.path, port)))
      return Token{*std::move(line), true};
  }
  return std::nullopt;
}

bool MayBeSentTo(const Token& token, const std::string& ip) {
  if (ip == kServed) return true;
  return !token.of_file && (ip == "::1" || ip.starts_with("127.") || ip.starts_with("::ffff:127."));
}

}  // namespace gait::capture::remote
