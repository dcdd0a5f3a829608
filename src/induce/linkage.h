#pragma once

#include <clade/context.h>
#include <clade/learn.h>

#include <vector>

namespace clade {

// One distance for every pair of objects: q (q - 1) / 2 doubles, for the pairs (0, 1), (0, 2), ..., (1, 2), ...
class CondensedDistances {
 public:
  explicit CondensedDistances(Index objects) : objects_(objects), values_(count(objects)) {}

  static Index count(Index objects) { return objects * (objects - 1) / 2; }
  // The distance of i < j is at row(i) + j. row(0) is -1.
  static Index row(Index i, Index objects) { return i * objects - i * (i + 1) / 2 - i - 1; }

  Index objects() const { return objects_; }
  double operator()(Index i, Index j) const {
    return i < j ? values_[row(i, objects_) + j] : values_[row(j, objects_) + i];
  }
  double* data() { return values_.data(); }
  const double* data() const { return values_.data(); }

 private:
  Index objects_;
  Buffer<double> values_;
};

// How the distance between two clusters follows from those between their objects.
enum class Linkage {
  kAverage,   // the mean over all pairs (Cai, thesis, equation 6.2)
  kComplete,  // the largest
  kSingle,    // the smallest
};

// Agglomerative clustering: repeatedly joins the two nearest clusters. Returns the merges, nearest first, with their
// parts, distances and sizes; `distances` is used up.
//
// By chains of nearest neighbours (Murtagh 1983): two clusters that are each other's nearest can be merged at once,
// whatever the others do, because none of the three linkages brings a merged cluster nearer to a third than its parts
// were. O(q²) time, no memory besides the distances. Of equally near clusters, the one with the first object counts as
// nearest, so that with ties the result depends on the order of the objects, and on nothing else.
std::vector<Merge> agglomerate(CondensedDistances distances, Linkage linkage, Context& ctx);

}  // namespace clade
