// make_large FILE [STEPS]: writes a capture like that of a long GPU training run. With the default of 1000
// steps it has 5.2 million events: kernels with the arguments that XLA gives them, their launches on a host
// thread, runtime threads with annotations, and the Python tracer's deep stacks. The same arguments give the
// same bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include <protozero/pbf_writer.hpp>

namespace {

using protozero::pbf_writer;

constexpr int kKernelsPerStep = 1000;
constexpr int kCopiesPerStep = 50;
constexpr int kRuntimeThreads = 8;
constexpr int kRuntimeEventsPerStep = 60;  // on each runtime thread
constexpr int kPythonDepth = 26;
constexpr int kPythonStacksPerStep = 100;
constexpr int64_t kStepPs = 20'000'000'000;  // 20 ms

// One plane: names get ids as they are met; the tables are written after the lines, as JAX does.
class PlaneWriter {
 public:
  PlaneWriter(int64_t id, std::string_view name) {
    writer_.add_int64(1, id);
    writer_.add_string(2, name.data(), name.size());
  }

  int64_t Event(const std::string& name) { return Id(events_, name); }
  int64_t Stat(const std::string& name) { return Id(stats_, name); }

  void AddLine(const std::string& line) { writer_.add_message(3, line); }
  void AddIntStat(const std::string& name, int64_t value) {
    pbf_writer stat{writer_, 6};
    stat.add_int64(1, Stat(name));
    stat.add_int64(4, value);
  }

  const std::string& Finish() {
    AddTable(4, events_);
    AddTable(5, stats_);
    return bytes_;
  }

 private:
  using Table = std::map<std::string, int64_t>;

  static int64_t Id(Table& table, const std::string& name) {
    return table.try_emplace(name, static_cast<int64_t>(table.size()) + 1).first->second;
  }

  void AddTable(uint32_t field, const Table& table) {
    for (const auto& [name, id] : table) {
      pbf_writer entry{writer_, field};
      entry.add_int64(1, id);
      pbf_writer value{entry, 2};
      value.add_int64(1, id);
      value.add_string(2, name);
    }
  }

