#include "run.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "errors.h"
#include "gait/analyze/run/loaded_run.h"
#include "gait/capture/remote/helper.h"
#include "gait/cli/app.h"
#include "gait/cli/load.h"
#include "gait/report/arrow.h"
#include "gait/report/numbers.h"
#include "gait/report/output.h"
#include "gait/report/shown.h"
#include "gait/report/text.h"
#include "gait/report/unicode.h"
#include "gait/runs/resolve.h"

namespace nb = nanobind;

namespace gait::python {
namespace {

template <typename Exported>
nb::capsule Capsule(Exported* exported, const char* name) {
  return nb::capsule(exported, name, [](void* pointer) noexcept {
    auto* const left = static_cast<Exported*>(pointer);
    if (left->release != nullptr) left->release(left);  // nobody took it
    delete left;
  });
}

class Table {
 public:
  explicit Table(report::Table table) : table_(std::move(table)) {
    // Rows of a source are made only once, and here they are wanted whole.
    for (report::Row row; table_.more && table_.more(row); row = {}) table_.rows.push_back(std::move(row));
    table_.more = nullptr;
  }

  const report::Table& table() const { return table_; }
  const std::shared_ptr<const report::ArrowColumns>& columns() {
    if (!columns_) columns_ = report::MakeArrowColumns(table_);
    return columns_;
  }

