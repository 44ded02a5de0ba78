// Balance: where every picosecond of a step goes, between the step as it is and the least that the device
// needs for the same program (docs/metrics/balance.md).
//
//   step = necessary + avoidable + inefficiency + communication + copies + idle + unrated
//
// The pieces of the ledger sum to the step, and each piece is divided between these terms, so the terms sum
// to the step exactly. What findings claim of a term is explained; the rest is not.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/operations/attained.h"
#include "gait/analyze/verdict/doctor/ledger.h"

namespace gait::analyze {

struct Patient;
struct Rule;

enum class BalanceTerm : uint8_t {
  kNecessary,      // rated operations at the rates that the device attains
  kAvoidable,      // work that need not be done, as a finding says
  kInefficiency,   // the rest of rated operations
  kCommunication,  // collectives, where they keep the device from other work
  kCopies,         // the same of copies between memories
  kIdle,
  kUnrated,  // operations whose work or rate is not known
};
inline constexpr size_t kBalanceTerms = 7;
std::string_view Name(BalanceTerm term);      // stable: "necessary"
std::string_view Describe(BalanceTerm term);  // after an amount: "kernels below the rates ..."
std::string_view VerbOf(BalanceTerm term);    // that shows more of it

// Where less than kMostLost of a step is lost, and no more than kMostUnrated is unrated, nothing stands out.
inline constexpr double kMostLost = 0.15;
inline constexpr double kMostUnrated = 0.20;

struct BalanceRow {
  Ps time;                          // of all device steps
  Ps explained;                     // of these: what findings claim
  std::vector<std::string> most{};  // what holds most of the time
};

struct TermsOfDevice {
  const HostView* host;
  const Device* device;
  std::array<Ps, kBalanceTerms> terms{};  // of all its steps
  Ps total{};
};

// The terms of the run are the sums of those of its devices.
struct Balance {
  std::array<BalanceRow, kBalanceTerms> terms{};
  std::vector<TermsOfDevice> devices{};
  Attained rates{};
  Ps total{};
  int64_t steps = 1;
  std::string unrated_because{};  // of the operation that holds most of the unrated time

  const BalanceRow& of(BalanceTerm term) const { return terms[static_cast<size_t>(term)]; }
  double share(BalanceTerm term) const;  // of the step, 0 to 1
  // The largest term that is not necessary.
  BalanceTerm largest() const;
  // Whether there is nothing to say: little is lost, and most is rated.
  bool is_healthy() const;
};

struct RuleClaims {
  const Rule* rule;
  Claims claims;
  bool found = true;  // false: too little for a finding
};
// `claims` are those of all rules. What is avoidable does not depend on whether it is worth a finding, so two
// runs of one program have the same.
Balance MakeBalance(const Patient& patient, std::span<const RuleClaims> claims);

}  // namespace gait::analyze
