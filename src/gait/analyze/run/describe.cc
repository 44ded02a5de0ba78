#include "gait/analyze/run/describe.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/run/platforms.h"
#include "gait/report/json.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

std::string PlaneArg(const Trace& trace, const Plane& plane, std::string_view key) {
  const auto value = trace.FindArg(plane.args, key);
  return value && value->is_string() ? std::string(trace.text(value->string())) : std::string();
}

// "/device:TPU:0 SparseCore 1" is a part of the chip that "/device:TPU:0" stands for.
bool IsPartOfDevice(const Trace& trace, const Plane& plane) {
  return plane.kind == PlaneKind::kTpu && trace.text(plane.name).find(' ') != std::string_view::npos;
}

// "2 × NVIDIA H200", over all hosts.
std::string DevicesText(const LoadedRun& run) {
  std::map<std::string, size_t> counts;
  for (const LoadedHost& host : run.hosts) {
    for (const Plane& plane : host.trace.planes()) {
      if (!plane.is_device() || IsPartOfDevice(host.trace, plane)) continue;
      ++counts[DeviceModelOrKind(host.trace, plane)];
    }
  }
  std::vector<std::string> parts;
  constexpr size_t kMost = 3;
  for (const auto& [model, count] : counts) {
    if (parts.size() == kMost) {
      parts.push_back(fmt::format("{} more kinds of devices", counts.size() - kMost));
      break;
    }
    parts.push_back(fmt::format("{} × {}", report::CountText(count), model));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string ByteCount(size_t count) { return fmt::format("<{} byte{}>", count, count == 1 ? "" : "s"); }

std::string HostsText(const LoadedRun& run) {
  if (run.hosts.size() > 3) return fmt::format("{} hosts", run.hosts.size());
  std::vector<std::string> names;
  for (const LoadedHost& host : run.hosts) names.push_back(host.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Errors of files begin with the file's path, whose name is the loss's place already.
Loss WithPlaceOnce(Loss loss) {
  const size_t at = loss.place.empty() ? std::string::npos : loss.reason.find(loss.place + ": ");
  if (at != std::string::npos && (at == 0 || loss.reason[at - 1] == '/'))
    loss.reason.erase(0, at + loss.place.size() + 2);
  return loss;
}

}  // namespace

std::string DeviceName(const Trace& trace, const Plane& plane) {
  const std::string_view name = trace.text(plane.name);
  if (name == "/host:CPU") return "host";
  constexpr std::string_view kPrefix = "/device:";
  if (!plane.is_device() || !name.starts_with(kPrefix)) return std::string(name);
  std::string short_name(name.substr(kPrefix.size()));
  if (const size_t colon = short_name.find(':'); colon != std::string::npos) short_name[colon] = ' ';
  return short_name;
}

std::string DeviceModel(const Trace& trace, const Plane& plane) {
  for (const std::string_view key : {"gpu_device_name", "device_type_string", "device_name"}) {
    if (std::string model = PlaneArg(trace, plane, key); !model.empty()) return model;
  }
  // Captures of AMD devices name no model.
  const std::string vendor = PlaneArg(trace, plane, "device_vendor");
  return vendor.empty() || plane.kind != PlaneKind::kGpu ? std::string() : vendor + " GPU";
}

std::string DeviceModelOrKind(const Trace& trace, const Plane& plane) {
  if (std::string model = DeviceModel(trace, plane); !model.empty()) return model;
  return plane.kind == PlaneKind::kGpu ? "GPU" : plane.kind == PlaneKind::kTpu ? "TPU" : "CPU device";
}

std::string TrackName(const Trace& trace, const Track& track) {
  const TrackInfo& info = track.info();
  for (const StringId id : {info.display_name, info.name}) {
    if (id.valid() && !trace.text(id).empty()) return std::string(trace.text(id));
  }
  return fmt::format("#{}", info.id);
}

std::string TrackLabel(const Trace& trace, const Track& track) {
  return DeviceName(trace, trace.plane(track.info().plane)) + " " + TrackName(trace, track);
}

std::string_view Name(TrackKind kind) {
  switch (kind) {
    case TrackKind::kThread:
      return "thread";
    case TrackKind::kStream:
      return "stream";
    case TrackKind::kOps:
      return "operations";
    case TrackKind::kAsyncOps:
      return "async operations";
    case TrackKind::kModules:
      return "programs";
    case TrackKind::kSteps:
      return "steps";
    case TrackKind::kCounters:
      return "counters";
    case TrackKind::kOverhead:
      return "profiler overhead";
    case TrackKind::kAggregated:
      return "aggregated";
    case TrackKind::kOther:
      return "other";
  }
  return "other";
}

std::string_view Describe(AttributionKind kind) {
  switch (kind) {
    case AttributionKind::kNone:
      return "no: it names no operation (copies outside programs, autotuning, kernels that are not XLA's)";
    case AttributionKind::kByName:
      return "yes, by name";
    case AttributionKind::kByGraphNode:
      return "yes, by CUDA graph node";
    case AttributionKind::kNoProgram:
      return "no: its program is not in the capture";
    case AttributionKind::kNoInstruction:
      return "no: the program has no such instruction";
    case AttributionKind::kGraphMismatch:
      return "no: the CUDA graph does not fit the program";
  }
  return "no";
}

bool IsAttributed(AttributionKind kind) {
  return kind == AttributionKind::kByName || kind == AttributionKind::kByGraphNode;
}

std::string ValueText(const Trace& trace, ArgValue value) {
  switch (value.type) {
    case ArgType::kInt:
      return std::to_string(static_cast<int64_t>(value.bits));
    case ArgType::kUint:
      return std::to_string(value.bits);
    case ArgType::kDouble:
      return fmt::format("{}", std::bit_cast<double>(value.bits));
    case ArgType::kBytes:
      return ByteCount(trace.text(value.string()).size());
    case ArgType::kString: {
      const std::string_view text = trace.text(value.string());
      const bool plain = !text.empty() && text.find_first_of(" \"\t\n") == std::string_view::npos;
      return plain ? std::string(text) : report::JsonString(text);
    }
  }
  return {};
}

std::vector<std::string> TellingNames(const std::vector<std::string>& names) {
  const auto all = [&](auto has) { return std::ranges::all_of(names, has); };
  std::string_view model = names[0];
  size_t folder = model.rfind('/') == std::string_view::npos ? 0 : model.rfind('/') + 1;
  while (folder > 0 && !all([&](const std::string& n) { return n.starts_with(model.substr(0, folder)); })) {
    const size_t slash = folder < 2 ? std::string_view::npos : model.rfind('/', folder - 2);
    folder = slash == std::string_view::npos ? 0 : slash + 1;
  }
  model.remove_prefix(folder);
  size_t end = model.find_first_of("._", 1);
  while (end != std::string_view::npos && !all([&](const std::string& n) {
           return n.size() > folder + model.size() - end && n.ends_with(model.substr(end));
         })) {
    end = model.find_first_of("._", end + 1);
  }
  const size_t common = end == std::string_view::npos ? 0 : model.size() - end;
  std::vector<std::string> short_names;
  for (const std::string& n : names) short_names.push_back(n.substr(folder, n.size() - folder - common));
  return all([&](const std::string& n) { return n == names[0]; }) ? names : short_names;
}

std::string ShellWord(const std::string& word) {
  constexpr std::string_view kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@~:+,=%";
  const bool quote =
      word.find_first_not_of(kHarmless) != std::string::npos && word.find('\'') == std::string::npos;
  return quote ? "'" + word + "'" : word;
}

std::string Command(std::string_view verb, const LoadedRun& run, std::string_view rest) {
  return fmt::format("gait {} {}{}{}", verb, ShellWord(run.typed), rest.empty() ? "" : " ", rest);
}

std::string WallTime(std::optional<int64_t> unix_ns) {
  if (!unix_ns || *unix_ns <= 0) return {};
  const std::time_t seconds = *unix_ns / 1'000'000'000;
  std::tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1,
                     local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
}

report::CellOf<int64_t> WallTimeCell(std::optional<int64_t> unix_ns, std::string_view why_not) {
  std::string shown = WallTime(unix_ns);
  if (shown.empty()) return report::Unknown{std::string(why_not)};
  return report::CellOf<int64_t>(*unix_ns).ShownAs(std::move(shown));
}

std::optional<int64_t> StartTime(const LoadedRun& run) {
  std::optional<int64_t> first;
  for (const LoadedHost& host : run.hosts) {
    const auto start = host.trace.environment().start_unix_ns;
    if (start && *start > 0 && (!first || *start < *first)) first = start;
  }
  if (!first && run.run.time_from == runs::TimeFrom::kName) first = run.run.time_s * 1'000'000'000;
  return first;
}

namespace {

// A program that ran on a GPU or TPU was captured without it.
void WarnOfMissingDevices(const LoadedHost& host, const std::string& prefix, report::Document& document) {
  const auto has = [&](PlaneKind kind) {
    return std::ranges::any_of(host.trace.planes(), [&](const Plane& plane) { return plane.kind == kind; });
  };
  for (const Platform& platform : PlatformsOf(host.trace.environment())) {
    if (has(platform.plane)) continue;
    document.warnings.push_back(fmt::format("{}the program ran on {}, but the capture has no such device: {}",
                                            prefix, platform.version, platform.if_missing));
  }
}

// Each text once: a profiler may say the same of every buffer.
void AddErrors(const LoadedHost& host, const std::string& prefix, report::Document& document) {
  constexpr size_t kMost = 20;
  std::vector<std::pair<std::string_view, size_t>> errors;
  for (const std::string& error : host.trace.environment().errors) {
    const auto same = std::ranges::find(errors, error, &std::pair<std::string_view, size_t>::first);
    if (same != errors.end()) {
      ++same->second;
    } else {
      errors.emplace_back(error, 1);
    }
  }
  for (size_t i = 0; i < std::min(errors.size(), kMost); ++i) {
    const auto& [text, count] = errors[i];
    document.warnings.push_back(fmt::format("{}the profiler reported{}: {}", prefix,
                                            count > 1 ? fmt::format(" {} times", count) : "", text));
  }
  if (errors.size() > kMost)
    document.warnings.push_back(
        fmt::format("{}{} other errors of the profiler", prefix, errors.size() - kMost));
}

// Files that lie in one folder without being of one capture: the times of their captures are apart.
void WarnOfStrangers(const LoadedRun& run, report::Document& document) {
  std::optional<int64_t> last_start;
  std::optional<int64_t> first_stop;
  for (const LoadedHost& host : run.hosts) {
    const Environment& environment = host.trace.environment();
    if (!environment.start_unix_ns || !environment.stop_unix_ns) continue;
    last_start = std::max(last_start.value_or(*environment.start_unix_ns), *environment.start_unix_ns);
    first_stop = std::min(first_stop.value_or(*environment.stop_unix_ns), *environment.stop_unix_ns);
  }
  if (!last_start || *last_start <= *first_stop) return;
  document.warnings.push_back(fmt::format(
      "the {} files here were not captured at the same time: their sums mean nothing; pass one of them",
      run.hosts.size()));
}

}  // namespace

report::Document NewDocument(std::string verb, const LoadedRun& run) {
  report::Document document;
  document.verb = std::move(verb);
  document.sources = {run.run.path};

  const std::string which = run.typed == "-" ? run.run.label
                            : run.note.empty()
                                ? run.typed
                                : fmt::format("{}: {}, {}", run.typed, run.run.label, run.note);
  std::vector<std::string> parts = {which, WallTime(StartTime(run)), HostsText(run), DevicesText(run)};
  for (const char* key : {"jax_version", "tensorflow_version"}) {
    const auto& versions = run.hosts.front().trace.environment().versions;
    if (const auto found = versions.find(key); found != versions.end()) {
      parts.push_back(fmt::format("{} {}", std::string_view(key).substr(0, std::string_view(key).find('_')),
                                  found->second));
    }
  }
  std::erase(parts, "");
  document.context = fmt::format("{}", fmt::join(parts, " · "));

  for (const Loss& loss : run.losses) document.losses.push_back(WithPlaceOnce(loss));
  document.notes = run.search_notes;
  const bool several = run.hosts.size() > 1;
  WarnOfStrangers(run, document);
  for (const LoadedHost& host : run.hosts) {
    const std::string prefix = several ? host.name + ": " : "";
    WarnOfMissingDevices(host, prefix, document);
    AddErrors(host, prefix, document);
    for (const Loss& read : host.trace.losses()) {
      Loss loss = WithPlaceOnce(read);
      loss.place = prefix + loss.place;
      document.losses.push_back(std::move(loss));
    }
  }
  return document;
}

}  // namespace gait::analyze
