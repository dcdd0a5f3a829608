// Label correlation, common and specific features (Lin, Bai, Zhao et al. 2022): nodes with dissimilar classes are
// pushed towards dissimilar weights,
//
//   alpha sum_i sum_{j != i} C_ij tr(W_i' W_j),   C = 1 - S,   S the cosine similarity of the nodes.
//
// The similarity is kept sparse, and the sum of all weights is updated as nodes change. So a node's right-hand side
// costs only its similar nodes, and nothing takes nodes x nodes x weights. Unbounded below if alpha is too large.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "core/parallel.h"
#include "select/ranking.h"
#include "select/recursive/coupled_selector.h"

namespace clade {
namespace {

enum class Similarity {
  kSamples,    // cosine of the nodes' indicators over training samples: n_ij / sqrt(n_i n_j)
  kAncestors,  // cosine of their indicators over nodes: each node with its ancestors
};
// Whose weights rank a node's features.
enum class Part {
  kSpecific,  // its own
  kCommon,    // those of its parents, which all nodes below them share; at the root its own
};
constexpr Choice<Part> kPartWords[] = {{Part::kSpecific, "specific"}, {Part::kCommon, "common"}};
constexpr Choice<Similarity> kSimilarityWords[] = {{Similarity::kSamples, "samples"},
                                                   {Similarity::kAncestors, "ancestors"}};

// The elements (samples or nodes) by the sets of nodes that hold them; those with the same set are one pattern. Over
// patterns g with m_g elements each, the similarity of two nodes is
//
//   S_ij = sum over g in i and j of m_g / sqrt(n_i n_j),
//
// and a node without elements gets one of its own, so that S_ii = 1 for all.
struct Patterns {
  std::vector<double> sizes;                      // m_g
  std::vector<std::vector<std::size_t>> holders;  // of every pattern
  std::vector<std::vector<std::uint32_t>> held;   // by every node
  std::vector<double> roots;                      // 1 / sqrt(n_i)
  std::size_t entries = 0;                        // in all of `held`
};

// With P_g = m_g sum over nodes i that hold g of W_i / sqrt(n_i), the sum over j of S_ij W_j is sum_g P_g / sqrt(n_i)
// over the patterns of i. These are far fewer than similar nodes, if nodes are many.
class LccshfsColumns : public ColumnCoupling {
 public:
  LccshfsColumns(const Patterns& patterns, double alpha, const Weights& w, Index first, Index count)
      : patterns_(patterns),
        alpha_(alpha),
        total_(Matrix::Zero(w[0].rows(), count)),
        sums_(Matrix::Zero(total_.size(), std::ssize(patterns.sizes))) {
    for (const Matrix& node : w) total_ += node.middleCols(first, count);
    for (std::size_t g = 0; g < patterns.sizes.size(); ++g) {
      auto sum = sums_.col(static_cast<Index>(g));
      const auto& holders = patterns.holders[g];
      const auto part = [&](std::size_t k) {
        return (patterns.sizes[g] * patterns.roots[holders[k]]) *
               Eigen::Map<const Vector>(w[holders[k]].col(first).data(), sum.size());
      };
      std::size_t k = 0;
      for (; k + 4 <= holders.size(); k += 4) sum += (part(k) + part(k + 1)) + (part(k + 2) + part(k + 3));
      for (; k < holders.size(); ++k) sum += part(k);
    }
  }

  void right(std::size_t i, Matrix& r) override {
    Eigen::Map<Vector> sum(r.data(), r.size());
    const auto& held = patterns_.held[i];
    std::size_t k = 0;
    for (; k + 4 <= held.size(); k += 4) {
      sum += (sums_.col(held[k]) + sums_.col(held[k + 1])) + (sums_.col(held[k + 2]) + sums_.col(held[k + 3]));
    }
    for (; k < held.size(); ++k) sum += sums_.col(held[k]);
    r = (alpha_ * patterns_.roots[i]) * r - alpha_ * total_;
  }

  void changed(std::size_t i, const Matrix& change) override {
    total_ += change;
    const Eigen::Map<const Vector> flat(change.data(), change.size());
    for (const std::uint32_t g : patterns_.held[i]) {
      sums_.col(g) += (patterns_.sizes[g] * patterns_.roots[i]) * flat;
    }
  }

  // ||sum_i W_i||^2 - sum_ij S_ij <W_i, W_j>
  double value() const override {
    double similar = 0;
    for (std::size_t g = 0; g < patterns_.sizes.size(); ++g) {
      similar += sums_.col(static_cast<Index>(g)).squaredNorm() / patterns_.sizes[g];
    }
    return alpha_ * (total_.squaredNorm() - similar);
  }

 private:
  const Patterns& patterns_;
  double alpha_;
  Matrix total_;
  Matrix sums_;  // P_g, a column each
};

class Lccshfs : public CoupledMethod {
 public:
  Lccshfs(double alpha, Similarity similarity) : alpha_(alpha), similarity_(similarity) {}

