#include "data/kmeans_samples.h"

namespace clade {

KMeansSamples::KMeansSamples(const Dataset& data, Context& ctx) {
  const Index n = data.samples();
  const Index p = data.features();
  if (!data.is_view()) {
    if (const auto* dense = std::get_if<DenseMatrix<double>>(&data.matrix())) {
      rows_ = dense_kmeans_rows(dense->values.span(), n, p, ctx);
      return;
    }
    if (const auto* sparse = std::get_if<SparseMatrix<double>>(&data.matrix())) {
      rows_ = sparse_kmeans_rows(sparse->offsets.span(), sparse->indices.span(), sparse->values.span(), p);
      return;
    }
  }
  if (!is_sparse(data.matrix())) {
    std::vector<double> values(static_cast<std::size_t>(n * p));
    for (Index s = 0; s < n; ++s) {
      data.for_each_value(
          s, [&](FeatureIndex f, auto v) { values[static_cast<std::size_t>(s * p + f)] = static_cast<double>(v); });
    }
    rows_ = dense_kmeans_rows(values, n, p, ctx);
    return;
  }
  offsets_.push_back(0);
  for (Index s = 0; s < n; ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto v) {
      indices_.push_back(f);
      values_.push_back(static_cast<double>(v));
    });
    offsets_.push_back(std::ssize(indices_));
  }
  rows_ = sparse_kmeans_rows(offsets_, indices_, values_, p);
}

}  // namespace clade
