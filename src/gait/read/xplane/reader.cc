#include "gait/read/xplane/reader.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "gait/base/folder.h"
#include "gait/base/limits.h"
#include "gait/base/thread_pool.h"
#include "gait/read/hlo/hlo_reader.h"
#include "gait/read/xplane/attribution.h"
#include "gait/read/xplane/classify.h"
#include "gait/read/xplane/cpu_devices.h"
#include "gait/read/xplane/environment.h"
#include "gait/read/xplane/line_reader.h"
#include "gait/read/xplane/sniff.h"
#include "gait/read/xplane/space_index.h"
#include "gait/read/xplane/tables.h"
#include "gait/trace/async_operations.h"
#include "gait/trace/trace_builder.h"

namespace gait::xplane {
namespace {

namespace fs = std::filesystem;

// Stamps above this are Unix time: 10^17 ns are three years after 1970, or three years of capturing.
constexpr int64_t kUnixScaleNs = 100'000'000'000'000'000;

// Data straight from PJRT carries Unix time; files of a session are relative to its start. A stamp below 0 is
// none (FindStart counts it): its events count from the start.
int64_t SessionTime(int64_t timestamp_ns, std::optional<int64_t> session_start_ns) {
  const bool unix_time = timestamp_ns > kUnixScaleNs && session_start_ns && *session_start_ns > 0;
  return unix_time ? timestamp_ns - *session_start_ns : std::max<int64_t>(timestamp_ns, 0);
}

// One track to read: the lines of a plane that share an id are one timeline.
struct TrackTask {
  std::vector<const LineIndex*> lines;
  std::vector<LineHeader> headers;
  const PlaneTables* tables = nullptr;
  std::optional<TrackWriter> events;
  std::optional<TrackWriter> aggregated;
  size_t bytes = 0;
};

struct ProgramTask {
  ProgramBytes bytes;
  std::string place;
  std::string_view plane;  // the place of its plane, where that has one
  std::optional<Program> program;
  LossLog losses;
};

// "jit_train_step(30)" is program 30. Ids that are hashes take all 64 bits.
uint64_t IdInName(std::string_view name) {
  uint64_t id = 0;
  const size_t open = name.rfind('(');
  if (open != std::string_view::npos) std::from_chars(name.data() + open + 1, name.data() + name.size(), id);
  return id;
}

void ReadProgram(ProgramTask& task) {
  LossLog losses;
  Result<Program> program = ReadHloProto(task.bytes.proto, task.place, losses);
  if (task.bytes.cut.empty()) {
    task.losses.Merge(losses);
  } else {
    // The cut explains every message that ends early and every reference to what is missing.
    task.losses.Add(LossKind::kTruncated, task.place, task.bytes.cut);
    for (const Loss& loss : losses.losses()) {
      if (loss.kind == LossKind::kTruncated) continue;
      const bool reference = loss.kind == LossKind::kUnresolved;
      task.losses.Add(loss.kind, reference ? task.plane : loss.place, reference ? kLostToTheCut : loss.reason,
                      loss.count);
    }
    if (!program) return;
    // What a fusion or a loop costs may stand in the part that is gone.
    Cost unknown;
    unknown.unknown_because = program->strings.Intern("the program was cut");
    for (Instruction& instruction : program->instructions) instruction.cost = unknown;
  }
  if (!program) {
    task.losses.Add(LossKind::kDropped, task.place, program.error().what);
    return;
  }
  task.program = std::move(*program);
  task.program->id = task.bytes.program_id != 0 ? task.bytes.program_id : IdInName(task.bytes.name);
  if (task.program->name.empty()) task.program->name = task.bytes.name.substr(0, task.bytes.name.find('('));
}

// Calls a progress function from one thread at a time with a value that never falls.
class ProgressMeter {
 public:
  ProgressMeter(const std::function<void(double)>& report, size_t total) : report_(report), total_(total) {}

  void Done(size_t bytes) {
    if (!report_) return;
    const std::lock_guard lock(mutex_);
    done_ += bytes;
    report_(total_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(total_));
  }

 private:
  const std::function<void(double)>& report_;
  const size_t total_;
  std::mutex mutex_;
  size_t done_ = 0;
};

class SpaceReader {
 public:
  SpaceReader(const OpenedFile& file, const ReadOptions& options)
      : file_(file.bytes),
        stream_cut_(file.cut),
        threads_(options.threads == 0 ? DefaultThreads() : options.threads),
        progress_(options.progress),
        stop_(options.stop) {}

