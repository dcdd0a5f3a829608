#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/model.h>
#include <clade/parameters.h>
#include <clade/predict.h>
#include <clade/predictions.h>
#include <clade/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clade {

// A measure of predictions; measures() lists all, in the order in which values are reported.
struct MeasureInfo {
  std::string_view name;
  std::string_view help;
  std::string_view source;  // a reference; empty: common knowledge
  bool higher_is_better;
};
std::span<const MeasureInfo> measures();

// How hierarchical precision, recall and F1 are averaged.
enum class Average {
  kMicro,    // sums over all samples, then the ratio
  kSamples,  // per sample, then the mean
  kMacro,    // per node that occurs, then the mean
};

enum class Protocol {
  kStandard,
  kPublished,  // sample averages, the root counted, tie_normalized as defined in the feature-selection papers
};

// Whether scores are probabilities, so that their reliability can be measured.
enum class Probabilities {
  kAuto,  // yes if all scores lie within [0, 1] and some sample's first score is neither 0 nor 1
  kYes,
  kNo,
};

// How values of folds become one.
enum class FoldAverage {
  kEqual,    // every fold has the same weight
  kSamples,  // as much as it has samples
};

// Whether to measure the scores of all nodes of a model (au_prc and its kin).
enum class NodeMeasures {
  kAuto,  // if there are at most 20 million of them
  kYes,
  kNo,
};

struct EvaluateOptions {
  Average average = Average::kMicro;
  bool count_root = false;
  Protocol protocol = Protocol::kStandard;
  // kAuto: by the learnt threshold if the model has one; else the first label if no sample has two labels; else all, or
  // the first if every list ranks every class.
  LabelSet label_set = LabelSet::kAuto;
  Index top_k = 1;
  double threshold = 0;
  bool bootstrap = false;
  int resamples = 1000;
  double confidence = 0.95;  // of the bootstrap intervals
  Index confusions = 10;     // how many to list
  Probabilities probabilities = Probabilities::kAuto;
  FoldAverage fold_average = FoldAverage::kEqual;
  Index at = 10;  // the k of precision_at_k and recall_at_k
  NodeMeasures node_measures = NodeMeasures::kAuto;
  std::string exclude_nodes;  // names, separated by commas, that au_prc and its kin leave out; the root always is
  Index curve_points = 0;     // at most so many points of the pooled precision-recall curve; 0: no curve
  // Of weighted_loss: the cost of a true node that is missed and of a predicted one that is wrong, times its volume.
  double loss_missed = 1;
  double loss_extra = 1;
  std::string loss_volumes;   // CSV file with node,volume; nodes that are not listed have 1
  bool keep_samples = false;  // fill Evaluation::judged
};

void describe(ParameterTable& v, EvaluateOptions& o);

struct Interval {
  double low = 0;
  double high = 0;
};

// Counts over label sets with all their ancestors.
struct NodeScore {
  NodeId node = 0;
  Index support = 0;    // samples that truly belong to the node or below it
  Index predicted = 0;  // samples predicted there
  Index correct = 0;    // both
  std::optional<double> precision() const;
  std::optional<double> recall() const;
  std::optional<double> f1() const;  // 0 if only one of precision and recall is missing
};

// The nodes of one depth together; the depth counts the edges on the longest path from the root.
struct LevelScore {
  int level = 0;
  NodeScore total;    // sums over the level's nodes; `node` is unused
  Index samples = 0;  // with a true node on this level
  Index right = 0;    // of those, the ones predicted exactly right on this level
};

// A wrong label and the true label of its sample that is nearest to it.
struct Confusion {
  NodeId truth = 0;
  NodeId predicted = 0;
  Index count = 0;
  int distance = 0;  // edges between them
  Index cost() const { return count * distance; }
};

// The quality if only samples whose first score is at least `threshold` are answered.
struct CoveragePoint {
  double threshold = 0;
  Index answered = 0;          // samples
  double coverage = 0;         // their share
  double accuracy = 0;         // share of them whose first label is right
  double hierarchical_f1 = 0;  // of their first labels, micro average
};

// The samples whose first score lies in one of 15 bins of equal width.
struct ReliabilityBin {
  Index samples = 0;
  double score = 0;  // the mean of their first scores
  double right = 0;  // the share of them whose first label is right
};

