#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/diagnose.h>
#include <clade/train.h>

#include <functional>
#include <span>
#include <vector>

namespace clade {

// What a cross-validated hierarchy answers, and how good that is, sample by sample; over the taxonomy of the data.
struct TrialAnswers {
  std::vector<std::vector<NodeId>> labels;
  std::vector<double> right;  // 1 if the labels are exactly the true ones
  std::vector<double> f1;     // of the labels with all nodes above them, without the root
  bool has_several_labels = false;

  double accuracy() const;
  double hierarchical_f1() const;
};

// Gives the taxonomy to learn over; it may be learned from the training samples.
using TaxonomySource = std::function<Taxonomy(const Dataset& data, const std::vector<Index>& training, Context& ctx)>;

// Cross-validates the recipe over another taxonomy; none: that of the data. All samples have labels.
TrialAnswers answers_over(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                          const TaxonomySource& source, Context& ctx);

// How much better `now` is than `before`, over some of the samples.
PairedGain paired_gain(const TrialAnswers& now, const TrialAnswers& before, std::span<const Index> samples);
PairedGain paired_gain(const TrialAnswers& now, const TrialAnswers& before);

}  // namespace clade
