// A Table as Arrow columns, for every data-frame library: the Arrow C data interface, which hands out
// pointers and copies nothing. (https://arrow.apache.org/docs/format/CDataInterface.html)
#pragma once

#include <cstdint>
#include <memory>

#include "gait/report/table.h"

// The structures of the interface, in its own words.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace gait::report {

// The columns of a table: integers as int64 (uint64 where one needs it), numbers as float64, text as utf8,
// lists as JSON in utf8. Unknown is null. A column's unit and meaning are metadata of its field ("unit",
// "about").
class ArrowColumns;
std::shared_ptr<const ArrowColumns> MakeArrowColumns(const Table& table);

// May be called any number of times. An exported structure keeps the columns alive until it is released.
void ExportSchema(const std::shared_ptr<const ArrowColumns>& columns, ArrowSchema* out);
void ExportArray(const std::shared_ptr<const ArrowColumns>& columns, ArrowArray* out);  // one struct per row
void ExportStream(const std::shared_ptr<const ArrowColumns>& columns, ArrowArrayStream* out);  // of one batch

}  // namespace gait::report
