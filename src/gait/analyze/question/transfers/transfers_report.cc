#include "gait/analyze/question/transfers/transfers_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/question/transfers/transfers.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/time/durations.h"
#include "gait/report/json.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextSites = 20;
constexpr const char* kNoBytes = "the capture does not say how many bytes";
constexpr const char* kNoStaging = "no staging of the host could be linked to it";

Cell Bytes(const TransferSum& sum) {
  return sum.without_bytes == sum.count ? Cell(Unknown{kNoBytes}) : Cell(sum.bytes);
}

Cell Rate(std::optional<double> rate, const char* why) { return rate ? Cell(*rate) : Cell(Unknown{why}); }

Cell Time(Ps time, bool known, const char* why) { return known ? Cell(time) : Cell(Unknown{why}); }

Cell HiddenShare(const TransferSum& sum) {
  if (sum.union_time == Ps()) return Unknown{"no device of the capture shows these copies"};
  return 100 * static_cast<double>(sum.hidden.value()) / static_cast<double>(sum.union_time.value());
}

Cell Memory(const TransferSum& sum) {
  if (sum.pageable > 0 && sum.pinned > 0) return "both";
  if (sum.pageable > 0) return "pageable";
  if (sum.pinned > 0) return "pinned";
  return Unknown{"the capture does not say, or no memory of the host is part of it"};
}

Cell List(const std::vector<std::string>& items, std::string_view separator) {
  std::vector<std::string> quoted;
  for (const std::string& item : items) quoted.push_back(report::JsonString(item));
  return Cell::Json(fmt::format("[{}]", fmt::join(quoted, ",")),
                    fmt::format("{}", fmt::join(items, separator)));
}

// The columns that rows of kinds and of sites share.
std::vector<Column> SumColumns() {
  return {
      {"count",
       Type::kInteger,
       unit::kNone,
       {},
       "copies in the time that the report covers, over all devices"},
      {"bytes", Type::kInteger, unit::kBytes, {}, "what they moved, as the capture states it"},
      {"time",
       Type::kInteger,
       unit::kPs,
       {.group = "time"},
       "time during which at least one was on, device by device; rows may share it"},
      {"rate",
       Type::kNumber,
       unit::kBytesPerSecond,
       {.head = "one at", .scale = "GB/s", .decimals = 1},
       "of one copy, on average: bytes over the durations of the copies, which may overlap"},
      {"hidden",
       Type::kNumber,
       unit::kPercent,
       {.optional = true},
       "the part of that time under compute of the device"},
      {"staging",
       Type::kInteger,
       unit::kPs,
       {.group = "time", .optional = true},
       "what the host spent moving the bytes itself, before a copy to the device or after one to the host"},
      {"staging_rate",
       Type::kNumber,
       unit::kBytesPerSecond,
       {.head = "staged at", .optional = true, .scale = "GB/s", .decimals = 1},
       "bytes of the staged copies over the time of their staging"},
      {"memory", Type::kText, unit::kNone, {.wide = true}, "memory of the host: pinned, pageable or both"},
      HiddenColumn("total", Type::kInteger, "sum of the durations of the copies", unit::kPs),
      HiddenColumn("hidden_time", Type::kInteger, "time under compute of the device", unit::kPs),
      HiddenColumn("time_per_step", Type::kInteger, "time per step and device", unit::kPs),
      HiddenColumn("staging_per_step", Type::kInteger, "staging per step and device", unit::kPs),
      HiddenColumn("staged", Type::kInteger, "copies with staging of their own"),
      HiddenColumn("without_bytes", Type::kInteger, "copies whose bytes the capture does not state"),
      HiddenColumn("pinned", Type::kInteger, "copies from or to pinned memory of the host"),
      HiddenColumn("pageable", Type::kInteger, "copies from or to pageable memory of the host"),
  };
}

