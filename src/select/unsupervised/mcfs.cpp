// Multi-cluster feature selection (D. Cai, C. Zhang, X. He, Unsupervised feature selection for multi-cluster data,
// 2010): the smoothest functions y_1 .. y_K on the neighbour graph separate the clusters, and sparse regressions find
// the few features that fit them:
//
//   (D - S) y_k = lambda_k D y_k                               see spectral_embedding.h
//   a_k = argmin ||y_k - X a||^2,  a sparse                    by least-angle regression, see lars.h
//   score(j) = max_k |a_kj|
//
// X and y_k are centred. Features that no regression uses get 0.
//
// Besides the neighbour graph O(K x steps x values), with a copy of the data.

#include <algorithm>

#include "core/parallel.h"
#include "select/unsupervised/lars.h"
#include "select/unsupervised/neighbour_graph.h"
#include "select/unsupervised/spectral_embedding.h"
#include "select/unsupervised/unsupervised_selector.h"

namespace clade {
namespace {

struct McfsOptions {
  GraphOptions graph;
  int clusters = kAutoClusters;
  int nonzeros = 200;
};

template <class V>
void describe(V& v, McfsOptions& o) {
  describe_clusters(v, o.clusters);
  v("nonzeros", o.nonzeros, at_least(1), "most features that each regression may use");
  describe(v, o.graph);
}

class Mcfs final : public UnsupervisedSelector {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }
  Grid default_grid() const override { return {{"nonzeros", {"25", "50", "100", "200"}}}; }

 protected:
  Scores score(const SelectionInput& input, const std::vector<bool>& constant, Context& ctx) override {
    Scores scores;
    const Dataset& data = input.data;
    options_.clusters = clusters_for(options_.clusters, data, data.samples() - 1, scores.notes);
    require_functions(data);
    require_memory(CentredColumns::memory(data), input.memory);
    const NeighbourGraph graph = neighbour_graph(data, options_.graph, input.memory, scores.notes, ctx);
    const SpectralEmbedding embedding = spectral_embedding(graph, options_.clusters, ctx);
    const CentredColumns x(data);
    const Index nonzeros = std::min<Index>({options_.nonzeros, data.features(), data.samples() - 1});
    Matrix weights(data.features(), options_.clusters);
    parallel_for(ctx, options_.clusters, 1,
                 [&](Index k, Index) { weights.col(k) = lasso_by_lars(x, embedding.vectors.col(k), nonzeros, ctx); });
    scores.weight.resize(constant.size());
    for (Index f = 0; f < data.features(); ++f) {
      scores.weight[static_cast<std::size_t>(f)] = weights.row(f).cwiseAbs().maxCoeff();
    }
    return scores;
  }

 private:
  // There are as many functions as samples, and the constant one does not count.
  void require_functions(const Dataset& data) const {
    if (options_.clusters < data.samples()) return;
    throw usage_error("`clusters`: as many clusters as samples", "expected fewer clusters than samples");
  }

  McfsOptions options_;
};

}  // namespace

std::unique_ptr<Selector> make_mcfs() {
  return std::make_unique<Mcfs>();
}

}  // namespace clade
