#include "select/unsupervised/cluster_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "comm/team.h"
#include "data/kmeans.h"
#include "data/kmeans_samples.h"

namespace clade {
namespace {

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
  Team alone(std::make_shared<Alone>());
  const EvenBlocks blocks = k_means_blocks(alone, data.samples(), data.features());
  KMeansResult result =
      k_means(KMeansSamples(data, blocks, ctx).rows(), blocks, {.clusters = clusters, .starts = starts}, ctx);
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
