#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clade {

// The features of one node, best first.
struct NodeRanking {
  NodeId node = kNoNode;  // of the data's taxonomy; kNoNode: the whole data set
  std::vector<FeatureIndex> ranking;
  std::vector<double> weight;  // in the same order
  std::vector<FeatureIndex>
      common;          // lccshfs: what the node shares with those above, best first; empty if not asked for
  Index samples = 0;   // below the node
  Index children = 0;  // of the node that have samples
};

// What a selector found: per internal node all features in order with their weights, and how well it did.
struct FeatureRanking {
  std::string method;
  std::vector<std::pair<std::string, std::string>> parameters;  // by name, as text
  std::vector<NodeRanking> nodes;                               // in id order, the root first
  std::vector<double> objective;                                // per iteration; empty where nothing is optimised
  std::optional<double> gap;                                    // how far the objective can be from the optimum
  // By name, per iteration: how far constraints are from holding, relative. Empty where there are none.
  std::vector<std::pair<std::string, std::vector<double>>> residuals;
  double seconds = 0;
  std::vector<std::string> notes;
};

struct SelectorInfo {
  std::string_view name;
  std::string_view help;
  std::string_view source;
};
// All selectors, in the order in which they are listed.
std::vector<SelectorInfo> selectors();

}  // namespace clade
