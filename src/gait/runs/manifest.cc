#include "gait/runs/manifest.h"

#include <simdjson.h>

#include <filesystem>

#include "gait/base/bytes_source.h"
#include "gait/base/limits.h"
#include "gait/trace/loss.h"

namespace gait::runs {
namespace {

constexpr std::string_view kFileName = "gait.json";

constexpr int64_t kDayNs = 86'400'000'000'000;

bool IsPeriod(int64_t ns) { return ns > 0 && ns <= kDayNs; }

// {"steps": 50, "period_ns": 19300000, "mean_ns": 19700000}: the period is the median.
std::optional<UncapturedSteps> ReadSide(const simdjson::dom::element& root, std::string_view side) {
  simdjson::dom::element found;
  if (root["uncaptured"][side].get(found) != simdjson::SUCCESS) return std::nullopt;
  int64_t steps = 0;
  int64_t period_ns = 0;
  if (found["steps"].get(steps) != simdjson::SUCCESS) return std::nullopt;
  if (found["period_ns"].get(period_ns) != simdjson::SUCCESS) return std::nullopt;
  if (steps <= 0 || !IsPeriod(period_ns)) return std::nullopt;
  UncapturedSteps uncaptured{steps, Nanoseconds(period_ns), std::nullopt};
  int64_t mean_ns = 0;
  if (found["mean_ns"].get(mean_ns) == simdjson::SUCCESS && IsPeriod(mean_ns))
    uncaptured.mean = Nanoseconds(mean_ns);
  return uncaptured;
}

std::optional<std::string> ReadName(const simdjson::dom::element& root) {
  std::string_view name;
  if (root["uncaptured"]["name"].get(name) != simdjson::SUCCESS) return std::nullopt;
  return std::string(name);
}

// {"XLA_FLAGS": "--a=1 --b=2", "jax_enable_x64": "False"}
std::optional<std::map<std::string, std::string>> ReadFlags(const simdjson::dom::element& root) {
  simdjson::dom::object found;
  if (root["capture"]["flags"].get(found) != simdjson::SUCCESS) return std::nullopt;
  std::map<std::string, std::string> flags;
  for (const auto& [name, value] : found) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) flags.emplace(name, text);
  }
  return flags;
}

// Among the losses.
std::map<std::string, uint64_t> ReadLaunches(const simdjson::dom::element& root) {
  std::map<std::string, uint64_t> launches;
  simdjson::dom::array losses;
  if (root["losses"].get(losses) != simdjson::SUCCESS) return launches;
  for (const simdjson::dom::element& loss : losses) {
    std::string_view kind;
    std::string_view program;
    uint64_t count = 0;
    if (loss["kind"].get(kind) == simdjson::SUCCESS && kind == Name(LossKind::kUnfinished) &&
        loss["place"].get(program) == simdjson::SUCCESS && loss["count"].get(count) == simdjson::SUCCESS)
      launches[std::string(program)] += count;
  }
  return launches;
}

}  // namespace

std::optional<UncapturedSteps> Manifest::Uncaptured() const {
  if (!before || !after) return before ? before : after;
  const double weight = static_cast<double>(before->steps) /
                        (static_cast<double>(before->steps) + static_cast<double>(after->steps));
  const auto weigh = [&](Ps a, Ps b) {
    return Ps(static_cast<int64_t>(weight * static_cast<double>(a.value()) +
                                   (1 - weight) * static_cast<double>(b.value())));
  };
  UncapturedSteps both{before->steps + after->steps, weigh(before->median, after->median), std::nullopt};
  if (before->mean && after->mean) both.mean = weigh(*before->mean, *after->mean);
  return both;
}

Result<Manifest> ParseManifest(std::string_view json) {
  simdjson::dom::parser parser(limits::kMaxManifestBytes);
  simdjson::dom::element root;
  if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS || !root.is_object()) {
    return Unreadable("not a manifest of gait.",
                      "It is JSON that gait's capture writes; remove it to go on without.");
  }
  Manifest manifest{ReadSide(root, "before"), ReadSide(root, "after"), ReadName(root)};
  if (root["capture"]["collections"].get(manifest.collections) != simdjson::SUCCESS)
    manifest.collections = false;
  manifest.flags = ReadFlags(root);
  manifest.launches_without_end = ReadLaunches(root);
  return manifest;
}

Result<Manifest> ReadManifest(const Run& run) {
  std::error_code error;
  std::filesystem::path folder = run.path;
  if (!std::filesystem::is_directory(folder, error)) folder = folder.parent_path();
  const std::filesystem::path file = folder / kFileName;
  if (!std::filesystem::is_regular_file(file, error)) return Manifest{};
  GAIT_TRY(const OpenedFile opened, OpenFile(file.string()));
  Result<Manifest> manifest = ParseManifest(opened.bytes.view());
  if (!manifest) manifest.error().what = file.string() + ": " + manifest.error().what;
  return manifest;
}

}  // namespace gait::runs