  Result<void> Read(const std::string& name) {
    index_ = IndexSpace(file_.view(), losses_, stream_cut_);
    const bool usable =
        std::ranges::any_of(index_.planes, [](const PlaneIndex& plane) { return IsText(plane.name); });
    // The profiler may have nothing but an error to tell. Other messages have no text there, or more fields.
    const bool only_errors = !index_.has_other_fields && std::ranges::any_of(index_.errors, IsSentence);
    if (!usable && !only_errors)
      return std::unexpected(NotAnXPlane(name, index_.trouble, !index_.planes.empty()));
    ReadPlanes();
    PlanTracks();
    Run();
    if (stop_.stop_requested()) return Unreadable(name + ": nobody waits for it any more");
    Collect();
    return {};
  }

  TraceBuilder& builder() { return builder_; }

 private:
  // A plane name is short and printable; random bytes that happen to parse are not.
  static bool IsText(std::string_view name) {
    return !name.empty() && name.size() < 1024 &&
           std::ranges::all_of(name, [](char c) { return static_cast<uint8_t>(c) >= 0x20; });
  }

  static bool IsSentence(std::string_view error) {
    return !error.empty() && std::ranges::all_of(error, [](char c) {
      return static_cast<uint8_t>(c) >= 0x20 || c == '\n' || c == '\t' || c == '\r';
    });
  }

  void ReadPlanes() {
    tables_.reserve(index_.planes.size());
    for (const PlaneIndex& plane : index_.planes) {
      tables_.push_back(ReadTables(plane, builder_, losses_));
      const PlaneTables& tables = tables_.back();
      Plane added = ClassifyPlane(plane.name, plane.id);
      added.name = builder_.Intern(plane.name);
      added.args = builder_.InternArgs(tables.args);
      if (const auto id = builder_.trace().FindArg(added.args, "process_id"))
        added.process_id = id->integer();
      planes_.push_back(AddOrFind(added));
      if (plane.name == "/host:__ScopeRangeCallStack__") {
        for (const auto& [child, parent] : tables.unnamed_stats) builder_.AddScopeParent(child, parent);
      } else {
        losses_.Add(LossKind::kUnresolved, plane.place,
                    tables.cut_place.empty() ? "plane argument with an unknown id" : kLostToTheCut,
                    tables.unnamed_stats.size());
      }
      for (const ProgramBytes& program : tables.programs) {
        programs_.push_back({program, fmt::format("{} {}", plane.place, program.name), plane.place, {}, {}});
      }
    }
    ReadEnvironment(index_, tables_, builder_);
  }

  // Merged captures may hold a device of one process in parts. Without a process to tell, planes of one name
  // are devices of their own.
  PlaneId AddOrFind(const Plane& plane) {
    if (!plane.process_id) return builder_.AddPlane(plane);
    const auto [at, added] = of_process_.try_emplace({plane.name, *plane.process_id});
    if (added) at->second = builder_.AddPlane(plane);
    return at->second;
  }

  void PlanTracks() {
    std::vector<const LineIndex*> lines;
    for (const PlaneIndex& plane : index_.planes) {
      for (const LineIndex& line : plane.lines) lines.push_back(&line);
    }
    std::vector<LineHeader> headers(lines.size());
    ForEach(lines.size(), threads_, [&](size_t i) {
      headers[i] = ReadLineHeader(lines[i]->bytes, [&](std::string_view part) { file_.Release(part); });
    });
    FindStart(headers);
    size_t next = 0;
    for (size_t p = 0; p < index_.planes.size(); ++p) {
      const size_t first = tracks_.size();
      std::map<int64_t, size_t> by_id;
      for (const LineIndex& line : index_.planes[p].lines) {
        const LineHeader& header = headers[next++];
        if (header.timestamp_ns < 0) {
          losses_.Add(LossKind::kRepaired, fmt::format("{} {}", index_.planes[p].place, header.name),
                      "line with a time stamp below 0: its events count from the capture's beginning");
        }
        const auto [at, added] = by_id.try_emplace(header.id, tracks_.size());
        if (added) {
          if (tracks_.size() >= limits::kMaxTracks) {
            losses_.Add(LossKind::kCapped, index_.planes[p].place, "lines beyond the limit");
            by_id.erase(at);
            continue;
          }
          tracks_.emplace_back().tables = &tables_[p];
        }
        TrackTask& task = tracks_[at->second];
        task.lines.push_back(&line);
        task.bytes += line.bytes.size();
        task.headers.push_back(header);
      }
      for (size_t t = first; t < tracks_.size(); ++t) OpenWriters(tracks_[t], planes_[p]);
    }
  }

