#pragma once

#include <clade/context.h>

#include <span>
#include <vector>

#include "classify/joint/attribute_weights.h"
#include "classify/joint/feature_mask.h"
#include "data/kernel/kernel_rows.h"

namespace clade {

// The outputs <w_z, x_i> of training samples if w_z = sum_j b_jz phi(x_j) is known only by its coefficients: the dual
// form of LinearScores, for kernels.
class KernelScores {
 public:
  using Value = double;
  static constexpr bool kCanScoreWhileVisiting = false;  // both use the cache of rows
  static constexpr bool kScoresFewQuickly = false;       // a few outputs cost almost as much as all

  KernelScores(const KernelSamples& samples, const KernelOptions& options, Index attributes, Context& ctx);

  Index samples() const { return rows_.size(); }
  Index stride() const { return attributes_; }
  double square(Index i) const { return rows_.diagonal()[i]; }
  bool is_masked() const { return false; }
  SampleSquare sample_square(Index i) const { return square(i); }

  KernelRows& rows() { return rows_; }
  // Computes the outputs of some samples, so that outputs() can be called from several threads.
  void prepare(std::span<const std::int32_t> samples);
  void outputs(Index i, double* out) const;
  void outputs_at(Index i, std::span<const std::int32_t>, double* out) const { outputs(i, out); }
  void add(Index i, std::span<const AttributeChange> changes) {
    merge(coefficients_[static_cast<std::size_t>(i)], changes);
  }
  void add_lagged(Index i, std::span<const AttributeChange> changes);

  void begin_inner(Index i) { row_ = rows_.row(i); }
  double inner(Index j) const { return row_[j]; }
  void end_inner(Index) {}

  // By sample, attributes ascending. Lagged ones are empty if there are none.
  using Coefficients = std::vector<std::vector<AttributeChange>>;
  const Coefficients& coefficients() const { return coefficients_; }
  const Coefficients& lagged() const { return lagged_; }

  // Adds changes; attributes ascend in both.
  static void merge(std::vector<AttributeChange>& to, std::span<const AttributeChange> changes);

 private:
  Index attributes_;
  KernelRows rows_;
  const double* row_ = nullptr;
  Coefficients coefficients_;
  Coefficients lagged_;
  std::vector<std::int32_t> place_;  // sample -> position among the prepared ones
  std::vector<double> prepared_;
};

}  // namespace clade
