#pragma once

#include <clade/taxonomy.h>

#include <span>
#include <vector>

#include "data/closed_labels.h"
#include "math/dense.h"

namespace clade {

// Samples with one label: a label y is judged by its whole path, q(y) = sum over y and its ancestors v, without the
// root, of score(v) - threshold. So a deep label needs scores above the threshold all the way down.
class PathLabels {
 public:
  // `labels` are the candidates; `columns` the nodes that have scores, ascending.
  PathLabels(const Taxonomy& taxonomy, std::vector<NodeId> labels, std::span<const NodeId> columns);

  std::span<const NodeId> labels() const { return labels_; }
  // `scores` by column; writes one number per label.
  void judge(std::span<const double> scores, double threshold, std::span<double> quality) const;
  // The columns of a label's path.
  std::span<const std::int32_t> path(std::size_t label) const {
    return {path_.data() + offsets_[label], offsets_[label + 1] - offsets_[label]};
  }

 private:
  std::vector<NodeId> labels_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::int32_t> path_;
};

}  // namespace clade
