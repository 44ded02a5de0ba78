// The text of gait.json, the manifest that gait's captures have beside them. runs/manifest.h reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gait/trace/loss.h"

namespace gait::write {

struct ManifestFile {
  std::string name;
  uint64_t bytes = 0;
  std::optional<uint64_t> events{};  // nullopt: no capture, or one that was not read back
  std::string program{};             // the address that was asked for it; empty: the program itself wrote it
};

struct Manifest {
  std::string version;     // of gait
  std::string capture;     // JSON: what was captured, how, where
  std::string uncaptured;  // JSON: the steps before and after
  std::vector<ManifestFile> files;
  std::vector<std::pair<std::string, uint64_t>> devices;  // with the number of their events
  std::vector<Loss> losses;
};

std::string ManifestText(const Manifest& manifest);

}  // namespace gait::write
