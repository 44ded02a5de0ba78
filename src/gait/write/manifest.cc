#include "gait/write/manifest.h"

#include <fmt/format.h>

#include "gait/report/json.h"
#include "gait/report/json_writer.h"

namespace gait::write {
namespace {

using report::JsonWriter;

std::string Files(const std::vector<ManifestFile>& files) {
  JsonWriter json;
  json.Array();
  for (const ManifestFile& file : files) {
    json.Object().Field("name", file.name).Field("bytes", file.bytes);
    if (file.events) json.Field("events", *file.events);
    if (!file.program.empty()) json.Field("program", file.program);
    json.EndObject();
  }
  return std::move(json.EndArray()).Take();
}

std::string Devices(const std::vector<std::pair<std::string, uint64_t>>& devices) {
  JsonWriter json;
  json.Array();
  for (const auto& [name, events] : devices)
    json.Object().Field("name", name).Field("events", events).EndObject();
  return std::move(json.EndArray()).Take();
}

}  // namespace

std::string ManifestText(const Manifest& manifest) {
  return fmt::format(
      "{{\"gait\":{},\n\"capture\":{},\n\"uncaptured\":{},\n\"files\":{},\n\"devices\":{},\n\"losses\":{}}}"
      "\n",
      report::JsonString(manifest.version), manifest.capture, manifest.uncaptured, Files(manifest.files),
      Devices(manifest.devices), report::LossesJson(manifest.losses));
}

}  // namespace gait::write
