#include "classify/joint/cost_search.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/parallel.h"
#include "core/random.h"
#include "core/text.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

struct Part {
  TrainingRows rows;
  JointProblem problem;
  std::vector<double> weight;
};

Part part_of(const JointData& data, std::span<const double> weight, const std::vector<Index>& samples) {
  Part part{{}, {data.problem.classes, data.problem.attributes, data.problem.loss, {}}, {}};
  part.rows.features = data.rows.features;
  for (const Index s : samples) {
    part.rows.append(data.rows, s);
    const auto own = data.problem.labels.of(s);
    auto& labels = part.problem.labels;
    labels.classes.insert(labels.classes.end(), own.begin(), own.end());
    labels.offsets.push_back(std::ssize(labels.classes));
    part.weight.push_back(weight.empty() ? 1 : weight[static_cast<std::size_t>(s)]);
  }
  return part;
}

template <class T>
double top_loss(const Part& part, const AttributeWeights<T>& weights, Context& ctx) {
  const ClassScorer scorer(part.problem.attributes);
  const double total = parallel_reduce(
      ctx, part.rows.rows(), Index{64}, 0.0,
      [&](Index begin, Index end) {
        std::vector<T> output(static_cast<std::size_t>(weights.stride()));
        std::vector<double> scores(static_cast<std::size_t>(part.problem.loss.classes()));
        double sum = 0;
        for (Index i = begin; i < end; ++i) {
          weights.product(part.rows.columns_of(i), part.rows.values_of(i), output.data());
          scorer.scores(output.data(), scores.data());
          const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
          const auto own = part.problem.labels.of(i);
          if (std::binary_search(own.begin(), own.end(), best)) continue;
          double worst = 0;
          for (const std::int32_t y : own) worst = std::max(worst, part.problem.loss.of(y, best));
          sum += worst;
        }
        return sum;
      },
      [](double& sum, double one) { sum += one; });
  return total / static_cast<double>(std::max<Index>(1, part.rows.rows()));
}

}  // namespace

std::vector<double> parse_costs(const std::string& text) {
  std::vector<double> costs;
  for (const std::string_view one : comma_parts(text)) {
    double c = 0;
    if (parse_whole_number(trim(one), c) != NumberStatus::kOk || c <= 0) {
      throw usage_error(fmt::format("`c-grid`: '{}'", text), "expected positive numbers, such as 0.1,1,10");
    }
    costs.push_back(c);
  }
  std::sort(costs.begin(), costs.end());
  costs.erase(std::unique(costs.begin(), costs.end()), costs.end());
  return costs;
}

template <class T>
std::vector<CostTrial> try_costs(const JointData& whole, const FoldData& learnt_from, std::span<const double> weight,
                                 std::span<const double> grid, int folds, const JointSvmOptions& options,
                                 Context& ctx) {
  std::vector<Index> order(static_cast<std::size_t>(whole.rows.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  RandomStream random(options.seed, {kFoldStream});
  random.shuffle(std::span(order));
  std::vector<CostTrial> trials;
  for (const double c : grid) trials.push_back({c, 0});
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<Index> inside;
    std::vector<Index> outside;
    for (std::size_t k = 0; k < order.size(); ++k) {
      (static_cast<int>(k) % folds == fold ? outside : inside).push_back(order[k]);
    }
    std::sort(inside.begin(), inside.end());
    std::sort(outside.begin(), outside.end());
    if (inside.empty() || outside.empty()) {
      throw usage_error(fmt::format("{} samples do not make {} folds", order.size(), folds),
                        "expected a smaller `c-folds`");
    }
    const std::optional<JointData> relearnt = learnt_from ? std::optional(learnt_from(inside)) : std::nullopt;
    const JointData& data = relearnt ? *relearnt : whole;
    const Part learnt = part_of(data, weight, inside);
    const Part tested = part_of(data, weight, outside);
    const auto try_all = [&](auto&& scores) {
      JointVariables variables;
      for (CostTrial& trial : trials) {
        std::vector<double> cost;
        for (const double w : learnt.weight) cost.push_back(trial.c * w);
        solve_joint_svm(learnt.problem, scores, cost, variables, options, ctx);
        trial.loss += top_loss(tested, scores.weights(), ctx) / folds;
      }
    };
    const Index attributes = data.problem.attributes.count;
    const FeatureMask mask = mask_of(data);
    if (mask.is_none() && DenseScores<T>::suits(learnt.rows, attributes)) {
      try_all(DenseScores<T>(learnt.rows, attributes));
    } else {
      try_all(LinearScores<T>(learnt.rows, attributes, &mask));
    }
  }
  return trials;
}

template std::vector<CostTrial> try_costs<float>(const JointData&, const FoldData&, std::span<const double>,
                                                 std::span<const double>, int, const JointSvmOptions&, Context&);
template std::vector<CostTrial> try_costs<double>(const JointData&, const FoldData&, std::span<const double>,
                                                  std::span<const double>, int, const JointSvmOptions&, Context&);

}  // namespace clade
