#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <memory>

#include "data/kernel/kernel.h"
#include "induce/centroids.h"
#include "induce/linkage.h"
#include "math/dense.h"

namespace clade {

// Inner products <c_k, c_l> of centroids. Euclidean distances need nothing else (Cai, thesis, equation 6.1), so
// centroids in the space of a kernel work as well. Functions are called from several threads at once.
class CentroidGram {
 public:
  virtual ~CentroidGram() = default;
  virtual Index classes() const = 0;
  virtual double square(Index k) const = 0;  // <c_k, c_k>

  // The products of consecutive classes with others, block by block. What all blocks need is computed once.
  class Strip {
   public:
    virtual ~Strip() = default;
    // tile(i, j) becomes the product of the i-th class of the strip and class begin + j, for all below `end`.
    virtual void products(Index begin, Index end, MatrixRef tile) = 0;
  };
  virtual std::unique_ptr<Strip> strip(Index begin, Index end) const = 0;

  // ||c_k - c_l||² for classes so close that the difference of inner products loses most digits.
  virtual double near_square(Index k, Index l, double product) const;
};

// Inner products of explicit centroids, which must outlive the result.
std::unique_ptr<CentroidGram> linear_gram(const Centroids& centroids, Context& ctx);

// Inner products of centroids in the space of a kernel: <c_k, c_l> is the mean of k(x, y) over the samples x of class k
// and y of class l. O(samples^2) kernel values; memory for classes^2 numbers. Throws Error (kInput) if the kernel does
// not fit the data.
std::unique_ptr<CentroidGram> kernel_gram(const Dataset& data, const ClassSamples& classes,
                                          const KernelOptions& options, bool unit, Context& ctx);

// Euclidean distances between centroids from their inner products,
//
//   d(k, l)² = <c_k, c_k> + <c_l, c_l> - 2 <c_k, c_l>                    (Cai, thesis, equation 6.1)
//
// with a relative error of about 1e-12: where the difference would lose more digits, near_square() is used instead.
// Throws Error (kInput) if values are too large to compute with. Cost: O(q² p) at the speed of matrix products for
// dense centroids; besides the result, memory for one tile per thread.
CondensedDistances euclidean_distances(const CentroidGram& gram, Context& ctx);

}  // namespace clade
