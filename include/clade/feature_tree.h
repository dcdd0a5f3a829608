#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/methods.h>
#include <clade/types.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clade {

// A group of features as a source states it.
struct FeatureGroup {
  std::string name;
  NodeId parent = kNoNode;             // its number among the groups, in any order; kNoNode: this is the root
  std::vector<FeatureIndex> features;  // in any order; what its descendants have may be stated again or left out
};

// A hierarchy over features (the index tree of Liu and Ye 2010, Wang et al. 2017): every node is a set of features, the
// root has all of them, children are disjoint subsets of their parent. What a node has and none of its children is its
// own.
//
// Nodes are numbered depth first: the root is 0, a parent comes before its children, and the nodes below a node follow
// it. `order()` lists the features in the same way, so that every node is one range of it: first the node's own
// features, ascending, then those of its children, one after the other. Memory is linear in features + nodes.
class FeatureTree {
 public:
  // What build() may take for granted, and names for its messages.
  struct Source {
    std::string file;                            // empty: unknown
    std::span<const std::string> feature_names;  // empty: features are named by their numbers
    bool is_whole = true;  // every feature must be in a group; if not, others become the root's own, and are counted
  };

  // The tree of `groups` over the features 0, ..., features - 1. Siblings keep their order. A group has what it states
  // and what the groups below it have. Throws Error (kInput) that names the groups and features: no root or several, a
  // parent that is no group, groups below each other in a circle, a feature that does not exist, a feature in two
  // groups of which neither is below the other, a group without features, features in no group.
  static FeatureTree build(Index features, std::span<const FeatureGroup> groups, const Source& source);
  static FeatureTree build(Index features, std::span<const FeatureGroup> groups) {
    return build(features, groups, Source());
  }

  Index features() const { return std::ssize(order_); }
  NodeId size() const { return static_cast<NodeId>(parents_.size()); }
  NodeId root() const { return 0; }
  NodeId parent(NodeId node) const { return parents_[at(node)]; }  // kNoNode for the root
  const std::string& name(NodeId node) const { return names_[at(node)]; }
  std::span<const NodeId> children(NodeId node) const {
    return std::span(children_).subspan(offsets_[at(node)], offsets_[at(node) + 1] - offsets_[at(node)]);
  }
  int depth(NodeId node) const { return depths_[at(node)]; }  // of the root: 0
  int levels() const { return levels_; }                      // the root's is one

  // All features in the order of the tree, and the range that is a node.
  std::span<const FeatureIndex> order() const { return order_; }
  Index begin(NodeId node) const { return begins_[at(node)]; }
  Index end(NodeId node) const { return ends_[at(node)]; }
  Index count(NodeId node) const { return end(node) - begin(node); }
  std::span<const FeatureIndex> features_of(NodeId node) const {
    return order().subspan(static_cast<std::size_t>(begin(node)), static_cast<std::size_t>(count(node)));
  }
  // Those that are in none of its children; ascending.
  std::span<const FeatureIndex> own_features(NodeId node) const;

  // Features that no group stated: they are among the root's own.
  Index uncovered() const { return uncovered_; }

  friend bool operator==(const FeatureTree&, const FeatureTree&) = default;

 private:
  class Builder;
  FeatureTree() = default;
  static std::size_t at(NodeId node) { return static_cast<std::size_t>(node); }

  std::vector<NodeId> parents_;
  std::vector<std::string> names_;
  std::vector<int> depths_;
  std::vector<Index> begins_;
  std::vector<Index> ends_;
  std::vector<std::size_t> offsets_;  // of the children of each node, and one more
  std::vector<NodeId> children_;
  std::vector<FeatureIndex> order_;
  int levels_ = 1;
  Index uncovered_ = 0;
};

// A feature tree and what is known of it: the content of a file tree.json (docs/formats/feature-tree.md).
struct FeatureHierarchy {
  FeatureTree tree;
  std::vector<std::string> feature_names;                       // empty: features have no names
  std::string method;                                           // that made it; empty: unknown
  std::vector<std::pair<std::string, std::string>> parameters;  // of the method by name, as text
  std::vector<std::string> notes;
};

// Reads tree.json for a data set, whose features it names or numbers. Features of the data that it does not mention are
// put directly below the root; a note says how many. Throws Error (kInput) with the place of what is wrong.
FeatureHierarchy read_feature_tree(const std::string& path, const Dataset& data, Context& ctx);
// The same without data: features are those that the file lists, or mentions.
FeatureHierarchy read_feature_tree(const std::string& path, Context& ctx);

// Writes tree.json; it appears whole or not at all. Compressed if the name ends in .gz, .xz, .zst or .bz2.
void write_feature_tree(const FeatureHierarchy& hierarchy, const std::string& path, bool overwrite);

struct FeatureTreeOptions {
  std::string method;
  Parameters parameters;  // of the method
  std::string memory;     // that the work may take beside the data, such as "4G"; empty: most of it
};

// All methods that make a feature tree, in the order in which they are listed.
std::vector<MethodInfo> feature_tree_methods();

// Throws Error (kInput) for what is wrong with the method, its parameters or the memory, whatever the data.
void check_request(const FeatureTreeOptions& options);

// Arranges the features of a data set in a hierarchy; its labels play no part.
FeatureHierarchy make_feature_tree(const Dataset& data, const FeatureTreeOptions& options, Context& ctx);

}  // namespace clade
