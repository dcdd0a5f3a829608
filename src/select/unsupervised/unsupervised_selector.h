#pragma once

#include <string>
#include <utility>
#include <vector>

#include "select/selector.h"

namespace clade {

// What selectors without labels share: one ranking for the whole data set, whose node is kNoNode, and a note about
// constant features. These take part, but come last with weight 0, because they separate no samples.
class UnsupervisedSelector : public Selector {
 public:
  bool needs_labels() const final { return false; }
  FeatureRanking select(const SelectionInput& input, Context& ctx) final;

 protected:
  struct Scores {
    std::vector<double> weight;     // of every feature, at least 0; larger is better
    std::vector<double> second;     // orders features of equal weight; empty: by number
    std::vector<double> objective;  // per iteration
    std::vector<std::pair<std::string, std::vector<double>>> residuals;
    std::vector<std::string> notes;
  };
  // `constant` says of every feature whether it is constant; not all of them are.
  virtual Scores score(const SelectionInput& input, const std::vector<bool>& constant, Context& ctx) = 0;
};

// Features with the same value in all samples.
std::vector<bool> constant_features(const Dataset& data);

// All samples as a table without classes.
NodeTable whole_table(const Dataset& data);

// Throws Error (kInput) if a method needs more bytes besides the data than it may use (0: no limit).
void require_memory(double needed, double limit);

constexpr int kAutoClusters = 0;  // as many as there are classes

template <class V>
void describe_clusters(V& v, int& clusters) {
  v("clusters", clusters, nonnegative(),
    "number of clusters to look for; 0: as many as there are classes, or 5 without labels");
}

// The number of clusters to look for: what was asked for or, by kAutoClusters, the number of classes. If the data do
// not say it (no labels, a single class, several labels per sample), it is 5, which a note says. What was not asked for
// is at most `most`. Throws Error (kInput) if more clusters are asked for than there are samples.
int clusters_for(int asked, const Dataset& data, Index most, std::vector<std::string>& notes);

}  // namespace clade
