#include "gait/write/chrome_json.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "gait/base/limits.h"
#include "gait/report/json.h"
#include "gait/write/gzip_text.h"

namespace gait::write {
namespace {

std::string_view Category(TrackKind kind) {
  switch (kind) {
    case TrackKind::kThread:
      return "host";
    case TrackKind::kStream:
      return "kernel";
    case TrackKind::kOps:
    case TrackKind::kAsyncOps:
      return "op";
    case TrackKind::kModules:
      return "program";
    case TrackKind::kSteps:
      return "step";
    case TrackKind::kCounters:
      return "counter";
    case TrackKind::kOverhead:
      return "overhead";
    case TrackKind::kAggregated:
    case TrackKind::kOther:
      return "other";
  }
  return "other";
}

// The thread of each event: those of one thread are apart or contain each other, as viewers want it.
struct Threads {
  std::vector<uint32_t> of_event;
  uint32_t count = 1;
};

Threads AssignThreads(const Track& track) {
  Threads threads;
  threads.of_event.resize(track.size());
  if (track.info().layout == Layout::kLanes) {
    for (size_t i = 0; i < track.size(); ++i) threads.of_event[i] = track.lane(EventIndex(i));
    threads.count = std::max<uint32_t>(track.lanes(), 1);
    return threads;
  }
  std::vector<std::vector<Ps>> open(1);  // by thread: the ends of the events around the next one
  for (size_t i = 0; i < track.size(); ++i) {
    const Interval event = track.interval(EventIndex(i));
    uint32_t thread = 0;
    for (;; ++thread) {
      if (thread == open.size()) open.emplace_back();
      std::vector<Ps>& ends = open[thread];
      while (!ends.empty() && ends.back() <= event.begin) ends.pop_back();
      if (ends.empty() || event.end <= ends.back() || thread + 1 >= limits::kMaxLanes) break;
    }
    open[thread].push_back(event.end);
    threads.of_event[i] = thread;
  }
  threads.count = static_cast<uint32_t>(open.size());
  return threads;
}

class Writer {
 public:
  explicit Writer(const Trace& trace)
      : trace_(trace), names_(trace.strings().size()), sets_(trace.arg_sets().size()) {}

  std::string Write(const std::function<void(double)>& progress) {
    out_.Add("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (size_t i = 0; i < trace_.planes().size(); ++i)
      Describe("process", i + 1, 0, Name(trace_.planes()[i].name), i);
    const auto all = static_cast<double>(std::max<size_t>(trace_.event_count(), 1));
    size_t thread = 0;
    size_t done = 0;
    for (size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.info().derived) continue;
      thread += WriteTrack(TrackId(t), track, thread);
      done += track.size();
      if (progress) progress(static_cast<double>(done) / all);
    }
    Flush();
    out_.Add("]}\n");
    return out_.Finish();
  }

 private:
  // A string of the trace in quotes.
  const std::string& Name(StringId id) {
    std::string& name = names_[id.value];
    if (name.empty()) name = report::JsonString(trace_.text(id));
    return name;
  }

  void Describe(std::string_view what, size_t process, size_t thread, std::string_view name, size_t order) {
    Begin();
    fmt::format_to(std::back_inserter(buffer_),
                   R"({{"ph":"M","pid":{},"tid":{},"name":"{}_name","args":{{"name":{}}}}},)"
                   R"({{"ph":"M","pid":{},"tid":{},"name":"{}_sort_index","args":{{"sort_index":{}}}}})",
                   process, thread, what, name, process, thread, what, order);
    End();
  }

  // How many threads it needed.
  size_t WriteTrack(TrackId id, const Track& track, size_t first_thread) {
    const TrackInfo& info = track.info();
    const size_t process = info.plane.value + 1;
    const std::string_view shown =
        trace_.text(info.display_name).empty() ? trace_.text(info.name) : trace_.text(info.display_name);
    const Threads threads = AssignThreads(track);
    for (uint32_t i = 0; i < threads.count; ++i) {
      std::string name = shown.empty() ? fmt::format("#{}", info.id) : std::string(shown);
      if (i > 0) name += fmt::format(" ({})", i + 1);
      Describe("thread", process, first_thread + i + 1, report::JsonString(name), first_thread + i);
    }
    const std::string_view category = Category(info.kind);
    for (size_t i = 0; i < track.size(); ++i) {
      WriteEvent({id, EventIndex(i)}, track, process, first_thread + threads.of_event[i] + 1, category);
    }
    return threads.count;
  }

