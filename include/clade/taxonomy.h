#pragma once

#include <clade/error.h>
#include <clade/types.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

struct TaxonomyShape;

// An immutable directed acyclic graph of named classes with one root.
//
// Ids are topological: a parent's id is smaller than its children's, and the root is 0. The nodes of a tree are ordered
// by level, within a level by their parents, and siblings as the input first named them; a node of a DAG comes after
// its last parent has been placed. So the same input always gives the same ids. If the input has several roots, a
// virtual root is put above them.
//
// Memory is linear in nodes + edges; nothing is nodes x nodes. Copies share one body.
class Taxonomy {
 public:
  // The name of a root that the input did not have; a single root of this name counts as virtual.
  static constexpr std::string_view kVirtualRootName = "(root)";

  NodeId size() const;
  Index edges() const;
  NodeId root() const { return 0; }
  bool has_virtual_root() const;
  bool is_tree() const;

  const std::string& name(NodeId node) const;
  std::optional<NodeId> find(std::string_view name) const;

  std::span<const NodeId> parents(NodeId node) const;
  std::span<const NodeId> children(NodeId node) const;
  bool is_leaf(NodeId node) const { return children(node).empty(); }
  std::span<const NodeId> leaves() const;          // in id order
  std::span<const NodeId> internal_nodes() const;  // in id order, the root first

  // Position (from 0) at which the input first named the node; the virtual root and miscellaneous leaves come last.
  NodeId input_position(NodeId node) const;

  // Edges on the longest and on the shortest path from the root; O(1).
  int depth(NodeId node) const;
  int shortest_depth(NodeId node) const;
  // Edges on the longest path from the root to a leaf; levels() counts the nodes on it.
  int longest_path() const;
  int levels() const { return longest_path() + 1; }

  // Proper ancestors, nearest ids first (descending); O(answer) in a tree, O(answer log answer) in a DAG.
  std::vector<NodeId> ancestors(NodeId node) const;
  // Proper descendants in ascending id order; O(answer log answer).
  std::vector<NodeId> descendants(NodeId node) const;
  // The leaves at or below a node, ascending.
  std::vector<NodeId> leaves_below(NodeId node) const;
  // Nodes that share a parent with this one, ascending, itself excluded.
  std::vector<NodeId> siblings(NodeId node) const;
  // Is `above` a proper ancestor of `below`? O(1) in a tree; in a DAG it visits at most the ancestors of `below`.
  bool is_ancestor(NodeId above, NodeId below) const;
  // The common ancestors (a node is its own ancestor here) that have no other common ancestor below them, ascending. A
  // single node, in O(1), in a tree; a DAG may have several, which takes O(ancestors of both).
  std::vector<NodeId> lowest_common_ancestors(NodeId a, NodeId b) const;
  // The tree case of the above; requires is_tree().
  NodeId lowest_common_ancestor(NodeId a, NodeId b) const;

  // Learning needs classes to be leaves. This gives every inner node of `labelled` a leaf child that means "this node
  // and nothing more specific". Existing nodes keep their ids; the new leaves follow them.
  Taxonomy with_miscellaneous_leaves(std::span<const NodeId> labelled) const;
  bool is_miscellaneous(NodeId node) const;
  // The miscellaneous leaf of a node, or kNoNode.
  NodeId miscellaneous_leaf(NodeId node) const;
  // The node to show in any output: the parent of a miscellaneous leaf, otherwise the node itself.
  NodeId fold(NodeId node) const { return is_miscellaneous(node) ? parents(node)[0] : node; }

  // Same names, same edges, same order.
  friend bool operator==(const Taxonomy& a, const Taxonomy& b);

 private:
  friend class TaxonomyBuilder;
  friend Taxonomy restore_taxonomy(TaxonomyShape shape, const Where& where);
  struct Body;
  explicit Taxonomy(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  std::shared_ptr<const Body> body_;
};

// Collects nodes and edges in any order, then checks them and builds a Taxonomy in O(nodes + edges).
class TaxonomyBuilder {
 public:
  // `file` is the name of the input, for messages; it may be empty.
  explicit TaxonomyBuilder(std::string file = {});
  ~TaxonomyBuilder();
  TaxonomyBuilder(TaxonomyBuilder&&) noexcept;
  TaxonomyBuilder& operator=(TaxonomyBuilder&&) noexcept;

  // The number of a node, which is added when first mentioned. Numbers count from 0 in this order.
  NodeId node(std::string_view name);
  std::optional<NodeId> find(std::string_view name) const;
  NodeId size() const;
  const std::string& name(NodeId number) const;

  // Adds an edge between numbers returned by node(). `line` is used in messages (0: unknown).
  void edge(NodeId parent, NodeId child, Index line = 0);
  void edge(std::string_view parent, std::string_view child, Index line = 0) {
    const NodeId p = node(parent);
    edge(p, node(child), line);
  }
  // Adds the chain a, a/b, a/b/c of the path `a/b/c`; each node is named by its whole path. Repeats add nothing.
  NodeId path(std::string_view path, std::string_view separator, Index line = 0);

  // Puts a virtual root on top even if there is only one root (for formats in which the root is implied).
  void imply_root();

  // Drops repeated edges instead of refusing them (for formats that may state an edge twice).
  void merge_repeated_edges(bool merge);
  Index merged_edges() const;  // how many build() dropped

  // Throws Error (with the line, if known) if there is a self-loop, a repeated edge, a cycle (its nodes are named), or
  // no node at all.
  Taxonomy build();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A root with one leaf per name, in the given order.
Taxonomy flat_taxonomy(std::span<const std::string> class_names);

// A tree over the same nodes at the same levels with random edges (Cai, thesis, 7.4.3), to find out what a hierarchy is
// worth.
//
// All names, the level of every node, and which nodes are leaves stay the same, and so do the numbers of inner nodes
// and leaves at every level. A node's parent is a random inner node of the level above: first every inner node gets one
// child, drawn without repetition from all nodes of the level below; then every other node gets a parent, each equally
// likely. The level of a node of a DAG is its depth on the longest path; the result is still a tree.
//
// Throws Error (kInput) for a DAG in which a level has more inner nodes than the level below has nodes: no such tree
// exists.
Taxonomy random_taxonomy_like(const Taxonomy& like, std::uint64_t seed);

}  // namespace clade
