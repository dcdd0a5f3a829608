#pragma once

#include <clade/conformal.h>
#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/io.h>
#include <clade/model.h>
#include <clade/node_scores.h>
#include <clade/parameters.h>
#include <clade/predictions.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

enum class Policy {
  kAuto,    // best if probabilities can be trusted (calibrated, logistic), otherwise greedy
  kGreedy,  // from the root down, always to the best child
  kBest,    // the leaf whose path has the largest product of probabilities
};

struct PredictOptions {
  Policy policy = Policy::kAuto;
  double confidence = 0;  // stop at the last node whose probability is at least this
  Index top_k = 0;        // labels per sample, best first; 0: one, or as many as a multi-label model gives
  Index beam = 0;         // best: number of nodes that a sample keeps open; 0: all
  // Joint models. kAuto: the first top_k if given, else those above the learnt threshold if there is one, else one.
  LabelSet label_set = LabelSet::kAuto;
  double threshold = 0;    // several labels: all with at least this probability, and the best; 0: the model decides
  bool is_ranked = false;  // joint models: give all classes, with probabilities if the model has them, else with
                           // scores minus the threshold (above 0: a label)
  bool align_features = false;  // find features by name; unknown ones are ignored, missing ones are 0

  Index label_count() const { return top_k > 0 ? top_k : 1; }
};
void describe(ParameterTable& v, PredictOptions& o);
// The parameters that are also used when a model is measured.
void describe_policy(ParameterTable& v, PredictOptions& o);

// Labels of the samples, with scores: margins for path and joint models without calibration, probabilities for all
// others. The nodes are
// those of model.taxonomy(), with miscellaneous leaves folded into their parents. The data must have the model's
// features (see PredictOptions::align_features), and raw text must be read as reading_for() says; missing values are
// replaced as in training. A sample gets several labels if the model was trained on such samples, and at most top_k
// otherwise. Its result does not depend on the other samples, nor on the number of threads.
//
// greedy: O(sum over the path of the sample's weights). best: nodes are opened in the order of their probability until
// the most probable one is a leaf. This is exact, because a probability never rises on the way down. Throws Error
// (kInput) for options or data that do not suit the model.
Predictions predict(const Model& model, const Dataset& data, const PredictOptions& options, Context& ctx);

// Why a sample goes from a node to one of its children and not to the second best. Path and joint models, which compare
// all classes at once, make one step from the root to the class.
struct Step {
  NodeId node = kNoNode;
  NodeId child = kNoNode;
  NodeId rival = kNoNode;  // the second best child; kNoNode: there is none
  double probability = 1;  // of the child at this node; NaN: scores are not probabilities
  double margin = 0;       // score of the child minus that of the rival
  struct Reason {
    FeatureIndex feature;
    double value;         // of the sample
    double contribution;  // to the margin
  };
  std::vector<Reason> reasons;  // largest contributions first
  // A model with a kernel has no weights of features, but of training samples.
  struct Example {
    std::string name;            // of the training sample
    std::vector<NodeId> labels;  // its labels; empty: the model file does not have them
    double similarity;           // to the sample, by the kernel
    double contribution;         // to the margin
  };
  std::vector<Example> examples;  // largest contributions first
};

// The steps from the root to `label` along its most probable path, with at most `reasons` features, or training samples
// of a model with a kernel, each.
std::vector<Step> explain(const Model& model, const Dataset& data, Index sample, NodeId label, Index reasons);

// A node on the path to a label.
struct LevelAnswer {
  NodeId node = kNoNode;
  double probability = 0;
};

// The nodes on the path to each label of the predictions, from level 1 (below the root) down, with their probabilities:
// the products along the path, or the sums over the classes below. In the order of predictions.labels. Throws Error
// (kInput) unless the model has probabilities, one label per sample, and a tree.
std::vector<std::vector<LevelAnswer>> levels_of(const Model& model, const Dataset& data, const Predictions& predictions,
                                                Context& ctx);

// Predicts for a whole file, block by block if its format allows, so that memory stays bounded.
struct PredictFileOptions {
  enum class Shape { kCsv, kJsonLines };

  PredictOptions predict;
  ReadOptions read;
  Shape shape = Shape::kCsv;      // sample,rank,label,score; or an object per sample
  bool has_levels = false;        // also the nodes on the way to the label, see levels_of()
  std::vector<std::string> keep;  // columns of the input to copy to the output
  // Instead of labels, write the nodes with a score above this, in id order, without the root: sample,node,score; or an
  // object per sample.
  std::optional<double> nodes_above;
  Consistency consistency = Consistency::kDescendants;  // of the scores of nodes
  // Instead of labels, write nodes that contain the truth with this probability, see predict_covering().
  std::optional<CoverageOptions> covering;
  // Where the predictions go: to a file, which appears whole or not at all, or piece by piece to a function. If neither
  // is given, they are dropped.
  std::string output;
  bool overwrite = false;
  std::function<void(std::string_view)> write;
  // Called with every block and its predictions; if it returns false, the rest of the input is not read.
  std::function<bool(const Dataset& block, const Predictions& predictions)> watch;
  std::vector<std::string> texts;  // predict for these texts; the input is then ignored
};

struct PredictedFile {
  Index samples = 0;
  std::optional<Index> without_words;  // a model of words: samples in which it knows none
  std::vector<std::string> notes;
};

// `input` may be a file, a folder or an archive of documents, or "-" for standard input, whose format must be given;
// its lines are answered as they come. A folder with the parts of a data set is answered as one file, part after part.
// The processes of a team share the parts, and need `output` or `write` alike; only the leader writes, and gets the
// result. They cannot share one file: then the leader alone calls this. Throws Error (kInput) if there are no samples.
PredictedFile predict_file(const Model& model, const std::string& input, const PredictFileOptions& options,
                           Context& ctx);

}  // namespace clade
