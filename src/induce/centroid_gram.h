#pragma once

#include <clade/types.h>

#include <memory>

#include "induce/centroids.h"
#include "math/dense.h"

namespace clade {

// Inner products <c_k, c_l> between centroids: all that Euclidean distances need of them (Cai, thesis, equation 6.1),
// so that centroids in the space of a kernel serve as well. Functions are called from several threads at once.
class CentroidGram {
 public:
  virtual ~CentroidGram() = default;
  virtual Index classes() const = 0;
  virtual double square(Index k) const = 0;  // <c_k, c_k>

  // The products of some classes in a row with others, block by block. What is needed for all blocks is made once.
  class Strip {
   public:
    virtual ~Strip() = default;
    // tile(i, j) becomes the product of the i-th class of the strip and class begin + j, for all below `end`.
    virtual void products(Index begin, Index end, MatrixRef tile) = 0;
  };
  virtual std::unique_ptr<Strip> strip(Index begin, Index end) const = 0;

  // ||c_k - c_l||² for classes so near each other that little is left of the difference of the inner products.
  virtual double near_square(Index k, Index l, double product) const;
};

// The inner products of centroids at hand; they must outlive it.
std::unique_ptr<CentroidGram> linear_gram(const Centroids& centroids, Context& ctx);

}  // namespace clade