void AppendSum(Row& row, const TransferSum& sum, int64_t steps) {
  const bool staged = sum.staged > 0;
  // Copies that only the host reports have no device whose time they could share.
  const Ps time = sum.time();
  for (Cell& cell :
       std::vector<Cell>{sum.count, Bytes(sum), time, Rate(sum.rate(), kNoBytes), HiddenShare(sum),
                         Time(sum.staging, staged, kNoStaging), Rate(sum.staging_rate(), kNoStaging),
                         Memory(sum), sum.total, sum.hidden, PerStep(time, steps),
                         staged ? PerStep(sum.staging, steps) : Cell(Unknown{kNoStaging}), sum.staged,
                         sum.without_bytes, sum.pinned, sum.pageable}) {
    row.push_back(std::move(cell));
  }
}

// In text by the short names that the profiler itself uses.
Cell KindCell(CopyKind kind) {
  constexpr const char* kShort[] = {"H2D", "D2H", "D2D", "peer", "H2H", "memset", "unknown"};
  return Cell(Name(kind)).ShownAs(kShort[static_cast<size_t>(kind)]);
}

// Why there is nothing to show, and where to look instead.
std::string WhyNone(const RunView& view) {
  bool cpu = false;
  bool other = false;
  for (const HostView& host : view.hosts) {
    for (const Device& device : host.devices) {
      const PlaneKind kind = host.trace().plane(device.plane).kind;
      cpu |= kind == PlaneKind::kCpuDevice;
      other |= kind != PlaneKind::kCpuDevice;
    }
  }
  if (other) return "no transfers: no device copied anything in the time that was selected";
  if (cpu)
    return "no transfers: the devices are the CPU itself, whose copies inside host memory are operations";
  return "no transfers: the capture has no work of a device; gait info says what it holds";
}

