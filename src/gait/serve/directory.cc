#include "gait/serve/directory.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "gait/runs/resolve.h"

namespace gait::serve {
namespace {

constexpr auto kLookAgain = std::chrono::seconds(1);

std::string VersionOf(const runs::Run& run) {
  std::string text;
  for (const runs::HostFile& file : run.hosts) {
    text += fmt::format("{}:{}:{}\n", file.path, file.size, file.modified_ns);
  }
  for (const runs::BesideFile& file : run.beside) text += fmt::format("{}:{}\n", file.path, file.size);
  return HashText(text).substr(0, 8);
}

// What tells a run from the others below a directory, however that was written: "logs" and "logs/" make the
// same links. What is a run itself goes by its whole path, else any two of them would have one name.
std::string NameBelow(const std::string& run, std::string_view directory) {
  while (directory.size() > 1 && directory.ends_with('/')) directory.remove_suffix(1);
  if (!run.starts_with(directory)) return run;
  const size_t rest = run.find_first_not_of('/', directory.size());
  if (rest != std::string::npos) return "/" + run.substr(rest);
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::canonical(run, failed);
  return failed ? run : whole.string();
}

Result<runs::Listing> FindBelow(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return runs::FindRuns(path);
  runs::Listing listing;
  listing.directory = path;
  GAIT_TRY(runs::Run run, runs::RunOfFile(path));
  listing.runs.push_back(std::move(run));
  return listing;
}

}  // namespace

std::string HashText(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:012x}", hash >> 16);
}

std::shared_ptr<const RunList> Directory::List() {
  using Clock = std::chrono::steady_clock;
  std::unique_lock looking(looking_, std::defer_lock);
  {
    const std::scoped_lock lock(mutex_);
    if (list_ && (Clock::now() < again_ || !looking.try_lock())) return list_;
  }
  // At the very first look all wait for the first one.
  if (!looking.owns_lock()) looking.lock();
  {
    const std::scoped_lock lock(mutex_);
    if (list_ && Clock::now() < again_) return list_;
  }
  const Clock::time_point begin = Clock::now();
  std::shared_ptr<const RunList> list = Look();
  const Clock::duration took = Clock::now() - begin;
  const std::scoped_lock lock(mutex_);
  for (const ListedRun& run : list->runs) known_.insert(run.id);
  list_ = std::move(list);
  again_ = Clock::now() + std::max<Clock::duration>(kLookAgain, took * 10);
  return list_;
}

std::shared_ptr<const RunList> Directory::Look() {
  auto list = std::make_shared<RunList>();
  list->directory = path_;
  Result<runs::Listing> listing = FindBelow(path_);
  if (!listing) {
    list->empty = listing.error();
  } else {
    list->notes = runs::SearchNotes(*listing);
    if (listing->runs.empty()) list->empty = runs::NoRuns(*listing);
    for (runs::Run& run : listing->runs) {
      ListedRun listed{HashText(NameBelow(run.path, path_)), VersionOf(run), "", {}};
      listed.devices = DevicesOf(run, (listed.id + listed.version));
      listed.run = std::move(run);
      list->runs.push_back(std::move(listed));
    }
  }
  std::string text;
  for (const ListedRun& run : list->runs) text += run.id + run.version;
  for (const std::string& note : list->notes) text += note;
  if (list->empty) text += list->empty->what;
  list->version = HashText(text);
  return list;
}

std::string Directory::DevicesOf(const runs::Run& run, const std::string& version) {
  auto& [known, text] = devices_[run.path];
  if (known != version) {
    known = version;
    text = run.Peek().Devices();
    if (text == "?") text.clear();
  }
  return text;
}

std::shared_ptr<const ListedRun> Directory::Find(const std::string& id) {
  const std::shared_ptr<const RunList> list = List();
  for (const ListedRun& run : list->runs) {
    if (id == "newest" || run.id == id) return {list, &run};
  }
  return nullptr;
}

bool Directory::Knew(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return known_.contains(id);
}

}  // namespace gait::serve
