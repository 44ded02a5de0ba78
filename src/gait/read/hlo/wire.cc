#include "gait/read/hlo/wire.h"

#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

namespace gait::hlo {

bool Fields::Next() {
  const bool was_cut = walker_.cut();
  if (walker_.Next()) {
    if (walker_.cut()) losses_.Truncated();
    return true;
  }
  if (walker_.trouble().empty() || was_cut) return false;
  if (walker_.ends_early()) {
    losses_.Truncated();
  } else {
    losses_.Mangled();
  }
  return false;
}

int64_t Fields::Int() const {
  if (!is_bytes()) return walker_.integer();
  losses_.Mangled();
  return 0;
}

std::string_view Fields::Bytes() const {
  if (is_bytes()) return walker_.bytes();
  losses_.Mangled();
  return {};
}

void Fields::AppendInts(std::vector<int64_t>& out) const {
  if (!is_bytes()) {
    out.push_back(walker_.integer());
    return;
  }
  const char* next = walker_.bytes().data();
  const char* const end = next + walker_.bytes().size();
  try {
    while (next != end) out.push_back(static_cast<int64_t>(protozero::decode_varint(&next, end)));
  } catch (const protozero::exception&) {
    losses_.Truncated();
  }
}

}  // namespace gait::hlo
