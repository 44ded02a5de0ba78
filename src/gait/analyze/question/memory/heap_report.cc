#include "gait/analyze/question/memory/heap_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gait/analyze/question/memory/heap.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"
#include "gait/runs/names.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextPlaces = 15;

std::string SizeText(int64_t bytes) { return report::BytesText(static_cast<uint64_t>(std::abs(bytes))); }

Table PlacesTable(const HeapProfile& profile, const HeapSummary& summary) {
  // Lines of JAX that made nothing themselves follow; as text they are noise.
  std::vector<HeapPlace> places = summary.places;
  const auto rest = std::ranges::stable_partition(
      places, [](const HeapPlace& p) { return p.flat_count > 0 || !IsOfJax(p.frame); });
  const auto own = places.size() - rest.size();
  TableOf<HeapPlace> t(
      {.name = "heap_places", .text_rows = std::clamp<size_t>(own, 1, kTextPlaces), .key = "place"});
  t.Hidden("profile", "the file", [&](const HeapPlace&) { return profile.path; });
  t.Add("place", {.elastic = true},
        "a line of the program; flat memory belongs to the innermost line outside JAX",
        [](const HeapPlace& p) { return PlaceText(p.frame); });
  t.Hidden("function", "its function", [](const HeapPlace& p) { return p.frame.function; });
  t.Hidden("file", "its file", [](const HeapPlace& p) { return p.frame.file; });
  t.Add("line", {.hidden = true, .identifier = true}, "its line",
        [](const HeapPlace& p) { return p.frame.line; });
  t.Bytes("flat", "memory that this line itself made; sums to the total", &HeapPlace::flat);
  t.Percent("share", {.head = "of total"}, "flat over the total",
            [&](const HeapPlace& p) { return Percent(p.flat, summary.bytes); });
  t.Bytes("cumulative", "memory that this line or anything called from it made", &HeapPlace::cumulative);
  t.Add("count", "allocations, cumulative", &HeapPlace::cumulative_count);
  t.Hidden("flat_count", "allocations that this line itself made", &HeapPlace::flat_count);
  t.Hidden("of_jax", "yes: a line of JAX itself", [](const HeapPlace& p) { return IsOfJax(p.frame); });
  return t.Of(places);
}

Table TotalsTable(const std::vector<HeapProfile>& profiles) {
  const HeapProfile* profile = nullptr;  // of the row
  TableOf<HeapTotal> t({.name = "heap_totals", .text_rows = kTextPlaces, .key = "kind"});
  t.Add("profile", {.hidden = profiles.size() == 1, .elastic = true, .keep_end = true}, "the file",
        [&](const HeapTotal&) { return profile->path; });
  t.Add("kind", "buffer: an array; executable: a compiled program", Known(&HeapTotal::kind, "no label"));
  t.Add("device", {.elastic = true}, "whose memory it is; executables have none",
        Known(&HeapTotal::device, "executables belong to no device"));
  t.Bytes("bytes", "together", &HeapTotal::bytes);
  t.Add("count", "how many", &HeapTotal::count);
  t.Hidden("unknown", "how many of a size that the backend does not know", &HeapTotal::unknown);
  for (const HeapProfile& p : profiles) {
    profile = &p;
    t.Rows(Summarize(p).totals);
  }
  return t.Done();
}

std::string StackText(const HeapStack& stack) {
  std::string text;
  for (const HeapFrame& frame : stack.frames)
    text += fmt::format("{}{}", text.empty() ? "" : " < ", PlaceText(frame));
  return text.empty() ? PlaceText({}) : text;
}

TextCell Devices(const HeapStack& stack) {
  if (stack.devices.empty()) return Unknown{"no label"};
  if (stack.devices.size() == 1) return *stack.devices.begin();
  return fmt::format("{} devices", stack.devices.size());
}

std::string Site(const HeapStack& stack) {
  return PlaceText(stack.frames.empty() ? HeapFrame{} : stack.frames.front());
}

TextCell Caller(const HeapStack& stack) {
  if (stack.frames.size() < 2) return Unknown{"nothing called it"};
  return PlaceText(stack.frames[1]);
}

Table DiffTable(const std::vector<HeapProfile>& profiles, const std::vector<HeapStack>& stacks) {
  const bool many = profiles.size() > 2;
  const auto changed =
      std::ranges::count_if(stacks, [](const HeapStack& s) { return s.state() != HeapState::kSame; });
  const auto steps = static_cast<int64_t>(profiles.size() - 1);
  TableOf<HeapStack> t({.name = "heap_diff",
                        .if_empty = "nothing is allocated in any of the files",
                        .text_rows = std::clamp<size_t>(static_cast<size_t>(changed), 1, kTextPlaces),
                        .key = "site"});
  t.Add("site", {.elastic = true}, "the innermost line outside JAX", Site);
  t.Hidden("caller", "the line that called it", Caller);
  t.Hidden("kind", "buffer or executable", Known(&HeapStack::kind, "no label"));
  t.Hidden("device", "whose memory it is", Devices);
  t.Add("state", "new, gone, grown, shrunk or same, from the first file to the last",
        [](const HeapStack& s) { return Name(s.state()); });
  t.Bytes("before", "in the first file", [](const HeapStack& s) { return s.bytes.front(); });
  t.Bytes("after", "in the last file", [](const HeapStack& s) { return s.bytes.back(); });
  t.Bytes("change", {.hidden = many}, "after less before", &HeapStack::change);
  t.Bytes("per_profile", {.head = "a file", .hidden = !many},
          "change divided by the number of files less one",
          [steps](const HeapStack& s) { return s.change() / steps; });
  t.Add("leak", {.head = "always up", .hidden = !many},
        "yes: more bytes in each file than in the one before, of three or more", &HeapStack::leaks);
  t.Hidden("bytes", unit::kBytes, "in each file", [](const HeapStack& s) { return ListCell(s.bytes, " "); });
  t.Hidden("counts", "allocations in each file", [](const HeapStack& s) { return ListCell(s.counts, " "); });
  t.Hidden("stack", "its lines outside JAX, the innermost first", StackText);
  return t.Of(stacks);
}

