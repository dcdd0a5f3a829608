#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/model.h>
#include <clade/predictions.h>

#include "core/parameters.h"

namespace clade {

enum class Policy {
  kAuto,    // best where probabilities can be trusted (calibrated, logistic), greedy elsewhere
  kGreedy,  // from the root, the best child each time
  kBest,    // the leaf whose path has the largest product of probabilities
};

// How the ranking of a joint model becomes labels.
enum class LabelRule {
  kAuto,       // top_k of them if that is given, else by the threshold if the model has one, else the best
  kThreshold,  // those above the learnt threshold, the best one at least
  kTop1,
  kTopK,
};

struct PredictOptions {
  Policy policy = Policy::kAuto;
  double confidence = 0;  // stop at the last node whose probability is at least this
  Index top_k = 0;        // labels per sample, best first; 0: one, or what a model for several labels gives
  Index beam = 0;         // best: nodes that a sample keeps open; 0: all
  LabelRule label_rule = LabelRule::kAuto;
  bool is_ranked = false;  // joint models: all classes, with scores less the threshold above which they are labels

  Index label_count() const { return top_k > 0 ? top_k : 1; }
};

inline constexpr Choice<Policy> kPolicyWords[] = {
    {Policy::kAuto, "auto"}, {Policy::kGreedy, "greedy"}, {Policy::kBest, "best"}};

inline constexpr Choice<LabelRule> kLabelRuleWords[] = {{LabelRule::kAuto, "auto"},
                                                        {LabelRule::kThreshold, "threshold"},
                                                        {LabelRule::kTop1, "top-1"},
                                                        {LabelRule::kTopK, "top-k"}};

// The part that measuring a model shares.
template <class V>
void describe_policy(V& v, PredictOptions& o) {
  v("policy", o.policy, kPolicyWords,
    "greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities");
  v("confidence", o.confidence, between(0, 1),
    "answer with the deepest node of the path whose probability is at least this");
}

template <class V>
void describe(V& v, PredictOptions& o) {
  describe_policy(v, o);
  v("top-k", o.top_k, nonnegative(),
    "labels per sample, best first (with --policy best); 0: one, or those that a model for several labels gives");
  v("label-set", o.label_rule, kLabelRuleWords,
    "labels of a joint model: above its learnt threshold, the best one, or the --top-k best; auto: the first that "
    "fits");
  v("beam", o.beam, nonnegative(), "nodes that a sample keeps open while its best path is sought; 0: all");
}

// Labels of the samples with scores: probabilities, but for models of paths and joint ones, whose scores are margins.
// The nodes are those of model.taxonomy, miscellaneous leaves folded into their parents. Features are those of the
// model by position, finite. Several labels where the model was trained on such, and at most top_k otherwise. A
// sample's result does not depend on the other samples, nor on the number of threads.
//
// greedy: O(sum over the path of the sample's weights). best: nodes are opened in the order of their probability until
// a leaf is the most probable, which is exact, because a probability never rises on the way down.
// Throws Error (kInput) for options that do not suit the model.
Predictions predict(const Model& model, const Dataset& data, const PredictOptions& options, Context& ctx);

// The policy that kAuto stands for.
Policy chosen_policy(const Model& model, const PredictOptions& options);

}  // namespace clade
