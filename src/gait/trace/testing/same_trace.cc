#include "gait/trace/testing/same_trace.h"

#include <fmt/format.h>

namespace gait::testing_support {
namespace {

// Collects the first difference; the checks after it do nothing.
class Comparison {
 public:
  Comparison(const Trace& a, const Trace& b) : a_(a), b_(b) {}

  std::string Run() {
    CompareEnvironment();
    ComparePlanes();
    CompareTracks();
    ComparePrograms();
    CompareLosses();
    return why_;
  }

 private:
  template <typename T>
  bool Same(const T& a, const T& b, std::string_view what) {
    if (why_.empty() && !(a == b)) why_ = fmt::format("{}{}: {} and {}", where_, what, a, b);
    return why_.empty();
  }
  bool SameNumber(std::optional<int64_t> a, std::optional<int64_t> b, std::string_view what) {
    return Same(a ? fmt::to_string(*a) : "none", b ? fmt::to_string(*b) : "none", what);
  }

  void CompareEnvironment() {
    const auto text = [](const Environment& e) {
      std::string all;
      for (const auto& s : e.hostnames) all += "host " + s + "\n";
      for (const auto& s : e.errors) all += "error " + s + "\n";
      for (const auto& s : e.warnings) all += "warning " + s + "\n";
      for (const auto& [key, value] : e.options) all += key + "=" + value + "\n";
      for (const auto& [key, value] : e.versions) all += key + "=" + value + "\n";
      return all;
    };
    Same(text(a_.environment()), text(b_.environment()), "environment");
    SameNumber(a_.environment().start_unix_ns, b_.environment().start_unix_ns, "start");
    SameNumber(a_.environment().stop_unix_ns, b_.environment().stop_unix_ns, "stop");
  }

  static std::string SetText(const Trace& trace, ArgSetId set) {
    std::string all;
    for (const ArgEntry& entry : trace.arg_sets()[set]) {
      all += fmt::format("{}={}{}; ", trace.text(entry.key), entry.varying ? "varying " : "",
                         ValueText(trace, {entry.type, entry.bits}));
    }
    return all;
  }

  void ComparePlanes() {
    if (!Same(a_.planes().size(), b_.planes().size(), "number of planes")) return;
    for (size_t i = 0; i < a_.planes().size() && why_.empty(); ++i) {
      const Plane& a = a_.planes()[i];
      const Plane& b = b_.planes()[i];
      where_ = fmt::format("plane {} ", i);
      Same(a_.text(a.name), b_.text(b.name), "name");
      Same(a.id, b.id, "id");
      Same(static_cast<int>(a.kind), static_cast<int>(b.kind), "kind");
      SameNumber(a.ordinal, b.ordinal, "ordinal");
      SameNumber(a.process_id, b.process_id, "process");
      Same(SetText(a_, a.args), SetText(b_, b.args), "arguments");
    }
    where_.clear();
  }

  void CompareTracks() {
    if (!Same(a_.tracks().size(), b_.tracks().size(), "number of tracks")) return;
    for (size_t t = 0; t < a_.tracks().size() && why_.empty(); ++t) {
      const Track& a = a_.tracks()[t];
      const Track& b = b_.tracks()[t];
      where_ = fmt::format("track {} ", t);
      Same(a.info().plane.value, b.info().plane.value, "plane");
      Same(a.info().id, b.info().id, "id");
      Same(a_.text(a.info().name), b_.text(b.info().name), "name");
      Same(a_.text(a.info().display_name), b_.text(b.info().display_name), "display name");
      Same(a.info().display_id, b.info().display_id, "display id");
      Same(static_cast<int>(a.info().kind), static_cast<int>(b.info().kind), "kind");
      Same(static_cast<int>(a.info().layout), static_cast<int>(b.info().layout), "layout");
      Same(a.info().derived, b.info().derived, "derived");
      Same(a.info().offset.value(), b.info().offset.value(), "offset");
      Same(a.lanes(), b.lanes(), "lanes");
      Same(a.span().begin.value(), b.span().begin.value(), "begin");
      Same(a.span().end.value(), b.span().end.value(), "end");
      Same(a.total_duration().value(), b.total_duration().value(), "sum of durations");
      if (!Same(a.size(), b.size(), "number of events")) break;
      for (uint32_t i = 0; i < a.size() && why_.empty(); ++i) CompareEvent({TrackId(t), EventIndex(i)});
    }
    where_.clear();
  }