Table StacksTable(const std::vector<HeapStack>& stacks) {
  TableOf<HeapStack> t({.name = "heap_stacks", .hidden = true, .key = "stack"});
  t.Add("stack", {.below = true}, "its lines outside JAX, the innermost first", StackText);
  t.Add("kind", "buffer or executable", Known(&HeapStack::kind, "no label"));
  t.Add("device", {.elastic = true}, "whose memory it is", Devices);
  t.Bytes("bytes", "together", [](const HeapStack& s) { return s.bytes.back(); });
  t.Add("count", "allocations", [](const HeapStack& s) { return s.counts.back(); });
  return t.Of(stacks);
}

std::string AnswerOne(const HeapSummary& summary) {
  if (summary.count == 0) return "Nothing is allocated.";
  std::string text = fmt::format("{} in {}", SizeText(summary.bytes),
                                 report::Plural(static_cast<uint64_t>(summary.count), "allocation"));
  const HeapPlace& top = summary.places.front();
  if (top.flat > 0) text += fmt::format("; most at {}: {}", PlaceText(top.frame), SizeText(top.flat));
  return text + ".";
}

std::string AnswerMany(const std::vector<HeapProfile>& profiles, const std::vector<HeapStack>& stacks) {
  const int64_t before = Summarize(profiles.front()).bytes;
  const int64_t after = Summarize(profiles.back()).bytes;
  std::string text = fmt::format("{} → {}, {}{} over {} profiles", SizeText(before), SizeText(after),
                                 after < before ? "-" : "+", SizeText(after - before), profiles.size());
  const auto leaks = std::ranges::count_if(stacks, &HeapStack::leaks);
  if (leaks > 0) {
    text += fmt::format("; {} in every one of them, most at {}: +{} a profile",
                        leaks == 1 ? "one stack grows" : fmt::format("{} stacks grow", leaks),
                        Site(stacks.front()),
                        SizeText(stacks.front().change() / static_cast<int64_t>(profiles.size() - 1)));
  } else if (!stacks.empty() && stacks.front().change() != 0) {
    text += fmt::format("; largest change at {}: {}{}", Site(stacks.front()),
                        stacks.front().change() < 0 ? "-" : "+", SizeText(stacks.front().change()));
  }
  if (profiles.size() > 2 && leaks == 0) text += "; nothing grows in every one of them";
  return text + ".";
}

// A shell sorts m_10 before m_2. Empty: an order of time, or one that a person chose.
std::string OrderNote(const std::vector<HeapProfile>& profiles) {
  if (!std::ranges::is_sorted(profiles, {}, &HeapProfile::path)) return "";
  const auto early = std::ranges::adjacent_find(profiles, [](const HeapProfile& a, const HeapProfile& b) {
    return runs::NaturallyBefore(b.path, a.path);
  });
  if (early == profiles.end()) return "";
  const size_t slash = early->path.rfind('/');
  return fmt::format(
      "{} was compared before {}, as the files were given; those of a folder come by their numbers: gait "
      "memory {}",
      early->path, std::next(early)->path, slash == std::string::npos ? "." : early->path.substr(0, slash));
}

}  // namespace

report::Document HeapDocument(const std::vector<HeapProfile>& profiles) {
  report::Document document;
  document.verb = "memory";
  for (const HeapProfile& profile : profiles) {
    document.sources.push_back(profile.path);
    document.losses.insert(document.losses.end(), profile.losses.begin(), profile.losses.end());
  }
  const std::vector<HeapStack> stacks = CompareHeaps(profiles);
  const HeapSummary last = Summarize(profiles.back());
  document.context = profiles.size() == 1
                         ? profiles[0].path + " · device memory profile"
                         : fmt::format("{} … {} · {} device memory profiles", profiles.front().path,
                                       profiles.back().path, profiles.size());
  document.answer = profiles.size() == 1 ? AnswerOne(last) : AnswerMany(profiles, stacks);
  if (profiles.size() > 1) document.tables.push_back(DiffTable(profiles, stacks));
  document.tables.push_back(PlacesTable(profiles.back(), last));
  document.tables.push_back(TotalsTable(profiles));
  document.tables.push_back(StacksTable(stacks));
  document.main_table = profiles.size() > 1 ? "heap_diff" : "heap_places";
  if (std::string note = OrderNote(profiles); !note.empty()) document.notes.push_back(std::move(note));
  document.notes.emplace_back(
      "a profile holds live arrays and programs; what a program needs while it runs is in gait memory RUN");
  return document;
}

}  // namespace gait::analyze