  void prepare(const Problem& problem, Context& ctx) override;
  std::vector<std::size_t> neighbours(std::size_t i) const override;
  void begin_iteration(int iteration, const Weights& w, Context& ctx) override;
  void node_changed(std::size_t i, const Matrix& before, const Matrix& after) override;
  void add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const override;
  double value(const Weights& w) const override;
  bool is_apart_in_columns() const override;
  std::unique_ptr<ColumnCoupling> in_columns(const Weights& w, Index first, Index count) const override;

 private:
  struct Similar {
    std::size_t node;
    double cosine;
  };
  void find_similar(const std::vector<std::vector<Index>>& sets, Index elements);
  void find_patterns(const std::vector<std::vector<Index>>& sets, const std::vector<std::vector<std::size_t>>& holders);
  // sum over j != i of C_ij W_j, given the sum of all weights.
  Matrix push(std::size_t i, const Weights& w, const Matrix& total) const;

  double alpha_;
  Similarity similarity_;
  std::vector<std::vector<Similar>> similar_;  // others with a cosine above 0
  std::size_t pairs_ = 0;                      // of similar nodes
  Patterns patterns_;
  Matrix total_;  // the sum of all weights, kept up to date
};

void Lccshfs::prepare(const Problem& problem, Context& ctx) {
  CoupledMethod::prepare(problem, ctx);
  std::vector<std::vector<Index>> sets;
  const Taxonomy& taxonomy = problem.data().taxonomy();
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const NodeTable& table = *problem.node(i).table;
    if (similarity_ == Similarity::kSamples) {
      sets.push_back(table.rows);
    } else {
      const std::vector<NodeId> above = taxonomy.ancestors(table.node);
      sets.emplace_back(above.begin(), above.end());
      sets.back().push_back(table.node);
    }
  }
  find_similar(sets, similarity_ == Similarity::kSamples ? problem.data().samples() : taxonomy.size());
}

void Lccshfs::find_similar(const std::vector<std::vector<Index>>& sets, Index elements) {
  std::vector<std::vector<std::size_t>> holders(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const Index element : sets[i]) holders[static_cast<std::size_t>(element)].push_back(i);
  }
  find_patterns(sets, holders);
  similar_.assign(sets.size(), {});
  pairs_ = 0;
  std::vector<double> common(sets.size(), 0);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    std::fill(common.begin(), common.end(), 0);
    for (const Index element : sets[i]) {
      for (const std::size_t j : holders[static_cast<std::size_t>(element)]) ++common[j];
    }
    for (std::size_t j = 0; j < sets.size(); ++j) {
      if (j == i || common[j] == 0) continue;
      const double sizes = static_cast<double>(sets[i].size()) * static_cast<double>(sets[j].size());
      similar_[i].push_back({j, common[j] / std::sqrt(sizes)});
    }
    pairs_ += similar_[i].size();
  }
}

void Lccshfs::find_patterns(const std::vector<std::vector<Index>>& sets,
                            const std::vector<std::vector<std::size_t>>& holders) {
  patterns_ = {};
  patterns_.held.resize(sets.size());
  const auto add = [&](const std::vector<std::size_t>& nodes) {
    for (const std::size_t i : nodes) patterns_.held[i].push_back(static_cast<std::uint32_t>(patterns_.sizes.size()));
    patterns_.sizes.push_back(1);
    patterns_.holders.push_back(nodes);
    patterns_.entries += nodes.size();
  };
  std::map<std::vector<std::size_t>, std::size_t> number;
  for (const std::vector<std::size_t>& nodes : holders) {
    if (nodes.empty()) continue;
    const auto [at, is_new] = number.try_emplace(nodes, patterns_.sizes.size());
    if (is_new) {
      add(nodes);
    } else {
      ++patterns_.sizes[at->second];
    }
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].empty()) add({i});
    patterns_.roots.push_back(1 / std::sqrt(static_cast<double>(std::max<std::size_t>(sets[i].size(), 1))));
  }
}

// An iteration goes through the entries of the patterns two or three times: for the sums, and for every node before and
// after it is solved. Node by node, it goes through the pairs of similar nodes once, and for the objective once more.
// The sums should not take much more memory than the weights.
bool Lccshfs::is_apart_in_columns() const {
  return 2 * patterns_.entries < pairs_ && patterns_.sizes.size() <= 2 * patterns_.held.size();
}

std::unique_ptr<ColumnCoupling> Lccshfs::in_columns(const Weights& w, Index first, Index count) const {
  return std::make_unique<LccshfsColumns>(patterns_, alpha_, w, first, count);
}

std::vector<std::size_t> Lccshfs::neighbours(std::size_t i) const {
  std::vector<std::size_t> all;
  for (std::size_t j = 0; j < problem_->size(); ++j) {
    if (j != i) all.push_back(j);
  }
  return all;
}

