// Hierarchical unsupervised feature selection (S. Wang, Y. Wang, J. Tang, C. Aggarwal, S. Ranganath, H. Liu, Exploiting
// hierarchical structures for unsupervised feature selection, 2017): clusters U and latent features V of X, with few
// features and few groups of the feature hierarchy,
//
//   min  ||X - U V'||_2,1 + beta ||V||_2,1 + alpha sum_k sum_G ||V_Gk||_2,      U'U = I, U >= 0
//
// over all nodes G of a tree over the features; see hufs_solver.h. Features are ranked by ||v_j||. eufs has no groups,
// but on request the neighbour graph of its own paper, nu Tr(U'L U) (S. Wang, J. Tang, H. Liu, Embedded unsupervised
// feature selection, 2015).

#include <clade/feature_tree.h>
#include <fmt/format.h>

#include <optional>

#include "select/unsupervised/cluster_start.h"
#include "select/unsupervised/hufs_solver.h"
#include "select/unsupervised/unsupervised_selector.h"

namespace clade {
namespace {

struct FactorOptions {
  int clusters = kAutoClusters;
  int starts = 5;
  HufsSettings settings;
};

template <class V>
void describe(V& v, FactorOptions& o) {
  describe_clusters(v, o.clusters);
  v("beta", o.settings.beta, nonnegative(), "weight of the row-sparsity penalty");
  v("starts", o.starts, at_least(1), "k-means starts, of which the best is taken");
  v("iterations", o.settings.iterations, at_least(1), "largest number of iterations");
  v("tolerance", o.settings.tolerance, nonnegative(),
    "stop when the relative residuals of the constraints are below this");
  v("mu", o.settings.mu, positive(), "initial weight of the constraints");
  v("rho", o.settings.rho, at_least(1), "factor by which `mu` grows in every iteration");
}

struct EufsOptions {
  FactorOptions common;
  GraphOptions graph;
};

template <class V>
void describe(V& v, EufsOptions& o) {
  describe(v, o.common);
  v("nu", o.common.settings.nu, nonnegative(), "weight of the neighbour graph");
  describe(v, o.graph);
}

struct HufsOptions {
  FactorOptions common;
  std::string feature_tree;
};

template <class V>
void describe(V& v, HufsOptions& o) {
  v("feature-tree", o.feature_tree, "file with the feature hierarchy");
  v("alpha", o.common.settings.alpha, nonnegative(), "weight of the groups of the feature hierarchy");
  describe(v, o.common);
}

class FactorSelector : public UnsupervisedSelector {
 protected:
  Scores solve(const SelectionInput& input, FeatureGroups groups, const NeighbourGraph* graph, FactorOptions& options,
               Scores scores, Context& ctx) {
    const Dataset& data = input.data;
    options.clusters = clusters_for(options.clusters, data, data.samples(), scores.notes);
    require_memory(HufsSolver::memory(data.samples(), data.features(), options.clusters, groups.total()), input.memory);
    const auto clusters = start_clusters(data, options.clusters, options.starts, scores.notes, ctx);
    HufsSolver solver(data, std::move(groups), cluster_matrix(clusters, options.clusters, 0), options.settings, ctx,
                      graph);
    solver.run();
    for (Index f = 0; f < data.features(); ++f) scores.weight.push_back(solver.features().row(f).norm());
    scores.objective = solver.objectives();
    std::vector<double> fit, sign, group;
    for (const HufsResiduals& r : solver.residuals()) {
      fit.push_back(r.fit);
      sign.push_back(r.sign);
      group.push_back(r.groups);
    }
    if (!solver.has_converged()) {
      scores.notes.push_back(fmt::format("residuals after {} iterations: fit {:.2g}, sign {:.2g}, groups {:.2g}",
                                         fit.size(), fit.back(), sign.back(), group.back()));
    }
    scores.residuals = {{"fit", std::move(fit)}, {"sign", std::move(sign)}, {"groups", std::move(group)}};
    return scores;
  }
};

class Eufs final : public FactorSelector {
 public:
  Eufs() { options_.common.settings.alpha = 0; }
  ParameterTable parameters() override { return ParameterTable(options_); }
  std::vector<std::string_view> penalties() const override { return {"beta"}; }
  std::vector<Idle> idle_parameters() const override {
    if (options_.common.settings.nu > 0) return {};
    return {{"neighbours", "with `nu` 0"}, {"bandwidth", "with `nu` 0"}};
  }
  Grid default_grid() const override { return {{"beta", {"1e-4", "1e-2", "1"}}, {"nu", {"0", "1", "1e2"}}}; }

 protected:
  Scores score(const SelectionInput& input, const std::vector<bool>&, Context& ctx) override {
    Scores scores;
    std::optional<NeighbourGraph> graph;
    if (options_.common.settings.nu > 0) {
      graph = neighbour_graph(input.data, options_.graph, input.memory, scores.notes, ctx);
    }
    return solve(input, {}, graph ? &*graph : nullptr, options_.common, std::move(scores), ctx);
  }

 private:
  EufsOptions options_;
};

class Hufs final : public FactorSelector {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }
  std::vector<std::string_view> penalties() const override { return {"alpha", "beta"}; }
  std::vector<Idle> idle_parameters() const override {
    if (options_.common.settings.alpha > 0) return {};
    return {{"feature-tree", "with `alpha` 0"}};
  }
  Grid default_grid() const override { return {{"alpha", {"1e-4", "1e-2", "1"}}, {"beta", {"1e-4", "1e-2", "1"}}}; }
  void check() const override {
    if (options_.common.settings.alpha == 0 || !options_.feature_tree.empty()) return;
    throw usage_error("hufs needs a feature hierarchy", "expected `feature-tree` FILE; eufs needs none");
  }

 protected:
  Scores score(const SelectionInput& input, const std::vector<bool>&, Context& ctx) override {
    Scores scores;
    FeatureGroups groups;
    if (options_.common.settings.alpha > 0) {
      const FeatureHierarchy hierarchy = read_feature_tree(options_.feature_tree, input.data, ctx);
      scores.notes = hierarchy.notes;
      groups = FeatureGroups(hierarchy.tree);
    }
    return solve(input, std::move(groups), nullptr, options_.common, std::move(scores), ctx);
  }

 private:
  HufsOptions options_;
};

}  // namespace

std::unique_ptr<Selector> make_eufs() {
  return std::make_unique<Eufs>();
}

std::unique_ptr<Selector> make_hufs() {
  return std::make_unique<Hufs>();
}

}  // namespace clade