 private:
  report::Table table_;
  std::shared_ptr<const report::ArrowColumns> columns_;  // made when first asked for, and then handed out
};

struct Document {
  report::Document document;
  bool found = false;
};

struct LoadedRun {
  std::shared_ptr<const analyze::LoadedRun> run;
};

// No progress bar, and all rows. `run` is the one that is read already, or null.
cli::CommonOptions Quietly(const std::shared_ptr<const analyze::LoadedRun>& run) {
  cli::CommonOptions common;
  common.json = true;
  common.quiet = true;
  common.loaded = run;
  return common;
}

// The verb parses the options on rows too, and refuses them where it has none; they are applied here.
Document Answer(std::string_view verb, std::vector<std::string> arguments,
                const std::shared_ptr<const analyze::LoadedRun>& run, const report::TableOptions& rows) {
  Result<cli::Outcome> outcome = [&]() -> Result<cli::Outcome> {
    const nb::gil_scoped_release release;
    GAIT_TRY(cli::Outcome answered, cli::RunVerb(verb, std::move(arguments), Quietly(run)));
    GAIT_CHECK_OK(report::ChooseRows(answered.document, rows));
    return answered;
  }();
  cli::Outcome answered = ValueOrRaise(std::move(outcome));
  return {std::move(answered.document), answered.found};
}

nb::object ToPython(const report::Cell& cell) {
  using Kind = report::Cell::Kind;
  switch (cell.kind()) {
    case Kind::kUnknown:
      return nb::none();
    case Kind::kInt:
    case Kind::kTime:
      return nb::int_(cell.integer());
    case Kind::kUint:
      return nb::int_(static_cast<uint64_t>(cell.integer()));
    case Kind::kDouble:
      return cell.number() ? nb::object(nb::float_(*cell.number())) : nb::none();
    case Kind::kText: {
      const std::string text = report::ValidUtf8(cell.text());
      return nb::str(text.data(), text.size());
    }
    case Kind::kJson:
      return nb::module_::import_("json").attr("loads")(cell.json());
  }
  return nb::none();
}

// A dictionary for each row.
nb::list Dicts(const report::Table& table) {
  std::vector<nb::str> names;
  for (const report::Column& column : table.columns) names.emplace_back(column.name.c_str());
  nb::list rows;
  for (const report::Row& row : table.rows) {
    nb::dict made;
    for (size_t i = 0; i < names.size(); ++i) {
      made[names[i]] = i < row.size() ? ToPython(row[i]) : nb::none();
    }
    rows.append(made);
  }
  return rows;
}

std::string Text(const report::Document& document, size_t width) {
  report::Output out;
  report::WriteText(document, {.width = width}, out);
  return out.text();
}

// The table alone, as text.
std::string Text(const report::Table& table, size_t width) {
  report::Document document;
  document.verb = table.name;
  document.tables = {table};
  document.tables.front().hidden = false;
  document.read_events = false;
  return Text(document, width);
}

// (heads, lines) as people see them: (text, is a number, is the key) of columns, (cells, is nested) of rows.
nb::tuple Grid(const report::Table& table, size_t most) {
  const auto text = [](const std::string& raw) {
    const std::string valid = report::ValidUtf8(raw);
    return nb::str(valid.data(), valid.size());
  };
  const report::ShownTable shown = report::ShownAsGrid(table, most);
  nb::list heads;
  for (const auto& head : shown.heads) heads.append(nb::make_tuple(text(head.text), head.number, head.key));
  nb::list lines;
  for (const auto& line : shown.lines) {
    nb::list cells;
    for (const std::string& cell : line.cells) cells.append(text(cell));
    lines.append(nb::make_tuple(cells, line.nested));
  }
  return nb::make_tuple(heads, lines);
}

void BindTable(nb::module_& module) {
  nb::class_<Table>(module, "Table")
      .def_prop_ro("name", [](const Table& self) { return self.table().name; })
      .def_prop_ro("hidden", [](const Table& self) { return self.table().hidden; })
      .def_prop_ro("columns",
                   [](const Table& self) {
                     std::vector<std::tuple<std::string, std::string, std::string, std::string>> columns;
                     for (const report::Column& column : self.table().columns) {
                       columns.emplace_back(column.name, std::string(report::Name(column.type)),
                                            std::string(column.unit), std::string(column.about));
                     }
                     return columns;
                   })
      .def(
          "text", [](const Table& self, size_t width) { return Text(self.table(), width); }, nb::arg("width"))
      .def_prop_ro("cards", [](const Table& self) { return self.table().cards; })
      .def(
          "grid", [](const Table& self, size_t most) { return Grid(self.table(), most); }, nb::arg("most"))
      .def("dicts", [](const Table& self) { return Dicts(self.table()); })
      .def("__len__", [](const Table& self) { return self.table().rows.size(); })
      .def("schema",
           [](Table& self) {
             auto* const schema = new ArrowSchema;
             report::ExportSchema(self.columns(), schema);
             return Capsule(schema, "arrow_schema");
           })
      .def("array",
           [](Table& self) {
             auto* const array = new ArrowArray;
             report::ExportArray(self.columns(), array);
             return Capsule(array, "arrow_array");
           })
      .def("stream", [](Table& self) {
        auto* const stream = new ArrowArrayStream;
        report::ExportStream(self.columns(), stream);
        return Capsule(stream, "arrow_array_stream");
      });
}

void BindDocument(nb::module_& module) {
  nb::class_<Document>(module, "Document")
      .def_prop_ro("verb", [](const Document& self) { return self.document.verb; })
      .def_prop_ro("answer", [](const Document& self) { return report::Ungrouped(self.document.answer); })
      .def_prop_ro("context", [](const Document& self) { return self.document.context; })
      .def_prop_ro("warnings", [](const Document& self) { return self.document.warnings; })
      .def_prop_ro("notes", [](const Document& self) { return self.document.notes; })
      .def_prop_ro("found", [](const Document& self) { return self.found; })
      .def_prop_ro("main_table",
                   [](const Document& self) {
                     const report::Table* const table = report::FindTable(self.document, "");
                     return table == nullptr ? std::string() : table->name;
                   })
      .def_prop_ro("texts",
                   [](const Document& self) {
                     std::vector<std::tuple<std::string, std::string>> texts;
                     for (const report::TextBlock& block : self.document.texts) {
                       texts.emplace_back(block.name, block.text);
                     }
                     return texts;
                   })
      .def_prop_ro("losses",
                   [](const Document& self) {
                     std::vector<std::tuple<std::string, std::string, std::string, uint64_t>> losses;
                     for (const Loss& loss : self.document.losses) {
                       losses.emplace_back(std::string(Name(loss.kind)), loss.place, loss.reason, loss.count);
                     }
                     return losses;
                   })
      .def("tables",
           [](const Document& self) {
             std::vector<Table> tables;
             for (const report::Table& table : self.document.tables) tables.emplace_back(table);
             return tables;
           })
      .def(
          "text", [](const Document& self, size_t width) { return Text(self.document, width); },
          nb::arg("width"));
}

}  // namespace

void BindRun(nb::module_& module) {
  BindTable(module);
  BindDocument(module);
  nb::class_<LoadedRun>(module, "LoadedRun")
      .def_prop_ro("name", [](const LoadedRun& self) { return self.run->run.name; })
      .def_prop_ro("path", [](const LoadedRun& self) { return self.run->run.path; })
      .def_prop_ro("hosts",
                   [](const LoadedRun& self) {
                     std::vector<std::string> names;
                     for (const analyze::LoadedHost& host : self.run->hosts) names.push_back(host.name);
                     return names;
                   })
      .def_prop_ro("events",
                   [](const LoadedRun& self) {
                     uint64_t events = 0;
                     for (const analyze::LoadedHost& host : self.run->hosts)
                       events += host.trace.event_count();
                     return events;
                   })
      .def(
          "answer",
          [](const LoadedRun& self, std::string_view verb, std::vector<std::string> arguments,
             std::string table, std::optional<size_t> top, std::string sort, std::string name,
             std::string min) {
            arguments.insert(arguments.begin(), self.run->typed);
            return Answer(verb, std::move(arguments), self.run,
                          {std::move(table), top, std::move(sort), std::move(name), std::move(min)});
          },
          nb::arg("verb"), nb::arg("arguments"), nb::arg("table") = "", nb::arg("top") = nb::none(),
          nb::arg("sort") = "", nb::arg("name") = "", nb::arg("min") = "");
  module.def(
      "answer",
      [](std::string_view verb, std::vector<std::string> arguments, std::string table,
         std::optional<size_t> top, std::string sort, std::string name, std::string min) {
        return Answer(verb, std::move(arguments), nullptr,
                      {std::move(table), top, std::move(sort), std::move(name), std::move(min)});
      },
      nb::arg("verb"), nb::arg("arguments"), nb::arg("table") = "", nb::arg("top") = nb::none(),
      nb::arg("sort") = "", nb::arg("name") = "", nb::arg("min") = "",
      "What a verb says, with the arguments of its command line; the rest chooses rows.");

  module.def(
      "load",
      [](const std::string& spec) {
        auto loaded = [&] {
          const nb::gil_scoped_release release;
          return cli::Load(spec, Quietly(nullptr));
        }();
        return LoadedRun{ValueOrRaise(std::move(loaded))};
      },
      nb::arg("run"));
  module.def(
      "resolve", [](const std::string& spec) { return ValueOrRaise(runs::ResolveRun(spec)).run.path; },
      nb::arg("run"), "The path of the run that a person may mean by this.");
  module.def("look_for_helper_in", &capture::remote::LookForHelperIn, nb::arg("folder"));
  module.def("verbs", [] {
    std::vector<std::string> names;
    for (const std::string_view name : cli::VerbNames()) names.emplace_back(name);
    return names;
  });
}

}  // namespace gait::python
