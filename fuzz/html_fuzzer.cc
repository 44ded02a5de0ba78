// An XPlane file with one thing wrong, as an HTML report and as one of a comparison: a name from the capture
// never becomes a tag. Every page then has as many of them as any other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gait/html_report/html_report.h"
#include "promise.h"
#include "run_of_bytes.h"
#include "wire_mutator.h"

namespace {

constexpr size_t kLongest = 80'000;  // reports of longer ones take a second each with sanitizers

// Nothing of a page but its own tags begins with a "<": what is filled in is escaped, or base64.
void CheckTags(const gait::Result<std::string>& page) {
  if (!page) return;  // built without the web app, or a run without anything
  const auto tags = std::ranges::count(*page, '<');
  static const auto kTags = tags;
  gait::fuzz::Promise(tags == kTags, "pages have the tags that they were built with");
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  return gait::fuzz::MutateXSpace(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > kLongest) return 0;
  const auto run = gait::fuzz::RunOfBytes(data, size);
  if (run == nullptr) return 0;
  CheckTags(gait::html_report::HtmlReport(run));
  CheckTags(gait::html_report::HtmlDiff(run, run));
  return 0;
}
