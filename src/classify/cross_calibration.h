#pragma once

#include <clade/context.h>
#include <clade/parameters.h>

#include <functional>
#include <span>
#include <vector>

#include "classify/classifier.h"
#include "classify/model_body.h"

namespace clade {

enum class SharedCalibrate { kNone, kAuto, kSigmoid, kTemperature };
inline constexpr Choice<SharedCalibrate> kSharedCalibrateWords[] = {{SharedCalibrate::kNone, "none"},
                                                                    {SharedCalibrate::kAuto, "auto"},
                                                                    {SharedCalibrate::kSigmoid, "sigmoid"},
                                                                    {SharedCalibrate::kTemperature, "temperature"}};

// Options of the classifiers that compare all classes at once.
struct SharedCalibrationOptions {
  SharedCalibrate calibrate = SharedCalibrate::kNone;
  int folds = 5;

  bool is_wanted() const { return calibrate != SharedCalibrate::kNone; }
};

template <class V>
void describe(V& v, SharedCalibrationOptions& o) {
  v("calibrate", o.calibrate, kSharedCalibrateWords,
    "turn scores into probabilities, by cross-validation on the training data; auto: sigmoid if samples have several "
    "labels, else temperature");
  v("calibration-folds", o.folds, between(2, 100), "number of folds for `calibrate`");
}

// Throws Error (kInput) if the map does not suit the samples: a sigmoid is for several labels, a temperature for one.
void check_calibration(const SharedCalibrationOptions& options, const Dataset& data);

// Learns the map from the scores of a path or joint model to probabilities, on scores of samples that were held out.
// The samples are dealt to folds, class by class in turn; `train` makes a model of the samples of the other folds.
// Everything that was learnt from all samples (vocabulary, means, selection, scales) is learnt again without the fold.
void calibrate_at_once(ModelBody& model, const TrainingInput& input, const SharedCalibrationOptions& options,
                       const std::function<ModelBody(const TrainingInput& part)>& train, Context& ctx);

// The softmax that comes closest to the labels of held-out samples:
//
//   p = (1 - doubt) softmax(temperature x scores) + doubt / K        K: number of classes
//
// with the least squared error sum_i ||p_i - y_i||^2 (Brier score). The target y_i is 1 at the label, of which a share
// of 1 / (n + 2), n being the number of samples, is spread over all classes: nothing is certain after few samples. The
// likelihood would not do: a few samples
// whose scores are far off dominate it, and everything else then looks less certain than it is. For each temperature
// the best doubt is known; the best temperature is found on a grid and then by golden section.
struct SharedSoftmax {
  double temperature = 1;
  double doubt = 0;
};
SharedSoftmax fit_softmax(const std::vector<std::vector<double>>& scores, std::span<const std::int32_t> label,
                          Context& ctx);

}  // namespace clade
