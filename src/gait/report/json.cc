#include "gait/report/json.h"

#include <iterator>

#include <fmt/format.h>

#include "gait/report/json_writer.h"
#include "gait/report/numbers.h"
#include "gait/report/unicode.h"

namespace gait::report {
namespace {

std::string JsonValue(const Cell& cell) {
  if (cell.kind() == Cell::Kind::kText) return JsonString(cell.text());
  if (cell.kind() == Cell::Kind::kJson) return cell.json();
  std::string number = cell.RawNumber();
  return number.empty() ? "null" : number;
}
std::string StringList(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ",";
    out += JsonString(text);
  }
  return out + "]";
}

std::string LinksJson(const std::vector<Link>& links) {
  JsonWriter json;
  json.Array();
  for (const Link& link : links) {
    json.Object()
        .Field("text", Ungrouped(link.text))
        .Key("verb")
        .TextOrNull(link.verb)
        .Key("parameters")
        .Object();
    for (const auto& [key, value] : link.parameters) json.Field(key, value);
    json.EndObject().EndObject();
  }
  return std::move(json.EndArray()).Take();
}

void WriteRow(const Row& row, bool first, Output& out) {
  out.Write(first ? "\n  [" : ",\n  [");
  bool first_cell = true;
  for (const Cell& cell : row) {
    if (!first_cell) out.Write(",");
    first_cell = false;
    out.Write(JsonValue(cell));
  }
  out.Write("]");
}

void WriteTable(const Table& table, bool explain, Output& out) {
  out.Write(JsonString(table.name) + ":{\"columns\":[");
  bool first = true;
  for (const Column& column : table.columns) {
    const std::string about = explain ? ",\"about\":" + JsonString(column.about) : "";
    out.Write(fmt::format("{}{{\"name\":{},\"type\":\"{}\",\"unit\":{}{}}}", first ? "" : ",",
                          JsonString(column.name), Name(column.type), JsonString(column.unit), about));
    first = false;
  }
  out.Write("],\"rows\":[");
  first = true;
  for (const Row& row : table.rows) {
    WriteRow(row, first, out);
    first = false;
  }
  Row row;
  while (table.more && out.open() && table.more(row)) {
    WriteRow(row, first, out);
    first = false;
    row.clear();
  }
  out.Write("]}");
}

}  // namespace

std::string JsonString(std::string_view text) {
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const std::string valid = ValidUtf8(text);
  std::string out;
  out.reserve(valid.size() + 2);
  out += '"';
  for (const char c : valid) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') {
      out += c;
    } else if (const size_t i = kShort.find(c); i != std::string_view::npos) {
      out += '\\';
      out += kLetters[i];
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    }
  }
  out += '"';
  return out;
}

std::string LossesJson(const std::vector<Loss>& losses) {
  JsonWriter json;
  json.Array();
  for (const Loss& loss : losses) {
    json.Object().Field("kind", gait::Name(loss.kind)).Field("place", loss.place);
    json.Field("reason", loss.reason).Field("count", loss.count).EndObject();
  }
  return std::move(json.EndArray()).Take();
}

void WriteJson(const Document& document, Output& out) {
  out.Write(fmt::format(
      "{{\"schema\":1,\"verb\":{},\"source\":{},\n\"answer\":{},\n\"warnings\":{},\n\"losses\":{},\n",
      JsonString(document.verb),
      document.sources.size() == 1 ? JsonString(document.sources[0]) : StringList(document.sources),
      JsonString(Ungrouped(document.answer)), StringList(document.warnings), LossesJson(document.losses)));
  std::vector<std::string> notes;
  for (const std::string& note : document.notes) notes.push_back(Ungrouped(note));
  out.Write(fmt::format("\"notes\":{},\n", StringList(notes)));
  if (!document.links.empty()) out.Write(fmt::format("\"links\":{},\n", LinksJson(document.links)));
  out.Write("\"tables\":{");
  bool first = true;
  for (const Table& table : document.tables) {
    out.Write(first ? "\n" : ",\n");
    first = false;
    WriteTable(table, document.explain, out);
  }
  out.Write("}");
  if (!document.texts.empty()) {
    out.Write(",\n\"texts\":{");
    first = true;
    for (const TextBlock& block : document.texts) {
      out.Write((first ? "" : ",\n") + JsonString(block.name) + ":" + JsonString(block.text));
      first = false;
    }
    out.Write("}");
  }
  out.Write("}\n");
}

}  // namespace gait::report
