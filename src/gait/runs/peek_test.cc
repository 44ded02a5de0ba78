#include "gait/runs/peek.h"

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

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
  EXPECT_TRUE(names.complete);
  EXPECT_EQ(names.planes.size(), 4u);
  EXPECT_EQ(names.hostnames, std::vector<std::string>{"vm"});
  EXPECT_EQ(DevicesText(names), "2 GPU");
}

TEST(PeekPlanes, DevicesInWords) {
  ScratchDir dir;
  EXPECT_EQ(DevicesText(PeekPlanes(dir.Write("c", File({"/host:CPU"})))), "CPU");
  EXPECT_EQ(DevicesText(PeekPlanes(dir.Write("t", File({"/device:TPU:0", "/device:TPU:0 SparseCore 1"})))),
            "1 TPU");
  EXPECT_EQ(DevicesText({}), "?");
}

TEST(PeekPlanes, BadFilesNeverFail) {
  ScratchDir dir;
  const std::string whole = File({"/device:GPU:0", "/host:CPU"});
  for (size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_LE(PeekPlanes(dir.Write("cut", whole.substr(0, size))).planes.size(), 2u);
  }
  EXPECT_FALSE(PeekPlanes(dir.Write("text", "<html>")).complete);
  EXPECT_FALSE(PeekPlanes(dir.Write("varint", std::string(100, '\xff'))).complete);
  EXPECT_FALSE(PeekPlanes(dir.Write("length", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")).complete);
  EXPECT_FALSE(PeekPlanes(dir / "missing").complete);
}

}  // namespace
}  // namespace gait::runs
