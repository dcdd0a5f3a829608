#include <clade/compare.h>
#include <clade/context.h>
#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace clade {
namespace {

constexpr Index kMostMethods = 1000;

std::vector<double> column(std::span<const double> scores, Index methods, Index method) {
  std::vector<double> result;
  for (Index k = method; k < std::ssize(scores); k += methods) result.push_back(scores[static_cast<std::size_t>(k)]);
  return result;
}

std::optional<double> mean_of_present(std::span<const double> scores) {
  double sum = 0;
  Index count = 0;
  for (const double score : scores) {
    if (std::isnan(score)) continue;
    sum += score;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::vector<Index> by_average_rank(const Ranks& ranks) {
  std::vector<Index> order(ranks.average.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) {
    const double left = ranks.average[static_cast<std::size_t>(i)];
    const double right = ranks.average[static_cast<std::size_t>(j)];
    return left != right ? left < right : i < j;
  });
  return order;
}

Index checked_control(Index control, Index methods, Index best) {
  if (control < -1 || control >= methods) {
    throw usage_error(fmt::format("control {} of {} methods", control, methods), "expected one of them");
  }
  return control == -1 ? best : control;
}

class Comparer {
 public:
  Comparer(std::span<const double> scores, Index methods, const CompareOptions& options, Context& ctx)
      : options_(options), ctx_(ctx) {
    for (Index m = 0; m < methods; ++m) columns_.push_back(column(scores, methods, m));
    result_.ranks = average_ranks(scores, methods, options.better);
    result_.order = by_average_rank(result_.ranks);
    result_.control = checked_control(options.control, methods, result_.order.front());
    for (const auto& values : columns_) result_.means.push_back(mean_of_present(values));
  }

  Comparison run() {
    const Ranks& ranks = result_.ranks;
    result_.nemenyi = nemenyi_distance(ranks.methods, ranks.datasets, options_.alpha);
    result_.bonferroni_dunn = bonferroni_dunn_distance(ranks.methods, ranks.datasets, options_.alpha);
    result_.friedman = friedman_test(ranks);
    result_.iman_davenport = iman_davenport_test(ranks, options_.alpha);
    for (std::size_t i = 0; i < result_.order.size(); ++i) {
      for (std::size_t j = i + 1; j < result_.order.size(); ++j) add_pair(result_.order[i], result_.order[j]);
    }
    adjust();
    for (const Index method : result_.order) {
      if (method != result_.control) add_against_control(method);
    }
    return std::move(result_);
  }

 private:
  double average_rank(Index method) const { return result_.ranks.average[static_cast<std::size_t>(method)]; }

  void add_pair(Index a, Index b) {
    const std::vector<double> differences =
        paired_differences(columns_[static_cast<std::size_t>(a)], columns_[static_cast<std::size_t>(b)]);
    PairComparison pair;
    pair.a = a;
    pair.b = b;
    pair.rank_difference = average_rank(b) - average_rank(a);
    pair.nemenyi_p = nemenyi_p(pair.rank_difference, result_.ranks.methods, result_.ranks.datasets);
    pair.significant_nemenyi = pair.rank_difference >= result_.nemenyi.distance;
    pair.datasets = std::ssize(differences);
    pair.wilcoxon = wilcoxon_test(differences);
    pair.permutation = permutation_test(differences, ctx_);
    pair.effect = paired_effect(differences, options_.better);
    result_.pairs.push_back(pair);
  }

  void adjust() {
    std::vector<double> wilcoxon;
    std::vector<double> permutation;
    for (const PairComparison& pair : result_.pairs) {
      wilcoxon.push_back(pair.wilcoxon.p);
      permutation.push_back(pair.permutation.p);
    }
    wilcoxon = holm_adjusted(wilcoxon);
    permutation = holm_adjusted(permutation);
    for (std::size_t k = 0; k < result_.pairs.size(); ++k) {
      result_.pairs[k].wilcoxon_p_holm = wilcoxon[k];
      result_.pairs[k].permutation_p_holm = permutation[k];
    }
  }

  void add_against_control(Index method) {
    const double difference = average_rank(method) - average_rank(result_.control);
    result_.against_control.push_back(
        {.method = method,
         .rank_difference = difference,
         .p = bonferroni_dunn_p(difference, result_.ranks.methods, result_.ranks.datasets),
         .significant = std::abs(difference) >= result_.bonferroni_dunn.distance});
  }

  CompareOptions options_;
  Context& ctx_;
  std::vector<std::vector<double>> columns_;
  Comparison result_;
};

}  // namespace

Comparison compare_methods(std::span<const double> scores, Index methods, const CompareOptions& options, Context& ctx) {
  if (methods > kMostMethods) {
    throw usage_error(fmt::format("{} methods to compare", methods), fmt::format("expected at most {}", kMostMethods));
  }
  return Comparer(scores, methods, options, ctx).run();
}

}  // namespace clade
