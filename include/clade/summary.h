#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <optional>
#include <string>
#include <vector>

namespace clade {

// A bar of a histogram: the number of things whose value is from low to high.
struct Bin {
  Index low = 0;
  Index high = 0;
  Index count = 0;
};

// Something odd: how often it occurs, and one case of it in words.
struct Finding {
  Index count = 0;
  std::string example;
};

// A node near the top of the hierarchy, with the largest of its children.
struct TopNode {
  std::string name;
  Index samples = 0;   // with a label at or below it; leaves below it if there are no samples
  Index children = 0;  // all of them
  std::vector<TopNode> largest;
};

struct TaxonomySummary {
  NodeId nodes = 0;
  NodeId internal = 0;
  NodeId leaves = 0;
  Index edges = 0;
  int levels = 0;           // on the longest path, the root included
  int shortest_levels = 0;  // on the shortest path to the deepest node
  bool tree = true;
  bool virtual_root = false;
  Index most_parents = 0;
  Index one_child_nodes = 0;
  std::vector<Index> inner_per_level;  // by shortest depth
  std::vector<Index> leaves_per_level;
  std::vector<Bin> children;  // of inner nodes; exact, or in powers of two
};

// For data whose samples are strings of symbols.
struct SequenceSummary {
  Index shortest = 0;
  Index longest = 0;
  Index alphabet = 0;  // number of different symbols
};

struct DataSummary {
  Index samples = 0;
  Index features = 0;
  Index nonzeros = 0;
  Index missing_values = 0;
  bool sparse = false;
  bool single_precision = false;

  double labels_per_sample = 0;
  std::vector<Bin> labels;       // labels per sample
  std::vector<Bin> class_sizes;  // samples per labelled node; exact, or in powers of two
  Index labelled_nodes = 0;
  Index inner_label_samples = 0;  // samples with a label at an inner node
  Index inner_label_nodes = 0;
  Index leaves_without_sample = 0;
  Index constant_features = 0;
  Index repeated_rows = 0;     // rows equal to an earlier one
  Finding contradicting_rows;  // rows equal to an earlier one that has other labels
  Finding similar_names;       // siblings whose names differ only in case, blanks or punctuation
  Finding small_classes;       // labelled nodes with one sample
  Finding distinct_labels;     // labels that are nearly as many as samples, as if they were numbers or ids
  std::string only_class;      // of data whose labels are all the same

  TopNode top;  // the root

  std::optional<SequenceSummary> sequences;
  TaxonomySummary taxonomy;
};

TaxonomySummary summarise(const Taxonomy& taxonomy);
// The root with the largest nodes of two levels below it, at most `most` of each parent.
TopNode top_of(const Taxonomy& taxonomy, Index most = 12);
TopNode top_of(const Dataset& data, Index most = 12);
// The class, if all labels of the data are the same and there is more than one sample.
std::optional<std::string> only_class(const Dataset& data);
// One pass over the values; memory O(features + samples + nodes). Constant features are counted only up to 50 million
// features.
DataSummary summarise(const Dataset& data, Context& ctx);

// What a user should know before learning from this data; one sentence each.
std::vector<std::string> warnings_of(const DataSummary& summary);
std::vector<std::string> warnings_of(const TaxonomySummary& summary);

}  // namespace clade
