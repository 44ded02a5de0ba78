// FindRuns: every capture below a directory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gait/base/limits.h"
#include "gait/base/result.h"
#include "gait/runs/run.h"

namespace gait::runs {

// A file that gait was writing, or a folder that gait was copying (left_over.h tells their names), or the
// empty folder of a capture. The file gets its real name when it is whole, and the folder its file, so one
// that stays is of a program that was killed.
struct PartialFile {
  std::string path;
  bool folder = false;
  uint64_t size = 0;
  int64_t modified_ns = 0;  // Unix time
  bool left_over = false;   // nobody writes to it any more
};

struct Listing {
  std::string directory;
  std::vector<Run> runs;  // newest first; at the same time by name, then by path, backwards
  size_t entries = 0;     // names seen
  size_t first = 1;       // the position of the first of them: of DIR@2 there is only the second
  size_t unreadable = 0;  // folders that could not be opened
  size_t too_deep = 0;    // folders that were left out because they lie too deep
  std::vector<BesideFile>
      unsupported;  // captures in formats that gait does not read, of folders without others
  std::vector<PartialFile> partial{};  // by path; none that is reached by a symbolic link
  std::string cut;                     // which limit ended the search early; empty when it went to its end
};

// Every folder with XPlane files is a run: in TensorBoard's <sub>/plugins/profile/<run>/, directly in
// `directory`, or above other runs. Follows symbolic links and visits no folder twice. Costs one stat per
// capture; where the name of some run is no date, also a peek (peek.h) into the files of each run. An error
// when `directory` itself cannot be opened.
Result<Listing> FindRuns(const std::string& directory, size_t max_entries = limits::kMaxDirectoryEntries);

// Removes what is left over, each looked at once more, and takes it out of the listing. A capture's folder
// goes with the last of its files. An error for the first file that cannot be removed.
struct Removed {
  size_t files = 0;
  size_t folders = 0;
};
Result<Removed> RemoveLeftOvers(Listing& listing);

// The run that consists of this one file, of any name.
Result<Run> RunOfFile(const std::string& path);

// The reasons why a search did not see everything, as sentences: folders that cannot be read, a limit. Empty
// when it saw everything.
std::vector<std::string> SearchNotes(const Listing& listing);

// Sorts runs in the order of Listing::runs.
void SortNewestFirst(std::vector<Run>& runs);

}  // namespace gait::runs
