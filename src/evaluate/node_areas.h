#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/evaluate.h>
#include <clade/node_scores.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace clade {

// Scores of the nodes for every sample of a data set, from wherever they are.
struct NodeScoreRows {
  Index nodes = 0;
  const double* values = nullptr;
  Index stride = 0;  // 0: all samples have the same row

  NodeScoreRows(const NodeScores& scores) : nodes(scores.nodes), values(scores.values.data()), stride(scores.nodes) {}
  explicit NodeScoreRows(std::span<const double> same) : nodes(std::ssize(same)), values(same.data()) {}

  // Nodes at the end that have no scores, such as labels that a model does not know, come after all others.
  double of(Index sample, NodeId node) const {
    return node < nodes ? values[sample * stride + node] : -std::numeric_limits<double>::infinity();
  }
};

// How well scores rank the pairs of a sample and a node, as areas under precision-recall curves. A pair is positive if
// the node is at or above a label of the sample. docs/methods/measures.md has the formulas.
struct NodeAreas {
  double pooled = 0;    // all pairs in one ranking; precision is constant between two points
  double clus = 0;      // the same; between two points false positives rise in proportion to true ones
  double macro = 0;     // mean over the nodes that have positive samples
  double weighted = 0;  // mean over nodes, weighted by the number of positive samples
};

// Prepares the pairs once, so that any part of the samples is measured in one pass over them without sorting: only the
// scores of positive pairs, which are few, are thresholds, and each pair knows its place among them. Takes 8 bytes per
// pair.
class NodeCurves {
 public:
  // `samples` are those that count. `left_out` has the nodes that do not, the root among them.
  NodeCurves(const Dataset& data, std::span<const Index> samples, const NodeScoreRows& scores,
             std::span<const NodeId> left_out, Context& ctx);

  bool has_positives() const { return !thresholds_.empty(); }
  Index pairs() const { return std::ssize(place_); }
  // `weights` says how often each sample counts; empty: once. O(pairs).
  NodeAreas areas(std::span<const std::uint32_t> weights) const;
  // At most so many points of the pooled curve, evenly spread over recall.
  std::vector<CurvePoint> curve(Index points) const;

 private:
  // Numbers of pairs by their place. Place 2j is just above threshold j, 2j + 1 at it, and the last below all.
  struct Counts {
    std::vector<std::uint64_t> positive;
    std::vector<std::uint64_t> negative;
  };
  void find_positives(const Dataset& data, std::span<const Index> samples, const NodeScoreRows& scores);
  void place_pairs(std::span<const Index> samples, const NodeScoreRows& scores, Context& ctx);
  void count(std::span<const std::uint32_t> weights, Counts& pooled, Counts& by_node) const;

  std::vector<NodeId> nodes_;         // that count, ascending
  std::vector<std::int32_t> column_;  // by node: its position in nodes_, or -1
  std::vector<std::size_t> offsets_{0};
  std::vector<std::int32_t> positives_;    // of each sample: columns, ascending
  std::vector<double> thresholds_;         // different scores of positive pairs, descending
  std::vector<std::size_t> node_begin_;    // where the thresholds of each column begin
  std::vector<double> node_thresholds_;    // of all columns one after the other, each descending
  std::vector<std::uint32_t> place_;       // sample-major: among thresholds_
  std::vector<std::uint32_t> node_place_;  // among node_thresholds_; the places of column c begin at 2 begin + c
};

// The root, and the nodes with the names in the comma-separated list. Throws Error (kInput) for other names.
std::vector<NodeId> nodes_left_out(const Taxonomy& taxonomy, const std::string& names);

// For each node, the share of the labelled samples that have a label at or below it.
std::vector<double> node_frequencies(const Dataset& data);

}  // namespace clade
