#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/methods.h>
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
  // What the node shares with those above it, best first, where a method tells that apart and is asked to; else empty.
  std::vector<FeatureIndex> common;
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

// What to select, and how.
struct SelectOptions {
  std::string method;
  Parameters parameters;           // of the method
  std::vector<std::string> nodes;  // names; empty: all internal nodes
  ParameterValue top;              // features kept at each node: a number, or a share such as "10%"; empty: all
  Scale scale = Scale::kNone;      // kStandard, kMinMax, kUnit
  bool bias = false;               // a feature that is always 1 takes part; it is not ranked
  std::string memory;              // that the work may take beside the data, such as "4G"; empty: most of it
};
void describe(ParameterTable& v, SelectOptions& o);

// All selectors, in the order in which they are listed.
std::vector<MethodInfo> selectors();

// Throws Error (kInput) for what is wrong with the method, its parameters or the memory, whatever the data.
void check_request(const SelectOptions& options);

// Ranks the features of a data set; labels at inner nodes are moved to leaves of their own first (with_leaf_labels()),
// and the nodes of the result are those of that taxonomy.
FeatureRanking select(const Dataset& data, const SelectOptions& options, Context& ctx);

// The number of features that "40" or "10%" asks for; at least one. Throws Error (kInput) if it is neither, or more
// than there are.
Index parse_top(std::string_view text, Index features);

// Reads ranking.json (docs/select.md) for a data set with the same features and hierarchy. Throws Error (kInput) if it
// has other features (by name), nodes that the taxonomy does not have, or is no ranking.
FeatureRanking read_ranking(const std::string& path, const Dataset& data, Context& ctx);
// Writes that to a file, which appears whole or not at all.
void write_ranking(const FeatureRanking& ranking, const Dataset& data, const std::string& path, bool overwrite = false);

}  // namespace clade
