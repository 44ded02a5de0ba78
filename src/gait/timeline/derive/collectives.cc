#include "gait/analyze/collectives/collective_runs.h"
#include "gait/timeline/derive/writer.h"

namespace gait::timeline {

void DeriveCollectives(std::vector<std::unique_ptr<DerivedWriter>>& out, const analyze::RunView& view) {
  const analyze::CollectiveExecutions found = analyze::FindCollectives(view);
  std::vector<std::vector<const analyze::DeviceExecution*>> by_device(found.devices.size());
  for (const analyze::DeviceExecution& execution : found.executions) {
    by_device[execution.device].push_back(&execution);
  }
  for (size_t d = 0; d < by_device.size(); ++d) {
    const analyze::RunDevice& device = found.devices[d];
    const DerivedTrack what{view.hosts[device.host].devices[device.device].plane, "collectives",
                            "collectives", kCollectivesOrder,
                            "Communication with other devices; a start and its done are one."};
    DerivedWriter& writer = *out[device.host];
    TrackWriter slices = writer.NewSlices(what, Layout::kLanes);
    for (const analyze::DeviceExecution* execution : by_device[d]) {
      const analyze::CollectiveOperation& operation = found.operations[execution->operation];
      slices.Arg(writer.Intern("kind"), ArgValue::String(writer.Intern(Name(operation.kind))));
      if (operation.message_bytes) {
        slices.Arg(writer.Intern("message bytes"), ArgValue::Int(*operation.message_bytes));
      }
      if (operation.group_size > 0) {
        slices.Arg(writer.Intern("group size"), ArgValue::Int(operation.group_size));
      }
      if (!operation.program.empty()) {
        slices.Arg(writer.Intern("program"), ArgValue::String(writer.Intern(operation.program)));
      }
      if (!operation.scope.empty()) {
        slices.Arg(writer.Intern("op_name"), ArgValue::String(writer.Intern(operation.scope)));
      }
      // Equal on all devices of one execution: the page's arrows go by it.
      slices.Arg(writer.Intern("collective"), ArgValue::Uint(execution->operation));
      slices.Arg(writer.Intern("run_id"), ArgValue::Int(execution->run));
      slices.Arg(writer.Intern("execution"), ArgValue::Uint(execution->number));
      slices.Event(execution->time.begin, execution->time.length(), writer.Intern(operation.name));
    }
    writer.AddSlices(what, std::move(slices));
  }
}

}  // namespace gait::timeline
