#include "select/unsupervised/cluster_start.h"

#include <fmt/format.h>

#include <algorithm>

#include "math/kmeans.h"

namespace clade {
namespace {

// Rows of a view or in single precision are copied; others are used as they lie.
KMeansResult cluster(const Dataset& data, const KMeansOptions& options, Context& ctx) {
  const Index n = data.samples();
  const Index p = data.features();
  if (!is_sparse(data.matrix())) {
    const auto* plain = std::get_if<DenseMatrix<double>>(&data.matrix());
    if (plain != nullptr && !data.is_view()) {
      return k_means(*dense_kmeans_rows(plain->values.span(), n, p, ctx), options, ctx);
    }
    std::vector<double> values(static_cast<std::size_t>(n * p));
    for (Index s = 0; s < n; ++s) {
      data.for_each_value(
          s, [&](FeatureIndex f, auto v) { values[static_cast<std::size_t>(s * p + f)] = static_cast<double>(v); });
    }
    return k_means(*dense_kmeans_rows(values, n, p, ctx), options, ctx);
  }
  std::vector<Index> offsets{0};
  std::vector<FeatureIndex> indices;
  std::vector<double> values;
  for (Index s = 0; s < n; ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto v) {
      indices.push_back(f);
      values.push_back(static_cast<double>(v));
    });
    offsets.push_back(std::ssize(indices));
  }
  return k_means(*sparse_kmeans_rows(offsets, indices, values, p), options, ctx);
}

void fill_empty_clusters(std::vector<Index>& cluster, Index clusters) {
  std::vector<Index> size(static_cast<std::size_t>(clusters), 0);
  for (const Index k : cluster) ++size[static_cast<std::size_t>(k)];
  for (Index k = 0; k < clusters; ++k) {
    if (size[static_cast<std::size_t>(k)] > 0) continue;
    const Index largest = std::max_element(size.begin(), size.end()) - size.begin();
    *std::find(cluster.rbegin(), cluster.rend(), largest) = k;
    --size[static_cast<std::size_t>(largest)];
    ++size[static_cast<std::size_t>(k)];
  }
}

}  // namespace

std::vector<Index> start_clusters(const Dataset& data, Index clusters, int starts, std::vector<std::string>& notes,
                                  Context& ctx) {
  KMeansResult result = cluster(data, {.clusters = clusters, .starts = starts}, ctx);
  if (result.distinct < clusters) {
    notes.push_back(fmt::format("{} different {} for {} clusters: equal ones start in different clusters",
                                result.distinct, result.distinct == 1 ? "sample" : "samples", clusters));
  }
  std::vector<Index> labels = std::move(result.starts[result.best].labels);
  fill_empty_clusters(labels, clusters);
  return labels;
}

Matrix cluster_matrix(const std::vector<Index>& cluster, Index clusters, double outside) {
  Matrix matrix = Matrix::Constant(clusters, std::ssize(cluster), outside);
  for (std::size_t s = 0; s < cluster.size(); ++s) matrix(cluster[s], static_cast<Index>(s)) += 1;
  for (Index k = 0; k < clusters; ++k) matrix.row(k).normalize();
  return matrix;
}

}  // namespace clade
