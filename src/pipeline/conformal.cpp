#include "classify/conformal.h"

#include <clade/conformal.h>
#include <clade/error.h>
#include <clade/split.h>
#include <clade/train.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "classify/apply.h"
#include "classify/node_scores.h"
#include "core/parallel.h"
#include "core/random.h"
#include "evaluate/statistics/distributions.h"
#include "pipeline/learn_recipe.h"
#include "pipeline/tied_scores.h"

namespace clade {
namespace {

constexpr Choice<Guarantee> kGuaranteeWords[] = {{Guarantee::kComplete, "complete"}, {Guarantee::kCorrect, "correct"}};

Error bad_way(std::string_view text) {
  return usage_error(fmt::format("`conformal`: '{}'", text),
                     "expected cross, cross:FOLDS such as cross:10, split, or split:SHARE such as split:20%");
}

template <class Number>
Number number_in(std::string_view digits, std::string_view text) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc() || end != digits.data() + digits.size()) throw bad_way(text);
  return number;
}

void check_way(const ConformalOptions& options, std::string_view text) {
  const bool is_split = options.way == ConformalOptions::Way::kSplit;
  const bool is_good = is_split ? options.share > 0 && options.share < 1 : options.folds >= 2;
  if (!is_good) throw bad_way(text);
}

// The samples that take part, with their weights: those with a label and a weight above 0.
struct Samples {
  std::vector<Index> rows;
  std::vector<double> weights;  // empty: 1 each
};

Samples counting_samples(const Dataset& data, std::span<const double> weights) {
  Samples samples;
  for (Index s = 0; s < data.samples(); ++s) {
    const double weight = weights.empty() ? 1 : weights[static_cast<std::size_t>(s)];
    if (data.labels(s).empty() || weight == 0) continue;
    samples.rows.push_back(s);
    if (!weights.empty()) samples.weights.push_back(weight);
  }
  return samples;
}

class Calibrator {
 public:
  Calibrator(const Dataset& data, const Recipe& recipe, const ConformalOptions& options, Samples samples, Context& ctx)
      : data_(data), recipe_(recipe), options_(options), samples_(std::move(samples)), ctx_(ctx) {
    for (const Index s : samples_.rows) has_several_labels_ = has_several_labels_ || data.labels(s).size() > 1;
    if (options.by_class && has_several_labels_) {
      throw usage_error("`conformal-by-class`: samples have several labels", "expected one label per sample");
    }
    const Index fewest = options.way == ConformalOptions::Way::kCross ? options.folds : 2;
    if (std::ssize(samples_.rows) < fewest) {
      throw usage_error(fmt::format("`conformal`: {} samples with a label", samples_.rows.size()),
                        fmt::format("expected at least {}", fewest));
    }
  }

  ModelBody train() {
    const Context::NotesOnce once(ctx_);
    std::vector<bool> is_held_out(samples_.rows.size(), false);
    if (options_.way == ConformalOptions::Way::kSplit) {
      is_held_out = random_share();
    } else {
      score_folds();
    }
    auto [features, model, spared] = learn(is_held_out, false);
    if (options_.way == ConformalOptions::Way::kSplit) score(model, features, is_held_out);
    model.conformal = std::make_shared<const ConformalScores>(
        conformal_scores(options_.way, space_of(is_held_out), scores_, classes_, all_classes()));
    return std::move(model);
  }