// How well the scores of first labels serve as probabilities that these labels are right. Over all samples, regardless
// of folds. docs/methods/measures.md has the formulas.
struct Reliability {
  double expected_calibration_error = 0;  // 15 bins of equal width
  double adaptive_calibration_error = 0;  // 15 bins of equally many samples
  double maximum_calibration_error = 0;   // 15 bins of equal width
  double brier_score = 0;
  double accuracy_coverage_area = 0;  // mean accuracy over all coverages
  // Of the scores of nodes, where a model has them: how often is a node of that score at or above a true label?
  std::optional<double> node_calibration_error;  // over the nodes of the predicted sets, ancestors included
  std::optional<double> pair_calibration_error;  // over all pairs of a sample and a node
  std::vector<ReliabilityBin> bins;              // those with samples, from low scores to high ones
  std::vector<CoveragePoint> coverage;           // at most 20, from the highest threshold down to that of all samples
};

// If the nodes with a score of at least `threshold` are taken, over all pairs of a sample and a node.
struct CurvePoint {
  double threshold = 0;
  double recall = 0;
  double precision = 0;
};

// A method with its parameters (name and value as text).
struct UsedMethod {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;
};

// One fold alone.
struct FoldScore {
  Index samples = 0;
  std::vector<std::optional<double>> values;  // as in Evaluation
};

// Labels of the data that the model's hierarchy does not have: no prediction can be right there.
struct UnknownLabels {
  Index labels = 0;                // different ones
  Index samples = 0;               // that have one
  std::vector<std::string> names;  // the first few
};

// What a predictor gets that ignores the features and gives every sample the same labels: those with the largest
// hierarchical F1 (micro average) on the samples that they were chosen on; a single label where no sample has two.
struct Baseline {
  enum class Source {
    kEvaluated,   // chosen on the evaluated samples themselves
    kTraining,    // on the training samples of the model
    kOtherFolds,  // for each fold, on the samples of all others
  };
  std::vector<std::optional<double>> values;  // one per measures()
  std::vector<NodeId> labels;                 // empty with kOtherFolds
  Source source = Source::kEvaluated;
};

// The labels of the evaluated samples, as they were measured.
struct JudgedSamples {
  std::vector<Index> samples;  // their numbers in the data, ascending
  LabelSets truth;             // nodes of Evaluation::taxonomy
  LabelSets predicted;         // the most specific ones, ascending
  std::vector<NodeId> first;   // the label of rank 1
  std::vector<double> score;   // and its score
};

struct Evaluation {
  Index samples = 0;                    // evaluated samples
  std::optional<UsedMethod> method;     // the classifier of the model or recipe
  std::optional<UsedMethod> selection;  // how features are selected, if the recipe does; `top` is among its parameters
  // One per measures(); empty if the measure does not apply.
  std::vector<std::optional<double>> values;
  Baseline baseline;
  std::vector<std::optional<Interval>> intervals;  // with EvaluateOptions::bootstrap
  std::vector<std::optional<double>> deviations;   // with folds: standard deviation over the folds
  std::vector<FoldScore> folds;                    // with folds
  std::vector<LevelScore> levels;                  // from depth 1 down
  std::vector<NodeScore> nodes;                    // all nodes of the taxonomy, in id order
  std::vector<Confusion> most_frequent;
  std::vector<Confusion> most_costly;
  std::optional<Reliability> reliability;  // if scores are probabilities
  std::vector<CurvePoint> curve;           // from recall 0 up, regardless of folds; with EvaluateOptions::curve_points
  std::optional<JudgedSamples> judged;     // with EvaluateOptions::keep_samples
  UnknownLabels unknown;
  std::optional<Taxonomy> taxonomy;  // that nodes refer to: the model's, without miscellaneous leaves, and with unknown
                                     // labels; empty: that of the data
  std::vector<std::string> notes;

  // Throws Error (kInput) if there is no such measure.
  std::optional<double> value(std::string_view measure) const;
};

// Measures predictions against the labels of `data`. Samples without a label are left out; the notes say how many.
//
// `folds`, if not empty, gives the fold (from 0) of every sample: each measure is then computed per fold and averaged
// over the folds.
//
// Cost: linear in samples x ancestors of a label, plus, for rankings, the labels ranked above a true one. In a DAG, tie
// needs shortest undirected paths: O(levels x edges) for every 256 different labels. F_LCA: docs/methods/measures.md.
Evaluation evaluate(const Dataset& data, const Predictions& predictions, const EvaluateOptions& options,
                    std::span<const Index> folds, Context& ctx);

// Predicts with a model and measures the result: the labels of the data are looked up by name in the model's hierarchy.
// Labels that it lacks become leaves of it, below the nearest ancestor in the data's hierarchy that it has, and count
// as wrong; rankings of all classes have them last, and so have the scores of all nodes. Joint models rank all classes
// unless that takes too much memory.
// `folds` as above. The processes of a team all call this, with the same data, and share the predictions; the leader
// gets the result, and the others an empty one.
Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options, Context& ctx);
Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options,
                    const PredictOptions& predict, std::span<const Index> folds, Context& ctx);

}  // namespace clade
