// Directory: the runs below the log directory as they are now.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gait/base/result.h"
#include "gait/runs/find.h"

namespace gait::serve {

struct ListedRun {
  std::string id;       // of the path below the log directory: the same in every session
  std::string version;  // of the names, sizes and times of its files
  std::string devices;  // "1 GPU"; empty: unknown
  runs::Run run;
};

struct RunList {
  std::string directory;
  std::vector<ListedRun> runs;  // newest first
  std::vector<std::string> notes;
  std::optional<Error> empty;  // why there are none
  std::string version;         // of the whole list
};

class Directory {
 public:
  // A directory, or one file that is a run.
  explicit Directory(std::string path) : path_(std::move(path)) {}

  // The list of runs. Searches again when the last search is older than a second and than ten times its own
  // length: a directory that is slow to search is searched less often. A caller that asks during a search
  // gets the known list. Thread-safe.
  std::shared_ptr<const RunList> List();
  // The run of that id, or of "newest"; nullptr: there is no such run (any more).
  std::shared_ptr<const ListedRun> Find(const std::string& id);
  // Whether there ever was a run of that id.
  bool Knew(const std::string& id);

 private:
  std::shared_ptr<const RunList> Look();
  std::string DevicesOf(const runs::Run& run, const std::string& version);

  std::string path_;
  std::mutex looking_;                             // held by the one who looks
  std::mutex mutex_;                               // for what follows
  std::chrono::steady_clock::time_point again_{};  // when to look again
  std::shared_ptr<const RunList> list_;
  std::set<std::string> known_;
  std::map<std::string, std::pair<std::string, std::string>>
      devices_;  // by path: version and text; of the one who looks
};

// A hash of the text, 12 hexadecimal digits.
std::string HashText(const std::string& text);

}  // namespace gait::serve
