#include "gait/read/xplane/peek.h"

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

#include "gait/base/testing/scratch_dir.h"

namespace gait::xplane {
namespace {

using gait::testing_support::ScratchDir;
using read::FileState;
using read::Peeked;

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

TEST(Peek, NamesWithoutEvents) {
  ScratchDir dir;
  const Peeked peeked =
      Peek(dir.Write("a", File({"/host:metadata", "/device:GPU:0", "/device:GPU:1", "/host:CPU"})));
  EXPECT_EQ(peeked.state, FileState::kWhole);
  EXPECT_TRUE(peeked.host);
  EXPECT_EQ(peeked.Devices(), "2 GPU");
}

TEST(Peek, DevicesInWords) {
  ScratchDir dir;
  EXPECT_EQ(Peek(dir.Write("c", File({"/host:CPU"}))).Devices(), "CPU");
  EXPECT_EQ(Peek(dir.Write("t", File({"/device:TPU:0", "/device:TPU:0 SparseCore 1"}))).Devices(), "1 TPU");
  EXPECT_EQ(Peeked().Devices(), "damaged");
}

TEST(Peek, StateOfTheFileInWords) {
  ScratchDir dir;
  const std::string whole = File({"/device:GPU:0", "/host:CPU"});
  EXPECT_EQ(Peek(dir / "missing").Devices(), "cannot be opened");
  EXPECT_EQ(Peek(dir.Write("empty", "")).Devices(), "empty");
  EXPECT_EQ(Peek(dir.Write("gz", std::string("\x1f\x8b\x08\0rest", 8))).Devices(), "compressed");
  EXPECT_EQ(Peek(dir.Write("zst", "\x28\xb5\x2f\xfdrest")).Devices(), "compressed");
  for (const size_t zeros : {1, 100'000})
    EXPECT_EQ(Peek(dir.Write("zeros", whole + std::string(zeros, '\0'))).Devices(), "1 GPU");
  EXPECT_EQ(Peek(dir.Write("cut", whole.substr(0, whole.size() - 100))).Devices(), "1 GPU, damaged");
}

TEST(Peek, StartOfTheCapture) {
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
  EXPECT_EQ(Peek(dir.Write("a", data)).start_unix_ns, 1'790'000'000'000'000'002);
  EXPECT_EQ(Peek(dir.Write("b", File({"Task Environment"}))).start_unix_ns, std::nullopt);
}

TEST(Peek, BadFilesNeverFail) {
  ScratchDir dir;
  const std::string whole = File({"/device:GPU:0", "/host:CPU"});
  for (size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_LE(Peek(dir.Write("cut", whole.substr(0, size))).gpus, 1u);
  }
  EXPECT_EQ(Peek(dir.Write("text", "<html>")).state, FileState::kDamaged);
  EXPECT_EQ(Peek(dir.Write("varint", std::string(100, '\xff'))).state, FileState::kDamaged);
  EXPECT_EQ(Peek(dir.Write("length", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")).state,
            FileState::kDamaged);
  EXPECT_EQ(Peek(dir / "missing").state, FileState::kUnopened);
}

}  // namespace
}  // namespace gait::xplane
