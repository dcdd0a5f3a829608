#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <optional>
#include <span>
#include <vector>

#include "data/kernel/kernel.h"

namespace clade {

// Samples as plain arrays of compressed rows, as a model file holds its support vectors. A sequence has the columns 0,
// 1, ... with its symbols as values. With a precomputed kernel, a sample is identified by its column: one entry, with
// value 1.
struct KernelArrays {
  Index width = 0;                // columns
  std::vector<Index> offsets{0};  // rows + 1
  std::vector<FeatureIndex> columns;
  std::vector<double> values;

  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }
};

// Samples prepared for a kernel: vectors with their lengths, or strings with k(s, s), or rows of a precomputed matrix.
// Immutable; safe to use from several threads.
class KernelSamples {
 public:
  // The given samples of a data set, in that order. With unit length, vectors are scaled to length 1 (an all-zero one
  // stays as it is); other kernels ignore it. Throws Error (kInput) if the kernel does not fit the data
  // (kernel_check.h).
  KernelSamples(const Dataset& data, std::span<const Index> samples, const KernelOptions& options, bool has_unit_length,
                Context& ctx);
  // The arrays may hold anything: throws Error (kInput) if they do not belong to a kernel of this kind.
  KernelSamples(KernelArrays arrays, const KernelOptions& options, Context& ctx);

  Index size() const { return size_; }
  Index width() const { return rows_.width; }

  // out[j] = k(x_i, others_j). For a sample with itself, or with an equal one, exactly 1 with rbf and subsequence (0
  // for a string shorter than the subsequences). With a precomputed kernel, x_i must be a row of a data set. Runs on
  // the calling thread.
  void row(const KernelOptions& options, const KernelSamples& others, Index i, std::span<double> out) const;
  // The same for others_begin, others_begin+1, ...
  void part_of_row(const KernelOptions& options, const KernelSamples& others, Index i, Index begin,
                   std::span<double> out) const;
  // k(x_i, x_i).
  double self(const KernelOptions& options, Index i) const;

  // Some of the samples, for a model file.
  KernelArrays arrays(std::span<const Index> rows) const;

  // The entries of vectors; none for other kernels.
  std::span<const FeatureIndex> columns_of(Index i) const {
    return {rows_.columns.data() + offset(i), static_cast<std::size_t>(offset(i + 1) - offset(i))};
  }
  std::span<const double> values_of(Index i) const {
    return {rows_.values.data() + offset(i), static_cast<std::size_t>(offset(i + 1) - offset(i))};
  }
  double square(Index i) const { return square_[static_cast<std::size_t>(i)]; }

  // Strings shorter than the subsequences, which resemble nothing.
  Index short_strings() const { return short_strings_; }

 private:
  Index offset(Index i) const { return rows_.offsets[static_cast<std::size_t>(i)]; }
  void copy_vectors(const Dataset& data, std::span<const Index> samples, bool has_unit_length);
  void copy_strings(const Dataset& data, std::span<const Index> samples);
  void keep_precomputed(const Dataset& data, std::span<const Index> samples);
  void measure_vectors(Context& ctx);
  void measure_strings(const KernelOptions& options, Context& ctx);
  void products(const KernelSamples& others, Index i, Index begin, std::span<double> out) const;
  void subsequences(const KernelOptions& options, const KernelSamples& others, Index i, Index begin,
                    std::span<double> out) const;
  void look_up(const KernelSamples& others, Index i, Index begin, std::span<double> out) const;

  Index size_ = 0;
  KernelArrays rows_;           // vectors; strings, without columns; empty for a precomputed kernel
  std::vector<double> square_;  // squared lengths; for strings k(s, s) before normalisation
  int subsequence_length_ = 0;  // with which k(s, s) was computed
  double decay_ = 0;
  Index short_strings_ = 0;
  std::optional<Dataset> matrix_;     // precomputed: the rows
  std::vector<Index> matrix_rows_;    // of matrix_
  std::vector<FeatureIndex> column_;  // precomputed: the column that holds the values of others with this sample
};

// The options with a number for gamma: as given, or 1 / (columns x variance of all values, including zeros), which
// scikit-learn calls "scale", or with the exponential kernel its square root; 1 if all values are equal.
KernelOptions with_gamma(KernelOptions options, const KernelSamples& samples);

}  // namespace clade
