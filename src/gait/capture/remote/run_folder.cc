#include "gait/capture/remote/run_folder.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <ranges>
#include <system_error>

#include <fmt/format.h>

namespace gait::capture::remote {
namespace {

constexpr int kMostOfOneSecond = 10'000;

std::string TimeName() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 32> text{};
  const size_t size = std::strftime(text.data(), text.size(), "%Y_%m_%d_%H_%M_%S", &local);
  return {text.data(), size};
}

std::unexpected<Error> CannotMake(const std::filesystem::path& path, const std::error_code& error) {
  return Unreadable(
      fmt::format("{}: the folder of the run cannot be made: {}.", path.string(), error.message()),
      "Capture into another directory with -o DIR.");
}

}  // namespace

Result<RunFolder> RunFolder::Make(const std::string& log_dir) {
  const std::filesystem::path parent = std::filesystem::path(log_dir) / "plugins" / "profile";
  RunFolder folder{{}};
  std::error_code error;
  std::filesystem::path above;
  for (const auto& part : parent) {
    above /= part;
    if (std::filesystem::create_directory(above, error)) {
      folder.made_.push_back(above);
    } else if (error) {
      return CannotMake(above, error);
    }
  }
  const std::string name = TimeName();
  for (int n = 1; n <= kMostOfOneSecond; ++n) {
    folder.path_ = parent / (n == 1 ? name : fmt::format("{}_{}", name, n));
    if (std::filesystem::create_directory(folder.path_, error)) {
      folder.made_.push_back(folder.path_);
      return folder;
    }
    if (error) return CannotMake(folder.path_, error);
  }
  return Unreadable(fmt::format("{}: there are too many runs of one second.", parent.string()));
}

RunFolder::~RunFolder() {
  std::error_code error;
  for (const auto& path : std::views::reverse(made_)) {
    if (!std::filesystem::is_empty(path, error) || error || !std::filesystem::remove(path, error)) return;
  }
}

}  // namespace gait::capture::remote
