// Laplacian score (X. He, D. Cai, P. Niyogi, Laplacian score for feature selection, 2005): how much a feature f varies
// between neighbours, relative to how much it varies overall. With the weights S of the neighbour graph, D = diag(d_i),
// d_i = sum_j S_ij, L = D - S and the mean m = sum_i d_i f_i / sum_i d_i,
//
//   L(f) = (f - m)'L (f - m) / (f - m)'D (f - m) = sum_{i<j} S_ij (f_i - f_j)^2 / sum_i d_i (f_i - m)^2
//
// which is between 0 (neighbours agree) and 2. Small is good, so the weight is 2 - L(f); a constant feature gets 0.
//
// Besides the neighbour graph O(links x features), and memory for a few numbers per feature.

#include <clade/error.h>
#include <fmt/format.h>

#include <vector>

#include "core/parallel.h"
#include "select/row_values.h"
#include "select/unsupervised/neighbour_graph.h"
#include "select/unsupervised/unsupervised_selector.h"

namespace clade {
namespace {

double square_of(double x) {
  return x * x;
}

// The two parts of the ratio, for a range of features.
struct Variation {
  Vector between_neighbours;  // sum_{i<j} S_ij (f_i - f_j)^2
  Vector about_the_mean;      // sum_i d_i (f_i - m)^2
};

Variation variation(const Dataset& data, const NeighbourGraph& graph, Index begin, Index end) {
  const Index size = end - begin;
  const auto visit = [&](Index sample, auto&& use) {
    for_each_value_between(data, sample, begin, end, [&](Index f, double v) { use(f - begin, v); });
  };
  Variation result{Vector::Zero(size), Vector::Zero(size)};
  double* const between = result.between_neighbours.data();
  for (Index j = 0; j < data.samples(); ++j) {
    for (SparseColumns::InnerIterator link(graph.weights, j); link && link.row() < j; ++link) {
      const double weight = link.value();
      for_each_difference_between(data, link.row(), j, begin, end,
                                  [=](Index f, double d) { between[f - begin] += weight * d * d; });
    }
  }
  Vector mean = Vector::Zero(size);
  Vector unstored = Vector::Constant(size, graph.degrees.sum());
  for (Index i = 0; i < data.samples(); ++i) {
    visit(i, [&](Index f, double v) {
      mean[f] += graph.degrees[i] * v;
      unstored[f] -= graph.degrees[i];
    });
  }
  mean /= graph.degrees.sum();
  if (is_sparse(data.matrix())) {  // values that a sparse row does not store are 0
    result.about_the_mean = unstored.cwiseProduct(mean.cwiseAbs2());
  }
  for (Index i = 0; i < data.samples(); ++i) {
    visit(i, [&](Index f, double v) { result.about_the_mean[f] += graph.degrees[i] * square_of(v - mean[f]); });
  }
  return result;
}

class Laplacian final : public UnsupervisedSelector {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }
  Grid default_grid() const override { return {{"neighbours", {"3", "5", "10", "20"}}}; }

 protected:
  Scores score(const SelectionInput& input, const std::vector<bool>& constant, Context& ctx) override {
    Scores scores;
    const Dataset& data = input.data;
    const NeighbourGraph graph = neighbour_graph(data, options_, input.memory, scores.notes, ctx);
    scores.weight.resize(constant.size());
    scores.second.resize(constant.size());
    Vector spread(data.features());
    parallel_for(ctx, data.features(), feature_grain(data.features()), [&](Index begin, Index end) {
      const Variation v = variation(data, graph, begin, end);
      spread.segment(begin, end - begin) = v.about_the_mean;
      for (Index f = begin; f < end; ++f) {
        if (constant[static_cast<std::size_t>(f)]) continue;
        const double score = v.between_neighbours[f - begin] / v.about_the_mean[f - begin];
        scores.weight[static_cast<std::size_t>(f)] = 2 - score;
        // Scores below 1e-16 differ, but their weights do not.
        scores.second[static_cast<std::size_t>(f)] = -score;
      }
    });
    require_spread(data, constant, spread);
    return scores;
  }

 private:
  // A feature that varies has a spread, unless its squares underflow.
  static void require_spread(const Dataset& data, const std::vector<bool>& constant, const Vector& spread) {
    for (Index f = 0; f < data.features(); ++f) {
      if (constant[static_cast<std::size_t>(f)] || spread[f] != 0) continue;
      throw usage_error(fmt::format("the values of the feature '{}' are too small to compute with",
                                    data.feature_name(static_cast<FeatureIndex>(f))),
                        "expected scaled features: `scale` standard");
    }
  }

  GraphOptions options_;
};

}  // namespace

std::unique_ptr<Selector> make_laplacian() {
  return std::make_unique<Laplacian>();
}

}  // namespace clade
