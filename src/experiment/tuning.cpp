#include "experiment/tuning.h"

#include <clade/error.h>
#include <clade/split.h>
#include <fmt/format.h>

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
             const PredictOptions& predict, double& spared, Context& ctx)
      : plans_(plans), tune_(tune), options_(options), predict_(predict), spared_(spared), ctx_(ctx) {}

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
      const PlannedEvaluation found = evaluate_plan(data, plan, folds, options_, predict_, ctx_);
      spared_ += found.spared_seconds;
      const auto value = found.evaluation.value(tune_.measure);
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
  double& spared_;
  Context& ctx_;
  std::string problem_;
};

// A stratified part, of so many samples at most.
Dataset part_of_samples(const Dataset& data, Index most, std::uint64_t seed) {
  if (most >= data.samples()) return data;
  for (Index wanted = most; wanted > 0; --wanted) {
    const double share = static_cast<double>(wanted) / static_cast<double>(data.samples());
    std::vector<Index> part = train_test_split(data, share, seed).test;
    if (std::ssize(part) <= most) return data.subset(std::move(part));
  }
  std::vector<Index> first(static_cast<std::size_t>(most));
  std::iota(first.begin(), first.end(), Index{0});
  return data.subset(std::move(first));
}

}  // namespace

std::vector<HalvingRound> halving_rounds(std::size_t candidates, Index samples, const TuneOptions& tune) {
  std::vector<std::size_t> left;
  for (std::size_t count = candidates; count > 1; count = (count + 1) / 2) left.push_back(count);
  const auto all = static_cast<double>(samples);
  const auto fewest = std::min(all, 2.0 * tune.folds);
  // Samples of the rounds, if the first has `first`.
  const auto rounds_from = [&](double first) {
    std::vector<HalvingRound> rounds;
    for (std::size_t r = 0; r < left.size(); ++r) {
      const double wanted = first * std::pow(2.0, static_cast<double>(r));
      rounds.push_back({left[r], static_cast<Index>(std::clamp(wanted, fewest, all))});
    }
    return rounds;
  };
  if (tune.budget == 0) return rounds_from(all * std::pow(2.0, 1 - static_cast<double>(left.size())));
  const auto work = [&](const std::vector<HalvingRound>& rounds) {
    double sum = 0;
    for (const HalvingRound& round : rounds)
      sum += static_cast<double>(round.candidates) * static_cast<double>(round.samples);
    return sum / all;
  };
  const auto budget = static_cast<double>(tune.budget);
  if (const double least = work(rounds_from(fewest)); left.size() > 0 && work(rounds_from(0)) > budget) {
    throw usage_error(fmt::format("the budget {} is too small to tune {} combinations on {} samples", tune.budget,
                                  candidates, samples),
                      fmt::format("expected {} at least", std::ceil(least)));
  }
  double within = 0;
  double beyond = all + 1;
  if (work(rounds_from(all)) <= budget) return rounds_from(all);
  while (beyond - within > 0.5) {
    const double middle = (within + beyond) / 2;
    (work(rounds_from(middle)) <= budget ? within : beyond) = middle;
  }
  return rounds_from(within);
}

std::size_t best_plan(const Dataset& data, const std::vector<LearningPlan>& plans, const TuneOptions& tune,
                      const EvaluateOptions& options, const PredictOptions& predict, double& spared, Context& ctx) {
  if (plans.size() == 1) return 0;
  std::vector<std::size_t> left(plans.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  PlanTrials trials(plans, tune, options, predict, spared, ctx);
  if (!tune.halving) return trials.ranked(data, left)[0];
  for (const HalvingRound& round : halving_rounds(plans.size(), data.samples(), tune)) {
    const std::vector<std::size_t> order = trials.ranked(part_of_samples(data, round.samples, ctx.seed()), left);
    if (order.size() == 1) return order[0];
    left.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>((order.size() + 1) / 2));
    if (left.size() == 1) return left[0];
    std::ranges::sort(left);  // equals as they come
  }
  return left[0];
}

}  // namespace clade
