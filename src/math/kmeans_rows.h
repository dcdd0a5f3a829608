#pragma once

#include <clade/types.h>

#include <memory>
#include <span>
#include <vector>

#include "math/dense.h"

namespace clade {

// Centres laid out for finding the nearest: everything that one value of a row is multiplied by is contiguous.
struct CentreRows {
  Matrix values;   // clusters x columns
  Vector squares;  // ||c||²
};

// A row that distances are asked to, with the columns where it is not 0, ascending.
struct KMeansPoint {
  Vector values;
  std::vector<Index> nonzeros;
};

// What k-means needs of the rows it clusters. Functions are called from several threads at once.
class KMeansRows {
 public:
  virtual ~KMeansRows() = default;
  virtual Index rows() const = 0;
  virtual Index columns() const = 0;

  // Squared distances of rows [begin, end) to a row; exactly 0 for equal rows.
  virtual void distances_to(const KMeansPoint& point, Index begin, Index end, double* squares) const = 0;
  // For rows [begin, end): sets `labels` to the nearest centre, but keeps a label if no other centre is nearer, and
  // `squares` to the squared distance, up to rounding. A label of -1 is none.
  virtual void nearest(const CentreRows& centres, Index begin, Index end, Index* labels, double* squares) const = 0;
  // || x - centre ||², from the differences.
  virtual double distance(Index row, const Eigen::Ref<const Vector>& centre) const = 0;
  // sum += x
  virtual void add_to(Index row, Eigen::Ref<Vector> sum) const = 0;
  // What to add to a centre if the rows were shifted.
  virtual const Vector& shift() const = 0;
};

// Dense row-major values; makes a copy from which `shift`, such as the mean, is subtracted, so that distances far from
// the origin lose few digits.
std::unique_ptr<KMeansRows> dense_kmeans_rows(std::span<const double> values, Index rows, Vector shift, Context& ctx);

// Compressed rows with ascending columns; the arrays must outlive the result.
std::unique_ptr<KMeansRows> sparse_kmeans_rows(std::span<const Index> offsets, std::span<const FeatureIndex> indices,
                                               std::span<const double> values, Index columns);

}  // namespace clade