  // Data straight from PJRT has no plane that tells when the session began: the first of its Unix stamps is
  // as good. So it is where the session would have begun after all of them.
  void FindStart(const std::vector<LineHeader>& headers) {
    std::optional<int64_t>& start = builder_.environment().start_unix_ns;
    int64_t first = std::numeric_limits<int64_t>::max();
    int64_t last = 0;
    for (const LineHeader& header : headers) {
      if (header.timestamp_ns <= kUnixScaleNs) continue;
      first = std::min(first, header.timestamp_ns);
      last = std::max(last, header.timestamp_ns);
    }
    if (last == 0) return;
    const bool has_start = start && *start > 0;
    if (has_start && *start <= last) return;
    start = first;
    losses_.Add(LossKind::kRepaired, "file",
                has_start ? "the session's start lies behind all lines: times count from the first line"
                          : "no session start in the file: times count from the first line");
  }

  void OpenWriters(TrackTask& task, PlaneId plane) {
    const LineHeader& header = task.headers.front();
    const auto first_text = [&](std::string_view LineHeader::* field) {
      const auto found =
          std::ranges::find_if(task.headers, [&](const LineHeader& h) { return !(h.*field).empty(); });
      return found == task.headers.end() ? std::string_view() : (*found).*field;
    };
    const std::string_view name = first_text(&LineHeader::name);
    TrackInfo info;
    info.plane = plane;
    info.id = header.id;
    info.name = builder_.Intern(name);
    info.display_name = builder_.Intern(first_text(&LineHeader::display_name));
    info.display_id = header.display_id.value_or(header.id);
    info.kind = ClassifyLine(builder_.trace().plane(plane).kind, name);
    info.layout = LayoutOf(info.kind);
    info.offset = std::max(ClampedSum(Base(header), 0).time, Ps(0));
    task.events = builder_.NewTrack(info);
  }

  int64_t Base(const LineHeader& header) {
    return SessionTime(header.timestamp_ns, builder_.environment().start_unix_ns);
  }

  // Lines and programs, the largest first, over the threads.
  void Run() {
    struct Work {
      size_t bytes;
      bool is_track;
      size_t index;
    };
    std::vector<Work> work;
    size_t total = 0;
    for (size_t i = 0; i < tracks_.size(); ++i) work.push_back({tracks_[i].bytes, true, i});
    for (size_t i = 0; i < programs_.size(); ++i) work.push_back({programs_[i].bytes.proto.size(), false, i});
    for (const Work& piece : work) total += piece.bytes;
    std::ranges::stable_sort(work, std::greater(), &Work::bytes);
    ProgressMeter meter(progress_, total);
    ForEach(work.size(), threads_, [&](size_t i) {
      if (stop_.stop_requested()) return;
      if (work[i].is_track) {
        ReadTrack(tracks_[work[i].index], meter);
      } else {
        ReadProgram(programs_[work[i].index]);
        meter.Done(work[i].bytes);
      }
    });
  }

  void ReadTrack(TrackTask& task, ProgressMeter& meter) {
    size_t expected = 0;
    for (const LineHeader& header : task.headers) expected += header.events;
    task.events->Expect(expected);
    const PartRead done = [&](std::string_view part) {
      file_.Release(part);
      meter.Done(part.size());
    };
    const CountedTrack counted = [&]() -> TrackWriter& {
      if (!task.aggregated) {
        TrackInfo info = task.events->info();
        info.kind = TrackKind::kAggregated;
        task.aggregated = builder_.NewTrack(info);
      }
      return *task.aggregated;
    };
    for (size_t i = 0; i < task.lines.size(); ++i) {
      ReadLine(*task.lines[i], *task.tables, Base(task.headers[i]), done, *task.events, counted);
    }
    task.events->Finalize();
    if (task.aggregated) task.aggregated->Finalize();
  }

  void Collect() {
    builder_.Merge(losses_);
    for (TrackTask& task : tracks_) {
      if (task.events->size() > 0 || !task.aggregated) {
        builder_.Add(std::move(*task.events));
      } else {
        builder_.Merge(task.events->losses());
      }
      if (task.aggregated) builder_.Add(std::move(*task.aggregated));
    }
    for (ProgramTask& task : programs_) {
      builder_.Merge(task.losses);
      if (task.program) builder_.AddProgram(std::move(*task.program));
    }
  }

