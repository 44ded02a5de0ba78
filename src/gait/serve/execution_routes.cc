// How long the executions of an operation took.
#include "gait/analyze/operations/execution_list.h"
#include "gait/report/json_writer.h"
#include "gait/serve/slice_json.h"
#include "gait/serve/timeline_reply.h"

namespace gait::serve {

Result<Reply> ExecutionsReply(OpenRun& run, const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow(Joined({{"name", "program_id"}, kSelectionNames})));
  GAIT_TRY(const analyze::Selection selection, SelectionOf(parameters));
  GAIT_TRY(const std::shared_ptr<const analyze::RunView> view, run.View(selection));
  const analyze::OperationIndex index(*view);
  const auto operation =
      analyze::FindOperation(index, parameters.Text("name"), parameters.Text("program_id"));
  std::vector<analyze::OneExecution> list;
  if (operation) list = analyze::ListExecutions(*view, index, *operation);
  std::vector<Ps> times;
  for (const analyze::OneExecution& one : list) times.push_back(one.time);

  const timeline::Book& book = run.book();
  report::JsonWriter json;
  json.Object();
  DurationsJson(json, times.size(),
                times.empty() ? analyze::DurationStatistics{} : analyze::StatisticsOf(times),
                timeline::HistogramOf(times));
  json.Key("first");
  const timeline::TimelineTrack* track =
      list.empty() ? nullptr : book.Find(view->hosts[list[0].host].trace(), list[0].event.track);
  if (track != nullptr) {
    SliceJson(json, book, {list[0].begin, track->id, list[0].event.index.value});
  } else {
    json.Null();
  }
  json.EndObject();
  return JsonReply(std::move(json).TakeLine());
}

}  // namespace gait::serve