  void CompareEvent(EventRef e) {
    const Track& a = a_.track(e.track);
    const Track& b = b_.track(e.track);
    where_ = fmt::format("track {} event {} ", e.track.value, e.index.value);
    Same(a.begin(e.index).value(), b.begin(e.index).value(), "begin");
    Same(a.duration(e.index).value(), b.duration(e.index).value(), "duration");
    Same(a_.name(e), b_.name(e), "name");
    Same(a.parent(e.index).value, b.parent(e.index).value, "parent");
    Same(a.around(e.index).value, b.around(e.index).value, "around");
    Same(a.lane(e.index), b.lane(e.index), "lane");
    Same(ArgsText(a_, e), ArgsText(b_, e), "arguments");
    const Attribution in_a = a_.attribution(a.args(e.index));
    const Attribution in_b = b_.attribution(b.args(e.index));
    Same(static_cast<int>(in_a.kind), static_cast<int>(in_b.kind), "attribution");
    Same(in_a.instruction.program.value, in_b.instruction.program.value, "program");
    Same(in_a.instruction.instruction.value, in_b.instruction.instruction.value, "instruction");
  }

  void ComparePrograms() {
    if (!Same(a_.programs().size(), b_.programs().size(), "number of programs")) return;
    for (size_t i = 0; i < a_.programs().size(); ++i) {
      const Program& a = a_.programs()[i];
      const Program& b = b_.programs()[i];
      where_ = fmt::format("program {} ", i);
      Same(a.id, b.id, "id");
      Same(a.name, b.name, "name");
      Same(a.computations.size(), b.computations.size(), "computations");
      Same(a.instructions.size(), b.instructions.size(), "instructions");
    }
    where_.clear();
  }

  void CompareLosses() {
    if (!Same(a_.losses().size(), b_.losses().size(), "number of losses")) return;
    for (size_t i = 0; i < a_.losses().size(); ++i) {
      const auto text = [](const Loss& loss) {
        return fmt::format("{} {} {} {}", Name(loss.kind), loss.place, loss.reason, loss.count);
      };
      Same(text(a_.losses()[i]), text(b_.losses()[i]), "loss");
    }
  }

  const Trace& a_;
  const Trace& b_;
  std::string where_;
  std::string why_;
};

}  // namespace

std::string ValueText(const Trace& trace, ArgValue value) {
  switch (value.type) {
    case ArgType::kInt:
      return fmt::format("int {}", static_cast<int64_t>(value.bits));
    case ArgType::kUint:
      return fmt::format("uint {}", value.bits);
    case ArgType::kDouble:
      return fmt::format("double {} ({:x})", std::bit_cast<double>(value.bits), value.bits);
    case ArgType::kString:
      return fmt::format("string {}", trace.text(value.string()));
    case ArgType::kBytes:
      return fmt::format("bytes {}", trace.text(value.string()));
  }
  return "unknown";
}

std::string ArgsText(const Trace& trace, EventRef event) {
  std::string all;
  trace.ForEachArg(event, [&](StringId key, ArgValue value) {
    all += all.empty() ? "" : "; ";
    all += trace.text(key);
    all += '=';
    all += ValueText(trace, value);
  });
  return all;
}

bool SameTrace(const Trace& a, const Trace& b, std::string* why) {
  *why = Comparison(a, b).Run();
  return why->empty();
}

}  // namespace gait::testing_support
