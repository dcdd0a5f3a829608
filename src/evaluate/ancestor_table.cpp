#include "evaluate/ancestor_table.h"

#include <algorithm>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kNodesPerChunk = 256;

// Walks up breadth first, so that a node is first reached on a shortest path.
class UpwardWalk {
 public:
  explicit UpwardWalk(const Taxonomy& taxonomy)
      : taxonomy_(taxonomy), met_(static_cast<std::size_t>(taxonomy.size()), kNoNode) {}

  void append(NodeId start, std::vector<Ancestor>& entries) {
    const std::size_t first = entries.size();
    entries.push_back({start, 0, taxonomy_.depth(start)});
    met_[static_cast<std::size_t>(start)] = start;
    for (std::size_t at = first; at < entries.size(); ++at) {
      const Ancestor from = entries[at];
      for (const NodeId parent : taxonomy_.parents(from.node)) {
        NodeId& mark = met_[static_cast<std::size_t>(parent)];
        if (mark == start) continue;
        mark = start;
        entries.push_back({parent, from.steps + 1, taxonomy_.depth(parent)});
      }
    }
    std::sort(entries.begin() + static_cast<std::ptrdiff_t>(first), entries.end(),
              [](const Ancestor& a, const Ancestor& b) { return a.node < b.node; });
  }

 private:
  const Taxonomy& taxonomy_;
  std::vector<NodeId> met_;  // by node: the start of the last walk that reached it
};

}  // namespace

AncestorTable::AncestorTable(const Taxonomy& taxonomy, std::span<const NodeId> nodes, Context& ctx)
    : taxonomy_(taxonomy), slot_(static_cast<std::size_t>(taxonomy.size()), kNoNode) {
  std::vector<NodeId> distinct;
  for (const NodeId node : nodes) slot_[static_cast<std::size_t>(node)] = 0;
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    if (slot_[static_cast<std::size_t>(node)] == kNoNode) continue;
    slot_[static_cast<std::size_t>(node)] = static_cast<NodeId>(distinct.size());
    distinct.push_back(node);
  }

  struct Part {
    std::vector<Ancestor> entries;
    std::vector<Index> ends;
  };
  const auto count = static_cast<Index>(distinct.size());
  const Index grain = std::max<Index>(kNodesPerChunk, taxonomy.size() / 64);
  std::vector<Part> parts(static_cast<std::size_t>(chunk_count(count, grain)));
  parallel_for(ctx, count, grain, [&](Index begin, Index end) {
    Part& part = parts[static_cast<std::size_t>(begin / grain)];
    UpwardWalk walk(taxonomy_);
    for (Index k = begin; k < end; ++k) {
      walk.append(distinct[static_cast<std::size_t>(k)], part.entries);
      part.ends.push_back(static_cast<Index>(part.entries.size()));
    }
  });

  offsets_.assign(1, 0);
  std::size_t total = 0;
  for (const Part& part : parts) total += part.entries.size();
  entries_.reserve(total);
  for (const Part& part : parts) {
    const auto before = static_cast<Index>(entries_.size());
    entries_.insert(entries_.end(), part.entries.begin(), part.entries.end());
    for (const Index end : part.ends) offsets_.push_back(before + end);
  }
}

void join_ancestors(const AncestorTable& table, std::span<const NodeId> nodes, std::vector<NodeId>& result) {
  result.clear();
  for (const NodeId node : nodes) {
    for (const Ancestor& ancestor : table.of(node)) result.push_back(ancestor.node);
  }
  if (nodes.size() < 2) return;
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
}

}  // namespace clade
