#include "select/unsupervised/neighbour_graph.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "select/unsupervised/unsupervised_selector.h"

namespace clade {
namespace {

constexpr double kLeastWeight = 1e-8;

double mean_square(const NearestNeighbours& nearest) {
  const double sum = std::accumulate(nearest.squares.begin(), nearest.squares.end(), 0.0);
  return sum > 0 ? sum / static_cast<double>(nearest.squares.size()) : 1;
}

SparseColumns link_weights(const NearestNeighbours& nearest, double bandwidth) {
  std::vector<Eigen::Triplet<double>> links;
  links.reserve(2 * nearest.neighbours.size());
  for (Index i = 0; i < nearest.samples(); ++i) {
    for (std::size_t k = 0; k < nearest.of(i).size(); ++k) {
      const double weight = std::max(std::exp(-nearest.squares_of(i)[k] / bandwidth), kLeastWeight);
      const Index j = nearest.of(i)[k];
      links.emplace_back(static_cast<int>(i), static_cast<int>(j), weight);
      links.emplace_back(static_cast<int>(j), static_cast<int>(i), weight);
    }
  }
  SparseColumns weights(nearest.samples(), nearest.samples());
  // Both directions of a mutual link have the same weight.
  weights.setFromTriplets(links.begin(), links.end(), [](double weight, double) { return weight; });
  return weights;
}

void find_components(NeighbourGraph& graph) {
  const Index n = graph.weights.cols();
  graph.component.assign(static_cast<std::size_t>(n), -1);
  graph.components = 0;
  std::vector<Index> open;
  for (Index first = 0; first < n; ++first) {
    if (graph.component[static_cast<std::size_t>(first)] >= 0) continue;
    graph.component[static_cast<std::size_t>(first)] = graph.components;
    open.push_back(first);
    while (!open.empty()) {
      const Index sample = open.back();
      open.pop_back();
      for (SparseColumns::InnerIterator link(graph.weights, sample); link; ++link) {
        Index& component = graph.component[static_cast<std::size_t>(link.row())];
        if (component >= 0) continue;
        component = graph.components;
        open.push_back(link.row());
      }
    }
    ++graph.components;
  }
}

// Of equal samples the lower number comes first, so the first neighbour shows whether there is an earlier copy.
Index count_copies(const NearestNeighbours& nearest) {
  Index copies = 0;
  for (Index i = 0; i < nearest.samples(); ++i) {
    if (nearest.squares_of(i)[0] == 0 && nearest.of(i)[0] < i) ++copies;
  }
  return copies;
}

}  // namespace

NeighbourGraph link_neighbours(const NearestNeighbours& nearest, double bandwidth) {
  NeighbourGraph graph;
  graph.bandwidth = std::isnan(bandwidth) ? mean_square(nearest) : bandwidth;
  graph.weights = link_weights(nearest, graph.bandwidth);
  graph.degrees = graph.weights * Vector::Ones(graph.weights.cols());
  graph.copies = count_copies(nearest);
  find_components(graph);
  return graph;
}

NeighbourGraph neighbour_graph(const Dataset& data, GraphOptions& options, double memory,
                               std::vector<std::string>& notes, Context& ctx) {
  if (data.samples() < 2) {
    throw usage_error("a single sample has no neighbours", "expected at least two samples");
  }
  require_memory(neighbour_search_memory(data), memory);
  const Index count = std::min<Index>(options.neighbours, data.samples() - 1);
  if (count < options.neighbours) {
    notes.push_back(fmt::format("`neighbours` {} instead of {}: there are no more samples", count, options.neighbours));
  }
  NeighbourGraph graph = link_neighbours(nearest_neighbours(data, count, ctx), options.bandwidth);
  options.bandwidth = graph.bandwidth;
  if (graph.copies > 0) {
    notes.push_back(fmt::format("{} equal to an earlier one",
                                graph.copies == 1 ? "1 sample is" : fmt::format("{} samples are", graph.copies)));
  }
  if (graph.components > 1) {
    notes.push_back(fmt::format("the neighbour graph has {} parts that no link joins", graph.components));
  }
  return graph;
}

Matrix times_plain_laplacian(const Matrix& f, const NeighbourGraph& graph, Context& ctx) {
  constexpr Index kColumnsPerTask = 1024;
  Matrix product = f * graph.degrees.asDiagonal();
  parallel_for(ctx, f.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (SparseColumns::InnerIterator link(graph.weights, i); link; ++link) {
        product.col(i) -= link.value() * f.col(link.row());
      }
    }
  });
  return product;
}

Matrix times_laplacian(const Matrix& f, const NeighbourGraph& graph, Context& ctx) {
  constexpr Index kColumnsPerTask = 1024;
  const Vector root = graph.degrees.unaryExpr([](double d) { return 1 / std::sqrt(d); });
  Matrix product = f;
  parallel_for(ctx, f.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (SparseColumns::InnerIterator link(graph.weights, i); link; ++link) {
        product.col(i) -= link.value() * root[i] * root[link.row()] * f.col(link.row());
      }
    }
  });
  return product;
}

}  // namespace clade
