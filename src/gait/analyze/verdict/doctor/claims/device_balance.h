// How evenly the devices of a run are loaded, shared by the rules about it.
#pragma once

#include <string>
#include <vector>

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

struct DeviceBalance {
  std::vector<Ps> compute;  // by device, a step
  Ps mean, most;
  size_t slowest = 0;  // into Overview::devices
  // Whether operations that the slowest device executed more often explain at most half of its compute time
  // beyond the mean.
  bool same_work = false;
  bool slow = false;  // the same work takes one device more than 5 % longer than the mean
  Claims claims;      // waiting that even devices would not have: (most - mean) a step at most

  std::string Describe(const Patient& patient) const;  // "GPU 3 computes 12.1 ms a step, the mean is 10.2 ms"
  // Whether the other devices wait for the slowest one for 3 % of a step or more: worth a finding.
  bool matters(const Patient& patient) const;
  // Whether the balance explains that devices wait: load_imbalance or slow_device has a finding.
  bool explains(const Patient& patient) const { return (!same_work || slow) && matters(patient); }
  // The time that a fix would remove: the waiting of the other devices, and the longer compute time of the
  // slowest device, as far as the others were seen to wait for it.
  Claims Slowness(const Patient& patient) const;
  // The part of a finding that the rules share: cost, evidence, where to look.
  Finding NewFinding(const Patient& patient, const Claims& saved) const;
};

// Whether the device is one of several CPU devices of a host. These share the host's cores, so the time of
// one says nothing about it.
bool SharesCores(const DeviceOverview& device);

// Needs at least two devices.
DeviceBalance BalanceOf(const Patient& patient);

}  // namespace gait::analyze
