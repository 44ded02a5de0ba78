// HostScopes: the annotations and the Python frame around the host's call that launched a piece of device
// work.
//
//   path     the annotations (gait.scope, TraceAnnotation, decorated functions) that were open around the
//            call on its thread, outermost first. Steps and capture blocks are no scopes. Where a thread of
//            the runtime made the launch: the annotations around the program's call.
//   caller   the innermost frame of the user's Python code around it, "model.py:12 forward", where the Python
//            tracer recorded
//
// A program's own scopes (scope_name.h) say where in the traced function an operation is. In eager code each
// operation is a program, and only the host's scopes tell.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct HostScope {
  std::vector<std::string> path;
  std::string caller;  // empty: not recorded

  bool none() const { return path.empty() && caller.empty(); }
  friend auto operator<=>(const HostScope&, const HostScope&) = default;
};

// O(events of the threads that launch) over all calls, O(1) for a call that was asked for. Not thread-safe.
class HostScopes {
 public:
  explicit HostScopes(const HostView& host);

  // The number of the scope of a piece of work; 0: no scope is known.
  uint32_t Of(const WorkItem& item) {
    if (!item.has_call()) return 0;
    if (item.call == last_call_) return last_;
    last_call_ = item.call;
    return last_ = OfCall(item.call);
  }
  // The outermost annotation around a call. Calls that were made in one entry of the annotation have the
  // same. O(depth).
  EventRef Outermost(EventRef call) const;
  const HostScope& operator[](uint32_t number) const { return scopes_[number]; }

 private:
  uint32_t OfCall(EventRef call);
  // The number of the scope of an event: of the event itself and the events around it on the thread.
  uint32_t Around(EventRef event);
  uint32_t Extend(uint32_t outer, EventRef event);
  uint32_t Number(HostScope scope);
  // The program's call on a Python thread, for a launch that another thread made for the program.
  EventRef ProgramCall(EventRef launch) const;

  const HostView& host_;
  const HostActivity& activity_;
  ArgColumn run_;
  std::unordered_map<int64_t, EventRef> call_of_run_;
  std::vector<HostScope> scopes_;  // the first: none
  std::map<HostScope, uint32_t> numbers_;
  std::map<std::tuple<uint32_t, uint32_t, bool>, uint32_t> extended_;  // outer, name, annotation or frame
  std::vector<std::vector<uint32_t>> known_;  // by thread and event: number + 1; 0: not asked for yet
  EventRef last_call_;
  uint32_t last_ = 0;
};

// Whether any work of the view was launched inside an annotation.
bool HasHostScopes(const RunView& view);

}  // namespace gait::analyze
