#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <span>
#include <vector>

#include "math/dense.h"

namespace clade {

// How much of the values of all features some of them tell: the share of the variance of held-out samples, over all
// features, that a ridge regression on the selected features predicts,
//
//   1 - sum_i ||x_i - X_T' (K_TT + r k I)^-1 k_Ti||^2 / sum_i ||x_i||^2
//
// over five folds, T being the other samples, K the inner products of the selected features, k the mean of the diagonal
// of K_TT, values centred by the means of T, and the best of some r. Everything is computed from inner products of
// samples, O(n^3) for every set of features, whatever their number; of more than 2,000 samples, 2,000 are drawn.
class Reconstruction {
 public:
  // The data must outlive this.
  Reconstruction(const Dataset& data, Context& ctx);
  // At most 1; 0 says that the selected features are no better than the mean.
  double share(std::span<const FeatureIndex> selected, Context& ctx) const;

 private:
  Matrix inner_products(std::span<const FeatureIndex> features, Context& ctx) const;

  const Dataset& data_;
  std::vector<Index> rows_;  // of the data, in random order
  Matrix all_;               // inner products of the samples with all features
};

}  // namespace clade
