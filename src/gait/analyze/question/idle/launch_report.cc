#include "gait/analyze/question/idle/launch_report.h"
#include "gait/analyze/run/tables.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextDevices = 8;

}  // namespace

report::Table LaunchesTable(const std::vector<HostLaunches>& hosts) {
  size_t devices = 0;
  for (const HostLaunches& host : hosts) devices += host.devices.size();
  const HostLaunches* host = nullptr;  // of the row
  size_t device = 0;
  using Stats = LaunchStats;
  TableOf<Stats> t(
      {.name = "launches",
       .if_empty = "no launches: the capture does not hold the host's calls of this device's work",
       .text_rows = kTextDevices,
       .key = "kind"});
  const auto time = [&t](const char* name, Show show, std::string_view about, Distribution Stats::* of,
                         Ps Distribution::* member) {
    t.Add(name, std::move(show), about, [of, member](const Stats& s) { return s.*of.*member; });
  };
  AddHost(t, hosts.size() == 1, [&] { return host->view->host->name; }, kAboutDeviceHost);
  t.Add("device", {.hidden = devices == 1}, "the device",
        [&](const Stats&) { return host->view->devices[device].name; });
  t.Add("kind", {.head = "launches of"},
        "what was launched: a kernel, a graph (one launch of many), a copy, a program",
        [](const Stats& s) { return Name(s.kind); });
  t.Add("launches", {.head = "number"}, "calls that launched work in the time covered", &Stats::launches);
  t.Add("nodes", {.optional = true}, "pieces of work that they started", &Stats::nodes);
  using D = Distribution;
  time("call_mean", {.head = "call"}, "mean time that the host's call took", &Stats::call, &D::mean);
  time("delay_mean", {.head = "delay mean", .group = "delay"},
       "mean time from the end of the call to the begin of its first work; 0 if it began earlier",
       &Stats::delay, &D::mean);
  time("delay_p50", {.head = "p50", .group = "delay"}, "half of the delays are at most this", &Stats::delay,
       &D::p50);
  time("delay_p90", {.head = "p90", .hidden = true, .group = "delay"}, "nine in ten delays are at most this",
       &Stats::delay, &D::p90);
  time("delay_p99", {.head = "p99", .group = "delay", .optional = true},
       "99 in a hundred delays are at most this", &Stats::delay, &D::p99);
  time("delay_max", {.head = "max", .group = "delay"}, "the longest delay", &Stats::delay, &D::max);
  time("call_p50", {.hidden = true}, "half of the calls took at most this", &Stats::call, &D::p50);
  time("call_p90", {.hidden = true}, "nine in ten calls took at most this", &Stats::call, &D::p90);
  time("call_p99", {.hidden = true}, "99 in a hundred calls took at most this", &Stats::call, &D::p99);
  time("call_max", {.hidden = true}, "the longest call", &Stats::call, &D::max);
  for (const HostLaunches& h : hosts) {
    host = &h;
    for (device = 0; device < h.devices.size(); ++device) t.Rows(h.devices[device].kinds);
  }
  return t.Done();
}

report::Table QueueTable(const std::vector<HostLaunches>& hosts) {
  const HostLaunches* host = nullptr;  // of the row
  size_t device = 0;
  using Q = QueueDepth;
  TableOf<Q> t({.name = "queue", .text_rows = kTextDevices, .key = "device"});
  AddHost(t, hosts.size() == 1, [&] { return host->view->host->name; }, kAboutDeviceHost);
  t.Add("device", {.head = "queue of"}, "the device",
        [&](const Q&) { return host->view->devices[device].name; });
  t.Add("depth_mean", {.head = "mean depth"},
        "launches that waited to begin, mean over time; a graph is one launch", &Q::mean);
  t.Add("depth_p50", {.head = "p50"}, "for half of the time at most so many waited", &Q::p50);
  t.Add("depth_p90", {.head = "p90"}, "for 90 % of the time at most so many waited", &Q::p90);
  t.Add("depth_p99", {.head = "p99"}, "for 99 % of the time at most so many waited", &Q::p99);
  t.Add("depth_max", {.head = "max"}, "the most that waited at a time", &Q::max);
  t.Percent("empty", "share of the time in which nothing waited",
            [](const Q& q) { return Percent(q.empty, q.window); });
  t.Hidden("empty_time", "time in which nothing waited", &Q::empty);
  for (const HostLaunches& h : hosts) {
    host = &h;
    for (device = 0; device < h.devices.size(); ++device) {
      if (!h.devices[device].kinds.empty()) t.Row(h.devices[device].queue);
    }
  }
  return t.Done();
}

}  // namespace gait::analyze
