#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/feature_tree.h>

#include <memory>
#include <string_view>

#include "core/parameters.h"

namespace clade {

// What a method works on.
struct FeatureTreeInput {
  const Dataset& data;
  double memory = 0;  // bytes that the work may take beside the data
};

// A method that arranges features in a hierarchy. To add one: its file, its row in feature_tree_makers.cpp, its test
// and its part of docs/feature-tree.md.
class FeatureTreeMaker {
 public:
  virtual ~FeatureTreeMaker() = default;
  // Refers to the maker's options: set values through it, then make.
  virtual ParameterTable parameters() = 0;
  // Fills tree and notes. Throws Error (kInput) for what does not suit the data.
  virtual FeatureHierarchy make(const FeatureTreeInput& input, Context& ctx) = 0;
};

// Throws Error (kInput) if there is no such method.
std::unique_ptr<FeatureTreeMaker> make_feature_tree_maker(std::string_view name);

std::unique_ptr<FeatureTreeMaker> make_wordnet_tree();
std::unique_ptr<FeatureTreeMaker> make_spatial_tree();
std::unique_ptr<FeatureTreeMaker> make_agglomerative_tree();
std::unique_ptr<FeatureTreeMaker> make_file_tree();

}  // namespace clade
