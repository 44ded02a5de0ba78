// The balance of a step in words and tables, for every report that shows it.
#pragma once

#include <string>

#include "gait/analyze/verdict/doctor/balance.h"
#include "gait/analyze/verdict/doctor/patient.h"
#include "gait/report/table.h"

namespace gait::analyze {

std::string ShareText(double share);              // "63 %", "6.3 %"
std::string BalanceText(const Balance& balance);  // "24 %, idle 63 %, avoidable 6.3 %": necessary first
report::Table BalanceTable(const Patient& patient, const Balance& balance, bool hidden = false);
report::Table BalanceDevicesTable(const Patient& patient, const Balance& balance);
// What the device attains, which the balance holds operations against.
report::Table RatesTable(const Patient& patient, const Attained& rates);

}  // namespace gait::analyze
