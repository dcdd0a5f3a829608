#pragma once

#include <clade/context.h>

#include <list>
#include <span>
#include <vector>

#include "data/kernel/kernel_samples.h"
#include "math/dense.h"

namespace clade {

// Rows of the kernel matrix K_ij = k(x_i, x_j) of some samples, in bounded memory. If vectors are mostly non-zero and
// their kernel fits the memory, it is computed once by dense algebra; otherwise a row is computed on demand, and the
// most recently used rows are kept. A row is the same to the last bit however often it was dropped and recomputed by
// itself; whether the whole kernel fits, or which rows are computed together, may change a value by rounding, the
// number of threads does not. At least two rows are kept, whatever the memory. `samples` and `ctx` must outlive this
// object. For use by one thread, which shares the work with others.
class KernelRows {
 public:
  // gamma must be a number (with_gamma).
  KernelRows(const KernelSamples& samples, const KernelOptions& options, Index memory_bytes, Context& ctx);
  KernelRows(const KernelRows&) = delete;  // its lists hold their own positions
  KernelRows& operator=(const KernelRows&) = delete;

  Index size() const { return samples_.size(); }
  // K_i0, K_i1, ... Valid until a row other than this one and the one requested just before it is requested.
  const double* row(Index i);
  // How many rows are kept.
  Index capacity() const { return all_.size() > 0 ? size() : static_cast<Index>(capacity_); }
  // Computes those of these different rows that are missing, several times faster than one by one. There may be at most
  // capacity() of them; they stay valid until another row is requested.
  void compute_together(std::span<const Index> rows);
  const Vector& diagonal() const { return diagonal_; }
  Index computed_rows() const { return computed_rows_; }  // so far, including recomputed ones

 private:
  void measure();
  void copy_dense();
  void multiply_all();
  void list_columns();
  void multiply(Index i, double* target) const;
  void compute(Index i, double* target) const;
  double* place_for(Index i);

  const KernelSamples& samples_;
  KernelOptions options_;
  Context& ctx_;
  Vector square_;  // for vectors: the inner products with themselves
  Vector diagonal_;
  bool is_dense_ = false;
  Matrix dense_;  // columns of the data x samples
  Matrix all_;    // the kernel, if it fits

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
  std::list<Kept> kept_;  // most recently used first
  std::vector<std::list<Kept>::iterator> place_;
  Index computed_rows_ = 0;
};

}  // namespace clade
