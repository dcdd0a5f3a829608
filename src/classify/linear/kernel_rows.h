#pragma once

#include <clade/context.h>

#include <list>
#include <span>
#include <vector>

#include "classify/linear/training_rows.h"
#include "math/dense.h"

namespace clade {

// Rows of the linear kernel K_ij = x_i . x_j over the `taken` rows, which number anew from 0. Mostly full data whose
// kernel fits the memory is multiplied once by dense algebra; otherwise a row is computed when it is asked for, and the
// rows asked for last are kept. At least two rows are kept, whatever the memory. `rows`, `taken` and `ctx` must outlive
// this object.
class KernelRows {
 public:
  KernelRows(const TrainingRows& rows, std::span<const Index> taken, Index memory_bytes, Context& ctx);

  Index size() const { return static_cast<Index>(taken_.size()); }
  // K_i0, K_i1, ... Stays valid until a row other than this and the last one before it is asked for.
  const double* row(Index i);
  const Vector& diagonal() const { return diagonal_; }

 private:
  void copy_dense();
  void multiply_all();
  void list_columns();
  void compute(Index i, double* target) const;

  const TrainingRows& rows_;
  std::span<const Index> taken_;
  Context& ctx_;
  Vector diagonal_;
  bool is_dense_ = false;
  Matrix dense_;  // columns of the data x taken rows
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
};

}  // namespace clade