  Table events_;
  Table stats_;
  std::string bytes_;
  pbf_writer writer_{bytes_};
};

class LineWriter {
 public:
  LineWriter(int64_t id, const std::string& name) {
    writer_.add_int64(1, id);
    writer_.add_string(2, name);
    writer_.add_int64(3, 48'954);
  }

  // AddStats is called with the event's writer.
  template <typename AddStats>
  void Add(int64_t name, int64_t offset_ps, int64_t duration_ps, AddStats add_stats) {
    pbf_writer event{writer_, 4};
    event.add_int64(1, name);
    event.add_int64(2, offset_ps);
    event.add_int64(3, duration_ps);
    add_stats(event);
  }
  void Add(int64_t name, int64_t offset_ps, int64_t duration_ps) {
    Add(name, offset_ps, duration_ps, [](pbf_writer&) {});
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  pbf_writer writer_{bytes_};
};

enum StatField : uint32_t { kDouble = 2, kUint = 3, kInt = 4, kRef = 7 };

void AddStat(pbf_writer& event, int64_t name, StatField field, uint64_t value) {
  pbf_writer stat{event, 4};
  stat.add_int64(1, name);
  stat.add_uint64(field, value);
}

void AddDouble(pbf_writer& event, int64_t name, double value) {
  pbf_writer stat{event, 4};
  stat.add_int64(1, name);
  stat.add_double(kDouble, value);
}

std::string Numbered(const char* prefix, int n) { return prefix + std::to_string(n); }

uint64_t Correlation(int step, int kernel) {
  return static_cast<uint64_t>(step) * (kKernelsPerStep + kCopiesPerStep) + static_cast<uint64_t>(kernel) +
         1000;
}

std::string DevicePlane(int steps) {
  PlaneWriter plane(0, "/device:GPU:0");
  LineWriter compute(14, "Stream #14(Compute)");
  LineWriter copies(16, "Stream #16(MemcpyH2D)");
  std::minstd_rand random(1);
  const auto ref = [&](const std::string& text) { return static_cast<uint64_t>(plane.Stat(text)); };

  for (int step = 0; step < steps; ++step) {
    for (int k = 0; k < kKernelsPerStep; ++k) {
      // Kernels begin a little before the previous one ends, as on a real stream.
      const int64_t begin = step * kStepPs + k * (kStepPs / kKernelsPerStep);
      const int64_t duration =
          (kStepPs / kKernelsPerStep) - 300'000 + static_cast<int64_t>(random() % 600) * 1000;
      compute.Add(plane.Event(Numbered("loop_fusion_", k % 80)), begin, duration, [&](pbf_writer& e) {
        AddStat(e, plane.Stat("correlation_id"), kUint, Correlation(step, k));
        AddStat(e, plane.Stat("scope_range_id"), kInt, 281'474'976'710'657 + static_cast<uint64_t>(k));
        AddStat(e, plane.Stat("context_id"), kRef, ref("$$1"));
        AddDouble(e, plane.Stat("theoretical_occupancy_pct"), 18.75 + k % 4);
        AddStat(e, plane.Stat("occupancy_min_grid_size"), kInt, 132);
        AddStat(e, plane.Stat("occupancy_suggested_block_size"), kInt, 1024);
        AddStat(e, plane.Stat("kernel_details"), kRef,
                ref("regs:32 static_shared:0 dynamic_shared:0 grid:" + std::to_string(k % 64 + 1) +
                    ",1,1 block:128,1,1 occ_pct:18.75"));
        AddStat(e, plane.Stat("tf_op"), kRef, ref("XlaModule:"));
        AddStat(e, plane.Stat("name"), kRef,
                ref(Numbered("jit(train_step)/layer_", k % 24) + "/mlp/dot_general"));
        AddStat(e, plane.Stat("hlo_op"), kRef, ref(Numbered("loop_fusion.", k)));
        AddStat(e, plane.Stat("unique_hlo_op_id"), kInt, 4'294'967'296 + static_cast<uint64_t>(k));
        AddStat(e, plane.Stat("hlo_module"), kRef, ref("jit_train_step"));
        AddStat(e, plane.Stat("program_id"), kInt, 30);
      });
    }
    for (int c = 0; c < kCopiesPerStep; ++c) {
      const int64_t begin = step * kStepPs + c * (kStepPs / kCopiesPerStep);
      copies.Add(plane.Event("MemcpyH2D"), begin, 1'500'000, [&](pbf_writer& e) {
        AddStat(e, plane.Stat("correlation_id"), kUint, Correlation(step, kKernelsPerStep + c));
        AddStat(e, plane.Stat("context_id"), kRef, ref("$$1"));
        AddStat(e, plane.Stat("memcpy_details"), kRef,
                ref("kind_src:pinned kind_dst:device size:" + std::to_string(4096 << (c % 8)) +
                    " dest:0 async:1"));
      });
    }
  }
  plane.AddLine(compute.bytes());
  plane.AddLine(copies.bytes());
  plane.AddIntStat("core_count", 132);
  plane.AddIntStat("clock_rate", 1'980'000);
  plane.AddIntStat("memory_bandwidth", 4'814'304'000'000);
  plane.AddIntStat("compute_cap_major", 9);
  plane.AddIntStat("process_id", 4711);
  return plane.Finish();
}

// The training thread: the step's annotation, launches, and the Python tracer's nested calls.
std::string MainThread(PlaneWriter& plane, int steps) {
  LineWriter line(-9'193'903'911'241'632'456, "python3");
  const int64_t stack_ps = kStepPs / kPythonStacksPerStep;
  const int launches_per_stack = (kKernelsPerStep + kCopiesPerStep) / kPythonStacksPerStep;
  for (int step = 0; step < steps; ++step) {
    line.Add(plane.Event("train"), step * kStepPs, kStepPs - 1'000'000, [&](pbf_writer& e) {
      AddStat(e, plane.Stat("_r"), kInt, 1);
      AddStat(e, plane.Stat("step_num"), kInt, static_cast<uint64_t>(step));
    });
    for (int s = 0; s < kPythonStacksPerStep; ++s) {
      const int64_t begin = step * kStepPs + s * stack_ps + 1'000'000;
      for (int depth = 0; depth < kPythonDepth; ++depth) {
        const int function = (s * 7 + depth * 13) % 400;
        line.Add(
            plane.Event("$train.py:" + std::to_string(function) + " function_" + std::to_string(function)),
            begin + depth * 1000, stack_ps - 2'000'000 - depth * 2000);
      }
      for (int n = 0; n < launches_per_stack; ++n) {
        const int k = s * launches_per_stack + n;
        const std::string name =
            k < kKernelsPerStep ? Numbered("loop_fusion_", k % 80) : "cuMemcpyHtoDAsync_v2";
        line.Add(plane.Event(name), begin + 100'000'000 + n * 8'000'000, 3'000'000, [&](pbf_writer& e) {
          AddStat(e, plane.Stat("correlation_id"), kUint, Correlation(step, k));
          AddStat(e, plane.Stat("device_id"), kInt, 0);
        });
      }
    }
  }
  return line.bytes();
}

std::string RuntimeThread(PlaneWriter& plane, int thread, int steps) {
  LineWriter line(7'000'000'000 + thread, Numbered("pjrt_async_work_runner/", thread));
  const int64_t period = kStepPs / kRuntimeEventsPerStep;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < kRuntimeEventsPerStep; ++i) {
      line.Add(plane.Event(Numbered("H2D Dispatch ", i % 10)), step * kStepPs + i * period, period / 2,
               [&](pbf_writer& e) {
                 AddStat(e, plane.Stat("_ct"), kInt, 5);
                 AddStat(e, plane.Stat("_c"), kUint,
                         static_cast<uint64_t>(step) * 1000 + static_cast<uint64_t>(i));
               });
    }
  }
  return line.bytes();
}

std::string HostPlane(int steps) {
  PlaneWriter plane(1, "/host:CPU");
  for (int thread = 0; thread < kRuntimeThreads; ++thread) {
    plane.AddLine(RuntimeThread(plane, thread, steps));
  }
  plane.AddLine(MainThread(plane, steps));
  plane.AddIntStat("process_id", 4711);
  return plane.Finish();
}

std::string EnvironmentPlane(int steps) {
  constexpr int64_t start_ns = 1'794'709'133'178'307'784;
  PlaneWriter plane(2, "Task Environment");
  plane.AddIntStat("profile_start_time", start_ns);
  plane.AddIntStat("profile_stop_time", start_ns + steps * (kStepPs / 1000));
  return plane.Finish();
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 2 ? std::atoi(argv[2]) : 1000;
  if (argc < 2 || steps <= 0) {
    std::fprintf(stderr, "usage: make_large FILE [STEPS]\n");
    return 2;
  }
  std::ofstream file(argv[1], std::ios::binary);
  for (const std::string& plane : {DevicePlane(steps), HostPlane(steps), EnvironmentPlane(steps)}) {
    std::string head;
    pbf_writer writer{head};
    writer.add_message(1, plane);
    file << head;
  }
  std::string tail;
  pbf_writer{tail}.add_string(4, "vm");
  file << tail;
  file.close();
  return file ? 0 : 1;
}
