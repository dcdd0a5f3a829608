#include <clade/error.h>
#include <clade/feature_tree.h>
#include <fmt/format.h>

#include <algorithm>

namespace clade {
namespace {

constexpr std::size_t kShown = 5;  // groups named in a message

// Checks that the groups form a tree, and lists them in depth-first order.
class GroupWalk {
 public:
  GroupWalk(std::span<const FeatureGroup> groups, const std::string& file) : groups_(groups), file_(file) {
    find_root();
    link_children();
    walk();
    if (order_.size() < groups.size()) throw circle();
  }

  const std::vector<NodeId>& order() const { return order_; }  // numbers of groups
  std::span<const NodeId> children(NodeId group) const {
    const auto g = static_cast<std::size_t>(group);
    return std::span(children_).subspan(offsets_[g], offsets_[g + 1] - offsets_[g]);
  }

 private:
  Error fault(const std::string& problem, std::string_view expected) const {
    return input_error({.file = file_}, problem, expected);
  }

  void find_root() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const NodeId parent = groups_[g].parent;
      if (parent < kNoNode || parent >= std::ssize(groups_)) {
        throw fault(fmt::format("group '{}' is below a group that is not there", groups_[g].name),
                    "expected the number of a group");
      }
      if (parent != kNoNode) continue;
      if (root_ != kNoNode) {
        throw fault(fmt::format("two groups without a parent: '{}' and '{}'",
                                groups_[static_cast<std::size_t>(root_)].name, groups_[g].name),
                    "expected one, the root");
      }
      root_ = static_cast<NodeId>(g);
    }
    if (root_ == kNoNode) throw fault("no group without a parent", "expected one, the root");
  }

  void link_children() {
    offsets_.assign(groups_.size() + 1, 0);
    for (const FeatureGroup& group : groups_) {
      if (group.parent != kNoNode) ++offsets_[static_cast<std::size_t>(group.parent) + 1];
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) offsets_[g + 1] += offsets_[g];
    children_.resize(offsets_.back());
    std::vector<std::size_t> place(offsets_.begin(), offsets_.end() - 1);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const NodeId parent = groups_[g].parent;
      if (parent != kNoNode) children_[place[static_cast<std::size_t>(parent)]++] = static_cast<NodeId>(g);
    }
  }

  void walk() {
    std::vector<NodeId> open{root_};
    while (!open.empty()) {
      const NodeId group = open.back();
      open.pop_back();
      order_.push_back(group);
      const auto below = children(group);
      open.insert(open.end(), below.rbegin(), below.rend());
    }
  }

  // A group that cannot be reached from the root is below itself: follow parents until one repeats.
  Error circle() const {
    std::vector<char> is_reached(groups_.size(), 0);
    for (const NodeId group : order_) is_reached[static_cast<std::size_t>(group)] = 1;
    auto at = static_cast<std::size_t>(std::ranges::find(is_reached, 0) - is_reached.begin());
    std::vector<char> is_seen(groups_.size(), 0);
    while (is_seen[at]++ == 0) at = static_cast<std::size_t>(groups_[at].parent);
    std::string names = fmt::format("'{}'", groups_[at].name);
    std::size_t length = 1;
    for (auto next = static_cast<std::size_t>(groups_[at].parent); next != at;
         next = static_cast<std::size_t>(groups_[next].parent)) {
      if (length++ < kShown) names += fmt::format(", '{}'", groups_[next].name);
    }
    if (length > kShown) names += fmt::format(" and {} more", length - kShown);
    return fault(length == 1 ? fmt::format("group {} is below itself", names)
                             : fmt::format("groups {} are below each other", names),
                 "expected a tree");
  }

  std::span<const FeatureGroup> groups_;
  std::string file_;
  NodeId root_ = kNoNode;
  std::vector<std::size_t> offsets_;
  std::vector<NodeId> children_;
  std::vector<NodeId> order_;
};

}  // namespace

// Builds a tree step by step; each step needs the previous ones.
class FeatureTree::Builder {
 public:
  Builder(Index features, std::span<const FeatureGroup> groups, const Source& source)
      : features_(features), groups_(groups), source_(source), walk_(groups, source.file) {}

  FeatureTree build() {
    number_nodes();
    find_owners();
    give_rest_to_root();
    lay_out();
    return std::move(tree_);
  }

 private:
  Error fault(const std::string& problem, std::string_view expected) const {
    return input_error({.file = source_.file}, problem, expected);
  }

  std::string feature_name(std::size_t f) const {
    return source_.feature_names.empty() ? std::to_string(f) : source_.feature_names[f];
  }