Table KindsTable(const RunView& view, const TransfersResult& result) {
  Table table;
  table.name = "transfers";
  table.columns = {{"kind",
                    Type::kText,
                    unit::kNone,
                    {.head = "copies"},
                    "from where to where: H2D is host to device, D2H device to host, D2D on one device"},
                   {"place",
                    Type::kText,
                    unit::kNone,
                    {.head = "asked by"},
                    "whether the host asked for them or a program makes them itself"}};
  for (Column& column : SumColumns()) table.columns.push_back(std::move(column));
  table.if_empty = WhyNone(view);
  for (const TransferKind& kind : result.kinds) {
    Row row = {KindCell(kind.kind), kind.in_program ? "programs" : "host"};
    AppendSum(row, kind.sum, result.steps);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Where a copy comes from, in as few words as say it.
std::string Place(const TransferSite& site) {
  if (!site.operation.empty()) return site.operation;
  if (!site.python.empty()) {
    return site.function.empty() ? site.python : fmt::format("{} in {}", site.function, site.python);
  }
  return site.asked_by.empty() ? "unknown" : site.asked_by;
}

Cell OrUnknown(const std::string& text, const char* why) {
  return text.empty() ? Cell(Unknown{why}) : Cell(text);
}

// Rows of copies, or of memsets: these are many and short, and people look for copies.
Table SitesTable(const RunView& view, const TransfersResult& result, bool memsets) {
  Table table;
  table.name = memsets ? "memset_sites" : "transfer_sites";
  table.hidden = memsets;
  table.columns = {
      {"place",
       Type::kText,
       unit::kNone,
       {.head = "copies from", .elastic = true},
       "who asked: the Python line and what it called, the annotation or call of the host, or the "
       "instruction"},
      {"kind",
       Type::kText,
       unit::kNone,
       {},
       "from where to where: H2D is host to device, D2H device to host, D2D on one device"},
      {"size", Type::kInteger, unit::kBytes, {.head = "each"}, "bytes of one copy"},
  };
  for (Column& column : SumColumns()) {
    column.show.hidden |= column.name == "bytes" || column.name == "hidden";
    table.columns.push_back(std::move(column));
  }
  const std::vector<Column> more = {
      {"every_step",
       Type::kText,
       unit::kNone,
       {.head = "every step", .optional = true},
       "yes: the same size from the same place in every step; whether the bytes are the same is not known"},
      HiddenColumn("in_program", Type::kText, "whether a program makes the copy itself"),
      HiddenColumn("asked_by", Type::kText, "the outermost annotation or call of the host around it"),
      HiddenColumn("python", Type::kText, "the innermost Python frame around it that is no library's"),
      HiddenColumn("function", Type::kText, "what that frame called"),
      HiddenColumn("operation", Type::kText, "the program and instruction that makes it"),
      HiddenColumn("instruction", Type::kText, "the instruction alone"),
      ProgramIdColumn("the program's id; of several of that name, the first one's"),
      HiddenColumn("scope", Type::kText, "the instruction's scope path"),
      HiddenColumn("staging_work", Type::kText,
                   "the host's event that moved the bytes, and what it mostly did"),
      HiddenColumn("staging_threads", Type::kAny, "threads that did it"),
      HiddenColumn("steps_with", Type::kInteger, "steps, times devices, in which one began"),
      HiddenColumn("stack", Type::kAny,
                   "all events of the host around the call that asked, the outermost first"),
      HiddenColumn("host", Type::kText, "the host that has the longest of them"),
      HiddenColumn("event", Type::kText, "name of the longest of them, as the timeline has it"),
      HiddenColumn("begin", Type::kInteger, "when the longest of them began, from the capture's begin",
                   unit::kPs),
  };
  table.columns.insert(table.columns.end(), more.begin(), more.end());
  table.key = "place";
  table.text_rows = kTextSites;
  for (const TransferSite& site : result.sites) {
    if ((site.kind == CopyKind::kMemset) != memsets) continue;
    Row row = {Place(site), KindCell(site.kind), site.bytes ? Cell(*site.bytes) : Cell(Unknown{kNoBytes})};
    AppendSum(row, site.sum, result.steps);
    constexpr const char* kNoCaller = "nothing links the copy to a call of the host";
    row.emplace_back(site.every_step ? "yes" : "no");
    row.emplace_back(site.in_program ? "yes" : "no");
    row.push_back(OrUnknown(site.asked_by, kNoCaller));
    row.push_back(
        OrUnknown(site.python, "no Python frame is around it: captured without the Python tracer?"));
    row.push_back(OrUnknown(site.function, "no Python frame is around it"));
    row.push_back(OrUnknown(site.operation, "no instruction of a program makes it"));
    row.push_back(OrUnknown(site.instruction, "no instruction of a program makes it"));
    row.push_back(site.program_id ? Cell(*site.program_id)
                                  : Cell(Unknown{"its program is not in the capture, or it has none"}));
    row.push_back(OrUnknown(site.scope, "no instruction of a program makes it"));
    row.push_back(OrUnknown(site.staging_work, kNoStaging));
    row.push_back(List(site.staging_threads, ", "));
    row.emplace_back(site.steps_with);
    row.push_back(List(site.stack, " > "));
    const HostView& host = view.hosts[site.host];
    row.emplace_back(host.host->name);
    row.emplace_back(host.trace().name(site.longest));
    row.emplace_back(host.trace().track(site.longest.track).begin(site.longest.index));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string RateText(std::optional<double> rate) {
  return rate ? report::AmountText(*rate, unit::kBytesPerSecond) : "an unknown rate";
}

// Time per step where there are steps.
std::string Each(Ps time, int64_t steps) { return report::TimeText(steps > 0 ? time / steps : time); }

// The host's own copying is what the device waits for.
std::string StagingAnswer(const TransfersResult& result, const TransferSite& site) {
  const bool steps = result.steps > 0;
  const std::string bytes =
      site.sum.without_bytes == site.sum.count
          ? "arrays"
          : report::BytesText(static_cast<uint64_t>(site.sum.bytes / std::max<int64_t>(1, result.steps)));
  return fmt::format(
      "{} {} spends {} staging {} ({}, {}) for a copy {} that takes {} ({}); the device idles for {} of that "
      "and "
      "computes for {}{}.",
      steps ? "In each step" : "In all",
      site.sum.staging_union == site.sum.staging ? "one host thread" : "the host",
      Each(site.sum.staging, result.steps), bytes, site.staging_work, RateText(site.sum.staging_rate()),
      site.kind == CopyKind::kHostToDevice ? "to the device" : "to the host",
      Each(site.sum.total, result.steps), RateText(site.sum.rate()),
      Each(site.sum.staging_idle, result.steps), Each(result.compute, result.steps), steps ? " a step" : "");
}

std::string Answer(const TransfersResult& result, int64_t devices) {
  if (result.count == 0) return "No transfers in what was selected.";
  const TransferSite& first = result.sites.front();
  // Staging is the story where it is longer than its copies and a matter of more than a twentieth of the
  // time.
  if (first.sum.staging > first.sum.total && first.sum.staging > result.window / 20 &&
      first.kind == CopyKind::kHostToDevice) {
    return StagingAnswer(result, first);
  }
  const TransferSum& all = result.all;
  if (all.count == 0) return fmt::format("No copies; {}.", report::Plural(result.count, "memset"));
  const Ps time = all.union_time > Ps() ? all.union_time : all.total;
  const std::string size =
      all.without_bytes == all.count
          ? "unknown size"
          : report::BytesText(static_cast<uint64_t>(all.bytes)) +
                (all.without_bytes > 0 ? fmt::format(" or more ({} do not say)", all.without_bytes) : "");
  std::string text =
      fmt::format("{} of {} {} {}", all.count == 1 ? "1 copy" : report::CountText(all.count) + " copies",
                  size, all.count == 1 ? "takes" : "take", report::TimeText(time));
  if (devices > 1) text += fmt::format(" on {} devices together", devices);
  if (result.steps > 1) text += fmt::format(" in all, {} a step", Each(time, result.steps));
  if (result.steps == 1) text += " in the step";
  if (all.union_time > Ps() && result.window > Ps()) {
    const double share = Percent(all.union_time, result.window);
    text += fmt::format(" ({} % of the time), {:.0f} % of it under compute",
                        share < 10 ? fmt::format("{:.2g}", share) : fmt::format("{:.0f}", share),
                        Percent(all.hidden, all.union_time));
  }
  // What is under compute costs nothing, if there is something else.
  const Ps exposed = all.union_time - all.hidden;
  const bool rest = all.hidden > Ps() && exposed * 100 > result.window;
  const auto weight = [&](const TransferSite& s) {
    if (s.kind == CopyKind::kMemset) return -kMaxTime;
    return rest ? s.sum.union_time - s.sum.hidden : s.sum.time();
  };
  const auto most = std::ranges::max_element(result.sites, {}, weight);
  text += fmt::format("; most of {} {}", rest ? "the rest is" : "it", Name(most->kind));
  const std::string place = Place(*most);
  return text + (place == "unknown" ? "." : fmt::format(", from {}.", place));
}

}  // namespace

report::Document TransfersDocument(const RunView& view) {
  const TransfersResult& result = FindTransfers(view);
  report::Document document = NewDocument("transfers", *view.run);
  document.answer = Answer(result, view.device_count());
  document.tables =
      TablesOf(KindsTable(view, result), SitesTable(view, result, false), SitesTable(view, result, true));
  document.main_table = "transfer_sites";
  if (result.count > 0) {
    const int64_t devices = view.device_count();
    document.notes.push_back(fmt::format("numbers cover {}{}", view.Coverage(),
                                         devices > 1 ? fmt::format(" on {} devices", devices) : ""));
  }
  const auto repeats = [](const TransferSite& s) {
    return s.every_step && s.kind == CopyKind::kHostToDevice;
  };
  if (std::ranges::any_of(result.sites, repeats)) {
    document.notes.emplace_back(
        "every step: the same size from the same place; if the bytes are the same too, copy them once and "
        "keep them "
        "on the device");
  }
  if (view.run->typed != "-") document.next = {Command("idle", *view.run), Command("steps", *view.run)};
  return document;
}

}  // namespace gait::analyze
