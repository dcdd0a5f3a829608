#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/model.h>
#include <clade/parameters.h>
#include <clade/predictions.h>
#include <clade/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

struct Recipe;

// Answers with a guarantee (conformal prediction): nodes, as deep and as few as possible, that contain the truth with a
// probability that the user chooses, whatever the model is worth. All that it takes is that new samples come from the
// same source as those of training. docs/conformal.md has the formulas and says which guarantee is exact.

// How the samples that calibrate a model are kept from it.
struct ConformalOptions {
  enum class Way {
    kSplit,  // a random share of the samples is held out of training; the guarantee is exact
    kCross,  // the model is trained on all samples, and calibrated by models of the other folds; no exact guarantee
  };
  Way way = Way::kCross;
  double share = 0.2;     // kSplit: of the samples
  int folds = 5;          // kCross
  bool by_class = false;  // the guarantee holds for every class, and not only on average; one label per sample
};

// "split", "split:20%", "cross", "cross:10". Throws Error (kInput).
ConformalOptions parse_conformal(std::string_view text);

// train() that also calibrates. With kCross a recipe is learnt once per fold, and once more.
Model train_conformal(const Dataset& data, const Recipe& recipe, const ConformalOptions& options,
                      std::span<const double> weights, Context& ctx);

// What is guaranteed of an answer.
enum class Guarantee {
  kComplete,  // every true label is an answered node or below one
  kCorrect,   // every answered node is a true label or above one
};

// The most nodes that an answer may have: calibration depends on how many are allowed.
constexpr Index kLargestSetSize = 10;

struct CoverageOptions {
  double coverage = 0.9;  // the probability that the guarantee holds, above 0 and below 1
  // The most nodes of an answer, at most kLargestSetSize. 0: with kComplete one if samples have one label, and
  // kLargestSetSize if they have several; with kCorrect as many as are sure.
  Index set_size = 0;
  Guarantee guarantee = Guarantee::kComplete;
  bool align_features = false;  // as in PredictOptions
};
void describe(ParameterTable& v, CoverageOptions& o);

// How a model was calibrated.
struct ConformalInfo {
  ConformalOptions::Way way;
  Index samples;  // that calibrate it
  bool by_class;
  bool has_several_labels;
};
// Empty: it was not.
std::optional<ConformalInfo> conformal_info(const Model& model);

// The answered nodes of every sample, those with the highest node scores first; never none. No node is below another.
// Notes say where calibration samples are too few for the coverage, so that the answer is the root. Throws Error
// (kInput) if the model was not calibrated, or for options that do not suit it.
Predictions predict_covering(const Model& model, const Dataset& data, const CoverageOptions& options, Context& ctx);

// Samples together, and how often the guarantee held.
struct Covered {
  int level = 0;  // of the deepest true label; 0: all levels together
  Index samples = 0;
  Index covered = 0;
  double size = 0;   // answered nodes, mean over the samples
  double depth = 0;  // mean depth of a sample's answered nodes, mean over the samples
  Index roots = 0;   // samples that are answered by the root alone
  double share() const { return static_cast<double>(covered) / static_cast<double>(samples); }
  // The binomial interval of the share with probability 0.95 (Clopper and Pearson).
  double low = 0;
  double high = 1;
};

struct CoverageEvaluation {
  CoverageOptions options;  // with the set size that was used; 0: any
  Covered all;
  std::vector<Covered> levels;  // from the root down, those that occur
  std::vector<std::string> notes;
};

// Answers samples whose labels are known. A label that the model does not know is covered by the nodes above it.
// Samples without a label are left out.
CoverageEvaluation evaluate_coverage(const Model& model, const Dataset& data, const CoverageOptions& options,
                                     Context& ctx);

}  // namespace clade
