#include "gait/analyze/verdict/doctor/claims/transfer_evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kMostSites = 3;

std::string Describe(const Patient& patient, const TransferSite& site) {
  const int64_t steps = patient.ledger.steps();
  std::string text =
      fmt::format("{} × {}", report::CountText(site.sum.count),
                  site.bytes ? report::BytesText(static_cast<uint64_t>(*site.bytes)) : "copies");
  if (site.sum.pageable > 0) text += " of pageable memory";
  if (site.every_step) text += ", in every step";
  text += fmt::format(", {} copying", patient.PerStep(site.sum.time() / steps));
  if (site.sum.staging_union > Ps()) {
    text += fmt::format(", {} staging", report::TimeText(site.sum.staging_union / steps));
    if (site.staging_threads.size() == 1) text += " by one thread";
    if (!site.staging_work.empty()) text += fmt::format(" ({})", site.staging_work);
  }
  if (!site.python.empty()) {
    text += fmt::format("; asked for at {}", site.python);
    if (!site.function.empty()) text += fmt::format(" ({})", site.function);
  } else if (!site.asked_by.empty()) {
    text += fmt::format("; asked for by {}", site.asked_by);
  }
  return text;
}

}  // namespace

TransferPicture PictureOf(const Patient& patient, CopyKind kind) {
  TransferPicture picture;
  for (const TransferSite& site : patient.overview.transfers->sites) {
    if (site.kind != kind || site.in_program) continue;
    picture.pageable += site.sum.pageable;
    if (picture.worst == nullptr) {
      picture.worst = &site;
      picture.every_step = site.every_step;
    }
    if (picture.evidence.size() < kMostSites) picture.evidence.push_back({Describe(patient, site)});
  }
  return picture;
}

void ClaimCopies(const Patient& patient, Category category, Claims& claims) {
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (total.what.category != category || total.what.attributed() || total.self == Ps()) continue;
    claims.push_back(patient.ledger.Operation(i, total.self));
  }
}

}  // namespace gait::analyze
