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

// A group of features, as given by a source.
struct FeatureGroup {
  std::string name;
  NodeId parent = kNoNode;             // number of the parent group; parents may come later; kNoNode: this is the root
  std::vector<FeatureIndex> features;  // in any order; features of descendants may be repeated or left out
};

// A hierarchy over features (the index tree of Liu and Ye 2010, Wang et al. 2017): every node is a set of features, the
// root has all of them, and children are disjoint subsets of their parent. Features of a node that are in none of its
// children are its own.
//
// Nodes are numbered depth first: the root is 0, and the nodes below a node directly follow it. `order()` lists the
// features in the same way, so that every node is one range of it: first its own features, ascending, then those of its
// children, one child after the other. Memory is linear in features + nodes.
class FeatureTree {
 public:
  // What build() may assume, and names for its messages.
  struct Source {
    std::string file;                            // empty: unknown
    std::span<const std::string> feature_names;  // empty: features are named by their numbers
    bool is_whole = true;  // every feature must be in a group; if false, the others become the root's own
  };

  // The tree of `groups` over the features 0, ..., features - 1. Siblings keep their order. A group has the features it
  // lists and those of the groups below it. Throws Error (kInput) that names the groups and features if there is no
  // root or several, a parent does not exist, groups form a cycle, a feature does not exist or is in two groups neither
  // of which is below the other, a group has no features, or a feature is in no group.
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
  int depth(NodeId node) const { return depths_[at(node)]; }  // 0 for the root
  int levels() const { return levels_; }                      // the root's included

  // All features in tree order, and the range of each node in it.
  std::span<const FeatureIndex> order() const { return order_; }
  Index begin(NodeId node) const { return begins_[at(node)]; }
  Index end(NodeId node) const { return ends_[at(node)]; }
  Index count(NodeId node) const { return end(node) - begin(node); }
  std::span<const FeatureIndex> features_of(NodeId node) const {
    return order().subspan(static_cast<std::size_t>(begin(node)), static_cast<std::size_t>(count(node)));
  }
  // Features that are in none of its children, ascending.
  std::span<const FeatureIndex> own_features(NodeId node) const;

  // The number of features that no group lists; they are among the root's own.
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
  std::vector<std::size_t> offsets_;  // into children_, one per node and one more
  std::vector<NodeId> children_;
  std::vector<FeatureIndex> order_;
  int levels_ = 1;
  Index uncovered_ = 0;
};

// A feature tree with its origin: the content of a file tree.json (docs/formats/feature-tree.md).
struct FeatureHierarchy {
  FeatureTree tree;
  std::vector<std::string> feature_names;                       // empty: features have no names
  std::string method;                                           // that made the tree; empty: unknown
  std::vector<std::pair<std::string, std::string>> parameters;  // of the method, as text
  std::vector<std::string> notes;
};

// Reads tree.json for a data set; the file names or numbers its features. Features that the file does not mention
// become the root's own; a note says how many. Throws Error (kInput) with the place of the error.
FeatureHierarchy read_feature_tree(const std::string& path, const Dataset& data, Context& ctx);
// The same without data: the features are those that the file lists or mentions.
FeatureHierarchy read_feature_tree(const std::string& path, Context& ctx);

// Writes tree.json; it appears whole or not at all. Compressed if the name ends in .gz, .xz, .zst or .bz2.
void write_feature_tree(const FeatureHierarchy& hierarchy, const std::string& path, bool overwrite);

struct FeatureTreeOptions {
  std::string method;
  Parameters parameters;  // of the method
  std::string memory;     // for the work, beside the data, such as "4G"; empty: most of it
};

// All methods that make a feature tree, in the order in which they are listed.
std::vector<MethodInfo> feature_tree_methods();

// Checks what can be checked without data: the method, its parameters and the memory. Throws Error (kInput).
void check_request(const FeatureTreeOptions& options);

// Arranges the features of a data set in a hierarchy; the labels are not used.
FeatureHierarchy make_feature_tree(const Dataset& data, const FeatureTreeOptions& options, Context& ctx);

}  // namespace clade
