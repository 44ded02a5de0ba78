#include "gait/analyze/question/memory/heap_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "gait/analyze/question/memory/heap.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"
#include "gait/runs/names.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextPlaces = 15;

Cell Label(const std::string& text, const char* why) {
  return text.empty() ? Cell(Unknown{why}) : Cell(text);
}

std::string SizeText(int64_t bytes) { return report::BytesText(static_cast<uint64_t>(std::abs(bytes))); }

Table PlacesTable(const HeapProfile& profile, const HeapSummary& summary) {
  Table table;
  table.name = "heap_places";
  table.key = "place";
  table.text_rows = kTextPlaces;
  table.columns = {
      {"profile", Type::kText, unit::kNone, {.hidden = true}, "the file"},
      {"place",
       Type::kText,
       unit::kNone,
       {.elastic = true},
       "a line of the program; flat memory belongs to the innermost line outside JAX"},
      {"function", Type::kText, unit::kNone, {.hidden = true}, "its function"},
      {"file", Type::kText, unit::kNone, {.hidden = true}, "its file"},
      {"line", Type::kInteger, unit::kNone, {.hidden = true, .identifier = true}, "its line"},
      BytesColumn("flat", "flat", "memory that this line itself made; sums to the total"),
      {"share", Type::kNumber, unit::kPercent, {.head = "of total"}, "flat over the total"},
      BytesColumn("cumulative", "cumulative", "memory that this line or anything called from it made"),
      {"count", Type::kInteger, unit::kNone, {}, "allocations, cumulative"},
      {"flat_count", Type::kInteger, unit::kNone, {.hidden = true}, "allocations that this line itself made"},
      {"of_jax", Type::kText, unit::kNone, {.hidden = true}, "yes: a line of JAX itself"}};
  for (const HeapPlace& p : summary.places) {
    const HeapFrame& f = p.frame;
    table.rows.push_back({profile.path, PlaceText(f), f.function, f.file, f.line, p.flat,
                          Percent(p.flat, summary.bytes), p.cumulative, p.cumulative_count, p.flat_count,
                          IsOfJax(f) ? "yes" : "no"});
  }
  // Lines of JAX that made nothing themselves follow; as text they are noise.
  const auto own = static_cast<size_t>(std::ranges::count_if(
      summary.places, [](const HeapPlace& p) { return p.flat_count > 0 || !IsOfJax(p.frame); }));
  std::ranges::stable_partition(
      table.rows, [](const report::Row& row) { return row[9].number() > 0.0 || row[10].text() == "no"; });
  table.text_rows = std::clamp<size_t>(own, 1, kTextPlaces);
  return table;
}

Table TotalsTable(const std::vector<HeapProfile>& profiles) {
  Table table;
  table.name = "heap_totals";
  table.key = "kind";
  table.text_rows = kTextPlaces;
  table.columns = {
      {"profile",
       Type::kText,
       unit::kNone,
       {.hidden = profiles.size() == 1, .elastic = true, .keep_end = true},
       "the file"},
      {"kind", Type::kText, unit::kNone, {}, "buffer: an array; executable: a compiled program"},
      {"device", Type::kText, unit::kNone, {.elastic = true}, "whose memory it is; executables have none"},
      BytesColumn("bytes", "bytes", "together"),
      {"count", Type::kInteger, unit::kNone, {}, "how many"},
      {"unknown",
       Type::kInteger,
       unit::kNone,
       {.hidden = true},
       "how many of a size that the backend does not know"}};
  for (const HeapProfile& profile : profiles) {
    for (const HeapTotal& total : Summarize(profile).totals) {
      table.rows.push_back({profile.path, Label(total.kind, "no label"),
                            Label(total.device, "executables belong to no device"), total.bytes, total.count,
                            total.unknown});
    }
  }
  return table;
}

std::string StackText(const HeapStack& stack) {
  std::string text;
  for (const HeapFrame& frame : stack.frames)
    text += fmt::format("{}{}", text.empty() ? "" : " < ", PlaceText(frame));
  return text.empty() ? PlaceText({}) : text;
}

