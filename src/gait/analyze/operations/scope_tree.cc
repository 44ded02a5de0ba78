#include "gait/analyze/operations/scope_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

constexpr size_t kDeepestPath = 64;  // elements of a path; deeper ones belong to the last

// One element of a path: what tells the row, what it is called, and which of several that share the row it
// is.
struct Element {
  std::string key;
  std::string name;        // as it is
  std::string shown = {};  // what people see instead; empty: the name
  bool of_host = false;    // a scope of the host
};

class Tree {
 public:
  explicit Tree(size_t operations) : nodes_(1) { membership_.of.resize(operations); }

  void Add(uint32_t operation, const std::vector<Element>& path, const OpTotal& total, const OpRoof& roof) {
    uint32_t at = 0;
    std::string instance;
    for (size_t i = 0; i < path.size() && i < kDeepestPath; ++i) {
      at = Child(at, path[i]);
      instance += "/" + path[i].name;
      Node& node = nodes_[at];
      AddTo(node.group, total, roof);
      node.instances[instance] += total.self;
      membership_.of[operation].push_back(at);
    }
    nodes_[at].group.own += total.self;
  }

  // In the order of a report.
  std::vector<OpGroup> Rows(const Operations& operations) {
    membership_.groups = nodes_.size();
    const std::vector<Ps> times = GroupTimes(operations, membership_);
    for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i].group.time = times[i];
    std::vector<OpGroup> rows;
    // Nodes to write, the next one last, with depth and the path above.
    std::vector<Pending> pending;
    Push(0, 0, "", pending);
    while (!pending.empty()) {
      const Pending next = std::move(pending.back());
      pending.pop_back();
      Node& node = nodes_[next.node];
      OpGroup row = std::move(node.group);
      row.name = node.names.size() > 1 ? node.key : node.names.begin()->first;
      row.path = next.above.empty() ? row.name : fmt::format("{}/{}", next.above, row.name);
      if (!node.shown.empty()) row.name = node.shown;
      row.depth = next.depth;
      row.layers = node.instances.size();
      for (const auto& [instance, self] : node.instances) {
        const bool first = instance == node.instances.begin()->first;
        row.layer_min = first ? self : std::min(row.layer_min, self);
        if (!first && self <= row.layer_max) continue;
        row.layer_max = self;
        row.slowest_layer = instance.substr(1);
      }
      Push(next.node, next.depth + 1, row.path, pending);
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  struct Node {
    std::string key;
    std::string shown;
    std::map<std::string, uint32_t> children;
    std::map<std::string, uint32_t> names;  // that share the row
    std::map<std::string, Ps> instances;
    OpGroup group;
  };
  struct Pending {
    uint32_t node;
    int depth;
    std::string above;
  };

  uint32_t Child(uint32_t parent, const Element& element) {
    const auto [entry, is_new] =
        nodes_[parent].children.try_emplace(element.key, static_cast<uint32_t>(nodes_.size()));
    const uint32_t child = entry->second;
    if (is_new) {
      nodes_.emplace_back();
      nodes_.back().key = element.key.substr(element.key.find('\n') + 1);
      nodes_.back().shown = element.shown;
      nodes_.back().group.of_host = element.of_host;
    }
    ++nodes_[child].names[element.name];
    return child;
  }

  void Push(uint32_t parent, int depth, const std::string& above, std::vector<Pending>& pending) const {
    std::vector<uint32_t> children;
    for (const auto& [key, child] : nodes_[parent].children) children.push_back(child);
    std::ranges::stable_sort(children, {}, [&](uint32_t c) { return nodes_[c].group.self; });
    for (const uint32_t child : children) pending.push_back({child, depth, above});
  }

  std::vector<Node> nodes_;  // the first one is above all rows
  Membership membership_;
};

Element Plain(const std::string& name) { return {name, name}; }

Element OfPass(Pass pass) {
  const std::string_view jax = JaxName(pass);
  return {std::string(jax), std::string(jax), std::string(Name(pass))};
}

using Path = std::vector<Element>;
using Roots = std::set<std::string>;  // that have a forward or backward pass

constexpr const char* kOutside = "(outside gradient)";
constexpr const char* kNoName = "(no name)";  // whether it is outside nobody knows
constexpr const char* kItself = "(itself)";

// What has a scope outside it, an optimizer say, stands under its own name.
bool IsOutside(const ScopeName& scope, const Roots& with_gradient) {
  return scope.path.empty() && scope.pass == Pass::kOther && with_gradient.contains(scope.root);
}

const char* NameOutside(const ScopeName& scope) { return scope.operation.empty() ? kNoName : kOutside; }

// A host scope may be called as a program is: they are rows of their own.
Path HostElements(const Operation& operation) {
  Path path;
  for (const std::string& name : operation.host.path) path.push_back({"host\n" + name, name, {}, true});
  return path;
}

Path ScopeElements(const Operation& operation, const Roots& with_gradient) {
  Path path = HostElements(operation);
  path.push_back(Plain(operation.has_scope() ? operation.scope.root : UnattributedName(operation)));
  if (!operation.has_scope()) return path;
  if (operation.scope.pass != Pass::kOther) path.push_back(OfPass(operation.scope.pass));
  if (IsOutside(operation.scope, with_gradient)) {
    path.push_back(Plain(NameOutside(operation.scope)));
  }
  for (const std::string& name : operation.scope.path) path.push_back(Plain(name));
  return path;
}

Path LayerElements(const Operation& operation, const Roots& with_gradient) {
  if (!operation.host.path.empty()) {
    Path path;
    for (const Element& scope : HostElements(operation))
      path.push_back({WithoutNumber(scope.key), scope.name, {}, true});
    for (const std::string& name : operation.scope.path) path.push_back({WithoutNumber(name), name});
    return path;
  }
  if (!operation.has_scope()) return {Plain(UnattributedName(operation))};
  const ScopeName& scope = operation.scope;
  // Rows of the root are told apart by program and pass; a line break is in no name.
  const std::string where = fmt::format("{} {}\n", scope.root, Name(scope.pass));
  if (scope.path.empty()) {
    const std::string name = IsOutside(scope, with_gradient) ? NameOutside(scope) : "(no scope)";
    return {{where + name, name}};
  }
  Path path;
  for (const std::string& name : scope.path) {
    path.push_back({(path.empty() ? where : "") + WithoutNumber(name), name});
  }
  return path;
}

// Where a row has operations of its own beside rows below it, they get a row too.
void NameWhatIsItself(std::vector<Path>& paths) {
  const auto key_of = [](const Path& path, size_t elements) {
    std::string key;
    for (size_t i = 0; i < elements; ++i) key += path[i].key + '\t';
    return key;
  };
  std::unordered_set<std::string> inner;
  for (const Path& path : paths) {
    for (size_t length = path.size(); length-- > 1;) {
      if (!inner.insert(key_of(path, length)).second) break;  // and so are those above it
    }
  }
  for (Path& path : paths) {
    if (!path.empty() && inner.contains(key_of(path, path.size()))) path.push_back(Plain(kItself));
  }
}

template <typename Elements>
std::vector<OpGroup> Build(const Operations& operations, const std::vector<OpRoof>& roofs,
                           Elements elements) {
  Roots with_gradient;
  for (const OpTotal& total : operations.totals) {
    if (total.what.has_scope() && total.what.scope.pass != Pass::kOther)
      with_gradient.insert(total.what.scope.root);
  }
  std::vector<Path> paths(operations.totals.size());  // empty: did nothing
  for (size_t i = 0; i < paths.size(); ++i) {
    const OpTotal& total = operations.totals[i];
    if (total.events == 0 && total.self == Ps() && total.time == Ps()) continue;
    paths[i] = elements(total.what, with_gradient);
  }
  NameWhatIsItself(paths);
  Tree tree(paths.size());
  for (uint32_t i = 0; i < paths.size(); ++i) {
    if (!paths[i].empty()) tree.Add(i, paths[i], operations.totals[i], roofs[i]);
  }
  return tree.Rows(operations);
}

}  // namespace

std::vector<OpGroup> ScopeTree(const Operations& operations, const std::vector<OpRoof>& roofs) {
  return Build(operations, roofs, ScopeElements);
}

std::vector<OpGroup> LayerTree(const Operations& operations, const std::vector<OpRoof>& roofs) {
  return Build(operations, roofs, LayerElements);
}

}  // namespace gait::analyze
