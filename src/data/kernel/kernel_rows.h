#pragma once

#include <clade/context.h>

#include <list>
#include <vector>

#include "data/kernel/kernel_samples.h"
#include "math/dense.h"

namespace clade {

// Rows of the kernel matrix K_ij = k(x_i, x_j) of some samples, within a bounded memory. Mostly full vectors whose
// kernel fits the memory are multiplied once by dense algebra; otherwise a row is computed when it is asked for, and
// the rows asked for last are kept. A row is the same to the last bit however often it was thrown away and computed
// again; whether the whole kernel fits may change a value by rounding. At least two rows are kept, whatever the memory.
// `samples` and `ctx` must outlive this object. To be used by one thread, which shares the work out to others.
class KernelRows {
 public:
  // gamma must be a number (with_gamma).
  KernelRows(const KernelSamples& samples, const KernelOptions& options, Index memory_bytes, Context& ctx);
  KernelRows(const KernelRows&) = delete;  // lists know their places
  KernelRows& operator=(const KernelRows&) = delete;

  Index size() const { return samples_.size(); }
  // K_i0, K_i1, ... Stays valid until a row other than this and the last one before it is asked for.
  const double* row(Index i);
  const Vector& diagonal() const { return diagonal_; }
  Index computed_rows() const { return computed_rows_; }  // so far, those computed again included

 private:
  void measure();
  void copy_dense();
  void multiply_all();
  void list_columns();
  void multiply(Index i, double* target) const;
  void compute(Index i, double* target) const;

  const KernelSamples& samples_;
  KernelOptions options_;
  Context& ctx_;
  Vector square_;  // of vectors: the inner products with themselves
  Vector diagonal_;
  bool is_dense_ = false;
  Matrix dense_;  // columns of the data x samples
  Matrix all_;    // the kernel, where it fits

  struct Listed {
    std::int32_t row;
    double value;
  };
  std::vector<Index> list_offsets_;  // sparse data by columns
  std::vector<Listed> listed_;

  struct Kept {
    Index row;
    Vector values;
  };
  std::size_t capacity_ = 0;
  std::list<Kept> kept_;  // used last: first
  std::vector<std::list<Kept>::iterator> place_;
  Index computed_rows_ = 0;
};

}  // namespace clade
