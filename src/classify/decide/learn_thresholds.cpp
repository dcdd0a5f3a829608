#include "classify/decide/learn_thresholds.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "classify/decide/threshold_search.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr double kTrusts[] = {0.1, 0.25, 0.5, 0.75, 1};
constexpr double kNever = 2;  // a threshold that no score reaches
constexpr Index kRowsMapped = 64;

constexpr Choice<DecideBy> kDecideByWords[] = {{DecideBy::kAuto, "auto"},
                                               {DecideBy::kOwn, "own"},
                                               {DecideBy::kOne, "one"},
                                               {DecideBy::kLevel, "level"},
                                               {DecideBy::kNode, "node"}};
constexpr Choice<DecideFor> kDecideForWords[] = {{DecideFor::kHierarchicalF1, "hierarchical-f1"},
                                                 {DecideFor::kSampleF1, "sample-f1"},
                                                 {DecideFor::kLabelF1, "label-f1"},
                                                 {DecideFor::kRecall, "recall"}};

// A way to decide, and what it gets on held-out samples.
struct WayToDecide {
  double trust = 0;
  DecideBy by = DecideBy::kOne;
  int step = 0;  // of ThresholdSearch::cuts_at
  std::vector<DecisionTally> tallies;
  double value = 0;
};

class DecisionLearner {
 public:
  DecisionLearner(const HeldOutNodes& held_out, ScoreMap map, Matrix mapped, const DecideOptions& options, Context& ctx)
      : held_out_(held_out), options_(options), ctx_(ctx), mapped_(std::move(mapped)) {
    mix_.map = std::move(map);
    mix_.frequency = held_out.labels.frequency;
  }

  LearntThresholds learn() {
    const WayToDecide prior = by_frequency();
    WayToDecide best = prior;
    const auto offer = [&](const WayToDecide& other) {
      if (is_better(other, best)) best = other;
    };
    if (held_out_.own.samples() > 0) offer(given_sets(1, DecideBy::kOwn, held_out_.own));
    if (options_.by == DecideBy::kAuto) {
      const WayToDecide one = best_by(DecideBy::kOne);
      offer(one);
      offer(judge(one.trust, DecideBy::kLevel));
      offer(judge(one.trust, DecideBy::kNode));
    } else {
      offer(best_by(options_.by));
    }
    LearntThresholds result{mix_, best.by, {}, best.value, prior.value};
    result.mix.trust = best.trust;
    if (best.by != DecideBy::kOwn) result.threshold = thresholds_of(best);
    return result;
  }

 private:
  bool by_label() const { return options_.measure == DecideFor::kLabelF1; }

  // By more than what chance may do. Frequencies alone are what no classifier may be worse than, so a doubt counts for
  // them.
  bool is_better(const WayToDecide& one, const WayToDecide& other) const {
    const double errors = other.trust == 0 ? 2 : 1;
    return one.value - other.value > errors * difference_error(one.tallies, other.tallies, options_);
  }

  WayToDecide best_by(DecideBy by) {
    std::optional<WayToDecide> best;
    for (const double trust : kTrusts) {
      WayToDecide next = judge(trust, by);
      if (!best || next.value > best->value) best = std::move(next);
    }
    return *std::move(best);
  }

  // The scores that thresholds are compared with.
  Matrix mixed(double trust) const {
    LabelDecisions mix;
    mix.trust = trust;
    Matrix scores(mapped_.rows(), mapped_.cols());
    parallel_for(ctx_, scores.cols(), kRowsMapped, [&](Index begin, Index end) {
      for (Index c = begin; c < end; ++c) {
        const double often = mix_.frequency[static_cast<std::size_t>(c)];
        for (Index s = 0; s < scores.rows(); ++s) scores(s, c) = mix.mixed(mapped_(s, c), often);
      }
    });
    return scores;
  }

  WayToDecide given_sets(double trust, DecideBy by, const PositivePairs& sets) const {
    const ThresholdSearch search(held_out_.taxonomy, held_out_.labels, mapped_, ctx_);
    WayToDecide way{trust, by, 0, search.tally_sets(sets, by_label()), 0};
    way.value = decision_value(way.tallies, options_);
    return way;
  }

