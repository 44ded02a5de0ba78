#include "gait/analyze/verdict/doctor/balance.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gait/analyze/verdict/doctor/patient.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

constexpr size_t kMostNamed = 3;

struct TermWords {
  std::string_view name;
  std::string_view description;
  std::string_view verb;
};
constexpr std::array<TermWords, kBalanceTerms> kTermWords = {{
    {"necessary", "necessary", "roofline"},
    {"avoidable", "work that need not be done", "doctor"},
    {"inefficiency", "work below the rates that the device attains", "roofline"},
    {"communication", "communication that nothing hides", "collectives"},
    {"copies", "copies that nothing hides", "transfers"},
    {"idle", "idle", "idle"},
    {"unrated", "work that cannot be rated", "roofline"},
}};

BalanceTerm TermOf(const Operation& operation) {
  if (IsCollectiveCategory(operation.category)) return BalanceTerm::kCommunication;
  const bool stays = operation.category == Category::kCopyOnDevice || operation.category == Category::kMemset;
  return IsCopyCategory(operation.category) && !stays ? BalanceTerm::kCopies : BalanceTerm::kUnrated;
}

Ps PartOfTime(Ps time, double share) {
  return Ps(static_cast<int64_t>(static_cast<double>(time.value()) * std::clamp(share, 0.0, 1.0)));
}

// What is claimed of each piece: by findings, and as work that need not be done.
struct Claimed {
  std::vector<Ps> found;
  std::vector<Ps> avoidable;
};

std::vector<Ps> ByPiece(const Claims& claims, size_t pieces) {
  std::vector<Ps> time(pieces);
  for (const Claim& claim : claims) time[claim.piece] += claim.amount;
  return time;
}

Claimed ClaimedOf(std::span<const RuleClaims> claims, size_t pieces) {
  std::vector<const Claims*> found;
  std::vector<const Claims*> avoidable;
  for (const RuleClaims& one : claims) {
    if (one.found) found.push_back(&one.claims);
    if (one.rule->avoidable) avoidable.push_back(&one.claims);
  }
  return {ByPiece(Ledger::Union(found), pieces), ByPiece(Ledger::Union(avoidable), pieces)};
}

// Divides the pieces between the terms, device by device.
class Books {
 public:
  explicit Books(const Patient& patient) : patient_(patient) {
    balance_.steps = patient.ledger.steps();
    balance_.rates = patient.rates;
    for (const HostView& host : patient.view->hosts) {
      first_device_[&host] = balance_.devices.size();
      for (const Device& device : host.devices) balance_.devices.push_back({&host, &device});
    }
  }

  void AddIdle(const Claimed& claimed) {
    const std::vector<IdleSlice>& idle = patient_.ledger.idle();
    std::array<Ps, kIdleCauses> by_cause{};
    for (size_t i = 0; i < idle.size(); ++i) {
      const Ps time = patient_.ledger.TimeOf(i);
      by_cause[Index(idle[i].cause)] += time;
      device_ = first_device_.at(idle[i].host) + idle[i].device;
      Add(BalanceTerm::kIdle, time, PartOfTime(time, ShareOf(claimed.found[i], idle[i].time)));
    }
    for (size_t c = 0; c < kIdleCauses; ++c)
      named_[static_cast<size_t>(BalanceTerm::kIdle)].emplace_back(by_cause[c],
                                                                   Describe(static_cast<IdleCause>(c)));
  }

