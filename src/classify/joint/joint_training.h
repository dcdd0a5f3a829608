#pragma once

#include <clade/context.h>

#include <optional>
#include <string>
#include <vector>

#include "classify/classifier.h"
#include "classify/cross_calibration.h"
#include "classify/joint/attribute_weights.h"
#include "classify/joint/feature_mask.h"
#include "classify/joint/joint_problem.h"
#include "classify/joint/kernel_scores.h"
#include "classify/linear/feature_scale.h"
#include "classify/linear/training_rows.h"
#include "classify/model_body.h"
#include "classify/pack.h"

namespace clade {

enum class AttributeChoice { kPath, kPathNormalised, kFlat };
enum class ClassLossChoice { kTree, kTreeNormalised, kZeroOne, kWeighted };
inline constexpr Choice<AttributeChoice> kAttributeWords[] = {{AttributeChoice::kPath, "path"},
                                                              {AttributeChoice::kPathNormalised, "path-normalised"},
                                                              {AttributeChoice::kFlat, "flat"}};
inline constexpr Choice<ClassLossChoice> kClassLossWords[] = {{ClassLossChoice::kTree, "tree"},
                                                              {ClassLossChoice::kTreeNormalised, "tree-normalised"},
                                                              {ClassLossChoice::kZeroOne, "zero-one"},
                                                              {ClassLossChoice::kWeighted, "weighted"}};

// How a joint classifier uses the hierarchy.
struct HierarchyOptions {
  AttributeChoice attributes = AttributeChoice::kPath;
  ClassLossChoice loss = ClassLossChoice::kTree;
  std::string class_attributes;
  std::string class_similarity;
  std::string loss_matrix;
  std::string node_volumes;
  double missed_cost = 1;
  double extra_cost = 1;
};

template <class V>
void describe(V& v, HierarchyOptions& o) {
  v("attributes", o.attributes, kAttributeWords,
    "what classes share; path: their ancestors; path-normalised: the same, each class scaled to length 1; flat: "
    "nothing");
  v("class-attributes", o.class_attributes,
    "file with attributes of every class, used instead of `attributes`: class,attribute,attribute,...");
  v("class-similarity", o.class_similarity,
    "file with similarities of all pairs of classes, used instead of `attributes`: class,class,...");
  v("loss", o.loss, kClassLossWords,
    "cost of taking one class for another; tree: half the nodes that their paths do not share; weighted: by "
    "`node-volumes`");
  v("loss-matrix", o.loss_matrix,
    "file with the loss of all pairs of classes, used instead of `loss`: class,class,...");
  v("node-volumes", o.node_volumes, "file with the volume of every node for `loss` weighted: node,volume");
  v("missed-cost", o.missed_cost, nonnegative(), "cost of a node that is missed, with `loss` weighted");
  v("extra-cost", o.extra_cost, nonnegative(), "cost of a node that is wrongly predicted, with `loss` weighted");
}

enum class ClassChoice { kAll, kSeen };
inline constexpr Choice<ClassChoice> kClassChoiceWords[] = {{ClassChoice::kAll, "all"}, {ClassChoice::kSeen, "seen"}};
enum class LearnThreshold { kAuto, kYes, kNo };
inline constexpr Choice<LearnThreshold> kLearnThresholdWords[] = {
    {LearnThreshold::kAuto, "auto"}, {LearnThreshold::kYes, "yes"}, {LearnThreshold::kNo, "no"}};

// Options of all joint classifiers about samples and model.
struct JointOptions {
  Scale scale = Scale::kUnit;
  double bias = 0;
  ClassChoice classes = ClassChoice::kAll;
  LearnThreshold threshold = LearnThreshold::kAuto;
  SharedCalibrationOptions calibration;
  PackOptions pack{.sparse_prune = 0};
};

template <class V>
void describe(V& v, JointOptions& o) {
  v("scale", o.scale, kLinearScaleWords,
    "standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, unit if sparse "
    "or mostly 0");
  v("bias", o.bias, nonnegative(), "value of a constant feature; 0: none");
  v("classes", o.classes, kClassChoiceWords,
    "classes to rank: all leaves of the hierarchy, or only those with training samples");
  v("learn-threshold", o.threshold, kLearnThresholdWords,
    "learn the score above which a class is a label; auto: if samples have several labels");
  describe(v, o.calibration);
  describe(v, o.pack);
}

// Settings of a joint classifier apart from those of its own method.
struct JointSettings {
  bool is_flat = false;  // without the hierarchy
  HierarchyOptions hierarchy;
  JointOptions joint;
  KernelOptions kernel;
  bool reads_rows_in_order = false;  // and one at a time: they may then be made when they are needed

  bool takes_sequences() const {
    return kernel.kind == KernelKind::kSubsequence || kernel.kind == KernelKind::kPrecomputed;
  }
};

template <class V>
void describe(V& v, JointSettings& o) {
  if (!o.is_flat) describe(v, o.hierarchy);
  describe(v, o.joint);
  describe(v, o.kernel);
}

// The samples of a joint problem: as rows, or in the form that a kernel compares.
struct JointData {
  JointProblem problem;
  TrainingRows rows;  // the constant feature, if there is one, is the last column
  PreparedScale scaling;
  // The features that may have weights, as in LearningState.
  std::vector<std::vector<FeatureIndex>> allowed;
  double bias = 0;
  std::optional<KernelSamples> samples;
  KernelOptions kernel;  // gamma is set, not auto
};

// What a model that goes on has begun with.
struct JointStart {
  PreparedScale scaling;
  std::vector<std::vector<FeatureIndex>> allowed;
};

// Throws Error (kInput) if settings contradict each other, or the choice of features.
void check_settings(const JointSettings& settings, ChosenFeatures chosen);

// Throws Error (kInput) if there are fewer than two classes, a sample has all classes, or files or kernels do not fit.
// Notes the number of samples from which nothing can be learnt. If is_flat: flat attributes, zero-one loss. With
// `start`, samples are scaled in its way and have its features, whatever settings and input say.
JointData joint_data(const TrainingInput& input, const JointSettings& settings, Context& ctx,
                     const JointStart* start = nullptr);

// Of the columns of the rows; none if all attributes have the same features.
FeatureMask mask_of(const JointData& data);

// The model with the solved weights, still without a threshold.
template <class T>
ModelBody joint_model(const JointData& data, const AttributeWeights<T>& weights, const JointOptions& options,
                      const Dataset& samples, Context& ctx);
// The same for coefficients of the training samples: w_z = sum_j coefficient_jz phi(x_j).
ModelBody joint_model(const JointData& data, const KernelScores::Coefficients& coefficients, const Dataset& samples,
                      Context& ctx);

// The unchanged weights, feature by feature: no scaling undone, nothing dropped, double precision.
LinearOutputs packed_state(const JointData& data, const AttributeWeights<double>& weights, PackedWeights& storage,
                           Context& ctx);
// Adds weights that packed_state() made to the rows of their features.
void add_state(const LinearOutputs& state, const JointData& data, AttributeWeights<double>& weights);

// Learns the model's threshold if it should have one.
void add_threshold(ModelBody& model, const TrainingInput& input, const JointOptions& options, Context& ctx);

}  // namespace clade
