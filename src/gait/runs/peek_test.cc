#include "gait/runs/peek.h"

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

#include "gait/runs/find.h"
#include "gait/runs/scratch_dir.h"

namespace gait::runs {
namespace {

std::string File(std::initializer_list<const char*> planes) {
  std::string data;
  protozero::pbf_writer space(data);
  for (const char* name : planes) {
    protozero::pbf_writer plane(space, 1);
    plane.add_int64(1, 7);
    plane.add_string(2, name);
    plane.add_bytes(3, std::string(5000, '\xff'));  // a line: never looked at
  }
  space.add_string(4, "vm");
  return data;
}

TEST(PeekPlanes, NamesWithoutEvents) {
  ScratchDir dir;
  const PlaneNames names =
      PeekPlanes(dir.Write("a", File({"/host:metadata", "/device:GPU:0", "/device:GPU:1", "/host:CPU"})));
  EXPECT_EQ(names.state, FileState::kWhole);
  EXPECT_EQ(names.planes.size(), 4u);
  EXPECT_EQ(names.hostnames, std::vector<std::string>{"vm"});
  EXPECT_EQ(DevicesText(names), "2 GPU");
}

// A name is a local time without a zone: beside runs that know their time it would sort by where it is read.
TEST(FindRuns, RunsThatKnowTheirTimeAreSortedByIt) {
  ScratchDir dir;
  const auto space_of = [](int64_t start_ns) {
    std::string data;
    protozero::pbf_writer space(data);
    protozero::pbf_writer plane(space, 1);
    plane.add_string(2, "Task Environment");
    {
      protozero::pbf_writer entry(plane, 5);
      entry.add_int64(1, 1);
      protozero::pbf_writer metadata(entry, 2);
      metadata.add_int64(1, 1);
      metadata.add_string(2, "profile_start_time");
    }
    protozero::pbf_writer stat(plane, 6);
    stat.add_int64(1, 1);
    stat.add_int64(4, start_ns);
    stat.commit();
    plane.commit();
    return data;
  };
  dir.Write("2026_02_02_00_00_00/vm.xplane.pb", space_of(1'700'000'000'000'000'000));
  EXPECT_EQ(FindRuns(dir.path())->runs[0].time_from, TimeFrom::kName);
  dir.Write("named/vm.xplane.pb", space_of(1'700'000'001'000'000'000));
  const auto listing = FindRuns(dir.path());
  EXPECT_EQ(listing->runs[0].label, "named");
  EXPECT_EQ(listing->runs[1].time_s, 1'700'000'000);
}

TEST(PeekPlanes, DevicesInWords) {
  ScratchDir dir;
  EXPECT_EQ(DevicesText(PeekPlanes(dir.Write("c", File({"/host:CPU"})))), "CPU");
  EXPECT_EQ(DevicesText(PeekPlanes(dir.Write("t", File({"/device:TPU:0", "/device:TPU:0 SparseCore 1"})))),
            "1 TPU");
  EXPECT_EQ(DevicesText({}), "damaged");
}

TEST(PeekPlanes, StateOfTheFileInWords) {
  ScratchDir dir;
  const std::string whole = File({"/device:GPU:0", "/host:CPU"});
  EXPECT_EQ(DevicesText(PeekPlanes(dir / "missing")), "cannot be opened");
  EXPECT_EQ(DevicesText(PeekPlanes(dir.Write("empty", ""))), "empty");
  EXPECT_EQ(DevicesText(PeekPlanes(dir.Write("gz", std::string("\x1f\x8b\x08\0rest", 8)))), "compressed");
  EXPECT_EQ(DevicesText(PeekPlanes(dir.Write("zst", "\x28\xb5\x2f\xfdrest"))), "compressed");
  for (const size_t zeros : {1, 100'000})
    EXPECT_EQ(DevicesText(PeekPlanes(dir.Write("zeros", whole + std::string(zeros, '\0')))), "1 GPU");
  EXPECT_EQ(DevicesText(PeekPlanes(dir.Write("cut", whole.substr(0, whole.size() - 100)))), "1 GPU, damaged");
}

TEST(PeekPlanes, StartOfTheCapture) {
  std::string data = File({"/device:GPU:0"});
  {
    protozero::pbf_writer space(data);
    protozero::pbf_writer plane(space, 1);
    plane.add_string(2, "Task Environment");
    for (uint64_t id : {1, 2}) {
      protozero::pbf_writer entry(plane, 5);
      entry.add_uint64(1, id);
      protozero::pbf_writer metadata(entry, 2);
      metadata.add_uint64(1, id);
      metadata.add_string(2, id == 2 ? "profile_start_time" : "profile_stop_time");
    }
    for (uint64_t id : {1, 2}) {
      protozero::pbf_writer stat(plane, 6);
      stat.add_uint64(1, id);
      stat.add_uint64(3, 1'790'000'000'000'000'000 + id);
    }
  }
  ScratchDir dir;
  EXPECT_EQ(PeekPlanes(dir.Write("a", data)).start_unix_ns, 1'790'000'000'000'000'002);
  EXPECT_EQ(PeekPlanes(dir.Write("b", File({"Task Environment"}))).start_unix_ns, std::nullopt);
}

TEST(PeekPlanes, BadFilesNeverFail) {
  ScratchDir dir;
  const std::string whole = File({"/device:GPU:0", "/host:CPU"});
  for (size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_LE(PeekPlanes(dir.Write("cut", whole.substr(0, size))).planes.size(), 2u);
  }
  EXPECT_EQ(PeekPlanes(dir.Write("text", "<html>")).state, FileState::kDamaged);
  EXPECT_EQ(PeekPlanes(dir.Write("varint", std::string(100, '\xff'))).state, FileState::kDamaged);
  EXPECT_EQ(PeekPlanes(dir.Write("length", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")).state,
            FileState::kDamaged);
  EXPECT_EQ(PeekPlanes(dir / "missing").state, FileState::kUnopened);
}

}  // namespace
}  // namespace gait::runs
