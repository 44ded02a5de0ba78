// Fields: base/wire.h for HLO messages, with the losses counted. Where the bytes stop making sense, the pass
// ends; fields before that place stay read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/wire.h"
#include "gait/trace/loss.h"

namespace gait::hlo {

// Counts the losses of one place (one program).
class WireLosses {
 public:
  WireLosses(LossLog& log, std::string_view place) : log_(log), place_(place) {}
  void Truncated() { log_.Add(LossKind::kTruncated, place_, "HLO messages that end early"); }
  void Mangled() { log_.Add(LossKind::kDropped, place_, "HLO fields that make no sense"); }
  void Unresolved(std::string_view what) { log_.Add(LossKind::kUnresolved, place_, what); }
  void Capped(std::string_view what) { log_.Add(LossKind::kCapped, place_, what); }

 private:
  LossLog& log_;
  std::string place_;
};

class Fields {
 public:
  Fields(std::string_view message, WireLosses& losses) : walker_(message), losses_(losses) {}

  // Moves to the next field; false at the end.
  bool Next();

  uint32_t number() const { return walker_.number(); }
  bool is_bytes() const { return walker_.is_bytes(); }

  // The value of the current field. A field of the other kind counts as a loss, and the value is 0 or empty.
  int64_t Int() const;
  std::string_view Bytes() const;

  // Appends the integers of a repeated field, packed or not.
  void AppendInts(std::vector<int64_t>& out) const;

 private:
  FieldWalker walker_;
  WireLosses& losses_;
};

}  // namespace gait::hlo