  void number_nodes() {
    std::vector<NodeId> node_of(groups_.size());
    for (const NodeId number : walk_.order()) {
      const FeatureGroup& group = groups_[at(number)];
      node_of[at(number)] = tree_.size();
      const NodeId parent = group.parent == kNoNode ? kNoNode : node_of[at(group.parent)];
      tree_.parents_.push_back(parent);
      tree_.names_.push_back(group.name);
      tree_.depths_.push_back(parent == kNoNode ? 0 : tree_.depth(parent) + 1);
      tree_.levels_ = std::max(tree_.levels_, tree_.depths_.back() + 1);
    }
    tree_.offsets_.push_back(0);
    for (const NodeId number : walk_.order()) {
      for (const NodeId child : walk_.children(number)) tree_.children_.push_back(node_of[at(child)]);
      tree_.offsets_.push_back(tree_.children_.size());
    }
  }

  // The last node of every subtree: the nodes below a node are those up to it.
  std::vector<NodeId> last_below() const {
    std::vector<NodeId> last(tree_.parents_.size());
    for (NodeId node = tree_.size() - 1; node >= 0; --node) {
      last[at(node)] = std::max(last[at(node)], node);
      if (node > 0) last[at(tree_.parent(node))] = std::max(last[at(tree_.parent(node))], last[at(node)]);
    }
    return last;
  }

  // A feature belongs to the deepest group that lists it; all groups that do must lie on one path.
  void find_owners() {
    const std::vector<NodeId> last = last_below();
    owner_.assign(static_cast<std::size_t>(features_), kNoNode);
    for (NodeId node = 0; node < tree_.size(); ++node) {
      for (const FeatureIndex f : groups_[at(walk_.order()[at(node)])].features) {
        if (f < 0 || f >= features_) {
          throw fault(fmt::format("group '{}' has feature {}", tree_.name(node), f),
                      fmt::format("expected features from 0 to {}", features_ - 1));
        }
        NodeId& holder = owner_[static_cast<std::size_t>(f)];
        if (holder != kNoNode && node > last[at(holder)]) {
          throw fault(fmt::format("groups '{}' and '{}' overlap: both have feature '{}'", tree_.name(holder),
                                  tree_.name(node), feature_name(static_cast<std::size_t>(f))),
                      "expected groups that share no feature, or one below the other");
        }
        holder = node;
      }
    }
  }

  void give_rest_to_root() {
    tree_.uncovered_ = std::ranges::count(owner_, kNoNode);
    const auto first = static_cast<std::size_t>(std::ranges::find(owner_, kNoNode) - owner_.begin());
    if (tree_.uncovered_ > 0 && source_.is_whole) {
      const auto others =
          tree_.uncovered_ == 1 ? std::string(" is") : fmt::format(" and {} more are", tree_.uncovered_ - 1);
      throw fault(fmt::format("feature '{}'{} in no group", feature_name(first), others),
                  fmt::format("expected all {} features", features_));
    }
    std::ranges::replace(owner_, kNoNode, NodeId{0});
  }

  // Sizes from the bottom up, then places from the top down: a node's own features, then its children.
  void lay_out() {
    std::vector<Index> own(tree_.parents_.size(), 0);
    for (const NodeId node : owner_) ++own[at(node)];
    std::vector<Index> whole = own;
    for (NodeId node = tree_.size() - 1; node > 0; --node) whole[at(tree_.parent(node))] += whole[at(node)];
    std::vector<Index> next(own.size());  // where the next child of a node begins
    for (NodeId node = 0; node < tree_.size(); ++node) {
      if (whole[at(node)] == 0) {
        throw fault(fmt::format("group '{}' has no features", tree_.name(node)), "expected some in every group");
      }
      const Index begin = node == 0 ? 0 : next[at(tree_.parent(node))];
      if (node > 0) next[at(tree_.parent(node))] += whole[at(node)];
      tree_.begins_.push_back(begin);
      tree_.ends_.push_back(begin + whole[at(node)]);
      next[at(node)] = begin + own[at(node)];
    }
    tree_.order_.resize(owner_.size());
    std::vector<Index> place = tree_.begins_;
    for (std::size_t f = 0; f < owner_.size(); ++f) {
      tree_.order_[static_cast<std::size_t>(place[at(owner_[f])]++)] = static_cast<FeatureIndex>(f);
    }
  }

  Index features_;
  std::span<const FeatureGroup> groups_;
  const Source& source_;
  GroupWalk walk_;
  FeatureTree tree_;
  std::vector<NodeId> owner_;  // per feature, the smallest group that has it
};

FeatureTree FeatureTree::build(Index features, std::span<const FeatureGroup> groups, const Source& source) {
  return Builder(features, groups, source).build();
}

std::span<const FeatureIndex> FeatureTree::own_features(NodeId node) const {
  const auto below = children(node);
  const Index own_end = below.empty() ? end(node) : begin(below.front());
  return order().subspan(static_cast<std::size_t>(begin(node)), static_cast<std::size_t>(own_end - begin(node)));
}

}  // namespace clade
