#include "gait/runs/tool_file.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "gait/base/folder.h"
#include "gait/read/registry/registry.h"
#include "gait/runs/names.h"

namespace gait::runs {
namespace {

constexpr std::string_view kTimeline = "a timeline as JSON";

struct Tool {
  std::string_view word;  // between the host's name and the ending, or with the only ending that it has
  std::string_view what;
};

constexpr auto kTools = std::to_array<Tool>({
    {"overview_page", "TensorBoard's overview page"},
    {"input_pipeline", "TensorBoard's input pipeline analysis"},
    {"input_pipeline_analyzer", "TensorBoard's input pipeline analysis"},
    {"tensorflow_stats", "TensorBoard's table of operations"},
    {"framework_op_stats", "TensorBoard's table of operations"},
    {"hlo_stats", "TensorBoard's table of HLO operations"},
    {"hlo_op_profile", "TensorBoard's profile of operations"},
    {"op_profile", "TensorBoard's profile of operations"},
    {"kernel_stats", "TensorBoard's table of kernels"},
    {"memory_profile", "TensorBoard's memory profile"},
    {"memory_viewer", "TensorBoard's memory viewer"},
    {"graph_viewer", "TensorBoard's graph"},
    {"pod_viewer", "TensorBoard's pod viewer"},
    {"pod_stats", "TensorBoard's pod viewer"},
    {"roofline_model", "TensorBoard's roofline"},
    {"inference_profile", "TensorBoard's inference profile"},
    {"inference_stats", "TensorBoard's inference profile"},
    {"megascale_stats", "TensorBoard's table of collectives between slices"},
    {"dcn_collective_stats", "TensorBoard's table of collectives between slices"},
    {"perf_counters", "TensorBoard's table of hardware counters"},
    {"smart_suggestion", "TensorBoard's suggestions"},
    {"utilization_viewer", "TensorBoard's table of utilisation"},
    {"op_stats", "a cache of XProf"},
    {"op_stats_v2", "a cache of XProf"},
    {"trace_viewer.json", kTimeline},
    {"trace.json", kTimeline},
    {"perfetto_trace.json", kTimeline},
    {"hlo_proto", "an HLO program"},
});

std::string_view Without(std::string_view name, std::string_view ending) {
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : name;
}

// The first capture of a folder, by name; empty when there is none.
std::string CaptureIn(std::string_view folder) {
  std::vector<std::string> found = NamesIn(std::string(folder));
  std::erase_if(found, [](const std::string& name) { return !read::FileOfName(name); });
  return found.empty() ? std::string() : *std::ranges::min_element(found, NaturallyBefore);
}

}  // namespace

std::optional<std::string> ToolOfFileName(std::string_view name) {
  if (name.ends_with(".SSTABLE")) return "a cache of XProf's timeline";
  if (name.starts_with("events.out.tfevents.")) return "a log of TensorBoard's scalars";
  if (name == ".cached_tools.json" || name == "cache_version.txt") return "a cache of XProf";
  const std::string_view whole = Without(name, ".gz");
  const std::string_view stem = whole.substr(0, whole.rfind('.'));
  if (whole.size() - stem.size() < 2) return std::nullopt;
  const size_t begin = stem.rfind('.') + 1;  // 0 where there is no dot
  const std::string_view word = stem.substr(begin);
  const auto* const tool = std::ranges::find_if(
      kTools, [&](const Tool& known) { return known.word == word || known.word == whole.substr(begin); });
  if (tool == kTools.end()) return std::nullopt;
  return std::string(tool->what);
}

std::optional<Error> RecogniseToolFile(const std::string& path) {
  const std::optional<std::string> what = ToolOfFileName(BaseName(path));
  if (!what) return std::nullopt;
  const std::string_view folder = DirectoryOf(path);
  const std::string capture = CaptureIn(folder);
  const bool here = folder == "." && path.find('/') == std::string::npos;
  return Error{
      ErrorKind::kUnreadable, fmt::format("{}: it is {}, not a capture.", path, *what),
      capture.empty()
          ? "gait reads the .xplane.pb that it was made from, which is not in its folder."
          : fmt::format("Open the capture beside it: {}", here ? capture : JoinPath(folder, capture))};
}

}  // namespace gait::runs
