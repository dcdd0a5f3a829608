#include <clade/evaluate.h>

namespace clade {
namespace {

constexpr Choice<Average> kAverageWords[] = {
    {Average::kMicro, "micro"}, {Average::kSamples, "samples"}, {Average::kMacro, "macro"}};
constexpr Choice<Protocol> kProtocolWords[] = {{Protocol::kStandard, "standard"}, {Protocol::kPublished, "published"}};
constexpr Choice<LabelSet> kLabelSetWords[] = {{LabelSet::kAuto, "auto"},
                                               {LabelSet::kTop1, "top-1"},
                                               {LabelSet::kTopK, "top-k"},
                                               {LabelSet::kThreshold, "threshold"},
                                               {LabelSet::kAll, "all"}};

constexpr Choice<Probabilities> kProbabilitiesWords[] = {
    {Probabilities::kAuto, "auto"}, {Probabilities::kYes, "yes"}, {Probabilities::kNo, "no"}};

}  // namespace

void describe(ParameterTable& v, EvaluateOptions& o) {
  v("average", o.average, kAverageWords, "how hierarchical precision, recall and F1 are averaged");
  v("count-root", o.count_root, "count the root in hierarchical precision, recall and F1");
  v("protocol", o.protocol, kProtocolWords,
    "published: `average` samples `count-root`, and tie_normalized as the feature-selection papers have it");
  v("label-set", o.label_set, kLabelSetWords,
    "which ranked labels are the predicted set; auto: the first, or all where samples have several labels");
  v("top-k", o.top_k, at_least(1), "size of the set with `label-set` top-k");
  v("threshold", o.threshold, anything(), "least score of a label of the set with `label-set` threshold");
  v("bootstrap", o.bootstrap, "confidence intervals by resampling the samples");
  v("resamples", o.resamples, between(2, 1000000), "how many resamples the intervals are made from");
  v("confidence-level", o.confidence, Range{.low = 0.5, .high = 0.9999}, "confidence of the intervals");
  v("probabilities", o.probabilities, kProbabilitiesWords,
    "whether scores are probabilities; auto: if all are from 0 to 1 and some first one is neither 0 nor 1");
  v("confusions", o.confusions, nonnegative(), "how many confusions are listed, most frequent and most costly");
}

}  // namespace clade
