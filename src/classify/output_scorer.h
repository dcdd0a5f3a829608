#pragma once

#include <clade/dataset.h>

#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// Computes linear outputs of samples. Holds scratch as large as the features: use one per thread, for many samples.
// Outputs are summed in the order of a sample's features, so they do not depend on other samples.
class OutputScorer {
 public:
  explicit OutputScorer(const ModelBody& model);

  // Sets the outputs to compute from now on; `samples` is roughly the number of samples that will follow.
  void use(const LinearOutputs& outputs, Index samples);
  // Writes outputs.count numbers.
  void score(const Dataset& data, Index sample, std::span<double> out);

 private:
  // The position of a feature among those with weights, or -1.
  Index place_of(FeatureIndex feature) const;

  const ModelBody& model_;
  const LinearOutputs* outputs_ = nullptr;
  bool is_spread_ = false;            // places_ is filled for the current outputs
  std::vector<std::int32_t> places_;  // by feature: its position + 1, or 0
};

}  // namespace clade
