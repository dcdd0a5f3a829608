#include "experiment/tuning.h"

#include <clade/error.h>
#include <clade/split.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace clade {
namespace {

bool is_better_when_higher(const std::string& measure) {
  return std::ranges::find(measures(), measure, &MeasureInfo::name)->higher_is_better;
}

// Tries some of the plans; the larger a score, the better.
class PlanTrials {
 public:
  PlanTrials(const std::vector<LearningPlan>& plans, const TuneOptions& tune, const EvaluateOptions& options,
             const PredictOptions& predict, Context& ctx)
      : plans_(plans), tune_(tune), options_(options), predict_(predict), ctx_(ctx) {}

  // Those that have a score, the best first, equals as they come.
  std::vector<std::size_t> ranked(const Dataset& data, const std::vector<std::size_t>& some) {
    const int count = static_cast<int>(std::min<Index>(tune_.folds, data.samples()));
    const std::vector<int> dealt = stratified_folds(data, count, ctx_.seed());
    const std::vector<Index> folds(dealt.begin(), dealt.end());
    std::vector<std::pair<double, std::size_t>> scores;  // the best smallest, with the place among `some`
    for (std::size_t k = 0; k < some.size(); ++k) {
      if (const auto score = score_of(data, plans_[some[k]], folds)) scores.emplace_back(-*score, k);
    }
    if (scores.empty()) throw usage_error("no candidate can be tuned: " + problem_, "expected one that suits the data");
    std::ranges::sort(scores);
    std::vector<std::size_t> order;
    for (const auto& score : scores) order.push_back(some[score.second]);
    return order;
  }

 private:
  std::optional<double> score_of(const Dataset& data, const LearningPlan& plan, const std::vector<Index>& folds) {
    try {
      const auto value = evaluate_plan(data, plan, folds, options_, predict_, ctx_).evaluation.value(tune_.measure);
      if (!value) problem_ = tune_.measure + " does not apply";
      if (!value || std::isnan(*value)) return std::nullopt;
      return is_better_when_higher(tune_.measure) ? *value : -*value;
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInput) throw;
      problem_ = error.what();
      return std::nullopt;
    }
  }

  const std::vector<LearningPlan>& plans_;
  const TuneOptions& tune_;
  const EvaluateOptions& options_;
  const PredictOptions& predict_;
  Context& ctx_;
  std::string problem_;
};

Dataset part_of_samples(const Dataset& data, double share, std::uint64_t seed) {
  return share >= 1 ? data : data.subset(train_test_split(data, share, seed).test);
}

}  // namespace

std::size_t best_plan(const Dataset& data, const std::vector<LearningPlan>& plans, const TuneOptions& tune,
                      const EvaluateOptions& options, const PredictOptions& predict, Context& ctx) {
  if (plans.size() == 1) return 0;
  std::vector<std::size_t> left(plans.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  PlanTrials trials(plans, tune, options, predict, ctx);
  if (!tune.halving) return trials.ranked(data, left)[0];
  // The last round has two candidates and all samples.
  double share = std::pow(2, 1 - std::ceil(std::log2(static_cast<double>(plans.size()))));
  const double fewest = 2.0 * tune.folds / static_cast<double>(data.samples());
  while (left.size() > 1) {
    const std::vector<std::size_t> order =
        trials.ranked(part_of_samples(data, std::max(share, fewest), ctx.seed()), left);
    left.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>((order.size() + 1) / 2));
    if (order.size() == 1) break;
    std::ranges::sort(left);  // equals as they come
    share *= 2;
  }
  return left[0];
}

}  // namespace clade
