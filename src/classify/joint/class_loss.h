#pragma once

#include <clade/taxonomy.h>
#include <clade/types.h>

#include <span>
#include <vector>

namespace clade {

// The cost of taking a sample of class y for one of class r. Over the hierarchy, with a volume s_v per node:
//
//   Delta(y, r) = missed(y) sum over anc(y) \ anc(r) of s_v  +  extra(r) sum over anc(r) \ anc(y) of s_v
//
//   zero-one          1
//   tree              missed = extra = 1/2, s_v = 1: half the nodes that the two paths do not share
//   tree-normalised   missed(y) = 1 / (2 |proper ancestors of y|), extra likewise, s_v = 1
//   weighted          costs and volumes as given
//
// anc() includes the class itself; in a DAG it has all ancestors.
class ClassLoss {
 public:
  static ClassLoss zero_one(Index classes);
  static ClassLoss tree(const Taxonomy& taxonomy, std::span<const NodeId> classes);
  static ClassLoss tree_normalised(const Taxonomy& taxonomy, std::span<const NodeId> classes);
  // A volume per node of the taxonomy, not negative. Throws Error (kInput) if two classes can be confused at no loss.
  static ClassLoss weighted(const Taxonomy& taxonomy, std::span<const NodeId> classes, std::span<const double> volume,
                            double missed, double extra);
  // Throws Error (kInput) unless the diagonal is 0 and everything else is positive.
  static ClassLoss given(const std::vector<std::vector<double>>& values);

  Index classes() const { return classes_; }
  // Delta(y, r) for all r. Points into this object, or into `scratch` if there are too many classes to keep all rows.
  const double* row(Index y, std::vector<double>& scratch) const;
  double of(Index y, Index r) const;
  double largest() const;
  double smallest() const;  // between different classes

 private:
  explicit ClassLoss(Index classes) : classes_(classes) {}
  ClassLoss(const Taxonomy& taxonomy, std::span<const NodeId> classes, std::span<const double> volume);
  void compute_row(Index y, double* out) const;
  void keep_rows();

  Index classes_ = 0;
  bool is_zero_one_ = false;
  std::vector<double> missed_;  // per class
  std::vector<double> extra_;
  std::vector<double> total_;                     // volume of anc(y)
  std::vector<std::vector<NodeId>> above_;        // anc(y)
  std::vector<std::vector<std::int32_t>> below_;  // node -> classes at or below it
  std::vector<double> volume_;                    // per node
  std::vector<double> rows_;                      // classes x classes, if there are few
};

}  // namespace clade
