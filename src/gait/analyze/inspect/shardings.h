// How the parameters and results of a program lie over its devices: split, or whole on each device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/report/table.h"

namespace gait::analyze {

// One sharding text ("devices=[4,1,2]<=[8] last_tile_dim_replicate") taken apart.
struct ArraySharding {
  bool known = true;           // false: manual, or of a kind that says no tiles
  std::vector<int64_t> tiles;  // by dimension: in how many parts; empty: not split
  int64_t copies = 1;          // devices that have the same part
  int64_t device = -1;         // the only one that has it; -1: all take part

  bool split() const;
  // "replicated", "split 4 ways along dimension 0, 2 copies", "only on device 1"
  std::string InWords() const;
};

// `dimensions` is the number of dimensions of the array, `devices` the number of devices of the program.
ArraySharding ParseSharding(std::string_view text, size_t dimensions, int64_t devices);

// The table shardings: a row for each parameter and each result of the programs that were compiled for more
// than one partition. Hidden where there is no such program. A program of several hosts is listed once.
report::Table ShardingsTable(const LoadedRun& run);

}  // namespace gait::analyze
