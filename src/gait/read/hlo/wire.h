// Fields: one pass over the fields of a protobuf message that may be cut short or mangled.
//
// Never throws and never reads outside the message. Where the bytes stop making sense the pass ends and a
// loss is counted; what came before stays read. A part that is longer than what is left is given as far as it
// goes, so a truncated file yields everything up to the cut. Cost: linear, no allocation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gait/trace/loss.h"

namespace gait::hlo {

// Counts what goes wrong at one place (one program).
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
  Fields(std::string_view message, WireLosses& losses)
      : next_(message.data()), end_(message.data() + message.size()), losses_(losses) {}

  // Moves to the next field; false at the end.
  bool Next();

  uint32_t number() const { return number_; }
  bool is_bytes() const { return is_bytes_; }

  // The value of the current field; 0 or nothing when the field is of the other kind, which counts as a loss.
  int64_t Int() const;
  std::string_view Bytes() const;

  // Appends the integers of a repeated field, packed or not.
  void AppendInts(std::vector<int64_t>& out) const;

 private:
  const char* next_;
  const char* end_;
  WireLosses& losses_;
  uint32_t number_ = 0;
  bool is_bytes_ = false;
  uint64_t value_ = 0;
  std::string_view bytes_;
};

}  // namespace gait::hlo