void Lccshfs::begin_iteration(int /*iteration*/, const Weights& w, Context& /*ctx*/) {
  // Recomputed in every iteration, so that rounding errors do not build up.
  total_ = w[0];
  for (std::size_t j = 1; j < w.size(); ++j) total_ += w[j];
}

void Lccshfs::node_changed(std::size_t /*i*/, const Matrix& before, const Matrix& after) {
  total_ += after - before;
}

Matrix Lccshfs::push(std::size_t i, const Weights& w, const Matrix& total) const {
  Matrix sum = total - w[i];
  // By blocks of columns, so that a block stays in the cache while all similar nodes are added.
  constexpr Index kColumnsPerTask = 8;
  parallel_for(*ctx_, sum.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    auto block = sum.middleCols(begin, end - begin);
    for (const Similar& other : similar_[i]) block -= other.cosine * w[other.node].middleCols(begin, end - begin);
  });
  return sum;
}

void Lccshfs::add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const {
  terms.right -= alpha_ * push(i, w, total_);
}

double Lccshfs::value(const Weights& w) const {
  const auto add = [](double& sum, double part) { sum += part; };
  if (is_apart_in_columns()) {
    constexpr Index kColumnsPerTask = 8;
    return parallel_reduce(
        *ctx_, w[0].cols(), kColumnsPerTask, 0.0,
        [&](Index begin, Index end) { return in_columns(w, begin, end - begin)->value(); }, add);
  }
  Matrix total = w[0];
  for (std::size_t j = 1; j < w.size(); ++j) total += w[j];
  // sum_ij C_ij <W_i, W_j> over i != j = ||total||^2 - sum_i ||W_i||^2 - sum_ij S_ij <W_i, W_j>, each pair once.
  const double similar = parallel_reduce(
      *ctx_, static_cast<Index>(w.size()), 16, 0.0,
      [&](Index begin, Index end) {
        double part = 0;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          part += w[i].squaredNorm();
          for (const Similar& other : similar_[i]) {
            if (other.node > i) part += 2 * other.cosine * w[i].cwiseProduct(w[other.node]).sum();
          }
        }
        return part;
      },
      add);
  return alpha_ * (total.squaredNorm() - similar);
}

class LccshfsSelector final : public CoupledSelector {
 public:
  LccshfsSelector() : CoupledSelector("lccshfs") { common_.lambda = std::numeric_limits<double>::quiet_NaN(); }

 protected:
  void describe_own(ParameterTable& v) override {
    v("alpha", alpha_, nonnegative(), "weight of the push between nodes with unlike labels");
    v("similarity", similarity_, kSimilarityWords, "compare nodes by their samples or by their ancestors");
    v("part", part_, kPartWords, "rank by the weights of the node itself, or by those that it shares with its parents");
    v("output-common", output_common_, "also list the features that a node shares with its parents");
  }
  // The published settings for trees and for DAGs.
  void settle(const Dataset& data) override {
    const bool is_tree = data.taxonomy().is_tree();
    if (std::isnan(common_.lambda)) common_.lambda = is_tree ? 10 : 100;
    if (std::isnan(alpha_)) alpha_ = is_tree ? 0.1 : 0.001;
  }
  std::unique_ptr<CoupledMethod> make_method() const override { return std::make_unique<Lccshfs>(alpha_, similarity_); }
  std::optional<Error> no_minimum() const override {
    return usage_error(fmt::format("{} diverges with alpha {}: its objective has no minimum", name(), alpha_),
                       "expected a smaller `alpha`, or a larger `lambda`");
  }
  std::vector<double> ranking_norms(const Problem& problem, const Weights& w, std::size_t i) const override {
    return part_ == Part::kCommon ? common_norms(problem, w, i) : CoupledSelector::ranking_norms(problem, w, i);
  }
  std::vector<FeatureIndex> common_features(const Problem& problem, const Weights& w, std::size_t i) const override {
    if (!output_common_ || problem.parents(i).empty()) return {};
    return rank_features(*problem.node(i).table, common_norms(problem, w, i)).ranking;
  }

 private:
  // The mean over the node's parents.
  std::vector<double> common_norms(const Problem& problem, const Weights& w, std::size_t i) const {
    const auto& parents = problem.parents(i);
    if (parents.empty()) return CoupledSelector::ranking_norms(problem, w, i);
    std::vector<double> mean(static_cast<std::size_t>(problem.features()), 0);
    for (const std::size_t parent : parents) {
      const std::vector<double> norms = CoupledSelector::ranking_norms(problem, w, parent);
      for (std::size_t f = 0; f < mean.size(); ++f) mean[f] += norms[f] / static_cast<double>(parents.size());
    }
    return mean;
  }

  double alpha_ = std::numeric_limits<double>::quiet_NaN();
  Part part_ = Part::kSpecific;
  Similarity similarity_ = Similarity::kSamples;
  bool output_common_ = false;
};

}  // namespace

std::unique_ptr<Selector> make_lccshfs() {
  return std::make_unique<LccshfsSelector>();
}

}  // namespace clade
