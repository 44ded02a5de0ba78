#include "gait/cli/write_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

namespace gait::cli {

Result<void> WriteFile(const std::string& path, std::string_view text) {
  const std::string beside = path + ".part";
  const auto failed = [&] {
    const int error = errno;
    std::remove(beside.c_str());
    return Unreadable(fmt::format("{}: cannot be written: {}.", path, std::strerror(error)));
  };
  std::FILE* file = std::fopen(beside.c_str(), "wb");
  if (file == nullptr) return failed();
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || std::rename(beside.c_str(), path.c_str()) != 0) return failed();
  return {};
}

}  // namespace gait::cli
