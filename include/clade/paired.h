#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/model.h>
#include <clade/predict.h>

#include <span>
#include <string>
#include <vector>

namespace clade {

// Comparison of two models on the same samples.

// Does A label more samples exactly right than B? Only samples that one of them has right count: under the null
// hypothesis each is A's with probability 1/2, so the two-sided p-value is a binomial one (McNemar 1947, exact).
struct McNemarTest {
  Index only_a = 0;  // samples that only A has right
  Index only_b = 0;
  double p = 1;
};
McNemarTest mcnemar_test(Index only_a, Index only_b);

// The numbers of nodes, ancestors included and the root left out, that a sample adds to micro-averaged hierarchical F1.
struct NodeOverlap {
  Index truth = 0;
  Index predicted = 0;
  Index common = 0;
};

// Could the difference of a measure come from the labels being exchanged between A and B at random, sample by sample?
// Two-sided (Fisher 1935). If 2^k is at most `permutations`, where k samples differ, all exchanges are tried; otherwise
// that many random ones are: p = (b + 1) / (m + 1), where b of the m have a difference at least as large.
struct ExchangeTest {
  double a = 0;  // the measure
  double b = 0;
  double p = 1;
  bool exact = true;
};
// On hierarchical F1, and on the share of samples whose nodes are exactly right. Results depend on the context's seed,
// not on its threads. O(permutations x samples that differ).
ExchangeTest f1_exchange_test(std::span<const NodeOverlap> a, std::span<const NodeOverlap> b, Index permutations,
                              Context& ctx);
ExchangeTest accuracy_exchange_test(std::span<const NodeOverlap> a, std::span<const NodeOverlap> b, Index permutations,
                                    Context& ctx);

// A node and how well each model finds it.
struct NodeDifference {
  std::string node;
  Index support = 0;  // samples that truly belong to the node or below it
  double f1_a = 0;
  double f1_b = 0;
  Index only_a = 0;  // samples for which only A decides rightly whether they belong there
  Index only_b = 0;
};

struct PairedOptions {
  Index permutations = 10'000;
  Index nodes = 10;  // how many to list
};
void describe(ParameterTable& v, PairedOptions& o);

struct PairedComparison {
  Index samples = 0;
  Index differing = 0;  // samples to which they give different labels
  ExchangeTest accuracy;
  ExchangeTest hierarchical_f1;
  McNemarTest mcnemar;
  std::vector<NodeDifference> nodes;  // largest |only_a - only_b| first
  std::vector<std::string> notes;
};

// Predictions of both models for the data, each read as its model needs it: the same samples in the same order. Nodes
// are matched by name, over the hierarchy of A; what only B or the data know is added to it. Throws Error (kInput) if
// the two data sets have different samples.
PairedComparison compare_models(const Model& a, const Dataset& data_a, const Model& b, const Dataset& data_b,
                                const PairedOptions& options, Context& ctx);

}  // namespace clade
