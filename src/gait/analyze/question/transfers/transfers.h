// Transfers: the copies between host and devices, how fast they were, the time that compute hid, and the
// host's work for them.
//
// Per kind (and inside programs and outside apart), over the copies that have a part in the view's windows:
//   bytes    = sum of the sizes that the capture states; copies without one are counted apart, never guessed
//   total    = sum of the parts of durations inside the windows                 [ps]
//   union    = length of the union of these parts, device by device             [ps]
//   hidden   = length of the part of that union under compute of the same device [ps]
//   rate     = bytes / whole durations of the copies that state their bytes     [bytes/s]
//   staging  = the time that the host itself moved the bytes, before a copy to the device or after a copy to
//            the
//              host (copy_origin.h), whole durations                             [ps]
// Identities: hidden <= union <= total; the counts, bytes and totals of the sites sum to those of the kinds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/question/transfers/copies.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct TransferSum {
  uint64_t count = 0;
  int64_t bytes = 0;           // of the copies that state them
  uint64_t without_bytes = 0;  // copies that do not
  Ps timed;                    // whole durations of the copies that state their bytes
  Ps total, union_time, hidden;
  uint64_t without_device = 0;  // copies that only the host reports: not in `union_time` and `hidden`
  uint64_t pageable = 0, pinned = 0;
  uint64_t staged = 0;  // copies with staging of their own
  Ps staging;
  int64_t staged_bytes = 0;  // of those that state them
  Ps staged_timed;           // staging of these
  Ps staging_union;          // time during which the host staged: less than `staging` where threads share it
  Ps staging_idle;           // the part of it in which the device did nothing

  // How long the copies ran: the devices' time; where no device shows any of them, the host's.
  Ps time() const { return without_device == count ? total : union_time; }
  // Bytes per second; nullopt where the time or the bytes are not known.
  std::optional<double> rate() const;
  std::optional<double> staging_rate() const;
};

struct TransferKind {
  CopyKind kind = CopyKind::kUnknown;
  bool in_program = false;
  TransferSum sum;
};

// Copies of one kind and size from one place.
struct TransferSite {
  CopyKind kind = CopyKind::kUnknown;
  bool in_program = false;
  std::optional<int64_t> bytes;  // of one
  std::string asked_by;          // annotation or call of the host; empty: unknown
  std::string python;            // "train.py:104 tr"; empty: unknown
  std::string function;          // what it called: "device_put"
  std::string operation;         // of a copy inside a program: "jit_f/copy.1"
  std::string instruction;       // of the operation: "copy.1"
  // The id of the program, where the capture has the program. Where several programs have one name, the id of
  // the first.
  std::optional<uint64_t> program_id;
  std::string scope;
  std::vector<std::string> stack;  // of the first: the host's events around the call, the outermost first
  std::string staging_work;        // "H2D Dispatch → Transpose::Execute"; empty: none
  std::vector<std::string> staging_threads;
  size_t host = 0;   // of the view, that has the longest of them
  EventRef longest;  // of copies as long, the first
  TransferSum sum;
  uint64_t steps_with = 0;  // steps (times devices) in which at least one began
  bool every_step = false;  // the same size from the same place in every step; the bytes may still differ
};

struct TransfersResult {
  std::vector<TransferKind> kinds;  // in order of CopyKind, outside programs first
  std::vector<TransferSite> sites;  // by total and staging together, the greatest first
  uint64_t count = 0;               // memsets too
  int64_t steps = 0;                // steps times devices; 0: no steps
  Ps window;
  Ps compute;       // of all devices, inside the windows
  TransferSum all;  // everything but memsets
};

// Linear in the events of the view, and O(copies log copies). Made once and kept with the view.
const TransfersResult& FindTransfers(const RunView& view);

}  // namespace gait::analyze