  // The same labels for every sample. For hierarchical F1 these are the ones that `prior` gives.
  WayToDecide by_frequency() const {
    if (options_.measure != DecideFor::kHierarchicalF1) return judge(0, DecideBy::kOne);
    const double least = best_frequency(mix_.frequency);
    PositivePairs sets;
    for (Index s = 0; s < mapped_.rows(); ++s) {
      for (std::size_t c = 0; c < mix_.frequency.size(); ++c) {
        if (mix_.frequency[c] >= least) sets.columns.push_back(static_cast<std::int32_t>(c));
      }
      sets.offsets.push_back(std::ssize(sets.columns));
    }
    return given_sets(0, DecideBy::kOne, sets);
  }

  WayToDecide judge(double trust, DecideBy by) const {
    const Matrix scores = mixed(trust);
    const ThresholdSearch search(held_out_.taxonomy, held_out_.labels, scores, ctx_);
    const bool is_searched = options_.measure != DecideFor::kHierarchicalF1;
    WayToDecide best;
    for (int step = 0; step < (is_searched ? search.steps(by) : 1); ++step) {
      std::vector<NodeCuts> cuts;
      for (int part = 0; part < PlacedScores::kParts; ++part) {
        cuts.push_back(is_searched ? search.cuts_at(by, step, part) : search.best_cuts(by, part));
      }
      WayToDecide next{trust, by, step, search.tally(cuts, by_label()), 0};
      next.value = decision_value(next.tallies, options_);
      if (step == 0 || next.value > best.value) best = std::move(next);
    }
    return best;
  }

  std::vector<double> thresholds_of(const WayToDecide& chosen) const {
    const bool is_searched = options_.measure != DecideFor::kHierarchicalF1;
    if (chosen.trust == 0 && !is_searched) {
      return std::vector<double>(mix_.frequency.size(), best_frequency(mix_.frequency));
    }
    const Matrix scores = mixed(chosen.trust);
    const ThresholdSearch search(held_out_.taxonomy, held_out_.labels, scores, ctx_);
    const NodeCuts cuts = is_searched ? search.cuts_at(chosen.by, chosen.step, PlacedScores::kNoPart)
                                      : search.best_cuts(chosen.by, PlacedScores::kNoPart);
    std::vector<double> threshold;
    for (const int cut : cuts) {
      threshold.push_back(cut < 0 ? kNever : search.placed().thresholds()[static_cast<std::size_t>(cut)]);
    }
    return threshold;
  }

  // The frequency from which on nodes are given to every sample, for the largest hierarchical F1 on all training
  // samples, as `prior` does.
  static double best_frequency(std::vector<double> frequency) {
    double total = 0;
    for (const double one : frequency) total += one;
    std::ranges::sort(frequency, std::greater<>());
    double best = kNever;
    double best_f1 = 0;
    double found = 0;
    for (std::size_t k = 0; k < frequency.size(); ++k) {
      found += frequency[k];
      if (k + 1 < frequency.size() && frequency[k + 1] == frequency[k]) continue;
      const double f1 = 2 * found / (static_cast<double>(k) + 1 + total);
      if (f1 <= best_f1) continue;
      best_f1 = f1;
      best = frequency[k];
    }
    return best;
  }

  const HeldOutNodes& held_out_;
  const DecideOptions& options_;
  Context& ctx_;
  Matrix mapped_;
  LabelDecisions mix_;
};

}  // namespace

void describe(ParameterTable& v, DecideOptions& o) {
  v("decide", o.by, kDecideByWords,
    "several labels per sample: decide in the classifier's own way, or by thresholds of scores of held-out samples, "
    "one "
    "for all nodes, per level or per node; auto: what does best on held-out samples");
  v("decide-for", o.measure, kDecideForWords,
    "what thresholds are chosen for; recall: the largest with a hierarchical precision of `least-precision`");
  v("least-precision", o.least_precision, between(0, 1), "of `decide-for` recall");
  v("decide-folds", o.folds, between(0, 100),
    "parts of the samples that are held out in turn for thresholds; 1: only a quarter, once; 0: 3, or 1 from 2,000 "
    "samples on");
}

LearntThresholds learn_thresholds(HeldOutNodes held_out, const DecideOptions& options, Context& ctx) {
  ScoreMap map = fit_score_map(rank_pairs(held_out.scores, held_out.labels.members, ctx));
  Matrix mapped = std::move(held_out.scores);
  parallel_for(ctx, mapped.cols(), kRowsMapped, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      for (Index s = 0; s < mapped.rows(); ++s) mapped(s, c) = map(mapped(s, c));
    }
  });
  return DecisionLearner(held_out, std::move(map), std::move(mapped), options, ctx).learn();
}

}  // namespace clade
