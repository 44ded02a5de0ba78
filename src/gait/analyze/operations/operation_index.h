// OperationIndex: the operation that each device event of a view executes.
//
// An operation is an HLO instruction of a program; the same program on several hosts is one program. Events
// without an instruction are grouped into operations by reason, name and scope; the event's arguments give
// name and scope, else the event's own name. Where a program was selected, all events of other programs are
// one operation. By host scope (host_scopes.h), an operation that was launched from several scopes is several
// operations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gait/analyze/device/category.h"
#include "gait/analyze/operations/event_scopes.h"
#include "gait/analyze/operations/host_scopes.h"
#include "gait/analyze/view/run_view.h"
#include "gait/analyze/vocabulary/scope_name.h"

namespace gait::analyze {

struct Operation {
  const Program* program = nullptr;  // null: the event belongs to no instruction
  InstructionIndex instruction;
  AttributionKind attribution = AttributionKind::kNone;  // how it was found, or why not
  std::string name;  // of the instruction: "fusion.12"; else of the operation or kernel that the event names
  ScopeName scope;
  HostScope host{};  // only where operations are told apart by it
  Category category = Category::kUnattributed;
  std::string source;    // "train.py:27"; empty: unknown
  bool in_loop = false;  // may execute more than once per run of its program

  bool attributed() const { return program != nullptr; }
  // Whether the scope is known, from the instruction or from the event's arguments (event_scopes.h).
  bool has_scope() const { return attributed() || !scope.root.empty(); }
  const Instruction& hlo() const { return (*program)[instruction]; }  // of an attributed one
};

// Linear in the events to make; O(1) per event. Only operations that some event executes are listed.
class OperationIndex {
 public:
  explicit OperationIndex(const RunView& view) : OperationIndex(view, false) {}
  static OperationIndex ByHostScope(const RunView& view) { return {view, true}; }

  const std::vector<Operation>& operations() const { return operations_; }
  uint32_t Find(size_t host, const Track& track, EventIndex event) const {
    const Host& tables = hosts_[host];
    const uint32_t by_set = tables.by_set[track.args(event).value];
    if (by_set < kByName) return by_set;
    return tables.by_name[by_set - kByName][track.name(event).value];
  }

  // The same by host scope, where operations are told apart by host scope.
  uint32_t Find(size_t host, const Track& track, const WorkItem& item) {
    const uint32_t plain = Find(host, track, item.event.index);
    if (scopes_of_hosts_.empty()) return plain;
    const uint32_t scope = scopes_of_hosts_[host].Of(item);
    return scope == 0 ? plain : launched_[host].at(uint64_t{plain} << 32 | scope);
  }

 private:
  OperationIndex(const RunView& view, bool by_host_scope);
  void TellApart(const HostView& view);

  static constexpr uint32_t kByName = 0xfffffff0;  // and above: which table of names decides
  static constexpr uint32_t kNone = 0xffffffff;
  static constexpr size_t kReasons = 6;  // values of AttributionKind

  struct Host {
    std::vector<uint32_t> by_set;                // operation, or kByName + reason
    std::vector<std::vector<uint32_t>> by_name;  // by reason: operation of an event name
  };

  void AddHost(const HostView& view);
  uint32_t OfInstruction(const Trace& trace, Attribution found);
  uint32_t OfOtherPrograms();
  // The operation for events without an instruction.
  uint32_t OfName(AttributionKind reason, std::string_view name, const ScopeName& scope = {});
  uint32_t OfArguments(const Trace& trace, const EventScopes& scopes, ArgSetId set, std::string_view kernel);

  using ProgramKey = std::tuple<std::string, uint64_t, size_t>;
  std::vector<Host> hosts_;
  std::vector<HostScopes> scopes_of_hosts_;  // empty: operations are not told apart by them
  std::vector<std::unordered_map<uint64_t, uint32_t>>
      launched_;  // by host: operation and number of the scope
  std::map<std::pair<uint32_t, HostScope>, uint32_t> by_host_scope_;
  std::vector<Operation> operations_;
  uint32_t other_programs_ = kNone;
  std::map<ProgramKey, const Program*> programs_;  // the first host that has it speaks for all
  std::map<const Program*, std::vector<uint32_t>> by_instruction_;
  std::map<const Program*, std::vector<bool>> in_loops_;
  std::map<const Program*, ProgramScopes> scopes_;
  std::map<std::tuple<AttributionKind, std::string, std::string>, uint32_t> by_name_;  // with the scope
};

}  // namespace gait::analyze
