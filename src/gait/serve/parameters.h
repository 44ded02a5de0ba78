// Parameters of a request, checked: a wrong or unknown parameter is an error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/run/selection.h"
#include "gait/base/result.h"
#include "gait/report/table_options.h"
#include "gait/serve/message.h"

namespace gait::serve {

using ParameterNames = std::vector<std::string_view>;

// What SelectionOf looks at; what DocumentReply does.
inline const ParameterNames kSelectionNames = {"steps", "device", "host", "program", "series"};
inline const ParameterNames kRowNames = {"table", "top", "sort", "name", "min", "explain", "format"};
ParameterNames Joined(std::initializer_list<ParameterNames> lists);

class Parameters {
 public:
  explicit Parameters(const Request& request) : given_(request.parameters), gone_(request.gone) {}

  // Stopped when the client has gone. Long work for this request looks at it.
  const std::stop_token& gone() const { return gone_; }

  // A usage error when something else was given, or one of them twice. `v` is always allowed.
  Result<void> Allow(const ParameterNames& names) const;

  bool Has(const std::string& name) const { return given_.contains(name); }
  std::string Text(const std::string& name) const;  // empty when it was not given
  std::vector<std::string> All(const std::string& name) const;
  Result<bool> Flag(const std::string& name) const;  // "1" or "0"
  // The parameter as an integer; nullopt when it was not given.
  Result<std::optional<int64_t>> Integer(const std::string& name, int64_t least, int64_t most) const;
  Result<std::optional<double>> Number(const std::string& name) const;

 private:
  const std::multimap<std::string, std::string>& given_;
  std::stop_token gone_;
};

Result<report::TableOptions> RowOptionsOf(const Parameters& parameters);
Result<analyze::Selection> SelectionOf(const Parameters& parameters);

}  // namespace gait::serve
