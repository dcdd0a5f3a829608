#pragma once

#include <clade/types.h>

#include <memory>
#include <span>

#include "math/dense.h"

namespace clade {

// Centres for finding the nearest: all that one value of a row meets lies together.
struct CentreRows {
  Matrix values;   // clusters x columns
  Vector squares;  // ||c||²
};

// What k-means asks of the rows it clusters. Functions are called from several threads at once.
class KMeansRows {
 public:
  virtual ~KMeansRows() = default;
  virtual Index rows() const = 0;
  virtual Index columns() const = 0;

  // Squared distances of rows [begin, end) to one of the rows; exactly 0 for equal ones.
  virtual void distances_to_row(Index row, Index begin, Index end, double* squares) const = 0;
  // For rows [begin, end): `labels` becomes the nearest centre, but stays where none is nearer than it; `squares` the
  // squared distance to that, but for rounding. A label of -1 is none.
  virtual void nearest(const CentreRows& centres, Index begin, Index end, Index* labels, double* squares) const = 0;
  // || x - centre ||², from the differences.
  virtual double distance(Index row, const Eigen::Ref<const Vector>& centre) const = 0;
  // sum += x
  virtual void add_to(Index row, Eigen::Ref<Vector> sum) const = 0;
  // What to add to a centre, where the rows were moved.
  virtual const Vector& shift() const = 0;
};

// Row-major values, all of them; a moved copy is made, so that distances lose few digits far from the origin.
std::unique_ptr<KMeansRows> dense_kmeans_rows(std::span<const double> values, Index rows, Index columns, Context& ctx);

// Compressed rows with ascending columns; the arrays must outlive the result.
std::unique_ptr<KMeansRows> sparse_kmeans_rows(std::span<const Index> offsets, std::span<const FeatureIndex> indices,
                                               std::span<const double> values, Index columns);

}  // namespace clade
