// ArgTemplates: recognises the arguments of an event by their bytes, before they are decoded.
//
// Nearly all events of a line repeat the arguments of an earlier event, except for a few values (correlation
// id, run id). The key is the bytes of an event's name id and arguments without these values; the answer is
// the argument set of the first event with this key. Equal bytes mean equal arguments; the bytes themselves
// are compared, not only their hash.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "gait/trace/args.h"

namespace gait::xplane {

class ArgTemplates {
 public:
  ArgTemplates();

  struct Template {
    ArgSetId set;         // invalid: there is none
    uint32_t number = 0;  // counted from 0 in the order of Store
  };

  // The template that was stored for these bytes.
  Template Find(std::string_view bytes) const;
  void Store(std::string_view bytes, ArgSetId set);

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t begin = 0;  // into bytes_
    uint32_t size = 0;
    Template found;
  };

  size_t FindSlot(uint64_t hash, std::string_view bytes) const;
  void Grow();

  std::vector<Slot> slots_;
  size_t used_ = 0;
  std::vector<char> bytes_;
};

}  // namespace gait::xplane
