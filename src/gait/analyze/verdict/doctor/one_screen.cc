#include "gait/analyze/verdict/doctor/one_screen.h"

#include "gait/analyze/question/overview/overview_report.h"
#include "gait/analyze/verdict/doctor/balance_report.h"

namespace gait::analyze {

report::Document OneScreen(const Patient& patient, const Diagnosis& diagnosis) {
  const Balance& balance = diagnosis.balance;
  if (balance.total == Ps()) return OverviewDocument(*patient.view, patient.overview);
  report::Document document = OverviewDocument(
      *patient.view, patient.overview,
      OverviewLine{Name(BalanceTerm::kNecessary), balance.of(BalanceTerm::kNecessary).time / balance.steps,
                   BalanceText(balance)});
  document.tables.push_back(BalanceTable(patient, balance, true));
  return document;
}

Result<report::Document> OneScreen(const RunView& view, const PeakOverride& given) {
  GAIT_TRY(const Patient patient, Examine(view, given));
  GAIT_TRY(const Diagnosis diagnosis, Diagnose(patient));
  return OneScreen(patient, diagnosis);
}

}  // namespace gait::analyze
