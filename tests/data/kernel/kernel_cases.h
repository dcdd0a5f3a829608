#pragma once

#include <clade/text.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "core/random.h"
#include "data/kernel/kernel_samples.h"
#include "math/dense.h"

namespace clade::testing {

// Normal values, of which about `share` are not zero.
inline Matrix random_vectors(Index rows, Index columns, double share, RandomStream& random) {
  return Matrix::NullaryExpr(rows, columns, [&] { return random.uniform() < share ? random.normal() : 0.0; });
}

inline KernelArrays arrays_of(const Matrix& x) {
  KernelArrays arrays{.width = x.cols()};
  for (Index r = 0; r < x.rows(); ++r) {
    for (Index c = 0; c < x.cols(); ++c) {
      if (x(r, c) == 0) continue;
      arrays.columns.push_back(static_cast<FeatureIndex>(c));
      arrays.values.push_back(x(r, c));
    }
    arrays.offsets.push_back(std::ssize(arrays.columns));
  }
  return arrays;
}

inline void add_string(KernelArrays& arrays, const std::vector<double>& symbols) {
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    arrays.columns.push_back(static_cast<FeatureIndex>(k));
    arrays.values.push_back(symbols[k]);
  }
  arrays.offsets.push_back(std::ssize(arrays.columns));
}

// Strings of 0 to `longest` letters.
inline KernelArrays random_strings(Index count, Index longest, Index letters, RandomStream& random) {
  KernelArrays arrays{.width = longest};
  for (Index k = 0; k < count; ++k) {
    std::vector<double> symbols(static_cast<std::size_t>(random.below(longest + 1)));
    for (double& symbol : symbols) symbol = static_cast<double>('a' + random.below(letters));
    add_string(arrays, symbols);
  }
  return arrays;
}

// The formulas, term by term.
inline Matrix plain_kernel(const Matrix& x, const KernelOptions& options) {
  return Matrix::NullaryExpr(x.rows(), x.rows(), [&](Index i, Index j) {
    switch (options.kind) {
      case KernelKind::kPolynomial:
        return std::pow(options.gamma * x.row(i).dot(x.row(j)) + options.coef0, options.degree);
      case KernelKind::kRbf:
        return std::exp(-options.gamma * (x.row(i) - x.row(j)).squaredNorm());
      default:
        return x.row(i).dot(x.row(j));
    }
  });
}

inline Dataset dense_data(const Matrix& x) {
  DenseMatrix<double> dense{x.rows(), x.cols(), Buffer<double>(x.size())};
  for (Index r = 0; r < x.rows(); ++r) {
    for (Index c = 0; c < x.cols(); ++c) dense.values[r * x.cols() + c] = x(r, c);
  }
  TaxonomyBuilder builder;
  builder.node("root");
  LabelSets labels;
  labels.offsets.assign(static_cast<std::size_t>(x.rows()) + 1, 0);
  return Dataset({.features = std::move(dense), .labels = std::move(labels), .taxonomy = builder.build()});
}

inline Matrix all_values(const KernelSamples& a, const KernelSamples& b, const KernelOptions& options) {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values(a.size(), b.size());
  for (Index i = 0; i < a.size(); ++i) {
    a.row(options, b, i, {values.row(i).data(), static_cast<std::size_t>(b.size())});
  }
  return values;
}

}  // namespace clade::testing
