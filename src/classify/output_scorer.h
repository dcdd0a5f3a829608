#pragma once

#include <clade/dataset.h>

#include <optional>
#include <span>
#include <vector>

#include "classify/model_body.h"
#include "classify/prepared_outputs.h"

namespace clade {

// Computes linear outputs of samples. Has scratch of its own: use one per thread, for many samples. Outputs are summed
// in the order of a sample's features, so they depend neither on other samples nor on what was prepared for these.
class OutputScorer {
 public:
  explicit OutputScorer(const ModelBody& model);

  // Sets the outputs to compute from now on; `samples` is roughly the number of samples that will follow.
  void use(const LinearOutputs& outputs, Index samples);
  // The same with what was prepared for these outputs, which may be null, and must exist as long as they are used.
  void use(const LinearOutputs& outputs, const FeaturePlaces* places, const FullRows* rows = nullptr);
  // Writes outputs.count numbers.
  void score(const Dataset& data, Index sample, std::span<double> out);

 private:
  // A value of the sample whose feature has weights: its position among those, and the value.
  struct Term {
    std::size_t place;
    double value;
  };

  // Finds the terms of a sample; returns its sum of squares.
  double find_terms(const Dataset& data, Index sample);
  Index place_of(FeatureIndex feature) const;
  void add_terms(double* sums) const;

  const ModelBody& model_;
  const LinearOutputs* outputs_ = nullptr;
  const FeaturePlaces* places_ = nullptr;    // null: features are searched for
  const FullRows* rows_ = nullptr;           // null: none
  std::optional<FeaturePlaces> own_places_;  // of the current outputs, if nobody else has prepared them
  std::vector<Term> terms_;                  // of the sample; only the first term_count_ count
  std::size_t term_count_ = 0;
  Buffer<double> sums_;  // of the outputs, up to the width of full rows
};

}  // namespace clade
