#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/io.h>
#include <clade/model.h>
#include <clade/parameters.h>
#include <clade/predictions.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

enum class Policy {
  kAuto,    // best where probabilities can be trusted (calibrated, logistic), greedy elsewhere
  kGreedy,  // from the root, the best child each time
  kBest,    // the leaf whose path has the largest product of probabilities
};

struct PredictOptions {
  Policy policy = Policy::kAuto;
  double confidence = 0;  // stop at the last node whose probability is at least this
  Index top_k = 0;        // labels per sample, best first; 0: one, or what a model for several labels gives
  Index beam = 0;         // best: nodes that a sample keeps open; 0: all
  // Joint models. kAuto: the first top_k, else those above the learnt threshold if there is one, else the best.
  LabelSet label_set = LabelSet::kAuto;
  bool is_ranked = false;       // joint models: all classes, with scores less the threshold above which they are labels
  bool align_features = false;  // find the model's features in the data by name; others are left out or 0

  Index label_count() const { return top_k > 0 ? top_k : 1; }
};
void describe(ParameterTable& v, PredictOptions& o);
// The part that measuring a model shares.
void describe_policy(ParameterTable& v, PredictOptions& o);

// Labels of the samples with scores: probabilities, but for models of paths and joint ones, whose scores are margins.
// The nodes are those of model.taxonomy(), miscellaneous leaves folded into their parents. The data must have the
// model's features (see PredictOptions::align_features), read as reading_for() says where they come from raw text;
// missing values are replaced as in training. Several labels where the model was trained on such, and at most top_k
// otherwise. A sample's result does not depend on the other samples, nor on the number of threads.
//
// greedy: O(sum over the path of the sample's weights). best: nodes are opened in the order of their probability until
// a leaf is the most probable, which is exact, because a probability never rises on the way down.
// Throws Error (kInput) for options or data that do not suit the model.
Predictions predict(const Model& model, const Dataset& data, const PredictOptions& options, Context& ctx);

// Why a sample goes from a node to one of its children and not to the next best one.
struct Step {
  NodeId node = kNoNode;
  NodeId child = kNoNode;
  NodeId rival = kNoNode;  // the next best child; kNoNode: there is none
  double probability = 1;  // of the child at this node
  double margin = 0;       // score of the child less that of the rival
  struct Reason {
    FeatureIndex feature;
    double value;         // of the sample
    double contribution;  // to the margin
  };
  std::vector<Reason> reasons;  // largest contributions first
};

// The steps from the root to `label` by its most probable way, with at most `reasons` features each. Throws Error
// (kInput) for models that do not decide node by node (can_explain()).
std::vector<Step> explain(const Model& model, const Dataset& data, Index sample, NodeId label, Index reasons);
bool can_explain(const Model& model);

// Predicts for a whole file, block by block where its format allows, so that memory stays bounded.
struct PredictFileOptions {
  enum class Shape { kCsv, kJsonLines };

  PredictOptions predict;
  ReadOptions read;
  Shape shape = Shape::kCsv;  // sample,rank,label,score; or an object per sample
  // Where the predictions go: a file that appears whole or not at all, or a function that is given the text piece by
  // piece. Neither: nowhere.
  std::string output;
  bool overwrite = false;
  std::function<void(std::string_view)> write;
  // Called with every block and what was predicted for it; false: enough, the rest of the input is not read.
  std::function<bool(const Dataset& block, const Predictions& predictions)> watch;
};

struct PredictedFile {
  Index samples = 0;
  std::vector<std::string> notes;
};

// `input` may be "-" for standard input, whose format must be given. Throws Error (kInput) also where it has no sample.
PredictedFile predict_file(const Model& model, const std::string& input, const PredictFileOptions& options,
                           Context& ctx);

}  // namespace clade
