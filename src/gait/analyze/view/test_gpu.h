// For tests: a run with GPUs and host threads, event by event. Times in microseconds.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/analyze/view/run_view.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {

class GpuRun {
 public:
  // Work of a GPU. The correlation id joins it with its call; -1: none.
  GpuRun& Work(int64_t gpu, int64_t stream, double begin, double duration, const std::string& name,
               int64_t correlation = -1) {
    return Add(work_[{gpu, stream}], {begin, duration, name, correlation, -1});
  }
  // An event of a host thread: a call with a correlation id, or a step with a number.
  GpuRun& Host(const std::string& thread, double begin, double duration, const std::string& name,
               int64_t correlation = -1, int64_t step = -1) {
    return Add(host_[thread], {begin, duration, name, correlation, step});
  }
  // A further argument of the last event.
  GpuRun& With(const std::string& key, const std::string& text) {
    last_->back().texts.emplace_back(key, text);
    return *this;
  }
  GpuRun& With(const std::string& key, int64_t number) {
    last_->back().numbers.emplace_back(key, number);
    return *this;
  }
  GpuRun& Step(int64_t number, double begin, double duration) {
    return Host("python", begin, duration, "train", -1, number);
  }

  runs::Manifest manifest{};

  // The run lives as long as this.
  RunView View(const Selection& selection = {}) {
    run_ = std::make_unique<LoadedRun>();
    run_->run.path = run_->typed = "runs/x";
    run_->manifest = manifest;
    run_->hosts.push_back({"host0", "", Build()});
    return *RunView::Make(*run_, selection);
  }

  // `start`: the Unix time in ns of the capture's time 0; several hosts stand on one clock by it.
  Trace Build(std::optional<int64_t> start = {}) const {
    TraceBuilder builder;
    builder.environment().start_unix_ns = start;
    std::map<int64_t, PlaneId> planes;
    for (const auto& [where, events] : work_) {
      const auto [gpu, stream] = where;
      if (!planes.contains(gpu)) {
        planes[gpu] = builder.AddPlane({gpu, builder.Intern("/device:GPU:" + std::to_string(gpu)),
                                        PlaneKind::kGpu, gpu, std::nullopt, kNoArgs});
      }
      TrackInfo info;
      info.plane = planes[gpu];
      info.id = stream;
      info.name = builder.Intern("Stream #" + std::to_string(stream));
      info.kind = TrackKind::kStream;
      info.layout = Layout::kLanes;
      Write(builder, info, events);
    }
    const PlaneId host = builder.AddPlane(
        {100, builder.Intern("/host:CPU"), PlaneKind::kHost, std::nullopt, std::nullopt, kNoArgs});
    for (const auto& [name, events] : host_) {
      TrackInfo info;
      info.plane = host;
      info.name = builder.Intern(name);
      info.kind = TrackKind::kThread;
      Write(builder, info, events);
    }
    return std::move(builder).Finish();
  }

 private:
  struct Event {
    double begin;
    double duration;
    std::string name;
    int64_t correlation;
    int64_t step;
    std::vector<std::pair<std::string, std::string>> texts{};
    std::vector<std::pair<std::string, int64_t>> numbers{};
  };

  GpuRun& Add(std::vector<Event>& events, Event event) {
    events.push_back(std::move(event));
    last_ = &events;
    return *this;
  }

  static Ps At(double microseconds) { return Ps(std::llround(microseconds * 1e6)); }

  static void Write(TraceBuilder& builder, TrackInfo info, const std::vector<Event>& events) {
    TrackWriter writer = builder.NewTrack(info);
    for (const Event& event : events) {
      if (event.correlation >= 0)
        writer.Arg(builder.Intern("correlation_id"), ArgValue::Int(event.correlation));
      if (event.step >= 0) writer.Arg(builder.Intern("step_num"), ArgValue::Int(event.step));
      for (const auto& [key, text] : event.texts) {
        writer.Arg(builder.Intern(key), ArgValue::String(builder.Intern(text)));
      }
      for (const auto& [key, number] : event.numbers) writer.Arg(builder.Intern(key), ArgValue::Int(number));
      writer.Event(At(event.begin), At(event.duration), builder.Intern(event.name));
    }
    builder.Add(std::move(writer));
  }

  std::map<std::pair<int64_t, int64_t>, std::vector<Event>> work_;  // by GPU and stream
  std::map<std::string, std::vector<Event>> host_;                  // by thread
  std::vector<Event>* last_ = nullptr;                              // where the last event was put
  std::unique_ptr<LoadedRun> run_;
};

// Four steps of 10 ms that wait for what another thread does for 9 ms, while nothing is recorded on their
// own.
inline GpuRun StarvedLoop(const std::string& loading = "data_loading") {
  GpuRun run;
  for (int i = 0; i < 4; ++i) {
    const double t = 10'000 * i;
    run.Step(i, t, 9'900).Host("loader", t + 100, 9'000, loading);
    run.Host("python", t + 9'120, 5, "launch", i).Work(0, 14, t + 9'130, 600, "Memcpy", i);
    run.Host("python", t + 9'126, 606, "PjRtBuffer::Await");
  }
  return run;
}

}  // namespace gait::analyze
