#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/learn.h>
#include <clade/parameters.h>

#include <memory>
#include <string_view>

#include "core/method_table.h"
#include "induce/class_samples.h"

namespace clade {

// What a learner works on. Everything must outlive the call.
struct LearnInput {
  const Dataset& data;
  const ClassSamples& classes;  // at least one has samples
  bool unit = false;            // samples are brought to length 1
  double memory = 0;            // bytes that the work may take beside the data; 0: no limit
};

// A method that learns a taxonomy. To add one: its file, its row in taxonomy_learners.cpp, its test and its page.
class TaxonomyLearner {
 public:
  virtual ~TaxonomyLearner() = default;
  // Refers to the learner's options: set values through it, then learn.
  virtual ParameterTable parameters() = 0;
  // Fills taxonomy, clusters, dendrogram, notes and memory. Throws Error (kInput) for parameters that do not suit the
  // data.
  virtual LearnedTaxonomy learn(const LearnInput& input, Context& ctx) = 0;
};

const MethodTable<TaxonomyLearner>& taxonomy_learner_table();

}  // namespace clade
