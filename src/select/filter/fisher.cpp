// Fisher score of every feature at a node (R. O. Duda, P. E. Hart, D. G. Stork, Pattern Classification, 2001):
//
//   F(j) = sum_c n_c (mu_cj - mu_j)^2 / sum_c n_c sigma_cj^2      c: children of the node that have samples
//
// with the mean mu_j over all samples of the node and population variances. It is 0 if the numerator is 0 (a constant
// feature), else 100 if the denominator is 0 (a feature that separates the children perfectly). A sample of several
// children counts in each of them, and once in mu_j. A feature with a missing value has no score and comes last.
//
// O(non-zeros + features x children) per node, and memory for a few numbers per feature.

#include <vector>

#include "core/parallel.h"
#include "select/filter/filter_selector.h"
#include "select/ranking.h"
#include "select/row_values.h"

namespace clade {
namespace {

constexpr double kPerfectScore = 100;

// The means of some samples and the sums of squares about them, for a range of features. Two passes over differences
// from the first sample: if all values are equal, the differences, their mean and their squares are exactly 0, which a
// mean of the values themselves does not guarantee (the mean of three times 0.1 is above 0.1).
class Moments {
 public:
  Moments(const Dataset& data, Index begin, Index end) : data_(data), begin_(begin), end_(end) {}

  void compute(std::span<const Index> samples) {
    const auto n = static_cast<double>(samples.size());
    first_ = stored_ = sum_ = squares_ = std::vector<double>(static_cast<std::size_t>(end_ - begin_), 0.0);
    visit(samples[0], [&](std::size_t j, double x) { first_[j] = x; });
    for (const Index sample : samples) {
      visit(sample, [&](std::size_t j, double x) {
        sum_[j] += x - first_[j];
        stored_[j] += 1;
      });
    }
    for (std::size_t j = 0; j < sum_.size(); ++j) sum_[j] = (sum_[j] - (n - stored_[j]) * first_[j]) / n;
    for (const Index sample : samples) {
      visit(sample, [&](std::size_t j, double x) {
        const double difference = (x - first_[j]) - sum_[j];
        squares_[j] += difference * difference;
      });
    }
    // Values that a sparse row does not store are 0.
    for (std::size_t j = 0; j < sum_.size(); ++j) {
      const double mean = first_[j] + sum_[j];
      squares_[j] += (n - stored_[j]) * mean * mean;
    }
  }

  double squares(std::size_t j) const { return squares_[j]; }
  // The difference of two means, taken in parts so that a large common offset does not swamp it.
  double mean_difference(std::size_t j, const Moments& other) const {
    return (first_[j] - other.first_[j]) + (sum_[j] - other.sum_[j]);
  }

 private:
  template <class Visit>
  void visit(Index sample, Visit&& use) const {
    for_each_value_between(data_, sample, begin_, end_,
                           [&](Index j, double x) { use(static_cast<std::size_t>(j - begin_), x); });
  }

  const Dataset& data_;
  Index begin_;
  Index end_;
  std::vector<double> first_, stored_, squares_;
  std::vector<double> sum_;  // of the differences from the first sample; then their mean
};

std::vector<std::vector<Index>> samples_of_children(const NodeTable& table) {
  std::vector<std::vector<Index>> samples(table.children.size());
  for (Index r = 0; r < table.samples(); ++r) {
    for (const auto child : table.labels(r)) {
      samples[static_cast<std::size_t>(child)].push_back(table.rows[static_cast<std::size_t>(r)]);
    }
  }
  return samples;
}

std::vector<double> fisher_scores(const Dataset& data, const NodeTable& table, Context& ctx) {
  const auto children = samples_of_children(table);
  std::vector<double> scores(static_cast<std::size_t>(data.features()));
  parallel_for(ctx, data.features(), feature_grain(data.features()), [&](Index begin, Index end) {
    const auto count = static_cast<std::size_t>(end - begin);
    Moments node(data, begin, end);
    Moments child(data, begin, end);
    node.compute(table.rows);
    std::vector<double> between(count, 0.0);
    std::vector<double> within(count, 0.0);
    for (const auto& samples : children) {
      child.compute(samples);
      for (std::size_t j = 0; j < count; ++j) {
        const double difference = child.mean_difference(j, node);
        between[j] += static_cast<double>(samples.size()) * difference * difference;
        within[j] += child.squares(j);
      }
    }
    for (std::size_t j = 0; j < count; ++j) {
      double& score = scores[static_cast<std::size_t>(begin) + j];
      score = between[j] == 0 ? 0 : within[j] == 0 ? kPerfectScore : between[j] / within[j];
    }
  });
  return scores;
}

class Fisher final : public FilterSelector {
 public:
  using FilterSelector::FilterSelector;
  ParameterTable parameters() override { return {}; }

 protected:
  Ranked rank(const Dataset& data, const NodeTable& table, Index, Context& ctx) const override {
    return {rank_features(table, fisher_scores(data, table, ctx)), {}, {}};
  }
  double operations(const Dataset& data, const NodeTable& table, Index) const override {
    return 10.0 * static_cast<double>(table.samples()) * static_cast<double>(data.features());
  }
};

}  // namespace

std::unique_ptr<Selector> make_fisher(bool flat) {
  return std::make_unique<Fisher>(flat);
}

}  // namespace clade
