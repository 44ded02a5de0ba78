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
  // At most half of what the slowest computes beyond the mean is in operations that it executed more often.
  bool same_work = false;
  bool slow = false;  // the same work takes one device more than 5 % longer than the mean
  Claims claims;      // waiting that even devices would not have: (most - mean) a step at most

  std::string Describe(const Patient& patient) const;  // "GPU 3 computes 12.1 ms a step, the mean is 10.2 ms"
  // The others wait for it so long that it is worth a finding: 3 % of a step.
  bool matters(const Patient& patient) const;
  // What explains that devices wait: load_imbalance speaks, or slow_device.
  bool explains(const Patient& patient) const { return (!same_work || slow) && matters(patient); }
  // What goes away when the slowest device is as fast as the others: the waiting, and on the device itself
  // what it computes longer than they do, as far as they were seen to wait for that.
  Claims Slowness(const Patient& patient) const;
  // What the rules have in common of it: the cost, the evidence, where to look.
  Finding NewFinding(const Patient& patient, const Claims& saved) const;
};

// One of several CPU devices of a host, which share its cores: what one takes for its work says nothing about
// it.
bool SharesCores(const DeviceOverview& device);

// Of at least two devices.
DeviceBalance BalanceOf(const Patient& patient);

}  // namespace gait::analyze
