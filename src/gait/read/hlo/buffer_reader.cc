#include "gait/read/hlo/buffer_reader.h"

namespace gait::hlo {
namespace {

class BufferReader {
 public:
  BufferReader(const Program& program, ModuleReader& module, WireLosses& losses)
      : program_(program), module_(module), losses_(losses) {}

  LogicalBuffer Buffer(std::string_view bytes) {
    LogicalBuffer buffer;
    Fields fields(bytes, losses_);
    while (fields.Next()) {
      if (fields.number() == 1) buffer.id = fields.Int();
      if (fields.number() == 2) buffer.size = fields.Int();
      if (fields.number() == 3) Definition(fields.Bytes(), buffer);
      if (fields.number() == 4) buffer.color = fields.Int();
    }
    return buffer;
  }

  BufferAllocation Allocation(std::string_view bytes) {
    BufferAllocation allocation;
    Fields fields(bytes, losses_);
    while (fields.Next()) {
      switch (fields.number()) {
        case 1:
          allocation.index = fields.Int();
          break;
        case 2:
          allocation.size = fields.Int();
          break;
        case 3:
          allocation.thread_local_buffer = fields.Int() != 0;
          break;
        case 5:
          allocation.entry_parameter = fields.Int() != 0;
          break;
        case 6:
          allocation.parameter_number = fields.Int();
          break;
        case 7:
          allocation.live_out = fields.Int() != 0;
          break;
        case 8:
          allocation.color = fields.Int();
          break;
        case 9:
          allocation.assigned.push_back(Assigned(fields.Bytes()));
          break;
        case 12:
          allocation.constant = fields.Int() != 0;
          break;
        default:
          break;
      }
    }
    return allocation;
  }

  HeapTrace Heap(std::string_view bytes) {
    HeapTrace trace;
    Fields fields(bytes, losses_);
    while (fields.Next()) {
      if (fields.number() == 1) trace.events.push_back(Event(fields.Bytes()));
      if (fields.number() == 2) trace.whole_module = fields.Int() != 0;
      if (fields.number() == 3) trace.allocation = fields.Int();
    }
    return trace;
  }

 private:
  // Old files name the instruction, later ones give its id.
  void Definition(std::string_view bytes, LogicalBuffer& buffer) {
    Fields fields(bytes, losses_);
    while (fields.Next()) {
      if (fields.number() == 2) buffer.defined_by = program_.Find(fields.Bytes());
      if (fields.number() == 3) fields.AppendInts(buffer.shape_index);
      if (fields.number() == 4) buffer.defined_by = module_.FindAnywhere(fields.Int());
    }
    if (!buffer.defined_by.valid()) losses_.Unresolved("buffers whose instruction is not in the program");
  }

  AssignedBuffer Assigned(std::string_view bytes) {
    AssignedBuffer assigned;
    Fields fields(bytes, losses_);
    while (fields.Next()) {
      if (fields.number() == 1) assigned.logical_buffer = fields.Int();
      if (fields.number() == 2) assigned.offset = fields.Int();
      if (fields.number() == 3) assigned.size = fields.Int();
    }
    return assigned;
  }

  HeapEvent Event(std::string_view bytes) {
    HeapEvent event;
    Fields fields(bytes, losses_);
    while (fields.Next()) {
      switch (fields.number()) {
        case 1: {
          const int64_t kind = fields.Int();
          if (kind >= 0 && kind <= 2) {
            event.kind = static_cast<HeapEvent::Kind>(kind);
          } else {
            losses_.Mangled();
          }
          break;
        }
        case 2:
          event.buffer = fields.Int();
          break;
        case 4:
          event.instruction = program_.Find(fields.Bytes());
          break;
        case 5:
          event.share_with = fields.Int();
          break;
        default:
          break;
      }
    }
    return event;
  }

  const Program& program_;
  ModuleReader& module_;
  WireLosses& losses_;
};

}  // namespace

BufferAssignment ReadBufferAssignment(std::string_view bytes, const Program& program, ModuleReader& module,
                                      WireLosses& losses) {
  BufferAssignment assignment;
  BufferReader reader(program, module, losses);
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 1) assignment.buffers.push_back(reader.Buffer(fields.Bytes()));
    if (fields.number() == 3) assignment.allocations.push_back(reader.Allocation(fields.Bytes()));
    if (fields.number() == 4) assignment.heap_traces.push_back(reader.Heap(fields.Bytes()));
  }
  return assignment;
}

}  // namespace gait::hlo