 private:
  // Drawn without regard to the labels: only then are these samples like new ones.
  std::vector<bool> random_share() const {
    const auto count = std::ssize(samples_.rows);
    std::vector<Index> order(samples_.rows.size());
    std::iota(order.begin(), order.end(), Index{0});
    RandomStream random(ctx_.seed(), {kConformalStream});
    random.shuffle(std::span(order));
    const auto wanted = static_cast<Index>(std::round(options_.share * static_cast<double>(count)));
    std::vector<bool> is_held_out(samples_.rows.size(), false);
    for (Index k = 0; k < std::clamp<Index>(wanted, 1, count - 1); ++k) {
      is_held_out[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = true;
    }
    return is_held_out;
  }

  void score_folds() {
    const std::vector<int> folds = stratified_folds(data_.subset(samples_.rows), options_.folds, ctx_.seed());
    for (int fold = 0; fold < options_.folds; ++fold) {
      std::vector<bool> is_held_out(folds.size());
      for (std::size_t k = 0; k < folds.size(); ++k) is_held_out[k] = folds[k] == fold;
      const auto [features, model, spared] = learn(is_held_out, true);
      score(model, features, is_held_out);
      fold_begin_.push_back(std::ssize(scores_));
    }
    lift_all_ties();
  }

  void lift_all_ties() {
    std::vector<float> values(scores_.size());
    const auto lift = [&](const auto& of) {
      for (std::size_t s = 0; s < scores_.size(); ++s) values[s] = of(scores_[s]);
      lift_ties(values, fold_begin_);
      for (std::size_t s = 0; s < scores_.size(); ++s) of(scores_[s]) = values[s];
    };
    for (std::size_t size = 0; size < static_cast<std::size_t>(kLargestSetSize); ++size) {
      lift([&](CalibrationScore& score) -> float& { return score.complete[size]; });
    }
    lift([](CalibrationScore& score) -> float& { return score.correct; });
    if (options_.by_class) lift_ties_by_class();
  }

  void lift_ties_by_class() {
    std::map<NodeId, std::vector<std::size_t>> samples;  // ascending, so fold after fold
    for (std::size_t s = 0; s < scores_.size(); ++s) samples[classes_[s]].push_back(s);
    for (const auto& [label, own] : samples) {
      std::vector<float> values;
      for (const std::size_t s : own) values.push_back(scores_[s].own);
      std::vector<Index> begin;
      for (const Index first : fold_begin_) {
        begin.push_back(std::ranges::lower_bound(own, static_cast<std::size_t>(first)) - own.begin());
      }
      lift_ties(values, begin);
      for (std::size_t k = 0; k < own.size(); ++k) scores_[own[k]].own = values[k];
    }
  }

  LearntRecipe learn(const std::vector<bool>& is_held_out, bool is_fold) const {
    std::vector<Index> rows;
    std::vector<double> weights;
    for (std::size_t k = 0; k < is_held_out.size(); ++k) {
      if (is_held_out[k]) continue;
      rows.push_back(samples_.rows[k]);
      if (!samples_.weights.empty()) weights.push_back(samples_.weights[k]);
    }
    if (is_fold && rows.empty()) throw usage_error("one fold holds all samples", "expected two folds or more");
    return learn_recipe(data_, rows, recipe_, std::move(weights), ctx_);
  }

  AnswerSpace space_of(const std::vector<bool>& is_held_out) const {
    return {data_.taxonomy(), data_.taxonomy().size(), has_several_labels_, own_shares(is_held_out)};
  }

  // See AnswerSpace; of the samples that a model has seen.
  std::vector<float> own_shares(const std::vector<bool>& is_held_out) const {
    if (!has_several_labels_) return {};
    const auto nodes = static_cast<std::size_t>(data_.taxonomy().size());
    std::vector<double> own(nodes, 0);
    std::vector<double> all(nodes, 0);
    for (std::size_t k = 0; k < is_held_out.size(); ++k) {
      if (is_held_out[k]) continue;
      std::set<NodeId> at_or_above;
      for (const NodeId label : data_.labels(samples_.rows[k])) {
        own[static_cast<std::size_t>(label)] += 1;
        at_or_above.insert(label);
        for (const NodeId above : data_.taxonomy().ancestors(label)) at_or_above.insert(above);
      }
      for (const NodeId node : at_or_above) all[static_cast<std::size_t>(node)] += 1;
    }
    std::vector<float> shares(nodes, 0);
    for (std::size_t v = 0; v < nodes; ++v) {
      if (own[v] > 0) shares[v] = static_cast<float>(own[v] / all[v]);
    }
    return shares;
  }

  // Adds the scores of the samples that the model has not seen.
  void score(const ModelBody& model, const Dataset& features, const std::vector<bool>& is_held_out) {
    std::vector<Index> rows;
    for (std::size_t k = 0; k < is_held_out.size(); ++k) {
      if (is_held_out[k]) rows.push_back(samples_.rows[k]);
    }
    const AnswerSpace space = space_of(is_held_out);
    constexpr Index kScoresTogether = Index{1} << 22;  // 32 MiB
    const Index together = std::max<Index>(1, kScoresTogether / data_.taxonomy().size());
    for (Index begin = 0; begin < std::ssize(rows); begin += together) {
      const auto end = std::min(std::ssize(rows), begin + together);
      const std::vector<Index> some(rows.begin() + begin, rows.begin() + end);
      const NodeScores scores = node_scores(model, features.subset(some), Consistency::kDescendants, ctx_);
      const std::size_t before = scores_.size();
      scores_.resize(before + some.size());
      parallel_for(ctx_, std::ssize(some), 64, [&](Index from, Index to) {
        for (Index s = from; s < to; ++s) {
          scores_[before + static_cast<std::size_t>(s)] =
              calibration_score(space, scores.of(s), data_.labels(some[static_cast<std::size_t>(s)]));
        }
      });
      if (!options_.by_class) continue;
      for (const Index s : some) classes_.push_back(data_.labels(s)[0]);
    }
  }

  std::vector<NodeId> all_classes() const {
    std::set<NodeId> labels;
    if (options_.by_class) {
      for (const Index s : samples_.rows) labels.insert(data_.labels(s)[0]);
    }
    return {labels.begin(), labels.end()};
  }

  const Dataset& data_;
  const Recipe& recipe_;
  const ConformalOptions& options_;
  Samples samples_;
  Context& ctx_;
  bool has_several_labels_ = false;
  std::vector<CalibrationScore> scores_;
  std::vector<Index> fold_begin_{0};  // of the scores, and where the last fold ends
  std::vector<NodeId> classes_;       // of the scores, if by class
};

// Clopper and Pearson's interval, by quantiles of F.
void add_interval(Covered& covered) {
  constexpr double kTail = 0.025;
  const auto right = static_cast<double>(covered.covered);
  const auto wrong = static_cast<double>(covered.samples - covered.covered);
  if (right > 0) covered.low = right / (right + (wrong + 1) * f_critical(kTail, 2 * (wrong + 1), 2 * right));
  if (wrong == 0) return;
  const double odds = (right + 1) * f_critical(kTail, 2 * (right + 1), 2 * wrong);
  covered.high = odds / (wrong + odds);
}

void add_answer(Covered& to, const Taxonomy& taxonomy, std::span<const NodeId> answer, bool is_covered) {
  double depth = 0;
  for (const NodeId node : answer) depth += taxonomy.depth(node);
  const auto size = static_cast<double>(answer.size());
  ++to.samples;
  to.covered += is_covered ? 1 : 0;
  to.size += size;
  to.depth += depth / size;
  to.roots += answer.size() == 1 && answer[0] == taxonomy.root() ? 1 : 0;
}

// Turns sums into means.
void finish(Covered& covered) {
  if (covered.samples == 0) return;
  covered.size /= static_cast<double>(covered.samples);
  covered.depth /= static_cast<double>(covered.samples);
  add_interval(covered);
}

}  // namespace