  void WriteEvent(EventRef event, const Track& track, size_t process, size_t thread,
                  std::string_view category) {
    Begin();
    const auto out = std::back_inserter(buffer_);
    const bool counter = track.info().kind == TrackKind::kCounters;
    fmt::format_to(out, R"({{"ph":"{}","pid":{},"tid":{},"cat":"{}","name":{},"ts":)", counter ? 'C' : 'X',
                   process, thread, category, Name(track.name(event.index)));
    Microseconds(track.begin(event.index));
    if (!counter) {
      buffer_.append(std::string_view(",\"dur\":"));
      Microseconds(track.duration(event.index));
    }
    WriteArgs(event, track.args(event.index), counter);
    buffer_.push_back('}');
    End();
  }

  // Exact: a double would lose the picoseconds.
  void Microseconds(Ps time) {
    constexpr int64_t kPsPerUs = 1'000'000;
    const int64_t ps = time.value();
    const uint64_t size = ps < 0 ? 0 - static_cast<uint64_t>(ps) : static_cast<uint64_t>(ps);
    fmt::format_to(std::back_inserter(buffer_), "{}{}.{:06}", ps < 0 ? "-" : "", size / kPsPerUs,
                   size % kPsPerUs);
  }

  void WriteArgs(EventRef event, ArgSetId set, bool numbers_only) {
    if (set == kNoArgs) return;
    std::string& known = sets_[set.value];
    if (!known.empty() && !numbers_only) {
      buffer_.append(known);
      return;
    }
    std::string args;
    trace_.ForEachArg(event, [&](StringId key, ArgValue value) {
      if (numbers_only && !value.number()) return;  // a counter has nothing else
      args += fmt::format("{}{}:{}", args.empty() ? "" : ",", Name(key), Value(value));
    });
    const std::string text = args.empty() ? std::string() : ",\"args\":{" + args + "}";
    bool varying = false;
    for (const ArgEntry& entry : trace_.arg_sets()[set]) varying |= entry.varying;
    if (!varying && !numbers_only) known = text;
    buffer_.append(text);
  }

  std::string Value(ArgValue value) {
    switch (value.type) {
      case ArgType::kInt:
        return Integer(static_cast<int64_t>(value.bits), std::to_string(static_cast<int64_t>(value.bits)));
      case ArgType::kUint:
        return Integer(static_cast<int64_t>(std::min<uint64_t>(value.bits, INT64_MAX)),
                       std::to_string(value.bits));
      case ArgType::kDouble: {
        const double number = std::bit_cast<double>(value.bits);
        return std::isfinite(number) ? fmt::format("{}", number) : "null";
      }
      case ArgType::kString:
        return Name(value.string());
      case ArgType::kBytes:
        return fmt::format("\"{} bytes\"", trace_.text(value.string()).size());
    }
    return "null";
  }

  // Beyond 2^53 JavaScript would change it.
  static std::string Integer(int64_t value, const std::string& digits) {
    constexpr int64_t kExact = int64_t{1} << 53;
    return value > kExact || value < -kExact ? "\"" + digits + "\"" : digits;
  }

  void Begin() {
    if (!first_) buffer_.push_back(',');
    first_ = false;
  }
  void End() {
    constexpr size_t kPiece = size_t{1} << 16;
    if (buffer_.size() >= kPiece) Flush();
  }
  void Flush() {
    out_.Add({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  const Trace& trace_;
  std::vector<std::string> names_;  // by StringId: in quotes, once asked for
  std::vector<std::string> sets_;   // by ArgSetId: as JSON, of those that do not vary
  fmt::memory_buffer buffer_;
  GzipText out_;
  bool first_ = true;
};

}  // namespace

std::string ChromeJson(const Trace& trace, const std::function<void(double)>& progress) {
  return Writer(trace).Write(progress);
}

}  // namespace gait::write
