#include "gait/analyze/question/idle/launch_report.h"
#include "gait/analyze/run/tables.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextDevices = 8;

Table DevicesTable(std::string name, std::string key, std::vector<Column> columns) {
  Table table = NewTable(std::move(name), std::move(key), std::move(columns));
  table.text_rows = kTextDevices;
  return table;
}

}  // namespace

report::Table LaunchesTable(const std::vector<HostLaunches>& hosts) {
  size_t devices = 0;
  for (const HostLaunches& host : hosts) devices += host.devices.size();
  const auto time = [](std::string name, std::string head, std::string_view group, bool hidden,
                       std::string_view about) {
    return Column{std::move(name),
                  Type::kInteger,
                  unit::kPs,
                  {.head = std::move(head), .hidden = hidden, .group = group},
                  about};
  };
  Table table = DevicesTable(
      "launches", "kind",
      {{"host",
        Type::kText,
        unit::kNone,
        {.hidden = hosts.size() == 1, .elastic = true},
        "host of the device"},
       {"device", Type::kText, unit::kNone, {.hidden = devices == 1}, "the device"},
       {"kind",
        Type::kText,
        unit::kNone,
        {.head = "launches of"},
        "what was launched: a kernel, a graph (one launch of many), a copy, a program"},
       {"launches",
        Type::kInteger,
        unit::kNone,
        {.head = "number"},
        "calls that launched work in the time covered"},
       {"nodes", Type::kInteger, unit::kNone, {.optional = true}, "pieces of work that they started"},
       time("call_mean", "call", "", false, "mean time that the host's call took"),
       time("delay_mean", "delay mean", "delay", false,
            "mean time from the end of the call to the begin of its first work; 0 if it began earlier"),
       time("delay_p50", "p50", "delay", false, "half of the delays are at most this"),
       time("delay_p90", "p90", "delay", true, "nine in ten delays are at most this"),
       time("delay_p99", "p99", "delay", false, "99 in a hundred delays are at most this"),
       time("delay_max", "max", "delay", false, "the longest delay"),
       time("call_p50", "", "", true, "half of the calls took at most this"),
       time("call_p90", "", "", true, "nine in ten calls took at most this"),
       time("call_p99", "", "", true, "99 in a hundred calls took at most this"),
       time("call_max", "", "", true, "the longest call")});
  std::ranges::find(table.columns, "delay_p99", &report::Column::name)->show.optional = true;
  table.if_empty = "no launches: the capture does not hold the host's calls of this device's work";
  for (const HostLaunches& host : hosts) {
    for (size_t d = 0; d < host.devices.size(); ++d) {
      for (const LaunchStats& s : host.devices[d].kinds) {
        table.rows.push_back({host.view->host->name, host.view->devices[d].name, Name(s.kind), s.launches,
                              s.nodes, s.call.mean, s.delay.mean, s.delay.p50, s.delay.p90, s.delay.p99,
                              s.delay.max, s.call.p50, s.call.p90, s.call.p99, s.call.max});
      }
    }
  }
  return table;
}

report::Table QueueTable(const std::vector<HostLaunches>& hosts) {
  Table table = DevicesTable(
      "queue", "device",
      {{"host",
        Type::kText,
        unit::kNone,
        {.hidden = hosts.size() == 1, .elastic = true},
        "host of the device"},
       {"device", Type::kText, unit::kNone, {.head = "queue of"}, "the device"},
       {"depth_mean",
        Type::kNumber,
        unit::kNone,
        {.head = "mean depth"},
        "launches that waited to begin, mean over time; a graph is one launch"},
       {"depth_p50",
        Type::kInteger,
        unit::kNone,
        {.head = "p50"},
        "for half of the time at most so many waited"},
       {"depth_p90",
        Type::kInteger,
        unit::kNone,
        {.head = "p90"},
        "for 90 % of the time at most so many waited"},
       {"depth_p99",
        Type::kInteger,
        unit::kNone,
        {.head = "p99"},
        "for 99 % of the time at most so many waited"},
       {"depth_max", Type::kInteger, unit::kNone, {.head = "max"}, "the most that waited at a time"},
       {"empty", Type::kNumber, unit::kPercent, {}, "share of the time in which nothing waited"},
       {"empty_time", Type::kInteger, unit::kPs, {.hidden = true}, "time in which nothing waited"}});
  for (const HostLaunches& host : hosts) {
    for (size_t d = 0; d < host.devices.size(); ++d) {
      if (host.devices[d].kinds.empty()) continue;
      const QueueDepth& q = host.devices[d].queue;
      table.rows.push_back({host.view->host->name, host.view->devices[d].name, q.mean, q.p50, q.p90, q.p99,
                            q.max, Percent(q.empty, q.window), q.empty});
    }
  }
  return table;
}

}  // namespace gait::analyze
