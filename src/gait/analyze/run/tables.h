// Helpers with which the reports of all verbs make tables.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/base/units.h"
#include "gait/report/list_cell.h"
#include "gait/report/numbers.h"
#include "gait/report/table.h"
#include "gait/report/table_of.h"

namespace gait::analyze {

using report::AmountText;
using report::BytesText;
using report::Cell;
using report::CellOf;
using report::Column;
using report::ListCell;
using report::NumberCell;
using report::OrUnknown;
using report::Plural;
using report::RangeText;
using report::Row;
using report::Show;
using report::Table;
using report::TableOf;
using report::TextCell;
using report::TimeCell;
using report::TimeText;
using report::Type;
using report::Unknown;
namespace unit = report::unit;

inline constexpr const char* kNoSteps = "the capture has no steps";

// A list in braces would copy every cell.
template <typename... T>
std::vector<Table> TablesOf(T... tables) {
  std::vector<Table> all;
  all.reserve(sizeof...(tables));
  (all.push_back(std::move(tables)), ...);
  return all;
}

// part / whole; 0 where the whole is 0.
inline double Ratio(Ps part, Ps whole) {
  return whole <= Ps() ? 0 : static_cast<double>(part.value()) / static_cast<double>(whole.value());
}
inline double Percent(Ps part, Ps whole) { return 100 * Ratio(part, whole); }
inline double Percent(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// A sum over steps, per step.
inline TimeCell PerStep(Ps sum, int64_t steps) {
  return steps > 0 ? TimeCell(sum / steps) : Unknown{kNoSteps};
}

// The getter of an optional member, or of text that may be empty: unknown then, for this reason.
template <typename Member>
auto Known(Member member, const char* why) {
  return [member, why](const auto& row) { return OrUnknown(std::invoke(member, row), why); };
}

// The id that tells programs of one name apart.
template <typename R, typename Getter>
void AddProgramId(TableOf<R>& t, Getter get, std::string_view about = "the program's id") {
  t.Add("program_id", {.hidden = true, .identifier = true}, about, std::move(get));
}
// The limits of a class of lengths: at least `from`, and less than `below`.
template <typename R, typename From, typename Below>
void AddLengths(TableOf<R>& t, From from, Below below) {
  t.Hidden("from", "the shortest that counts", std::move(from));
  t.Hidden("below", "shorter than this; unknown: any longer ones", [below](const R& row) -> TimeCell {
    const Ps limit = std::invoke(below, row);
    if (limit >= kMaxTime) return Unknown{"the class has no upper limit"};
    return limit;
  });
}
// The host's column. Text leaves the column out where there is only one host.
inline constexpr std::string_view kAboutHost = "the host of the process";
inline Show HostShow(bool one_host) { return {.hidden = one_host, .elastic = true}; }
// Of the host whose rows are being added.
template <typename R, typename HostName>
void AddHost(TableOf<R>& t, bool one_host, HostName name, std::string_view about = kAboutHost) {
  t.Add("host", HostShow(one_host), about, [name](const R&) { return name(); });
}

}  // namespace gait::analyze