  // Each device has its part of what is claimed, by the operation's time on it.
  void AddOperation(size_t operation, Ps claimed, Ps avoidable) {
    const OpTotal& total = patient_.operations()[operation];
    const OpRoof& roof = patient_.roof(operation);
    const bool rated = roof.work.ideal_seconds > 0;
    const double ideal_share = rated ? IdealShare(total, roof, balance_.rates) : 0;
    const BalanceTerm other = rated ? BalanceTerm::kInefficiency : TermOf(total.what);
    const std::array<Ps, kBalanceTerms> before = Times();
    for (device_ = 0; device_ < balance_.devices.size(); ++device_) {
      const Ps self = patient_.overview.operations->self[device_][operation];
      const double share = ShareOf(self, total.self);
      const Ps avoided = std::min(self, PartOfTime(avoidable, share));
      const Ps ideal = PartOfTime(self - avoided, ideal_share);
      const Ps rest = self - avoided - ideal;
      const Ps explained = std::min(self, PartOfTime(claimed, share));
      Add(BalanceTerm::kAvoidable, avoided, std::min(avoided, explained));
      Add(BalanceTerm::kNecessary, ideal, Ps());
      Add(other, rest, std::clamp(explained - avoided, Ps(), rest));
    }
    for (size_t t = 0; t < kBalanceTerms; ++t) {
      const Ps added = balance_.terms[t].time - before[t];
      if (added > Ps()) named_[t].emplace_back(added, total.what.name);
      if (static_cast<BalanceTerm>(t) != BalanceTerm::kUnrated || added <= most_unrated_) continue;
      most_unrated_ = added;
      balance_.unrated_because = roof.work.unjudged_because;
    }
  }

  Balance Done() && {
    for (size_t t = 0; t < kBalanceTerms; ++t) {
      auto& named = named_[t];
      std::ranges::stable_sort(named, std::greater(), [](const auto& entry) { return entry.first; });
      for (const auto& [time, name] : named) {
        if (time <= Ps() || balance_.terms[t].most.size() == kMostNamed) break;
        balance_.terms[t].most.emplace_back(name);
      }
    }
    return std::move(balance_);
  }

 private:
  void Add(BalanceTerm term, Ps time, Ps explained) {
    BalanceRow& row = balance_.terms[static_cast<size_t>(term)];
    row.time += time;
    row.explained += explained;
    balance_.total += time;
    balance_.devices[device_].terms[static_cast<size_t>(term)] += time;
    balance_.devices[device_].total += time;
  }

  std::array<Ps, kBalanceTerms> Times() const {
    std::array<Ps, kBalanceTerms> times;
    std::ranges::transform(balance_.terms, times.begin(), &BalanceRow::time);
    return times;
  }

  const Patient& patient_;
  Balance balance_;
  std::map<const HostView*, size_t> first_device_;
  size_t device_ = 0;  // whose pieces are added
  Ps most_unrated_;
  std::array<std::vector<std::pair<Ps, std::string_view>>, kBalanceTerms> named_{};
};

}  // namespace

std::string_view Name(BalanceTerm term) { return kTermWords[static_cast<size_t>(term)].name; }
std::string_view Describe(BalanceTerm term) { return kTermWords[static_cast<size_t>(term)].description; }
std::string_view VerbOf(BalanceTerm term) { return kTermWords[static_cast<size_t>(term)].verb; }

double Balance::share(BalanceTerm term) const { return ShareOf(of(term).time, total); }

BalanceTerm Balance::largest() const {
  const auto most = std::ranges::max_element(terms.begin() + 1, terms.end(), {}, &BalanceRow::time);
  return static_cast<BalanceTerm>(most - terms.begin());
}

bool Balance::is_healthy() const {
  const double unrated = share(BalanceTerm::kUnrated);
  return unrated <= kMostUnrated && 1 - share(BalanceTerm::kNecessary) - unrated <= kMostLost;
}

Balance MakeBalance(const Patient& patient, std::span<const RuleClaims> claims) {
  const size_t gaps = patient.ledger.idle().size();
  const Claimed claimed = ClaimedOf(claims, gaps + patient.operations().size());
  Books books(patient);
  books.AddIdle(claimed);
  for (size_t i = 0; i < patient.operations().size(); ++i)
    books.AddOperation(i, claimed.found[gaps + i], claimed.avoidable[gaps + i]);
  return std::move(books).Done();
}

}  // namespace gait::analyze