  const Bytes& file_;
  const StreamCut& stream_cut_;
  const size_t threads_;
  const std::function<void(double)>& progress_;
  const std::stop_token stop_;
  TraceBuilder builder_;
  LossLog losses_;
  SpaceIndex index_;
  std::vector<PlaneTables> tables_;  // beside index_.planes
  std::vector<PlaneId> planes_;      // beside index_.planes
  std::map<std::pair<StringId, int64_t>, PlaneId> of_process_;
  std::vector<TrackTask> tracks_;
  std::vector<ProgramTask> programs_;
};

// XProf and XLA dumps leave programs beside a capture, named like the entries of its metadata plane. An empty
// file says that XProf looked for one in vain.
void AddProgramsBeside(const std::string& path, TraceBuilder& builder) {
  std::vector<fs::path> found;
  const fs::path folder = fs::path(path).parent_path();
  for (const std::string& name : NamesIn(folder)) {
    struct stat info{};  // a FIFO or a device would have to be waited for
    if (name.ends_with(".hlo_proto.pb") && ::stat((folder / name).c_str(), &info) == 0 &&
        S_ISREG(info.st_mode) && info.st_size > 0)
      found.push_back(folder / name);
  }
  std::ranges::sort(found);
  if (found.size() > limits::kMaxProgramsBeside) {
    LossLog losses;
    losses.Add(LossKind::kCapped, folder.string(), "HLO programs beside the capture",
               found.size() - limits::kMaxProgramsBeside);
    builder.Merge(losses);
    found.resize(limits::kMaxProgramsBeside);
  }
  for (const fs::path& file : found) {
    const std::string name = file.filename().string();
    // XLA's own dumps have no number: they are of other programs than the numbered ones.
    const uint64_t id = name.find('(') == std::string::npos ? std::hash<std::string>()(name) : IdInName(name);
    if (builder.trace().FindProgram(id)) continue;
    const Result<OpenedFile> opened = OpenFile(file.string());
    ProgramTask task{{name, id, opened ? opened->bytes.view() : std::string_view()}, name, {}, {}, {}};
    if (opened) {
      ReadProgram(task);
    } else {
      task.losses.Add(LossKind::kDropped, name, opened.error().what);
    }
    builder.Merge(task.losses);
    if (task.program) builder.AddProgram(std::move(*task.program));
  }
}

constexpr const char* kFresh = "It changed seconds ago: read it again when its writer is done.";

Result<Trace> Read(const OpenedFile& file, const std::string& name, const std::string& path,
                   const ReadOptions& options) {
  if (std::optional<Error> other = RecogniseOther(file.bytes.view(), name)) {
    if (file.fresh() && IsUnwritten(file.bytes.view())) other->hint = kFresh;
    return std::unexpected(*std::move(other));
  }
  SpaceReader reader(file, options);
  const Result<void> read = reader.Read(name);
  const bool changed = file.bytes.changed();
  if (!read && changed) {
    return Unreadable(name + ": the file was written to while it was read",
                      "Read it again when its writer is done.");
  }
  if (!read && file.fresh()) return Unreadable(read.error().what, kFresh);
  GAIT_CHECK_OK(read);
  TraceBuilder& builder = reader.builder();
  const bool cut = std::ranges::any_of(builder.trace().losses(),
                                       [](const Loss& loss) { return loss.kind == LossKind::kTruncated; });
  if (changed) {
    builder.Lose(LossKind::kTruncated, "file", "it was written to while it was read: read it again");
  } else if (cut && file.fresh()) {
    builder.Lose(LossKind::kTruncated, "file", "it changed seconds ago: its writer may not be done");
  }
  if (!path.empty()) AddProgramsBeside(path, builder);
  AddCpuDevices(builder);
  builder.SetAttribution(Attribute(builder.trace()));
  AddAsyncOperations(builder);
  return std::move(builder).Finish();
}

}  // namespace

Result<Trace> ReadFile(const std::string& path, const ReadOptions& options) {
  const bool is_stdin = path == "-";
  const std::string name = is_stdin ? "standard input" : path;
  const auto check = [&](std::string_view head) { return RecogniseByHead(head, name); };
  GAIT_TRY(OpenedFile file, OpenFile(path, {.check = check, .stop = options.stop}));
  return Read(file, name, is_stdin ? std::string() : path, options);
}

Result<Trace> ReadBytes(Bytes bytes, const std::string& name, const ReadOptions& options) {
  GAIT_TRY(OpenedFile file, Unwrap(std::move(bytes), name));
  return Read(file, name, {}, options);
}

}  // namespace gait::xplane
