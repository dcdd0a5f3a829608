#pragma once

#include <clade/dataset.h>

#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// Computes linear outputs of samples. Holds scratch as large as the features: one per thread, used for many samples.
// A sample's outputs are summed in the order of its features, so they do not depend on its company.
class OutputScorer {
 public:
  explicit OutputScorer(const ModelBody& model);

  // The outputs to compute from now on; `samples` is about how many will follow.
  void use(const LinearOutputs& outputs, Index samples);
  // Writes outputs.count numbers.
  void score(const Dataset& data, Index sample, std::span<double> out);

 private:
  // The place of a feature among those with weights, or -1.
  Index place_of(FeatureIndex feature) const;

  const ModelBody& model_;
  const LinearOutputs* outputs_ = nullptr;
  bool is_spread_ = false;            // places_ is filled for the current outputs
  std::vector<std::int32_t> places_;  // by feature: its place + 1, or 0
};

}  // namespace clade
