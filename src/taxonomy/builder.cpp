#include <clade/taxonomy.h>
#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "core/check.h"
#include "taxonomy/body.h"

namespace clade {
namespace {

constexpr std::size_t kMostNodesNamed = 10;  // in the message about a cycle

struct Edge {
  NodeId parent;
  NodeId child;
  Index line;
};

}  // namespace

struct TaxonomyBuilder::State {
  std::string file;
  std::deque<std::string> names;  // a deque, so that the views in `numbers` stay valid
  std::unordered_map<std::string_view, NodeId> numbers;
  std::vector<Edge> edges;
  Index merged = 0;
  bool merge_repeats = false;
  bool root_implied = false;

  Where at(Index line) const { return {.file = file, .line = line}; }
  const std::string& name(NodeId number) const { return names[static_cast<std::size_t>(number)]; }

  std::vector<std::size_t> repeated_edges() const;
  void check_edges();
  std::vector<NodeId> topological_order(const std::vector<std::vector<NodeId>::size_type>& offset,
                                        const std::vector<NodeId>& child_list, std::vector<int>& waiting,
                                        const std::vector<NodeId>& roots) const;
  [[noreturn]] void report_cycle(const std::vector<int>& waiting) const;
  std::string unused_root_name() const;
};

TaxonomyBuilder::TaxonomyBuilder(std::string file) : state_(std::make_unique<State>()) {
  state_->file = std::move(file);
}
TaxonomyBuilder::~TaxonomyBuilder() = default;
TaxonomyBuilder::TaxonomyBuilder(TaxonomyBuilder&&) noexcept = default;
TaxonomyBuilder& TaxonomyBuilder::operator=(TaxonomyBuilder&&) noexcept = default;

NodeId TaxonomyBuilder::node(std::string_view name) {
  const auto found = state_->numbers.find(name);
  if (found != state_->numbers.end()) return found->second;
  const auto number = static_cast<NodeId>(state_->names.size());
  state_->names.emplace_back(name);
  state_->numbers.emplace(state_->names.back(), number);
  return number;
}

std::optional<NodeId> TaxonomyBuilder::find(std::string_view name) const {
  const auto found = state_->numbers.find(name);
  if (found == state_->numbers.end()) return std::nullopt;
  return found->second;
}

NodeId TaxonomyBuilder::size() const {
  return static_cast<NodeId>(state_->names.size());
}
const std::string& TaxonomyBuilder::name(NodeId number) const {
  return state_->name(number);
}

void TaxonomyBuilder::edge(NodeId parent, NodeId child, Index line) {
  CLADE_CHECK(parent >= 0 && parent < size() && child >= 0 && child < size());
  state_->edges.push_back({parent, child, line});
}

NodeId TaxonomyBuilder::path(std::string_view path, std::string_view separator, Index line) {
  CLADE_CHECK(!separator.empty());
  if (const auto known = find(path)) return *known;
  std::vector<std::size_t> ends;  // where the paths above end
  for (std::size_t cut = path.find(separator); cut != std::string_view::npos;) {
    ends.push_back(cut);
    cut = path.find(separator, cut + separator.size());
  }
  // Starts from the longest path already known: starting from the top each time would cost the square of the length.
  std::size_t level = ends.size();
  NodeId above = kNoNode;
  while (level > 0 && above == kNoNode) above = find(path.substr(0, ends[--level])).value_or(kNoNode);
  if (above != kNoNode) ++level;
  for (; level <= ends.size(); ++level) {
    const NodeId current = node(level < ends.size() ? path.substr(0, ends[level]) : path);
    if (above != kNoNode) edge(above, current, line);
    above = current;
  }
  return above;
}

void TaxonomyBuilder::imply_root() {
  state_->root_implied = true;
}
void TaxonomyBuilder::merge_repeated_edges(bool merge) {
  state_->merge_repeats = merge;
}
Index TaxonomyBuilder::merged_edges() const {
  return state_->merged;
}

// Edges that the input states more than once. With edges grouped by parent in the order of the input, a child that its
// group already has is a repeat. O(nodes + edges); sorting took half of the time of building a large DAG.
std::vector<std::size_t> TaxonomyBuilder::State::repeated_edges() const {
  std::vector<std::size_t> next(names.size() + 1, 0);
  for (const Edge& edge : edges) ++next[static_cast<std::size_t>(edge.parent) + 1];
  for (std::size_t k = 0; k < names.size(); ++k) next[k + 1] += next[k];
  std::vector<std::size_t> by_parent(edges.size());
  for (std::size_t k = 0; k < edges.size(); ++k) by_parent[next[static_cast<std::size_t>(edges[k].parent)]++] = k;
  std::vector<NodeId> met_below(names.size(), kNoNode);
  std::vector<std::size_t> repeats;
  for (const std::size_t k : by_parent) {
    NodeId& met = met_below[static_cast<std::size_t>(edges[k].child)];
    if (met == edges[k].parent) repeats.push_back(k);
    met = edges[k].parent;
  }
  return repeats;
}

void TaxonomyBuilder::State::check_edges() {
  for (const Edge& edge : edges) {
    if (edge.parent == edge.child) {
      throw input_error(at(edge.line), fmt::format("node '{}' is its own parent", name(edge.child)),
                        "expected a hierarchy without loops");
    }
  }
  const std::vector<std::size_t> repeats = repeated_edges();
  if (repeats.empty()) return;
  if (!merge_repeats) {
    const Edge& first = edges[*std::min_element(repeats.begin(), repeats.end())];
    throw input_error(at(first.line),
                      fmt::format("edge from '{}' to '{}' is given twice", name(first.parent), name(first.child)),
                      "expected each edge once");
  }
  merged = static_cast<Index>(repeats.size());
  for (const std::size_t k : repeats) edges[k].parent = kNoNode;
  std::erase_if(edges, [](const Edge& edge) { return edge.parent == kNoNode; });
}

// Nodes that still wait for a parent contain a cycle: walking from one to a waiting parent must come back.
void TaxonomyBuilder::State::report_cycle(const std::vector<int>& waiting) const {
  std::vector<NodeId> waiting_parent(names.size(), kNoNode);
  std::vector<Index> line(names.size(), 0);
  NodeId at_node = kNoNode;
  for (const Edge& edge : edges) {
    const auto child = static_cast<std::size_t>(edge.child);
    if (waiting[static_cast<std::size_t>(edge.parent)] == 0 || waiting[child] == 0) continue;
    if (waiting_parent[child] == kNoNode) {
      waiting_parent[child] = edge.parent;
      line[child] = edge.line;
    }
    at_node = edge.child;
  }
  std::vector<bool> seen(names.size(), false);
  while (!seen[static_cast<std::size_t>(at_node)]) {
    seen[static_cast<std::size_t>(at_node)] = true;
    at_node = waiting_parent[static_cast<std::size_t>(at_node)];
  }
  std::vector<NodeId> cycle{at_node};
  for (NodeId next = waiting_parent[static_cast<std::size_t>(at_node)]; next != at_node;) {
    cycle.push_back(next);
    next = waiting_parent[static_cast<std::size_t>(next)];
  }
  std::string chain = fmt::format("'{}'", name(at_node));
  for (std::size_t k = cycle.size(); k-- > 0;) {  // the walk went upwards; names go downwards
    if (cycle.size() > kMostNodesNamed && k == cycle.size() - kMostNodesNamed) {
      chain += fmt::format(" -> ... ({} nodes)", cycle.size());
      break;
    }
    chain += fmt::format(" -> '{}'", name(cycle[k]));
  }
  throw input_error(at(line[static_cast<std::size_t>(at_node)]), fmt::format("the hierarchy has a cycle: {}", chain),
                    "expected parents above children");
}

std::string TaxonomyBuilder::State::unused_root_name() const {
  std::string candidate(Taxonomy::kVirtualRootName);
  while (numbers.contains(candidate)) candidate += "'";
  return candidate;
}

// First come, first served: a node is placed once its last parent has been placed, roots in the order of the input and
// children in the order in which the input named them. O(nodes + edges).
std::vector<NodeId> TaxonomyBuilder::State::topological_order(const std::vector<std::vector<NodeId>::size_type>& offset,
                                                              const std::vector<NodeId>& child_list,
                                                              std::vector<int>& waiting,
                                                              const std::vector<NodeId>& roots) const {
  std::vector<NodeId> order(roots);
  order.reserve(names.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto node = static_cast<std::size_t>(order[k]);
    for (std::size_t e = offset[node]; e < offset[node + 1]; ++e) {
      if (--waiting[static_cast<std::size_t>(child_list[e])] == 0) order.push_back(child_list[e]);
    }
  }
  if (order.size() < names.size()) report_cycle(waiting);
  return order;
}

Taxonomy TaxonomyBuilder::build() {
  State& s = *state_;
  if (s.names.empty() && !s.root_implied) {
    throw input_error({.file = s.file}, "no node in the hierarchy", "expected at least one");
  }
  s.check_edges();

  const std::size_t nodes = s.names.size();
  std::vector<std::vector<NodeId>::size_type> offset(nodes + 1, 0);
  std::vector<int> waiting(nodes, 0);
  for (const Edge& edge : s.edges) {
    ++offset[static_cast<std::size_t>(edge.parent) + 1];
    ++waiting[static_cast<std::size_t>(edge.child)];
  }
  for (std::size_t k = 0; k < nodes; ++k) offset[k + 1] += offset[k];
  std::vector<NodeId> child_list(s.edges.size());
  std::vector<std::size_t> next(offset.begin(), offset.end() - 1);
  for (const Edge& edge : s.edges) child_list[next[static_cast<std::size_t>(edge.parent)]++] = edge.child;
  for (std::size_t k = 0; k < nodes; ++k) {
    std::sort(child_list.begin() + static_cast<std::ptrdiff_t>(offset[k]),
              child_list.begin() + static_cast<std::ptrdiff_t>(offset[k + 1]));
  }

  std::vector<NodeId> roots;
  for (std::size_t k = 0; k < nodes; ++k) {
    if (waiting[k] == 0) roots.push_back(static_cast<NodeId>(k));
  }
  const std::vector<NodeId> order = s.topological_order(offset, child_list, waiting, roots);

  // A virtual root that would not come back by itself is stated in files by its name.
  const bool root_stated = roots.size() == 1 && s.name(roots[0]) == Taxonomy::kVirtualRootName;
  TaxonomyShape shape;
  shape.virtual_root = s.root_implied || roots.size() > 1 || root_stated;
  const NodeId shift = shape.virtual_root && !root_stated ? 1 : 0;
  if (shift > 0) {
    shape.names.push_back(s.unused_root_name());
    shape.input_position.push_back(static_cast<NodeId>(nodes));
    for (std::size_t k = 0; k < roots.size(); ++k) shape.edges.emplace_back(0, static_cast<NodeId>(k) + 1);
  }
  std::vector<NodeId> id(nodes);
  shape.names.reserve(nodes + 1);
  for (std::size_t k = 0; k < nodes; ++k) {
    id[static_cast<std::size_t>(order[k])] = static_cast<NodeId>(k) + shift;
    shape.names.push_back(s.name(order[k]));
    shape.input_position.push_back(order[k] - (root_stated && order[k] > roots[0] ? 1 : 0));
  }
  if (root_stated) shape.input_position[0] = static_cast<NodeId>(nodes) - 1;
  shape.edges.reserve(shape.edges.size() + s.edges.size());
  for (const Edge& edge : s.edges) {
    shape.edges.emplace_back(id[static_cast<std::size_t>(edge.parent)], id[static_cast<std::size_t>(edge.child)]);
  }
  return Taxonomy(Taxonomy::Body::make(std::move(shape)));
}

}  // namespace clade
