#pragma once

#include "classify/classifier.h"
#include "classify/linear/feature_scale.h"
#include "classify/local/label_tree_training.h"
#include "classify/local/node_solver.h"
#include "classify/pack.h"

namespace clade {

enum class ClassWeight { kNone, kBalanced };
enum class Calibrate { kNone, kSigmoid, kIsotonic, kTemperature };

inline constexpr Choice<ClassWeight> kClassWeightWords[] = {{ClassWeight::kNone, "none"},
                                                            {ClassWeight::kBalanced, "balanced"}};
inline constexpr Choice<Calibrate> kCalibrateWords[] = {{Calibrate::kNone, "none"},
                                                        {Calibrate::kSigmoid, "sigmoid"},
                                                        {Calibrate::kIsotonic, "isotonic"},
                                                        {Calibrate::kTemperature, "temperature"}};

// What all local classifiers share.
struct LocalOptions {
  ClassWeight class_weight = ClassWeight::kNone;
  Scale scale = Scale::kAuto;
  Calibrate calibrate = Calibrate::kNone;
  int calibration_folds = 5;
  PackOptions pack;
  LabelTreeOptions tree;

  // Nothing that is learnt from all samples at once.
  bool takes_row_parts() const { return calibrate == Calibrate::kNone && scale != Scale::kStandard; }
};

template <class V>
void describe(V& v, LocalOptions& o) {
  v("class-weight", o.class_weight, kClassWeightWords, "balanced: all children of a node count the same");
  v("scale", o.scale, kLinearScaleWords,
    "standard: features to mean 0 and variance 1; unit: samples to length 1; auto: standard if dense, "
    "unit if dense but mostly 0");
  v("calibrate", o.calibrate, kCalibrateWords,
    "turn scores into probabilities, by cross-validation on the training data");
  v("calibration-folds", o.calibration_folds, between(2, 100), "number of folds for `calibrate`");
  describe(v, o.pack);
  describe(v, o.tree);
}

// One linear classifier per inner node over its children, trained on the samples below it (Cai and Hofmann 2004 and
// many before: "top-down"). A node whose samples are all below one child needs none. A node with very many children
// gets a label tree (classify/label_tree.h). Nodes are independent: large ones use all threads, small ones run side by
// side.
ModelBody train_top_down(const TrainingInput& input, const NodeSolver& solver, const LocalOptions& options,
                         Context& ctx);

}  // namespace clade
