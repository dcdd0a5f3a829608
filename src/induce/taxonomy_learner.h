#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/learn.h>
#include <clade/parameters.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/method_table.h"

namespace clade {

// The classes of a data set, ignoring its hierarchy: the nodes that samples are labelled with, including inner ones,
// and the samples of each. A sample with several labels belongs to each.
struct ClassSamples {
  std::vector<NodeId> classes;          // those that have samples, ascending
  std::vector<NodeId> without_samples;  // leaves that no sample is labelled with, ascending
  std::vector<Index> offsets;           // classes + 1
  std::vector<Index> samples;           // of class k: samples[offsets[k]] ... , ascending
  Index unlabelled = 0;                 // samples without any label

  Index size() const { return std::ssize(classes); }
  std::span<const Index> of(Index k) const {
    const auto at = static_cast<std::size_t>(k);
    return {samples.data() + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
  }
};

ClassSamples class_samples(const Dataset& data);
// The names of some of the nodes of the data.
std::vector<std::string> names_of(const Dataset& data, std::span<const NodeId> nodes);

// What a learner works on. Everything must outlive the call.
struct LearnInput {
  const Dataset& data;
  const ClassSamples& classes;  // at least one has samples
  bool unit = false;            // scale samples to length 1
  double memory = 0;            // bytes that the work may take besides the data; 0: no limit
};

// A method that learns a taxonomy. To add one: its file, its row in taxonomy_learners.cpp, its test and its page.
class TaxonomyLearner {
 public:
  virtual ~TaxonomyLearner() = default;
  // Refers to the learner's options: set values through it, then learn.
  virtual ParameterTable parameters() = 0;
  // False if classes are arranged by their names alone, whatever their samples.
  virtual bool needs_samples() const { return true; }
  // Fills taxonomy, clusters, dendrogram, notes and memory. Throws Error (kInput) if parameters do not suit the data.
  virtual LearnedTaxonomy learn(const LearnInput& input, Context& ctx) = 0;
};

const MethodTable<TaxonomyLearner>& taxonomy_learner_table();

}  // namespace clade