Cell Devices(const HeapStack& stack) {
  if (stack.devices.empty()) return Unknown{"no label"};
  return stack.devices.size() == 1 ? Cell(*stack.devices.begin())
                                   : Cell(fmt::format("{} devices", stack.devices.size()));
}

std::string Site(const HeapStack& stack) {
  return PlaceText(stack.frames.empty() ? HeapFrame{} : stack.frames.front());
}

Cell Caller(const HeapStack& stack) {
  return stack.frames.size() > 1 ? Cell(PlaceText(stack.frames[1])) : Cell(Unknown{"nothing called it"});
}

Cell List(const std::vector<int64_t>& values) {
  const std::string plain = fmt::format("{}", fmt::join(values, " "));
  return Cell::Json(fmt::format("[{}]", fmt::join(values, ",")), plain);
}

Table DiffTable(const std::vector<HeapProfile>& profiles, const std::vector<HeapStack>& stacks) {
  Table table;
  table.name = "heap_diff";
  table.key = "site";
  table.text_rows = kTextPlaces;
  const bool many = profiles.size() > 2;
  table.columns = {
      {"site", Type::kText, unit::kNone, {.elastic = true}, "the innermost line outside JAX"},
      {"caller", Type::kText, unit::kNone, {.hidden = true}, "the line that called it"},
      {"kind", Type::kText, unit::kNone, {.hidden = true}, "buffer or executable"},
      {"device", Type::kText, unit::kNone, {.hidden = true}, "whose memory it is"},
      {"state",
       Type::kText,
       unit::kNone,
       {},
       "new, gone, grown, shrunk or same, from the first file to the last"},
      BytesColumn("before", "before", "in the first file"),
      BytesColumn("after", "after", "in the last file"),
      {"change", Type::kInteger, unit::kBytes, {.hidden = many, .group = "bytes"}, "after less before"},
      {"per_profile",
       Type::kInteger,
       unit::kBytes,
       {.head = "a file", .hidden = !many, .group = "bytes"},
       "change divided by the number of files less one"},
      {"leak",
       Type::kText,
       unit::kNone,
       {.head = "always up", .hidden = !many},
       "yes: more bytes in each file than in the one before, of three or more"},
      {"bytes", Type::kAny, unit::kBytes, {.hidden = true}, "in each file"},
      {"counts", Type::kAny, unit::kNone, {.hidden = true}, "allocations in each file"},
      {"stack", Type::kText, unit::kNone, {.hidden = true}, "its lines outside JAX, the innermost first"}};
  table.if_empty = "nothing is allocated in any of the files";
  const auto changed =
      std::ranges::count_if(stacks, [](const HeapStack& s) { return s.state() != HeapState::kSame; });
  table.text_rows = std::clamp<size_t>(static_cast<size_t>(changed), 1, kTextPlaces);
  const auto steps = static_cast<int64_t>(profiles.size() - 1);
  for (const HeapStack& s : stacks) {
    table.rows.push_back({Site(s), Caller(s), Label(s.kind, "no label"), Devices(s), Name(s.state()),
                          s.bytes.front(), s.bytes.back(), s.change(), s.change() / steps,
                          s.leaks() ? "yes" : "no", List(s.bytes), List(s.counts), StackText(s)});
  }
  return table;
}

Table StacksTable(const std::vector<HeapStack>& stacks) {
  Table table;
  table.name = "heap_stacks";
  table.key = "stack";
  table.hidden = true;
  table.columns = {
      {"stack", Type::kText, unit::kNone, {.below = true}, "its lines outside JAX, the innermost first"},
      {"kind", Type::kText, unit::kNone, {}, "buffer or executable"},
      {"device", Type::kText, unit::kNone, {.elastic = true}, "whose memory it is"},
      BytesColumn("bytes", "bytes", "together"),
      {"count", Type::kInteger, unit::kNone, {}, "allocations"}};
  for (const HeapStack& s : stacks) {
    table.rows.push_back(
        {StackText(s), Label(s.kind, "no label"), Devices(s), s.bytes.back(), s.counts.back()});
  }
  return table;
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