ConformalOptions parse_conformal(std::string_view text) {
  ConformalOptions options;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view way = text.substr(0, colon);
  if (way != "split" && way != "cross") throw bad_way(text);
  options.way = way == "split" ? ConformalOptions::Way::kSplit : ConformalOptions::Way::kCross;
  if (colon < text.size()) {
    std::string_view value = text.substr(colon + 1);
    if (options.way == ConformalOptions::Way::kCross) {
      options.folds = number_in<int>(value, text);
    } else {
      const bool is_percent = value.ends_with('%');
      if (is_percent) value.remove_suffix(1);
      options.share = number_in<double>(value, text) / (is_percent ? 100 : 1);
    }
  }
  check_way(options, text);
  return options;
}

void describe(ParameterTable& v, CoverageOptions& o) {
  v("guarantee", o.guarantee, kGuaranteeWords,
    "of `coverage`: complete: every true label is an answered node or below one; correct: every answered node is a "
    "true label or above one");
}

Model train_conformal(const Dataset& data, const Recipe& recipe, const ConformalOptions& options,
                      std::span<const double> weights, Context& ctx) {
  check_request(recipe);
  check_way(options, options.way == ConformalOptions::Way::kSplit ? fmt::format("split:{}", options.share)
                                                                  : fmt::format("cross:{}", options.folds));
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  labelled_samples(data, all, ctx);  // counts those without a label
  Calibrator calibrator(data, recipe, options, counting_samples(data, weights), ctx);
  return Model(std::make_shared<const ModelBody>(calibrator.train()));
}

std::optional<ConformalInfo> conformal_info(const Model& model) {
  const auto& scores = model.body().conformal;
  if (!scores) return std::nullopt;
  return ConformalInfo{scores->way, scores->samples, scores->by_class(), scores->has_several_labels};
}

Predictions predict_covering(const Model& model, const Dataset& data, const CoverageOptions& options, Context& ctx) {
  const CoverageRule rule = coverage_rule(model.body(), options);
  if (!rule.note.empty()) ctx.info(rule.note);
  return predict_covering(model.body(), with_model_features(data, model.body(), options.align_features, ctx), rule,
                          ctx);
}

CoverageEvaluation evaluate_coverage(const Model& model, const Dataset& data, const CoverageOptions& options,
                                     Context& ctx) {
  const CoverageRule rule = coverage_rule(model.body(), options);
  CoverageEvaluation result;
  result.options = options;
  result.options.set_size = rule.set_size;
  if (!rule.note.empty()) result.notes.push_back(rule.note);
  const ModelLabels labelled =
      with_model_labels(with_model_features(data, model.body(), options.align_features, ctx), model.body(), ctx);
  const Dataset& fitting = labelled.data;
  const Taxonomy& taxonomy = fitting.taxonomy();
  const Predictions answers = predict_covering(model.body(), fitting, rule, ctx);
  std::map<int, Covered> levels;
  for (Index s = 0; s < fitting.samples(); ++s) {
    const auto labels = fitting.labels(s);
    if (labels.empty()) continue;
    const bool is_covered = holds(rule.guarantee, taxonomy, answers.labels_of(s), labels);
    int level = 0;
    for (const NodeId label : labels) level = std::max(level, taxonomy.depth(label));
    for (Covered* const to : {&result.all, &levels[level]}) add_answer(*to, taxonomy, answers.labels_of(s), is_covered);
  }
  if (result.all.samples == 0) throw usage_error("no sample has a label", "expected some to measure `coverage`");
  finish(result.all);
  for (auto& [level, covered] : levels) {
    covered.level = level;
    finish(covered);
    result.levels.push_back(covered);
  }
  return result;
}

}  // namespace clade
