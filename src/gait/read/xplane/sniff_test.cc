#include "gait/read/xplane/sniff.h"

#include <gtest/gtest.h>

#include "gait/read/xplane/reader.h"
#include "gait/read/xplane/testing/space_writer.h"

namespace gait::xplane {
namespace {

using testing_support::BytesField;
using testing_support::PlaneWriter;
using testing_support::Space;

struct Case {
  std::string content;
  std::string_view says;
};

TEST(RecogniseOther, SaysWhatAFileLooksLike) {
  const Case cases[] = {
      {"", "the file is empty"},
      {std::string(100, '\0'), "nothing but zero bytes"},
      {"<!DOCTYPE html><html>", "web page"},
      {"\n  <!doctype html>", "web page"},
      {"<html><head>", "web page"},
      {"<!DocType HTML>", "web page"},
      {"<!-- saved from --><html>", "web page"},
      {"<?xml version='1.0'?>", "web page"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS pointer"},
      {"{\"displayTimeUnit\":\"ns\"}", "JSON"},
      {"\xef\xbb\xbf[{}]", "JSON"},
      {"just a note\n", "text file"},
      {"PK\x03\x04rest", "zip archive"},
      {std::string("\xfd"
                   "7zXZ\0\0",
                   7),
       "xz-compressed"},
      {"BZh91AY", "bzip2"},
      {"\x7f"
       "ELF\x02",
       "a program"},
      {std::string("SQLite format 3\0", 16), "SQLite"},
      {"\x89PNG\r\n", "picture"},
      {BytesField(1, "") + BytesField(5, "") + BytesField(6, "") + BytesField(6, "space"),
       "device memory profile"},
      {BytesField(1, BytesField(1, "jit_f") + BytesField(3, "")), "HLO program"},
      {"PAR1\x15", "Parquet"},
      {std::string("a.txt") + std::string(252, '\0') + "ustar  ", "tar archive"},
      {"\x1f\x8b\x08", "compressed twice"},
  };
  for (const Case& c : cases) {
    const auto error = RecogniseOther(c.content, "dir/x.xplane.pb");
    ASSERT_TRUE(error) << c.says;
    EXPECT_EQ(error->kind, ErrorKind::kUnreadable);
    EXPECT_NE(error->what.find(c.says), std::string::npos) << error->what;
    EXPECT_TRUE(error->what.starts_with("dir/x.xplane.pb: ")) << error->what;
    EXPECT_EQ(error->what.find('\n'), std::string::npos);
  }
}

TEST(RecogniseOther, HeadsThatCannotGoOnAsAProfile) {
  const std::string plane = PlaneWriter("/host:CPU").Line({.events = {"", ""}}).Finish();
  EXPECT_FALSE(RecogniseByHead(Space({plane, plane}).substr(0, plane.size() + 10), "x"));
  EXPECT_TRUE(RecogniseByHead("\x07\x07", "x"));
  EXPECT_TRUE(RecogniseByHead(BytesField(99, "a") + BytesField(1, ""), "x"));
}

// As when bytes are written twice: what was a plane's own lies outside of it.
TEST(RecogniseOther, DamageBesideAPlaneIsNotAnotherKindOfFile) {
  const std::string space = Space({PlaneWriter("/host:CPU").Line({.events = {"", ""}}).Finish()});
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT_FALSE(RecogniseOther(
      Space({PlaneWriter("/host:CPU").EventName(1, replaced + replaced + replaced + replaced).Finish()}),
      "x"));
  for (const std::string& damage :
       {BytesField(5, "") + BytesField(6, ""), BytesField(99, "a"), std::string("\x07\x07")}) {
    EXPECT_FALSE(RecogniseOther(space + damage, "x"));
    EXPECT_FALSE(RecogniseByHead(space + damage, "x"));
    EXPECT_TRUE(ReadBytes(Bytes(space + damage), "x", {}));
  }
}

// A capture may hold nothing but an error of the profiler; results of TensorBoard's tools look much like
// that.
TEST(RecogniseOther, ToolFilesAreNoCapturesWithoutPlanes) {
  EXPECT_TRUE(ReadBytes(Bytes(BytesField(2, "Failed to load\nlibcupti") + BytesField(4, "vm")), "x", {}));
  const std::string message = BytesField(2, BytesField(1, "MatMul"));
  EXPECT_FALSE(ReadBytes(Bytes(BytesField(1, message) + message), "overview page", {}));
  const std::string pipeline = BytesField(2, "CPU") + BytesField(5, "\x08\x01") + BytesField(6, message);
  EXPECT_FALSE(RecogniseOther(pipeline, "x"));  // no memory profile: its first text is not empty
  EXPECT_FALSE(ReadBytes(Bytes(pipeline), "input pipeline", {}));
}

TEST(RecogniseOther, FilesCopiedAsText) {
  std::string binary;
  for (int i = 0; i < 1000; ++i) binary += BytesField(1, std::string(128 + i % 64, '\x03'));
  EXPECT_FALSE(RecogniseOther(binary, "x"));
  std::string line_ends;
  std::string characters;
  for (const char c : binary) {
    line_ends += c == '\n' ? "\r\n" : std::string(1, c);
    const auto byte = static_cast<uint8_t>(c);
    characters += byte < 0x80 ? std::string(1, c)
                              : std::string{static_cast<char>(0xc0 | byte >> 6),
                                            static_cast<char>(0x80 | (byte & 0x3f))};
  }
  EXPECT_NE(RecogniseOther(line_ends, "x")->what.find("carriage return"), std::string::npos);
  EXPECT_NE(RecogniseOther(characters, "x")->what.find("UTF-8"), std::string::npos);
}

// What a text tool does to a binary file: every byte that is no UTF-8 becomes U+FFFD.
std::string Mangle(std::string_view bytes) {
  std::string mangled;
  for (const char c : bytes) mangled += static_cast<uint8_t>(c) < 0x80 ? std::string(1, c) : "\xef\xbf\xbd";
  return mangled;
}

TEST(RecogniseOther, ATextConversionIsRecognised) {
  PlaneWriter plane("/host:CPU");
  testing_support::Line line{.id = -77, .name = "python"};
  for (int i = 0; i < 200; ++i) line.events.push_back(testing_support::Event(i, i * 1'000'000, 12'345'678));
  plane.Line(line);
  const std::string intact = Space({plane.Finish()});
  EXPECT_FALSE(RecogniseOther(intact, "x"));
  const auto error = RecogniseOther(Mangle(intact), "x");
  ASSERT_TRUE(error);
  EXPECT_NE(error->what.find("U+FFFD"), std::string::npos);
  EXPECT_NE(error->hint.find("binary mode"), std::string::npos);
}

TEST(RecogniseOther, AFewReplacementCharactersInNamesAreFine) {
  PlaneWriter plane("/host:CPU");
  for (int i = 0; i < 100; ++i) plane.EventName(i, "a long enough name of an event " + std::to_string(i));
  plane.EventName(101, "na\xef\xbf\xbdme").EventName(102, "na\xef\xbf\xbdme");
  EXPECT_FALSE(RecogniseOther(Space({plane.Finish()}), "x"));
}

TEST(RecogniseOther, AnXPlaneMayBeOne) {
  EXPECT_FALSE(RecogniseOther(Space({PlaneWriter("/host:CPU").Finish()}), "x"));
  EXPECT_FALSE(RecogniseOther(std::string("\x0a\x00", 2), "x"));
}

TEST(RecogniseOther, TextIsUtf8WithoutControlBytes) {
  const auto is_text = [](const std::string& content) {
    const auto error = RecogniseOther(content, "x");
    return error && error->what.find("text file") != std::string::npos;
  };
  EXPECT_TRUE(
      is_text("Gr\xc3\xbc\xc3\x9f"
              "e\n"));
  EXPECT_TRUE(
      is_text("a" + std::string(4'000, '\n') + std::string(94, 'b') + "\xc3\xbc at the sample's end"));
  EXPECT_FALSE(is_text("\n\x80\x80\x80\x80\x80 abc"));  // a plane of 2^40 bytes
  EXPECT_FALSE(is_text("\xc0\xaf and more"));
  EXPECT_FALSE(is_text("cut \xc3"));
  EXPECT_FALSE(is_text("bell\x07"));
  EXPECT_FALSE(is_text("\nab"));
}

TEST(NotAnXPlane, GivesTheTrouble) {
  EXPECT_NE(NotAnXPlane("x", "", false).what.find("no planes"), std::string::npos);
  EXPECT_NE(NotAnXPlane("x", "", true).what.find("no plane has a readable name"), std::string::npos);
  EXPECT_NE(NotAnXPlane("x", "ends early at byte 9", true).what.find("ends early at byte 9"),
            std::string::npos);
}

}  // namespace
}  // namespace gait::xplane
